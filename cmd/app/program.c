/* SPDX-License-Identifier: MIT */
/*
 * The words before the command: pfx's own options, queries of shell completion, and the selection
 * of the command.
 */
#include "cmd/app/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/perf/debug_option.h"
#include "cmd/app/perf/missing.h"
#include "out/term/term.h"
#include "pfx/common.h"
#include "pfx_version.h"
#include "script/script_catalog.h"

#define UNKNOWN_COMMAND_CODE  1 /* as perf's */
#define PFX_DOC_BELOW_SCRIPTS "/../doc/pfx"
#define SUMMARY_COLUMN        19

struct program_options {
	bool list_cmds, paginate, no_pager, html_path, exec_path;
	int version, debug_level;
	const char *buildid_dir, *debugfs_dir;
};

/* --exec-path=DIR is for scripts that read the variable, and for `script NAME`. */
static int on_exec_path(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct program_options *o = options;

	(void)unset;
	(void)err;
	if (arg)
		setenv("PERF_EXEC_PATH", arg, 1);
	o->exec_path = !arg;
	return 0;
}

static int on_debug(void *level, const char *arg, bool unset, struct pfx_error *err)
{
	if (unset)
		*(int *)level = 0;
	return unset ? 0 : pfx_debug_level(arg, level, err);
}

#define AT(field) offsetof(struct program_options, field)
static const struct pfx_option program_options[] = {
	{PFX_OPT_COUNT, 'v', "version", AT(version), NULL,
	 "show the version; -vv: also what is built in"},
	{PFX_OPT_BOOL, 'p', "paginate", AT(paginate), NULL,
	 "show the output of any command in a pager"},
	{PFX_OPT_BOOL, 0, "no-pager", AT(no_pager), NULL, "never start a pager"},
	{PFX_OPT_STRING, 0, "buildid-dir", AT(buildid_dir), "dir",
	 "directory of the build-ID cache (default: ~/.debug)"},
	{PFX_OPT_STRING, 0, "debugfs-dir", AT(debugfs_dir), "dir",
	 "where tracepoints are described, a debugfs or a tracefs (default: its mount)"},
	{PFX_OPT_CALL_OPTIONAL, 0, "exec-path", 0, "dir",
	 "print the directory that has scripts/, or choose another one", on_exec_path},
	{PFX_OPT_VALUE, 0, "debug", AT(debug_level), "name[=n]",
	 "the command prints more: verbose=n is -v n times, perf-event-open is -vv", on_debug,
	 .words = "verbose perf-event-open stderr"},
	{PFX_OPT_BOOL, 0, "html-path", AT(html_path), NULL,
	 "print the directory of the documentation"},
	{PFX_OPT_BOOL, 0, "list-cmds", AT(list_cmds), NULL, "list the names of the commands"},
	{.kind = PFX_OPT_END},
};

const struct pfx_command pfx_cmd_program = {
	.name = "pfx",
	.args = "command [arguments]",
	.summary = "a profiler for Linux: where do programs spend their time?",
	.options = program_options,
};

void pfx_program_help(void)
{
	unsigned width = pfx_term_width();
	struct pfx_str text = {0}, named = {0};
	size_t i;

	pfx_options_help_text(&pfx_cmd_program, NULL, width, &text);
	pfx_str_add(&text, "\nCommands:\n");
	for (i = 0; pfx_commands[i]; i++) {
		pfx_str_addf(&text, "    %-13s  ", pfx_commands[i]->name);
		pfx_help_wrap(pfx_commands[i]->summary, SUMMARY_COLUMN, width, &text);
	}
	pfx_str_addc(&text, '\n');
	pfx_help_wrap("'pfx help command' explains a command, 'pfx help config' the configuration.",
		      0, width, &text);
	pfx_add_named(&named, pfx_str_get(&text));
	pfx_out_flush(&named);
	pfx_str_fini(&named);
	pfx_str_fini(&text);
}

void pfx_program_version(void)
{
	if (pfx_has_habit(PFX_HABIT_NAME))
		puts("perf version " PFX_PERF_VERSION);
	else
		printf("pfx version %s\n", pfx_version());
}

static void list_commands(void)
{
	size_t i;

	for (i = 0; pfx_commands[i]; i++)
		printf("%s%s", i ? " " : "", pfx_commands[i]->name);
	pfx_list_handed_over();
	putchar('\n');
}

/* The directory with scripts/, and that of the documentation beside it. */
static void print_path(bool is_html)
{
	char *root = pfx_script_root();

	printf("%s%s\n", root, is_html ? PFX_DOC_BELOW_SCRIPTS : "");
	free(root);
}

static int unknown_command(const char *word)
{
	char *script = pfx_script_find(word);
	const char *near = script ? NULL : pfx_command_nearest(word);
	char *near_script = script || near ? NULL : pfx_script_nearest(word);
	struct pfx_error err = {0};
	char shown[128];

	pfx_error_set(&err, EINVAL, "'%s' is not a command of %s",
		      pfx_escape(shown, sizeof(shown), word), pfx_program_name());
	pfx_error_known(&err, "perf: '%s' is not a perf-command.", shown);
	if (script)
		pfx_error_hint(&err, "it is a script: 'pfx script %s', see 'pfx help %s'", shown,
			       shown);
	else if (near)
		pfx_error_hint(&err, "did you mean '%s'?", near);
	else if (near_script)
		pfx_error_hint(&err, "did you mean 'script %s'?",
			       pfx_escape(shown, sizeof(shown), near_script));
	else
		pfx_error_hint(&err, "see 'pfx help'");
	pfx_print_error(NULL, &err);
	free(near_script);
	free(script);
	return UNKNOWN_COMMAND_CODE;
}

/* "alias.WORD = command and options" in the configuration: its words, then the rest of the command
 * line. NULL if there is none; one block that the caller frees. */
static char **expand_alias(int argc, char **argv, int *ret_argc)
{
	char *key = pfx_strfmt("alias.%s", argv[0]), *words, *word, *rest;
	const char *value = pfx_config_get(key);
	char **expanded;
	int nr = 0;

	free(key);
	if (!value || !*value)
		return NULL;
	expanded = pfx_calloc(1, (strlen(value) + (size_t)argc + 1) * sizeof(*expanded) +
					 strlen(value) + 1);
	words = (char *)(expanded + strlen(value) + (size_t)argc + 1);
	strcpy(words, value);
	for (word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		expanded[nr++] = word;
	memcpy(expanded + nr, argv + 1, ((size_t)argc - 1) * sizeof(*argv));
	*ret_argc = nr + argc - 1;
	return expanded;
}

static int start(const struct pfx_command *command, int debug_level, int argc, char **argv)
{
	char **words = pfx_debug_words(command, debug_level, &argc, argv);
	int code;

	if (command->keeps_all)
		pfx_alloc_huge_pages();
	if (pfx_globals.paginate)
		pfx_pager_for(command->name);
	code = command->run(argc, words ? words : argv);
	free(words);
	return code;
}

/* "perf record --help" is "perf help record". */
static bool asks_for_manual(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], "--help") && pfx_has_habit(PFX_HABIT_MANUAL);
}

static int help_on(const char *word)
{
	return pfx_cmd_help.run(2, (char *[]){(char[]){"help"}, (char *)word, NULL});
}

static int run_command(int debug_level, int argc, char **argv)
{
	const struct pfx_command *command = pfx_command_find(argv[0]);
	char **expanded = NULL;
	int code;

	if (command && asks_for_manual(argc, argv))
		return help_on(argv[0]);
	if (!command) {
		expanded = expand_alias(argc, argv, &argc);
		command = expanded ? pfx_command_find(expanded[0]) : NULL;
	}
	if (!command) {
		char **words = expanded && expanded[0] ? expanded : argv;

		code = pfx_run_missing(words[0], argc, words);
		if (code < 0)
			code = asks_for_manual(argc, words) ? help_on(words[0])
							    : unknown_command(words[0]);
	} else {
		code = start(command, debug_level, argc, expanded ? expanded : argv);
	}
	free(expanded);
	return code;
}

/* Options that replace a command (--help, --version, ...): the exit code, or -1 without. */
static int answer_question(const struct program_options *options, enum pfx_special special)
{
	struct pfx_str names = {0};

	if (special == PFX_SPECIAL_HELP) {
		pfx_program_help();
	} else if (special == PFX_SPECIAL_LIST) {
		pfx_options_list(&pfx_cmd_program, &names);
		printf("--help %s --list-opts\n", pfx_str_get(&names));
		pfx_str_fini(&names);
	} else if (options->version > 1) {
		pfx_program_build();
	} else if (options->version) {
		pfx_program_version();
	} else if (options->exec_path || options->html_path) {
		print_path(options->html_path);
	} else if (options->list_cmds) {
		list_commands();
	} else {
		return -1;
	}
	return 0;
}

/* color.ui: yes and auto mean "on a terminal". */
static void apply_colours(void)
{
	const char *value = pfx_config_get("color.ui");
	bool wanted = true;

	if (!value)
		return;
	if (!strcmp(value, "always"))
		pfx_term_set_colours(PFX_COLOUR_ALWAYS);
	else if (!pfx_config_is_bool("color.ui", &wanted) && strcmp(value, "auto") != 0 &&
		 strcmp(value, "never") != 0)
		pfx_config_note_wrong("color.ui", "yes, no, auto, always or never");
	else if (!wanted || !strcmp(value, "never"))
		pfx_term_set_colours(PFX_COLOUR_NEVER);
}

int pfx_program_run(int argc, char **argv)
{
	struct program_options options = {0};
	struct pfx_error err = {0};
	enum pfx_special special;
	int at, code;

	at = pfx_options_take(&pfx_cmd_program, argc, argv, &options, &special, &err);
	if (at < 0) {
		if (!err.hint[0])
			pfx_error_hint(&err, "see 'pfx --help'");
		pfx_print_error(NULL, &err);
		return PFX_USAGE_ERROR;
	}
	/* "pfx -h record" is "pfx help record" */
	if (special == PFX_SPECIAL_HELP && at < argc) {
		argv[at - 1] = (char[]){"help"};
		return pfx_cmd_help.run(argc - at + 1, argv + at - 1);
	}
	code = answer_question(&options, special);
	if (code >= 0)
		return code;
	pfx_globals.paginate = options.paginate;
	pfx_globals.no_pager = options.no_pager;
	pfx_globals.buildid_dir =
		options.buildid_dir ? options.buildid_dir : pfx_config_get("buildid.dir");
	pfx_globals.debugfs_dir = options.debugfs_dir;
	apply_colours();
	if (at == argc) {
		pfx_program_help();
		return UNKNOWN_COMMAND_CODE;
	}
	return run_command(options.debug_level, argc - at, argv + at);
}
