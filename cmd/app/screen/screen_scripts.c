/* SPDX-License-Identifier: MIT */
/* Running `pfx script` from the screen: a process of its own, with the pager that it has there. */
#include "cmd/app/screen/screen_scripts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "script/script_catalog.h"

/* Lines before those of the catalog, and the fields that they add. */
static const struct {
	const char *line, *fields;
} samples[] = {
	{"samples as text", NULL},
	{"samples with the instruction", "+disasm"},
	{"samples with the source line", "+srcline"},
};

#define NR_SAMPLES ((uint32_t)(sizeof(samples) / sizeof(*samples)))

/* The n-th line of the catalog. */
static const char *line_of(const struct pfx_str *catalog, uint32_t n)
{
	const char *at = pfx_str_get(catalog), *end = at + catalog->len;

	for (; n && at < end; n--)
		at += strlen(at) + 1;
	return at < end ? at + strspn(at, " ") : NULL;
}

static void list(struct pfx_screen_scripts *scripts)
{
	size_t i;

	pfx_script_catalog(&scripts->catalog);
	for (i = 0; i < scripts->catalog.len; i++)
		if (scripts->catalog.at[i] == '\n')
			scripts->catalog.at[i] = '\0';
	scripts->is_listed = true;
}

const char *pfx_screen_scripts_line(struct pfx_screen_scripts *scripts, uint32_t n)
{
	if (n < NR_SAMPLES)
		return samples[n].line;
	if (!scripts->is_listed)
		list(scripts);
	return line_of(&scripts->catalog, n - NR_SAMPLES);
}

/* In the child. */
static void start(const char *name, const char *fields, const char *recording)
{
	const char *argv[8] = {"pfx", "script", "-i", recording};
	int nr = 4;

	if (name || fields) {
		argv[nr++] = name ? "-s" : "-F";
		argv[nr++] = name ? name : fields;
	}
	signal(SIGINT, SIG_DFL);
	execv("/proc/self/exe", (char **)argv);
	_exit(127);
}

static void wait_for_enter(void)
{
	static const char what[] = "\nEnter: back to the screen ";
	char byte;

	if (write(STDOUT_FILENO, what, sizeof(what) - 1) < 0)
		return;
	while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
		;
}

int pfx_screen_scripts_run(struct pfx_screen_scripts *scripts, uint32_t n, const char *recording,
			   struct pfx_error *err)
{
	const char *line = pfx_screen_scripts_line(scripts, n);
	char *name = NULL;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	int status = 0;
	pid_t pid;

	if (!line)
		return pfx_error_set(err, ENOENT, "there is no such script");
	if (n >= NR_SAMPLES)
		name = pfx_strndup(line, strcspn(line, " "));
	/* Ctrl-C ends the script, not the screen. */
	sigaction(SIGINT, &ignore, &old);
	pid = fork();
	if (!pid)
		start(name, name ? NULL : samples[n].fields, recording);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0)
		wait_for_enter();
	sigaction(SIGINT, &old, NULL);
	free(name);
	if (pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
		return pfx_error_set(err, EAGAIN, "pfx script cannot be started");
	return 0;
}

void pfx_screen_scripts_fini(struct pfx_screen_scripts *scripts)
{
	pfx_str_fini(&scripts->catalog);
}
