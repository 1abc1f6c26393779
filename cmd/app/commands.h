/* SPDX-License-Identifier: MIT */
/* The table of subcommands and what they share: messages, configuration, the pager. */
#ifndef PFX_CMD_COMMANDS_H
#define PFX_CMD_COMMANDS_H

#include "base/error.h"
#include "cmd/app/messages.h"
#include "cmd/app/options.h"

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

/*
 * Configuration. The files, later ones override earlier ones: perf's own (/etc/perfconfig,
 * ~/.perfconfig, or only $PERF_CONFIG), of which only the keys below are used; then pfx's
 * (/etc/pfxconfig, $XDG_CONFIG_HOME/pfx/config). With $PFX_CONFIG only that file is read. A file of
 * the user must belong to the user or to root.
 */
/* The value of a key ("report.children"), NULL if it is not set. Owned by the configuration. */
const char *pfx_config_get(const char *key);
/* The values of a key that may be given several times: n = 0, 1, ... until NULL, in the order of
 * the files. */
const char *pfx_config_get_nth(const char *key, size_t n);
/* The same as a boolean. False, with *@ret unchanged, if the key is not set or not a boolean; the
 * latter is noted. */
bool pfx_config_get_bool(const char *key, bool *ret);
/* The same for keys that may have other values, without a note. */
bool pfx_config_is_bool(const char *key, bool *ret);
/* The value of a key if it is one that the key takes, else NULL with a note. */
const char *pfx_config_get_valid(const char *key);
/* Print that the value of @key is not "yes or no" or another @wanted. */
void pfx_config_note_wrong(const char *key, const char *wanted);
/* @rc; if it is an error about the value of @key, @err names the key and its file. */
int pfx_config_check(const char *key, int rc, struct pfx_error *err);
/* Free everything that was read. */
void pfx_config_clear(void);

enum pfx_config_level { PFX_CONFIG_ALL, PFX_CONFIG_USER, PFX_CONFIG_SYSTEM };
#define PFX_CONFIG_SIZE_MAX (1u << 20) /* limit for the size of a file */
/* Append all settings of these files, also those that no command uses. */
struct pfx_settings;
void pfx_config_read(enum pfx_config_level level, struct pfx_settings *to);
/* The file that `config` changes: pfx's, or perf's if the program was started as perf. On the heap;
 * NULL if there is no home. */
char *pfx_config_file(enum pfx_config_level level);

/* What values a key takes; text: any, or what only the command that uses it can tell. */
enum pfx_config_kind {
	PFX_CONFIG_TEXT,
	PFX_CONFIG_BOOL,
	PFX_CONFIG_PERCENT,
	PFX_CONFIG_NUMBER,
	PFX_CONFIG_SECONDS,
	PFX_CONFIG_SIZE,
	PFX_CONFIG_WORD
};

struct pfx_config_key {
	const char *name; /* "pager.CMD" means a key per command */
	const char *help; /* one line */
	enum pfx_config_kind kind;
	const char *words; /* of PFX_CONFIG_WORD: "att|intel" */
};
/* The keys that commands use; *@ret_nr elements. `pfx help config` shows them. */
const struct pfx_config_key *pfx_config_keys(size_t *ret_nr);
bool pfx_config_is_known(const char *key);
bool pfx_config_parse_bool(const char *value, bool *ret);
/* Whether @key takes @value; false with what it takes in @wanted, such as "yes or no". True for a
 * key that is not known. */
bool pfx_config_is_valid(const char *key, const char *value, char *wanted, size_t size);

/* Options before the command word (--no-pager, --buildid-dir). */
struct pfx_globals {
	bool no_pager;
	bool paginate;           /* -p: use the pager for any command */
	const char *buildid_dir; /* NULL: default */
	const char *debugfs_dir; /* where tracepoints are described; NULL: searched for */
};
extern struct pfx_globals pfx_globals;

#endif
