/* SPDX-License-Identifier: MIT */
/*
 * Start and end of the program: the words before the command, then the command. Checks the three
 * standard streams at both ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/for_program.h"
#include "base/guard.h"
#include "base/str.h"
#include "cli/cli_note.h"
#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/perf/exit_codes.h"
#include "cmd/app/perf/to_profile.h"
#include "cmd/app/program.h"
#include "out/term/term.h"
#include "pfx/common.h"

#define OUTPUT_LOST_CODE 255

/* If the parent closed a standard stream, its descriptor must not be reused for a perf.data file or
 * a ring buffer. The replacement is opened in the wrong direction, so that using it fails as using
 * a closed one does. */
static void hold_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static void note_cut_files(void)
{
	char shown[512];
	const char *path;
	size_t i;

	for (i = 0; (path = pfx_guard_next_cut(i)); i++)
		pfx_print_note(NULL,
			       "'%s' became shorter while it was read: the output is incomplete",
			       pfx_escape(shown, sizeof(shown), path));
}

/* Write errors of commands that print only a few lines are found here. */
static int finish_output(int code)
{
	int rc = pfx_out_failure();

	if (!rc || code)
		return code;
	pfx_print_note(NULL, "cannot write to standard output: %s", strerror(-rc));
	return OUTPUT_LOST_CODE;
}

static void print_note(const char *command, const char *text)
{
	pfx_print_note(command, "%s", text);
}

static bool is_command(const char *word)
{
	return pfx_command_find(word);
}

int main(int argc, char **argv)
{
	int code;

	/* Writing to a closed pipe ends the program without a message, also if the parent ignored
	 * SIGPIPE. */
	signal(SIGPIPE, SIG_DFL);
	hold_streams();
	pfx_set_out_of_memory(pfx_print_no_memory, NULL);
	pfx_use_environment(true);
	pfx_api_use_options();
	pfx_guard_install();
	pfx_cli_on_note(print_note);
	pfx_personality_choose(argv[0], is_command);
	pfx_to_profile_words(&argc, &argv);
	code = finish_output(pfx_exit_code(pfx_program_run(argc, argv)));
	pfx_pager_finish();
	note_cut_files();
	pfx_config_clear();
	return code;
}
