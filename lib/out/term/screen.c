/* SPDX-License-Identifier: MIT */
/*
 * The screen and the pager. The state of standard output before the pager replaced it is stored, as
 * colours and width depend on it. A signal that ends the program first waits for the pager, so that
 * it does not share the terminal with the shell.
 */
#include "out/term/term.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

#define DEFAULT_WIDTH 80
#define WIDTH_MAX     4096

static struct {
	volatile pid_t pid;       /* 0: no pager */
	int saved_out, saved_err; /* saved_err -1: standard error was not redirected */
} pager;

static bool stdout_is_terminal(void)
{
	return isatty(pager.pid ? pager.saved_out : STDOUT_FILENO);
}

static const char *env_or_null(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static enum pfx_colour_when configured = PFX_COLOUR_AUTO;

void pfx_term_set_colours(enum pfx_colour_when when)
{
	configured = when;
}

bool pfx_term_colours(enum pfx_colour_when when)
{
	const char *force = env_or_null("CLICOLOR_FORCE");
	const char *term = getenv("TERM");

	if (when == PFX_COLOUR_AUTO)
		when = configured;
	if (when != PFX_COLOUR_AUTO)
		return when == PFX_COLOUR_ALWAYS;
	if (env_or_null("NO_COLOR"))
		return false;
	if (force && strcmp(force, "0"))
		return true;
	return stdout_is_terminal() && term && strcmp(term, "dumb");
}

static unsigned width_of(int fd)
{
	const char *columns = env_or_null("COLUMNS");
	struct winsize size;
	char *end;
	unsigned long n;

	if (columns) {
		n = strtoul(columns, &end, 10);
		if (!*end && n && n <= WIDTH_MAX)
			return (unsigned)n;
	}
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return DEFAULT_WIDTH;
}

unsigned pfx_term_width(void)
{
	return width_of(pager.pid ? pager.saved_out : STDOUT_FILENO);
}

unsigned pfx_term_message_width(void)
{
	int fd = pager.pid && pager.saved_err >= 0 ? pager.saved_err : STDERR_FILENO;

	return isatty(fd) ? width_of(fd) : 0;
}

unsigned pfx_term_screen(void)
{
	return stdout_is_terminal() ? pfx_term_width() : 0;
}

/* Whether a program of that name is in PATH. */
static bool is_installed(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];
	size_t len;

	for (; path && *path; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)len, path, name);
		if (!access(file, X_OK))
			return true;
	}
	return false;
}

static const char *choose_pager(const char *command)
{
	static const char *const vars[] = {"PFX_PAGER", "PERF_PAGER", "PAGER"};
	size_t i;

	for (i = 0; !command && i < sizeof(vars) / sizeof(*vars); i++)
		command = getenv(vars[i]);
	if (!command && is_installed("less"))
		command = "less";
	if (!command && is_installed("pager"))
		command = "pager";
	if (!command || !*command || !strcmp(command, "cat"))
		return NULL;
	return command;
}

static void pager_let_go(void)
{
	close(STDOUT_FILENO);
	if (pager.saved_err >= 0)
		close(STDERR_FILENO);
	while (waitpid(pager.pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager.pid = 0;
}

static void on_signal(int signo)
{
	if (pager.pid)
		pager_let_go();
	signal(signo, SIG_DFL);
	raise(signo);
}

static void catch_signals(void)
{
	static const int list[] = {SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE};
	struct sigaction action = {.sa_handler = on_signal}, old;
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (!sigaction(list[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(list[i], &action, NULL);
}

static void __attribute__((noreturn))
become_pager(const char *command, bool chops, const int fds[2])
{
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	setenv("LESS", chops ? "FRSX" : "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void pfx_pager_start(const char *command, bool chops)
{
	int fds[2];
	pid_t pid;

	if (pager.pid || !isatty(STDOUT_FILENO))
		return;
	command = choose_pager(command);
	if (!command || pipe(fds) < 0)
		return;
	fflush(NULL);
	pid = fork();
	if (!pid)
		become_pager(command, chops, fds);
	close(fds[0]);
	if (pid < 0) {
		close(fds[1]);
		return;
	}
	pager.saved_out = dup(STDOUT_FILENO);
	pager.saved_err = isatty(STDERR_FILENO) ? dup(STDERR_FILENO) : -1;
	dup2(fds[1], STDOUT_FILENO);
	if (pager.saved_err >= 0)
		dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	pager.pid = pid;
	catch_signals();
}

void pfx_pager_finish(void)
{
	bool had_err = pager.saved_err >= 0;

	if (!pager.pid)
		return;
	fflush(NULL);
	pager_let_go();
	dup2(pager.saved_out, STDOUT_FILENO);
	close(pager.saved_out);
	if (had_err) {
		dup2(pager.saved_err, STDERR_FILENO);
		close(pager.saved_err);
	}
}

static int first_failure;

int pfx_out_flush(struct pfx_str *s)
{
	int rc = fflush(stdout) ? -errno : 0;

	if (!rc && s->len)
		rc = pfx_write_full(STDOUT_FILENO, s->at, s->len);
	pfx_str_clear(s);
	if (rc && !first_failure)
		first_failure = rc;
	return rc;
}

int pfx_out_write(struct pfx_str *s, size_t above, struct pfx_error *err)
{
	int rc = s->len > above ? pfx_out_flush(s) : 0;

	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write to standard output") : 0;
}

int pfx_out_failure(void)
{
	int rc = fflush(stdout) ? -errno : 0;

	return first_failure ? first_failure : rc;
}
