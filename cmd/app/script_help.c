/* SPDX-License-Identifier: MIT */
#include "cmd/app/script_help.h"

#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/personality.h"
#include "out/term/term.h"
#include "script/script_catalog.h"

/* "pfx script NAME ...", and its description. */
static void add_use(const char *before, const char *name, const char *after, const char *what,
		    struct pfx_str *to)
{
	size_t start = to->len;

	pfx_str_addf(to, "    %s script %s%s%s", pfx_program_name(), before, name, after);
	pfx_str_pad(to, ' ', to->len - start < 50 ? 50 - (to->len - start) : 1);
	pfx_str_addf(to, "%s\n", what);
}

static void add_wrapped(const struct pfx_str *text, unsigned indent, struct pfx_str *to)
{
	struct pfx_str safe = {0};

	pfx_str_add_foreign(&safe, pfx_str_get(text));
	pfx_help_wrap(pfx_str_get(&safe), indent, pfx_term_width(), to);
	pfx_str_fini(&safe);
}

bool pfx_script_help(const char *name, struct pfx_str *to)
{
	struct pfx_str args = {0}, what = {0}, record = {0};
	char *path = pfx_script_find_or_file(name);

	if (!path)
		return false;
	pfx_script_comment(path, "args", &args);
	pfx_script_comment(path, "description", &what);
	pfx_script_comment(path, "record", &record);
	pfx_str_addf(to, "Usage: %s script %s -i FILE ", pfx_program_name(), name);
	add_wrapped(&args, (unsigned)to->len, to);
	pfx_str_addc(to, '\n');
	add_wrapped(&what, 0, to);
	pfx_str_addc(to, '\n');
	add_use("", name, " -i perf.data", "over a recording", to);
	add_use("record ", name, " -- COMMAND", "record for it", to);
	add_use("report ", name, "", "over perf.data", to);
	add_use("", name, " -- COMMAND", "both at once", to);
	add_use("-a ", name, "", "the same for the whole system", to);
	add_use("", name, "", "standard input or perf.data", to);
	if (record.len) {
		pfx_str_addf(to, "\nWhat is recorded for it:\n    %s record ", pfx_program_name());
		add_wrapped(&record, 4 + (unsigned)strlen(pfx_program_name()) + sizeof(" record"),
			    to);
	}
	free(path);
	pfx_str_fini(&args);
	pfx_str_fini(&what);
	pfx_str_fini(&record);
	return true;
}
