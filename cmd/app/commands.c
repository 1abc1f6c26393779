/* SPDX-License-Identifier: MIT */
/*
 * The table of commands, and functions that all commands share. A new command is a file
 * cmd_<name>.c that defines its struct pfx_command, and a row here.
 */
#include "cmd/app/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "out/term/term.h"

/* A row for each command. */
/* clang-format off */
const struct pfx_command *const pfx_commands[] = {
	&pfx_cmd_record,
	&pfx_cmd_report,
	&pfx_cmd_top,
	&pfx_cmd_script,
	&pfx_cmd_annotate,
	&pfx_cmd_diff,
	&pfx_cmd_stat,
	&pfx_cmd_list,
	&pfx_cmd_evlist,
	&pfx_cmd_buildid_list,
	&pfx_cmd_buildid_cache,
	&pfx_cmd_archive,
	&pfx_cmd_inject,
	&pfx_cmd_data,
	&pfx_cmd_export,
	&pfx_cmd_flamegraph,
	&pfx_cmd_completion,
	&pfx_cmd_config,
	&pfx_cmd_check,
	&pfx_cmd_help,
	&pfx_cmd_version,
	NULL,
};
/* clang-format on */

struct pfx_globals pfx_globals;

const struct pfx_command *pfx_command_find(const char *name)
{
	size_t i;

	for (i = 0; pfx_commands[i]; i++)
		if (!strcmp(pfx_commands[i]->name, name))
			return pfx_commands[i];
	return NULL;
}

const char *pfx_command_nearest(const char *word)
{
	const char *names[sizeof(pfx_commands) / sizeof(*pfx_commands)];
	size_t nr;

	for (nr = 0; pfx_commands[nr]; nr++)
		names[nr] = pfx_commands[nr]->name;
	return pfx_nearest(word, names, nr);
}

void pfx_pager_for(const char *command)
{
	const char *value;
	bool wanted = true;
	char key[64];

	if (pfx_globals.no_pager)
		return;
	snprintf(key, sizeof(key), "pager.%s", command);
	value = pfx_config_get(key);
	if (value && pfx_config_is_bool(key, &wanted))
		value = NULL;
	if (wanted || pfx_globals.paginate)
		pfx_pager_start(value, !strcmp(command, "report") || !strcmp(command, "annotate") ||
					       !strcmp(command, "diff"));
}
