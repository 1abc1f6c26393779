/* SPDX-License-Identifier: MIT */
/*
 * Where the program starts: what comes before the command word, then the command. Sees to the three
 * standard streams; knows nothing of what is written to them.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/program.h"
#include "out/term.h"

#define OUTPUT_LOST_CODE 255

/* A standard stream that the parent closed must not become the number of a recording or a ring.
 * What takes its place fails on use, as a closed one does. */
static void hold_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Commands that print a few lines leave it to the end to see whether they arrived. */
static int finish_output(int code)
{
	int rc = pfx_out_failure();

	if (!rc || code)
		return code;
	fprintf(stderr, "pfx: cannot write to standard output: %s\n", strerror(-rc));
	return OUTPUT_LOST_CODE;
}

int main(int argc, char **argv)
{
	int code;

	/* A closed pipe ends the program quietly, whatever the parent thought of the signal. */
	signal(SIGPIPE, SIG_DFL);
	hold_streams();
	code = finish_output(pfx_program_run(argc, argv));
	pfx_pager_finish();
	pfx_config_clear();
	return code;
}
