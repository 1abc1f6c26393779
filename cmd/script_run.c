/* SPDX-License-Identifier: MIT */
/*
 * Running a script over a recording: finding it, `record NAME`, `report NAME` and NAME alone,
 * Ctrl-C. Knows nothing of the language; that is the engine's.
 */
#include "cmd/script_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/script_internal.h"
#include "out/term.h"

static volatile sig_atomic_t is_stopped;

bool pfx_script_is_stopped(void)
{
	return is_stopped;
}

/* The second Ctrl-C ends the program, whatever the script does. What a recorder still writes when
 * it ends is told to the script. */
static void stop(int sig, siginfo_t *info, void *context)
{
	if (!pfx_script_live_interrupt(info->si_code == SI_KERNEL))
		is_stopped = 1;
}

static void catch_ctrl_c(void)
{
	struct sigaction action = {.sa_sigaction = stop, .sa_flags = SA_RESETHAND | SA_SIGINFO};

	sigaction(SIGINT, &action, NULL);
}

/* --- words --- */

static int wrong_word(const char *what, const char *word)
{
	char *near = pfx_script_nearest(word);
	struct pfx_error err = {0};
	char shown[128];

	pfx_error_set(&err, EINVAL, "%s '%s'", what, pfx_escape(shown, sizeof(shown), word));
	if (near)
		pfx_error_hint(&err, "the nearest one is '%s'",
			       pfx_escape(shown, sizeof(shown), near));
	else
		pfx_error_hint(&err, "pfx script -l lists the scripts that are there");
	pfx_print_error("script", &err);
	free(near);
	return PFX_USAGE_ERROR;
}

static int no_word(const char *verb)
{
	struct pfx_error err = {0};

	pfx_error_set(&err, EINVAL, "'%s' needs the name of a script", verb);
	pfx_error_hint(&err, "pfx script -l lists the scripts that are there");
	pfx_print_error("script", &err);
	return PFX_USAGE_ERROR;
}

/* The recording may be named among the words of the script, as perf's scripts let it be. */
static void take_input(struct pfx_script_run *run)
{
	static const char with_value[] = "--input=";
	int i, nr = 1;

	for (i = 0; i < run->nr_args; i++) {
		const char *word = run->args[i];

		if (!strncmp(word, with_value, sizeof(with_value) - 1)) {
			run->input = word + sizeof(with_value) - 1;
			break;
		}
		if ((!strcmp(word, "-i") || !strcmp(word, "--input")) && i + 1 < run->nr_args) {
			run->input = run->args[i + 1];
			nr = 2;
			break;
		}
	}
	if (i == run->nr_args)
		return;
	run->nr_args -= nr;
	memmove(run->args + i, run->args + i + nr, (size_t)(run->nr_args - i) * sizeof(*run->args));
}

static bool record_or_report(struct pfx_script_run *run, int argc, char **argv, int *ret_code)
{
	char *path = argc > 1 ? pfx_script_find(argv[1]) : NULL;

	if (!path) {
		*ret_code = argc > 1 ? wrong_word("there is no script", argv[1]) : no_word(argv[0]);
		return true;
	}
	if (!strcmp(argv[0], "record")) {
		*ret_code = pfx_script_record(run, path, argc - 2, argv + 2);
		free(path);
		return true;
	}
	run->script = path; /* stays to the end of the program */
	run->args = argv + 2;
	run->nr_args = argc - 2;
	if (!run->input)
		take_input(run);
	return false;
}

/* A script's name, or its file, and what is to be recorded: both at the same time. */
static bool start_live(struct pfx_script_run *run, int argc, char **argv, int *ret_code)
{
	size_t len = strlen(argv[0]);
	bool is_file = len > 3 && !strcmp(argv[0] + len - 3, ".py") && !access(argv[0], R_OK);
	char *path = is_file ? pfx_strdup(argv[0]) : pfx_script_find(argv[0]);
	char *near = path ? NULL : pfx_script_nearest(argv[0]);
	struct pfx_error err = {0};
	int rc;

	if (near && !run->input) {
		free(near);
		*ret_code = wrong_word("there is no script", argv[0]);
		return true;
	}
	free(near);
	if (!path || run->input) {
		run->word = argv[0];
		free(path);
		return false;
	}
	catch_ctrl_c();
	rc = pfx_script_live_start(run, path, argc - 1, argv + 1, &err);
	if (rc < 0)
		*ret_code = pfx_print_error("script", &err);
	else if (rc)
		*ret_code = pfx_script_live_end();
	return rc; /* the path stays to the end of the program */
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
	return (len == 6 && !strncasecmp(word, "python", 6)) ||
	       (len == 2 && !strncasecmp(word, "py", 2));
}

/* "Python:file" to the file, a name to its file. */
static bool find_script(struct pfx_script_run *run, int *ret_code)
{
	const char *colon = strchr(run->script, ':');
	char *path;

	if (colon && !memchr(run->script, '/', (size_t)(colon - run->script)) &&
	    access(run->script, R_OK) != 0) {
		if (!is_language(run->script, (size_t)(colon - run->script))) {
			*ret_code = wrong_word("scripts are written in Python, not", run->script);
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
	return argc && start_live(run, argc, argv, ret_code);
}

/* --- running --- */

/* Scripts that were written for perf look for its folder in the environment; our own modules want
 * to know the recording's machine. */
static void set_environment(const struct pfx_script *s, char *const *folders)
{
	static const char below[] = "/scripts";
	const char *arch = pfx_reader_meta(s->reader)->env.arch;
	size_t i, len;
	char *root;

	if (arch)
		setenv("PFX_SCRIPT_ARCH", arch, 1);
	for (i = 0; folders[i]; i++) {
		len = strlen(folders[i]);
		if (folders[i + 1] || len <= sizeof(below))
			continue;
		root = pfx_strndup(folders[i], len - (sizeof(below) - 1));
		setenv("PERF_EXEC_PATH", root, 0);
		free(root);
	}
}

int pfx_script_run_begin(struct pfx_script *s, const struct pfx_script_run *run,
			 struct pfx_error *err)
{
	char **folders = pfx_script_folders();
	const struct pfx_script_program program = {
		.path = run->script,
		.args = run->args,
		.nr_args = run->nr_args,
		.folders = (const char *const *)folders,
	};
	int rc;

	s->engine_ops = pfx_script_engine_load(run->script, err);
	if (!s->engine_ops) {
		pfx_script_folders_free(folders);
		return err ? -err->code : -ENOTSUP;
	}
	set_environment(s, folders);
	rc = s->engine_ops->new (&s->engine, s, &program, err);
	if (rc < 0 && s->engine)
		rc = pfx_script_run_end(s, rc, err);
	else
		catch_ctrl_c();
	pfx_script_folders_free(folders);
	return rc;
}

int pfx_script_run_end(struct pfx_script *s, int rc, struct pfx_error *err)
{
	struct pfx_error other = {0};
	int end;

	if (rc >= 0)
		rc = s->engine_ops->finish(s->engine, err);
	end = s->engine_ops->free(s->engine, rc < 0 ? &other : err);
	s->engine = NULL;
	return rc < 0 ? rc : end;
}
