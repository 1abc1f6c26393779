/* SPDX-License-Identifier: MIT */
/*
 * Messages while files are fetched from debuginfod servers: a line on a terminal, which is removed
 * at the end; otherwise only failures with -v, and interrupted fetches. Ctrl-C skips the current
 * file; SIGTERM and SIGHUP first end all fetching, so that no incomplete file remains.
 */
#include "cmd/app/fetch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/words.h"
#include "cmd/app/commands.h"

#define URLS   "DEBUGINFOD_URLS"
#define SYSTEM "system" /* in the configuration: use the environment */

static bool is_wanted, is_refused, is_quiet, is_verbose;
static const char *command_name;
static char shown[128]; /* the current file */
static volatile sig_atomic_t is_skipped, ended_by;

static struct {
	int sig;
	struct sigaction before;
} handled[] = {{.sig = SIGINT}, {.sig = SIGTERM}, {.sig = SIGHUP}};
#define NR_HANDLED (sizeof(handled) / sizeof(*handled))

static bool is_terminal(void)
{
	return !is_quiet && isatty(STDERR_FILENO);
}

static int want(const char *urls, struct pfx_error *err)
{
	const char *own = getenv(URLS);

	if (!pfx_debuginfod_is_built_in()) {
		pfx_error_set(err, ENOTSUP, "this pfx cannot ask debuginfod servers");
		pfx_error_hint(err, "install libdebuginfod-dev and build pfx again");
		return -ENOTSUP;
	}
	if (!urls && (!own || !*own)) {
		pfx_error_set(err, EINVAL, "no debuginfod server is named");
		pfx_error_hint(err, "give its address, as in --debuginfod=https://example.org, or "
				    "set " URLS);
		return -EINVAL;
	}
	if (urls && setenv(URLS, urls, 1) < 0)
		return pfx_error_sys(err, errno, "cannot set " URLS);
	is_wanted = true;
	return 0;
}

int pfx_fetch_on_option(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	is_refused = unset;
	is_wanted = false;
	return unset ? 0 : want(arg, err);
}

static void on_signal(int sig)
{
	is_skipped = 1;
	if (sig != SIGINT)
		ended_by = sig;
}

static void begin(const char *what)
{
	struct sigaction action = {.sa_handler = on_signal};
	size_t i;

	is_skipped = ended_by != 0;
	for (i = 0; i < NR_HANDLED; i++) {
		sigaction(handled[i].sig, NULL, &handled[i].before);
		if (handled[i].sig == SIGINT || handled[i].before.sa_handler != SIG_IGN)
			sigaction(handled[i].sig, &action, NULL);
	}
	pfx_escape(shown, sizeof(shown), what);
	if (is_terminal())
		fprintf(stderr, "\rfetching %s (Ctrl-C skips it)\x1b[K", shown);
}

static bool go_on(uint64_t done, uint64_t total)
{
	if (is_terminal() && total)
		fprintf(stderr, "\rfetching %s: %llu of %llu KiB (Ctrl-C skips it)\x1b[K", shown,
			(unsigned long long)done >> 10, (unsigned long long)total >> 10);
	else if (is_terminal() && done)
		fprintf(stderr, "\rfetching %s: %llu KiB (Ctrl-C skips it)\x1b[K", shown,
			(unsigned long long)done >> 10);
	return !is_skipped;
}

static void end(const char *error, bool is_odd)
{
	size_t i;

	for (i = 0; i < NR_HANDLED; i++)
		sigaction(handled[i].sig, &handled[i].before, NULL);
	if (is_terminal())
		fputs("\r\x1b[K", stderr);
	if (error && (is_verbose || is_odd))
		pfx_print_note(command_name, "'%s' was not fetched: %s", shown, error);
	if (ended_by)
		raise(ended_by);
}

/* The limits from the configuration. */
static void read_limits(struct pfx_fetch_watch *watch)
{
	const char *size = pfx_config_get_valid("debuginfod.max-size");
	const char *seconds = pfx_config_get_valid("debuginfod.max-time");

	if (size)
		pfx_parse_size(size, &watch->max_size);
	if (seconds)
		pfx_parse_u64(seconds, &watch->max_seconds);
}

const struct pfx_fetch_watch *pfx_fetch_watch(const char *command, bool quiet, bool verbose)
{
	static struct pfx_fetch_watch watch = {
		.max_size = PFX_FETCH_BYTES,
		.max_seconds = PFX_FETCH_SECONDS,
		.begin = begin,
		.go_on = go_on,
		.end = end,
	};
	const char *urls = pfx_config_get("debuginfod.urls");
	struct pfx_error err = {0};

	command_name = command;
	is_quiet = quiet;
	is_verbose = verbose;
	if (!is_wanted && !is_refused && urls && *urls &&
	    want(strcmp(urls, SYSTEM) ? urls : NULL, &err) < 0 && verbose)
		pfx_print_note(command, "%s", err.text);
	if (!is_wanted)
		return NULL;
	read_limits(&watch);
	return &watch;
}
