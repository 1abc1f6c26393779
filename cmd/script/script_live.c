/* SPDX-License-Identifier: MIT */
/*
 * Recording for a script: `pfx script record NAME` writes a perf.data file, `pfx script NAME`
 * records and runs the script at the same time, with the recorder as a child process that writes to
 * pfx's standard input. A comment in the script contains the events.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/perf/exit_codes.h"
#include "cmd/script/script_run.h"
#include "python/engine_load.h"
#include "script/script_catalog.h"
#include "sys/target/signals.h"

struct words {
	char **at;
	size_t nr, cap;
};

static volatile pid_t recorder;               /* 0: none */
static volatile sig_atomic_t was_interrupted; /* a signal ended the recording */
static volatile sig_atomic_t ending_signal;   /* SIGTERM or SIGHUP, 0: none */

/* The arguments of `pfx record`: the script's, then the user's; -a if these select no target.
 * *@rest owns the script's words; the caller frees it. */
static struct words recorder_words(const struct pfx_script_run *run, const char *path, int argc,
				   char **argv, char **rest)
{
	struct pfx_str wanted = {0};
	struct words words = {0};
	char *word, *save = NULL;
	int i;

	pfx_script_comment(path, "record", &wanted);
	*rest = pfx_strdup(pfx_str_get(&wanted));
	pfx_str_fini(&wanted);
	pfx_vec_push(&words, (char *)"record");
	for (word = strtok_r(*rest, " ", &save); word; word = strtok_r(NULL, " ", &save))
		pfx_vec_push(&words, word);
	if (run->all_cpus)
		pfx_vec_push(&words, (char *)"-a");
	for (i = 0; i < argc; i++)
		pfx_vec_push(&words, argv[i]);
	if (!strcmp(words.at[words.nr - 1], "--"))
		words.nr--; /* no command after it */
	if (!pfx_record_has_target((int)words.nr, words.at))
		pfx_vec_push(&words, (char *)"-a");
	pfx_vec_push(&words, NULL);
	words.nr--;
	return words;
}

/* Quiet, and to standard output. Added before the user's words, which may override it. */
static void add_stream(struct words *words)
{
	static char *const stream[] = {(char *)"-q", (char *)"-o", (char *)"-"};
	const size_t nr = sizeof(stream) / sizeof(*stream);

	pfx_vec_reserve(words, words->nr + nr + 1);
	memmove(words->at + 1 + nr, words->at + 1, words->nr * sizeof(*words->at));
	memcpy(words->at + 1, stream, sizeof(stream));
	words->nr += nr;
}

int pfx_script_record(const struct pfx_script_run *run, const char *path, int argc, char **argv)
{
	char *rest;
	struct words words = recorder_words(run, path, argc, argv, &rest);
	int code;

	if (run->is_live)
		add_stream(&words);
	code = pfx_cmd_record.run((int)words.nr, words.at);
	pfx_vec_free(&words);
	free(rest);
	return code;
}

/* --- live --- */

int pfx_script_nr_wanted(const char *path)
{
	struct pfx_str args = {0};
	const char *at;
	int nr = 0;

	pfx_script_comment(path, "args", &args);
	for (at = pfx_str_get(&args); *at; at++)
		nr += *at == '<';
	pfx_str_fini(&args);
	return nr;
}

static int check_args(const char *path, int nr, int argc, struct pfx_error *err)
{
	char shown[256];

	if (argc >= nr)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' needs %d argument%s after its name",
		      pfx_escape(shown, sizeof(shown), path), nr, nr > 1 ? "s" : "");
	pfx_error_hint(err, "pfx script -l lists them");
	return -EINVAL;
}

/* Signals end the recorder as usual. It also ends when the script's process is killed. */
static void default_signals(pid_t parent, const sigset_t *mask)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(128 + SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* fork(); `recorder` is set before a signal is handled. */
static pid_t fork_recorder(void)
{
	const pid_t parent = getpid();
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (!pid)
		default_signals(parent, &before);
	if (pid > 0)
		recorder = pid;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int start_recorder(const struct pfx_script_run *run, int argc, char **argv,
			  struct pfx_error *err)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pfx_error_sys(err, errno, "cannot make a pipe");
	pid = fork_recorder();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return pfx_error_sys(err, errno, "cannot start the recorder");
	}
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		exit(pfx_script_record(run, run->script, argc, argv));
	}
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static void say_waiting(const struct pfx_script_run *run, int argc, char **argv)
{
	char *rest;
	struct words words = recorder_words(run, run->script, argc, argv, &rest);

	pfx_record_say_waiting("script", (int)words.nr, words.at);
	pfx_vec_free(&words);
	free(rest);
}

/* False if the recorder ended without output. */
static bool wait_for_stream(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	while (poll(&in, 1, -1) < 0)
		if (errno != EINTR)
			return false;
	return in.revents & POLLIN;
}

int pfx_script_live_start(struct pfx_script_run *run, const char *path, int argc, char **argv,
			  struct pfx_error *err)
{
	int nr = pfx_script_nr_wanted(path), rc;

	rc = check_args(path, nr, argc, err);
	if (rc < 0)
		return rc;
	if (!pfx_script_is_perl(path) && !pfx_script_is_picture(path) &&
	    !pfx_script_engine_load(path, err))
		return -ENOTSUP;
	run->script = path;
	run->args = argv;
	run->nr_args = nr;
	run->is_live = true;
	rc = start_recorder(run, argc - nr, argv + nr, err);
	if (rc < 0)
		return rc;
	if (!wait_for_stream())
		return 1;
	say_waiting(run, argc - nr, argv + nr);
	return 0;
}

bool pfx_script_live_interrupt(int sig, bool is_from_terminal)
{
	if (!recorder)
		return false;
	was_interrupted = 1;
	if (sig != SIGINT)
		ending_signal = sig;
	if (!is_from_terminal)
		kill(recorder, sig);
	return true;
}

int pfx_script_live_end(int code)
{
	int status = 0;

	close(STDIN_FILENO); /* the recorder gets SIGPIPE on its next write */
	while (waitpid(recorder, &status, 0) < 0 && errno == EINTR)
		;
	recorder = 0;
	if (ending_signal)
		pfx_signals_raise(ending_signal);
	if (code || was_interrupted || pfx_exit_code_is_scripts())
		return code;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
