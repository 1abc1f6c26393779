/* SPDX-License-Identifier: MIT */
/*
 * Recording for a script: `pfx script record NAME` leaves a file, `pfx script NAME` records and
 * runs the script at the same time, the recorder being a child whose stream is our standard input.
 * What is recorded stands in a comment of the script.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cmd/commands.h"
#include "cmd/script_engine.h"
#include "cmd/script_run.h"

struct words {
	char **at;
	size_t nr, cap;
};

static volatile pid_t recorder; /* 0: there is none */

/* `pfx record` with the words that the script wants, then with the user's; all CPUs where these
 * name nothing to record. */
int pfx_script_record(const struct pfx_script_run *run, const char *path, int argc, char **argv)
{
	static char *const stream[] = {(char *)"-q", (char *)"-o", (char *)"-"};
	struct pfx_str wanted = {0};
	struct words words = {0};
	char *rest, *word, *save = NULL;
	int i, code;

	pfx_script_comment(path, "record", &wanted);
	rest = pfx_strdup(pfx_str_get(&wanted));
	pfx_vec_push(&words, (char *)"record");
	for (word = strtok_r(rest, " ", &save); word; word = strtok_r(NULL, " ", &save))
		pfx_vec_push(&words, word);
	if (run->all_cpus)
		pfx_vec_push(&words, (char *)"-a");
	for (i = 0; run->is_live && i < 3; i++)
		pfx_vec_push(&words, stream[i]);
	for (i = 0; i < argc; i++)
		pfx_vec_push(&words, argv[i]);
	if (!strcmp(words.at[words.nr - 1], "--"))
		words.nr--; /* no command behind it */
	if (!pfx_record_has_target((int)words.nr, words.at))
		pfx_vec_push(&words, (char *)"-a");
	pfx_vec_push(&words, NULL);
	code = pfx_cmd_record.run((int)words.nr - 1, words.at);
	pfx_vec_free(&words);
	free(rest);
	pfx_str_fini(&wanted);
	return code;
}

/* --- live --- */

/* The words that a script cannot do without: "<comm>" in its comment, and not "[comm]". */
static int nr_wanted_args(const char *path)
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
	pfx_error_set(err, EINVAL, "'%s' wants %d word%s behind its name",
		      pfx_escape(shown, sizeof(shown), path), nr, nr > 1 ? "s" : "");
	pfx_error_hint(err, "pfx script -l tells which");
	return -EINVAL;
}

static int start_recorder(const struct pfx_script_run *run, int argc, char **argv,
			  struct pfx_error *err)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pfx_error_sys(err, errno, "cannot make a pipe");
	pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return pfx_error_sys(err, errno, "cannot start the recorder");
	}
	if (!pid) {
		signal(SIGINT, SIG_DFL);
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		exit(pfx_script_record(run, run->script, argc, argv));
	}
	recorder = pid;
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	return 0;
}

/* Something comes, or the recorder ended before that. */
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
	int nr = nr_wanted_args(path), rc;

	rc = check_args(path, nr, argc, err);
	if (rc < 0)
		return rc;
	if (!pfx_script_engine_load(path, err))
		return -ENOTSUP;
	run->script = path;
	run->args = argv;
	run->nr_args = nr;
	run->is_live = true;
	rc = start_recorder(run, argc - nr, argv + nr, err);
	if (rc < 0)
		return rc;
	return wait_for_stream() ? 0 : 1;
}

bool pfx_script_live_interrupt(bool is_from_terminal)
{
	if (!recorder)
		return false;
	if (!is_from_terminal)
		kill(recorder, SIGINT);
	return true;
}

int pfx_script_live_end(void)
{
	int status = 0;

	close(STDIN_FILENO); /* should the recorder go on: nobody reads any more */
	while (waitpid(recorder, &status, 0) < 0 && errno == EINTR)
		;
	recorder = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
