/* SPDX-License-Identifier: MIT */
/* A finished file gets its name with the time (--timestamp-filename, --switch-output). */
#include <string.h>

#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/record/record_internal.h"

/* Only so many of the files are kept. */
static void forget_oldest(struct pfx_recorder *rec)
{
	uint64_t most = rec->options->output_side.switch_max_files;
	char shown[256];
	const char *name;
	int rc;

	while ((rc = pfx_named_files_trim(&rec->out.files, most, &name)))
		if (rc < 0)
			pfx_print_note("record", "cannot remove '%s': %s",
				       pfx_escape(shown, sizeof(shown), name), strerror(-rc));
}

int pfx_record_name_file(struct pfx_recorder *rec, struct pfx_error *err)
{
	const char *name;
	int rc = pfx_named_files_add(&rec->out.files, rec->output, &name, err);

	if (rc < 0)
		return rc;
	if (!rec->options->quiet)
		pfx_print_line("[ pfx record: Dump %s ]", name);
	forget_oldest(rec);
	return 0;
}
