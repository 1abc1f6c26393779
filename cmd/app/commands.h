/* SPDX-License-Identifier: MIT */
/* The table of subcommands and what they share: messages, the pager. */
#ifndef PFX_CMD_COMMANDS_H
#define PFX_CMD_COMMANDS_H

#include "base/error.h"
#include "cli/config.h"
#include "cli/options.h"
#include "cmd/app/messages.h"

extern const struct pfx_command pfx_cmd_record, pfx_cmd_report, pfx_cmd_script;
extern const struct pfx_command pfx_cmd_inject, pfx_cmd_list, pfx_cmd_stat;
extern const struct pfx_command pfx_cmd_annotate, pfx_cmd_evlist, pfx_cmd_buildid_list,
	pfx_cmd_data;
extern const struct pfx_command pfx_cmd_buildid_cache, pfx_cmd_archive;
extern const struct pfx_command pfx_cmd_export, pfx_cmd_diff, pfx_cmd_top, pfx_cmd_flamegraph;
extern const struct pfx_command pfx_cmd_help, pfx_cmd_version, pfx_cmd_completion;
extern const struct pfx_command pfx_cmd_config, pfx_cmd_check;
/* The program itself: its options are those before the command word. */
extern const struct pfx_command pfx_cmd_program;

/* All commands in the order of `pfx help`, NULL at the end. */
extern const struct pfx_command *const pfx_commands[];
/* The command of that name, or NULL. */
const struct pfx_command *pfx_command_find(const char *name);
/* The name of the command nearest to @word, or NULL. */
const char *pfx_command_nearest(const char *word);

/* Where event names of -e are looked up on this machine; static. PFX_CPUID in the environment
 * selects another CPU for vendor events. */
struct pfx_pmu_roots;
const struct pfx_pmu_roots *pfx_cmd_pmu_roots(void);
/* From now on names without a PMU mean one core type of a hybrid machine, "core" or "atom". */
int pfx_cmd_choose_cores(const char *type, struct pfx_error *err);

/* Whether these words for `pfx record` (argv[0] is its name) select a target. Also true for invalid
 * words, so that the command itself reports them. */
bool pfx_record_has_target(int argc, char **argv);
/* If these words select a target but no command: print on a terminal, in the name of @command, what
 * is recorded until Ctrl-C; not with -q. */
void pfx_record_say_waiting(const char *command, int argc, char **argv);

/* Start the pager for a command if standard output is a terminal and neither --no-pager nor the
 * configuration (pager.NAME) disables it. */
void pfx_pager_for(const char *command);

/* As pfx_options_take() of cli/options.h, with messages: the index, or -1 if the command must
 * return
 * *@ret_code (help was shown: 0; usage error printed: 129). */
int pfx_options_or_exit(const struct pfx_command *command, int argc, char **argv, void *options,
			int *ret_code);
/* Print the help text of a command to standard output; with @words (may be NULL, ends with NULL)
 * only the options whose name or description contains one of them. */
void pfx_options_help(const struct pfx_command *command, char *const *words);

/* Options before the command word (--no-pager, --buildid-dir). */
struct pfx_globals {
	bool no_pager;
	bool paginate;           /* -p: use the pager for any command */
	const char *buildid_dir; /* NULL: default */
	const char *debugfs_dir; /* where tracepoints are described; NULL: searched for */
};
extern struct pfx_globals pfx_globals;

#endif
