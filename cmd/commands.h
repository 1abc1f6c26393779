/* SPDX-License-Identifier: MIT */
/* The table of subcommands and what they share: printing errors, configuration. */
#ifndef PFX_CMD_COMMANDS_H
#define PFX_CMD_COMMANDS_H

#include "base/error.h"
#include "cmd/options.h"

extern const struct pfx_command pfx_cmd_record, pfx_cmd_report, pfx_cmd_script;

/* Print an error to standard error: "pfx NAME: sentence", the hint below it. Returns 255, the exit
 * code of a command that failed. */
int pfx_print_error(const char *command, const struct pfx_error *err);
/* "pfx NAME: ..." to standard error, for warnings and notes; @fmt without newline. */
void pfx_print_note(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The value of a configuration key ("report.children"), from ~/.config/pfx/config or, for perf's
 * own keys, ~/.perfconfig and the system's files; NULL when it is not set. */
const char *pfx_config_get(const char *key);
/* Drop everything that was read (tests). */
void pfx_config_clear(void);

/* Settings that come before the command word (--no-pager, --buildid-dir). */
struct pfx_globals {
	bool no_pager;
	const char *buildid_dir; /* NULL: default */
};
extern struct pfx_globals pfx_globals;

#endif
