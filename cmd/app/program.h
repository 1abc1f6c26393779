/* SPDX-License-Identifier: MIT */
/* The program as a whole, without main(), so that tests can call it. */
#ifndef PFX_CMD_PROGRAM_H
#define PFX_CMD_PROGRAM_H

/* Take the options before the command word and run the command. Returns the exit code. */
int pfx_program_run(int argc, char **argv);
/* The overview of `pfx help`, and the version line of `pfx version`. */
void pfx_program_help(void);
void pfx_program_version(void);
/* The same and what is built in, as `version --build-options`. */
void pfx_program_build(void);

#endif
