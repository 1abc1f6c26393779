/* SPDX-License-Identifier: MIT */
/*
 * `pfx help`: the overview, a command's manual page where man and the page are installed, else its
 * -h text; and the list of configuration keys.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cli/options.h"
#include "cmd/app/commands.h"
#include "cmd/app/perf/missing.h"
#include "cmd/app/program.h"
#include "cmd/app/script_help.h"
#include "out/term/term.h"
#include "script/script_catalog.h"

#define NO_INFO "pfx has manual pages, and no info or web pages"

#define KEY_COLUMN 33 /* of the descriptions of keys */
#define KEY_WIDTH  80

struct help_words {
	bool all, manual;
};

#define AT(field) offsetof(struct help_words, field)
static const struct pfx_option help_options[] = {
	{PFX_OPT_BOOL, 'a', "all", AT(all), .help = "also list the scripts"},
	{PFX_OPT_BOOL, 'm', "man", AT(manual),
	 .help = "show the manual page (the default where it is installed)"},
	{PFX_OPT_ABSENT, 'i', "info", .help = NO_INFO, .hidden = true},
	{PFX_OPT_ABSENT, 'w', "web", .help = NO_INFO, .hidden = true},
	{.kind = PFX_OPT_END},
};

/* Run "man OPTION PAGE": its exit code, -1 if it could not be run. @quiet: discard its output. */
static int run_man(const char *option, const char *page, bool quiet)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -1;
	if (!pid) {
		if (quiet &&
		    (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
			_exit(127);
		execlp("man", "man", option, page, (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The page beside the program: ../share/man/man1 (or another section), in the build folder as when
 * installed. NULL if it is not there; the caller frees. */
static char *page_beside(const char *page, int section)
{
	static const char *const ends[] = {"", ".gz"};
	char self[PATH_MAX], *path;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (len <= 0)
		return NULL;
	self[len] = '\0';
	dirname(dirname(self));
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		path = pfx_strfmt("%s/share/man/man%d/%s.%d%s", self, section, page, section,
				  ends[i]);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* "man -w" checks whether the page exists without showing it. */
static bool show_man_page(const char *command, int section)
{
	char *page = pfx_strfmt("pfx-%s", command), *path = page_beside(page, section);
	bool shown;

	if (path)
		shown = !run_man("-l", path, false);
	else
		shown = !run_man("-w", page, true) && !run_man("--", page, false);
	free(path);
	free(page);
	return shown;
}

/* The text begins in its column, below a name that reaches it. */
static void add_key(const struct pfx_config_key *key, struct pfx_str *to)
{
	size_t start = to->len;

	pfx_str_addf(to, "    %s ", key->name);
	if (to->len - start > KEY_COLUMN) {
		pfx_str_addc(to, '\n');
		start = to->len;
	}
	pfx_str_pad(to, ' ', KEY_COLUMN - (to->len - start));
	pfx_help_wrap(key->help, KEY_COLUMN, KEY_WIDTH, to);
}

static int help_on_config(void)
{
	struct pfx_str text = {0};
	const struct pfx_config_key *keys;
	size_t i, nr;

	keys = pfx_config_keys(&nr);
	pfx_str_add(&text,
		    "Configuration is read from these files; a later one wins:\n"
		    "    /etc/perfconfig, ~/.perfconfig   perf's own files\n"
		    "    /etc/pfxconfig                   for all users\n"
		    "    ~/.config/pfx/config             yours ($XDG_CONFIG_HOME/pfx/config)\n"
		    "With PERF_CONFIG=file this file takes the place of perf's own, with\n"
		    "PFX_CONFIG=file nothing but this file is read. The form is that of git:\n\n"
		    "    [call-graph]\n"
		    "        record-mode = fp\n\nKeys:\n");
	for (i = 0; i < nr; i++)
		add_key(&keys[i], &text);
	pfx_out_flush(&text);
	pfx_str_fini(&text);
	return 0;
}

/* Scripts of the catalog have help like commands. */
static bool help_on_script(const char *word)
{
	struct pfx_str text = {0};
	bool is_script = pfx_script_help(word, &text);

	pfx_out_flush(&text);
	pfx_str_fini(&text);
	return is_script;
}

static int no_such_topic(const char *word)
{
	const char *command = pfx_command_nearest(word);
	char *script = command ? NULL : pfx_script_nearest(word);
	const char *near = command ? command : script;
	struct pfx_error err = {0};
	char shown[128];

	if (pfx_program_is_missing(word, &err)) {
		pfx_print_error(NULL, &err);
		free(script);
		return 1;
	}
	pfx_error_set(&err, EINVAL, "there is no help on '%s'",
		      pfx_escape(shown, sizeof(shown), word));
	if (near)
		pfx_error_hint(&err, "did you mean '%s'?", near);
	pfx_print_error("help", &err);
	free(script);
	return 1;
}

static int overview(bool with_scripts)
{
	struct pfx_str text = {0};

	pfx_program_help();
	if (with_scripts) {
		pfx_str_add(&text, "\nScripts:\n");
		pfx_script_catalog(&text);
		pfx_out_flush(&text);
	}
	pfx_str_fini(&text);
	return 0;
}

static int no_manual_page(const char *command)
{
	struct pfx_error err = {0};

	pfx_error_set(&err, ENOENT, "there is no manual page of '%s'", command);
	pfx_error_hint(&err, "'pfx %s -h' prints its options", command);
	return pfx_print_error("help", &err);
}

static int run_help(int argc, char **argv)
{
	const struct pfx_command *command;
	struct help_words words = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_help, argc, argv, &words, &code);

	if (at < 0)
		return code;
	if (at == argc || words.all)
		return overview(words.all);
	if (!strcmp(argv[at], "config"))
		return help_on_config();
	if (!strcmp(argv[at], "events") && show_man_page("events", 7))
		return 0;
	command = pfx_command_find(argv[at]);
	if (!command)
		return help_on_script(argv[at]) ? 0 : no_such_topic(argv[at]);
	if (show_man_page(command->name, 1))
		return 0;
	if (words.manual)
		return no_manual_page(command->name);
	pfx_options_help(command, NULL);
	return 0;
}

const struct pfx_command pfx_cmd_help = {
	.name = "help",
	.args = "[command|script|config|events]",
	.summary = "explain a command, a script, the configuration or the words of events",
	.options = help_options,
	.run = run_help,
};
