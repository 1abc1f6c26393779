/* SPDX-License-Identifier: MIT */
/*
 * Code that a program made while it ran: /tmp/perf-PID.map, one "START SIZE name" a line in hex,
 * written by the program itself. Memory is used again, for a function that was compiled again or
 * for others: the line further down counts. Where the file comes from is not known here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "sym/jit_files.h"
#include "sym/symtab_internal.h"

/* Take one line apart, which ends at @end; false when it is no entry. */
static bool add_line(struct pfx_symtab *tab, char *line, char *end)
{
	uint64_t start, size;
	char *at;

	*end = '\0';
	start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return false;
	line = at;
	size = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !at[1] || !size)
		return false;
	pfx_symtab_add(tab, start, size, at + 1, 'g', true);
	return true;
}

static void add_lines(struct pfx_symtab *tab, char *text, size_t size)
{
	char *line, *end, *stop = text + size;

	for (line = text; line < stop; line = end + 1) {
		end = memchr(line, '\n', (size_t)(stop - line));
		end = end ? end : stop;
		add_line(tab, line, end);
	}
}

int pfx_symtab_load_perf_map(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			     const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_jit_file file;
	char shown[256];
	int rc = pfx_jit_file_read(request, options, &file, err);

	if (rc)
		return rc;
	tab->last_wins = true;
	add_lines(tab, (char *)file.data, file.size);
	pfx_symtab_set_source(tab, file.path);
	if (!tab->syms.nr)
		rc = pfx_error_set(err, ENOENT, "'%s' has no entries",
				   pfx_escape(shown, sizeof(shown), file.path));
	pfx_symtab_own(tab, file.data);
	file.data = NULL;
	pfx_jit_file_free(&file);
	return rc;
}
