/* SPDX-License-Identifier: MIT */
/*
 * Running a script over a recording: finding it, `record NAME`, `report NAME` and NAME alone,
 * Ctrl-C. Independent of the script's language, which is the engine's part.
 */
#include "cmd/script/script_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/app/script_help.h"
#include "out/term/term.h"
#include "python/engine_load.h"
#include "script/script_catalog.h"
#include "script/script_perl.h"

volatile sig_atomic_t pfx_script_is_stopped;
static struct pfx_reader *volatile reader; /* Ctrl-C ends this reader's stream */
static int null_fd = -1;

/* The second Ctrl-C ends the program, even if the script is busy. Records that the recorder still
 * writes when it ends are passed to the script. */
static void stop(int sig, siginfo_t *info, void *context)
{
	if (pfx_script_live_interrupt(sig, info->si_code == SI_KERNEL))
		return;
	pfx_script_is_stopped = 1;
	if (reader)
		pfx_reader_end_stream(reader, null_fd);
}

/* @from is the reader that may block; NULL: none yet. */
static void catch_ctrl_c(struct pfx_reader *from)
{
	struct sigaction action = {.sa_sigaction = stop, .sa_flags = SA_RESETHAND | SA_SIGINFO};

	null_fd = from ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
	reader = from;
	sigaction(SIGINT, &action, NULL);
}

/* A recorder and its program must not outlive the script. */
static void catch_ends(void)
{
	static const int ends[] = {SIGTERM, SIGHUP};
	struct sigaction action = {.sa_sigaction = stop, .sa_flags = SA_RESETHAND | SA_SIGINFO},
			 old;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		sigaction(ends[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
	}
}

/* --- words --- */

static int wrong_word(const char *what, const char *word)
{
	char *near = pfx_script_nearest(word);
	struct pfx_error err = {0};
	char shown[128];

	pfx_error_set(&err, EINVAL, "%s '%s'", what, pfx_escape(shown, sizeof(shown), word));
	if (near)
		pfx_error_hint(&err, "did you mean '%s'?", pfx_escape(shown, sizeof(shown), near));
	else
		pfx_error_hint(&err, "pfx script -l lists the available scripts");
	pfx_print_error("script", &err);
	free(near);
	return PFX_USAGE_ERROR;
}

static int no_word(const char *verb)
{
	struct pfx_error err = {0};

	pfx_error_set(&err, EINVAL, "'%s' needs the name of a script", verb);
	pfx_error_hint(&err, "pfx script -l lists the available scripts");
	pfx_print_error("script", &err);
	return PFX_USAGE_ERROR;
}

static int show_help(const char *name)
{
	struct pfx_str text = {0};
	int rc;

	pfx_script_help(name, &text);
	rc = pfx_out_flush(&text);
	pfx_str_fini(&text);
	return rc < 0;
}

static void read_with(struct pfx_script_run *run, char *path, int nr, char **words)
{
	run->script = path; /* used until the program ends; not freed */
	pfx_script_words_divide(run, path, nr, words);
}

static bool record_or_report(struct pfx_script_run *run, int argc, char **argv, int *ret_code)
{
	char *path = argc > 1 ? pfx_script_find(argv[1]) : NULL;
	struct pfx_script_words words;

	if (!path) {
		*ret_code =
			argc > 1 ? wrong_word("no script is called", argv[1]) : no_word(argv[0]);
		return true;
	}
	if (!strcmp(argv[0], "record")) {
		*ret_code = pfx_script_record(run, path, argc - 2, argv + 2);
		free(path);
		return true;
	}
	pfx_script_words_scan(path, argc - 2, argv + 2, &words);
	if (words.wants_help) {
		*ret_code = show_help(argv[1]);
		return true;
	}
	read_with(run, path, argc - 2, argv + 2);
	return false;
}

/* Whether standard input is a pipe, or a file with a recording. */
static bool stdin_has_recording(void)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) < 0)
		return false;
	return S_ISFIFO(st.st_mode) || pfx_recording_is_at("/proc/self/fd/0");
}

/* Whether NAME alone reads an existing recording. If the words select a target, a recorder is
 * started. */
static bool is_to_be_read(struct pfx_script_run *run, const struct pfx_script_words *words)
{
	if (run->input || words->has_input)
		return true;
	if (words->has_program || words->has_target || run->all_cpus)
		return false;
	if (stdin_has_recording()) {
		run->input = "-";
		return true;
	}
	return !words->is_for_recorder && pfx_recording_is_at(pfx_recording_path(NULL));
}

static int start_live(struct pfx_script_run *run, const char *path, int nr, char **words,
		      int *ret_code)
{
	struct pfx_error err = {0};
	int rc;

	catch_ctrl_c(NULL);
	catch_ends();
	rc = pfx_script_live_start(run, path, nr, words, &err);
	if (rc < 0)
		*ret_code = pfx_print_error("script", &err);
	else if (rc)
		*ret_code = pfx_script_live_end(0);
	return rc; /* @path is used until the program ends; not freed */
}

/* The script of this name or file; NULL: *@ret_code is set, or run->word if the word is not a
 * script. */
static char *named_script(struct pfx_script_run *run, char *word, int *ret_code)
{
	char *path = pfx_script_find_or_file(word), *near = path ? NULL : pfx_script_nearest(word);

	if (near)
		*ret_code = wrong_word("there is no script", word);
	else if (!path)
		run->word = word;
	free(near);
	return path;
}

/* NAME alone: with a recording like `report NAME`, otherwise records and runs the script at the
 * same time. */
static bool run_named(struct pfx_script_run *run, int argc, char **argv, int *ret_code)
{
	char *path = named_script(run, argv[0], ret_code);
	struct pfx_script_words words;
	struct pfx_error err = {0};

	if (!path)
		return !run->word;
	pfx_script_words_scan(path, argc - 1, argv + 1, &words);
	if (words.wants_help) {
		*ret_code = show_help(argv[0]);
		return true;
	}
	if (words.recording && !run->input && !words.has_input) {
		pfx_recording_refuse_as_word(words.recording, &err);
		pfx_print_error("script", &err);
		*ret_code = PFX_USAGE_ERROR;
		return true;
	}
	if (is_to_be_read(run, &words)) {
		read_with(run, path, argc - 1, argv + 1);
		return false;
	}
	if (!pfx_script_is_picture(path) || run->all_cpus)
		return start_live(run, path, argc - 1, argv + 1, ret_code);
	/* `pfx flamegraph` has the words of the recorder and of the picture */
	*ret_code = pfx_command_find("flamegraph")->run(argc, argv);
	return true;
}

static int list_scripts(void)
{
	struct pfx_str text = {0};
	int rc;

	pfx_str_add(&text, "List of available scripts:\n");
	pfx_script_catalog(&text);
	rc = pfx_out_flush(&text);
	pfx_str_fini(&text);
	return rc < 0;
}

static bool is_language(const char *word, size_t len)
{
	static const char *const languages[] = {"python", "py", "perl", "pl"};
	size_t i;

	for (i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		if (strlen(languages[i]) == len && !strncasecmp(word, languages[i], len))
			return true;
	return false;
}

/* "Python:file" to the file, a name to its file. */
static bool find_script(struct pfx_script_run *run, int *ret_code)
{
	const char *colon = strchr(run->script, ':');
	char *path;

	if (colon && !memchr(run->script, '/', (size_t)(colon - run->script)) &&
	    access(run->script, R_OK) != 0) {
		if (!is_language(run->script, (size_t)(colon - run->script))) {
			*ret_code = wrong_word("scripts are written in Python or Perl, not",
					       run->script);
			return false;
		}
		run->script = colon + 1;
	}
	path = access(run->script, R_OK) != 0 ? pfx_script_find(run->script) : NULL;
	if (path) {
		run->script = path;
	} else if (access(run->script, F_OK) && !strpbrk(run->script, "/.")) {
		*ret_code = wrong_word("there is no script", run->script);
		return false;
	}
	return true;
}

bool pfx_script_run_words(struct pfx_script_run *run, int argc, char **argv, int *ret_code)
{
	if (run->list) {
		*ret_code = list_scripts();
		return true;
	}
	if (run->script) {
		run->args = argv;
		run->nr_args = argc;
		return !find_script(run, ret_code);
	}
	if (argc && (!strcmp(argv[0], "record") || !strcmp(argv[0], "report")))
		return record_or_report(run, argc, argv, ret_code);
	return argc && run_named(run, argc, argv, ret_code);
}

bool pfx_script_run_is_picture(const struct pfx_script_run *run)
{
	return run->script && pfx_script_is_picture(run->script);
}

/* --- running --- */

/* Scripts written for perf find its directory by an environment variable; our own modules need the
 * recording's machine. */
static void set_environment(const struct pfx_script_run *run, const char *arch,
			    char *const *folders)
{
	static const char below[] = "/scripts";
	char program[PATH_MAX] = "", *root;
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	size_t i;

	if (arch)
		setenv("PFX_SCRIPT_ARCH", arch, 1);
	setenv("PFX_SCRIPT_AS", pfx_has_habit(PFX_HABIT_SCRIPT_FORMS) ? "perf" : "pfx", 1);
	if (len > 0)
		setenv("PFX_SCRIPT_PROGRAM", program, 1);
	setenv("PFX_SCRIPT_INPUT", pfx_recording_path(run->input), 1);
	for (i = 0; folders[i]; i++) {
		if (folders[i + 1] || strlen(folders[i]) <= sizeof(below))
			continue;
		root = pfx_strndup(folders[i], strlen(folders[i]) - (sizeof(below) - 1));
		setenv("PERF_EXEC_PATH", root, 0);
		free(root);
	}
}

int pfx_script_run_begin(struct pfx_script *script, const struct pfx_script_run *run,
			 struct pfx_recording *recording, struct pfx_error *err)
{
	struct pfx_script_program program = {
		.path = run->script, .args = run->args, .nr_args = run->nr_args};
	char **folders;
	int rc;

	if (!run->script)
		return pfx_script_begin(script, recording, NULL, err);
	program.ops = pfx_script_is_perl(run->script) ? &pfx_script_engine_perl
						      : pfx_script_engine_load(run->script, err);
	if (!program.ops)
		return -err->code;
	folders = pfx_script_folders();
	program.folders = (const char *const *)folders;
	set_environment(run, pfx_recording_meta(recording)->env.arch, folders);
	rc = pfx_script_begin(script, recording, &program, err);
	if (rc >= 0)
		catch_ctrl_c(pfx_recording_reader(recording));
	pfx_script_folders_free(folders);
	return rc;
}

int pfx_script_run_end(struct pfx_script *script, int rc, struct pfx_error *err)
{
	rc = pfx_script_end(script, rc, err);
	reader = NULL;
	return rc;
}
