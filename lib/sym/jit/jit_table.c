/* SPDX-License-Identifier: MIT */
/*
 * The functions of a jitdump as symbols, by file offset of their code: the offset is unique even if
 * functions move or share an address over time. The session tracks their addresses in memory.
 */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "sym/find/request.h"
#include "sym/jit/jit_files.h"
#include "sym/jit/jit_table_internal.h"
#include "sym/jit/jitdump.h"
#include "sym/table/symtab_internal.h"

int pfx_symtab_load_jitdump(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			    const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_jitdump dump;
	struct pfx_jit_record record;
	struct pfx_jit_file file;
	char shown[256];
	int rc = pfx_jit_file_read(request, options, &file, err);

	if (rc)
		return rc;
	pfx_escape(shown, sizeof(shown), file.path);
	rc = pfx_jitdump_init(&dump, file.data, file.size, err);
	while (!rc && pfx_jitdump_next(&dump, &record))
		if (record.type == PFX_JIT_LOAD && record.load.size)
			pfx_symtab_add(tab, (uint64_t)(record.load.code - file.data),
				       record.load.size, record.load.name, 'g', true);
	if (!rc && !tab->syms.nr)
		rc = pfx_error_set(err, ENOENT, "'%s' has no functions", shown);
	pfx_symtab_set_source(tab, file.path);
	pfx_symtab_own(tab, file.data);
	file.data = NULL;
	pfx_jit_file_free(&file);
	return rc;
}
