/* SPDX-License-Identifier: MIT */
/* Where the program starts: what comes before the command word, then the command. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/program.h"
#include "out/term.h"

int main(int argc, char **argv)
{
	int code;

	/* A closed pipe ends the program quietly, whatever the parent thought of the signal. */
	signal(SIGPIPE, SIG_DFL);
	code = pfx_program_run(argc, argv);
	fflush(stdout);
	pfx_pager_finish();
	return code;
}
