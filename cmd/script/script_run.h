/* SPDX-License-Identifier: MIT */
/* Scripts of `pfx script`: where they are, and running one over the recording. */
#ifndef PFX_CMD_SCRIPT_RUN_H
#define PFX_CMD_SCRIPT_RUN_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

struct pfx_recording;
struct pfx_script;

/* The values of -s, -g, -l and the words after the options. */
struct pfx_script_run {
	const char *script, *generate;
	bool list, all_cpus;
	const char *input; /* -i; NULL: not given. _words() says "-" where standard input has one */
	/* filled by _words(): */
	const char *word; /* the first that nobody wants; NULL: none */
	char **args;      /* of the script */
	int nr_args;
	char **options; /* of `pfx script` itself, after the name, argv[0] first; to be parsed */
	int nr_options;
	bool is_live; /* a recorder was started: the recording comes by standard input */
};

/* Parse the words after the options: the script's arguments, or "record NAME", "report NAME". True
 * if the command is to return *@ret_code, because it is done or a word is invalid. */
bool pfx_script_run_words(struct pfx_script_run *run, int argc, char **argv, int *ret_code);
/* pfx_script_begin() with the script, or without one. From here on Ctrl-C ends the reading. */
int pfx_script_run_begin(struct pfx_script *script, const struct pfx_script_run *run,
			 struct pfx_recording *recording, struct pfx_error *err);
/* pfx_script_end(). */
int pfx_script_run_end(struct pfx_script *script, int rc, struct pfx_error *err);
/* Not 0: Ctrl-C was typed. Reads no more samples, but prints the results so far. */
extern volatile sig_atomic_t pfx_script_is_stopped;

/* --- script_words.c --- */

/* What the words after the name of a script are about. */
struct pfx_script_words {
	bool wants_help;       /* -h */
	bool has_input;        /* -i with a recording */
	bool has_program;      /* a program to be recorded, or "--" */
	bool has_target;       /* what is recorded is named: -a, -p, -t, -u */
	bool is_for_recorder;  /* an option that only `pfx record` has */
	const char *recording; /* the first word that is a recording without -i; NULL: none */
};

/* Look at the words after the name of the script at @path. */
void pfx_script_words_scan(const char *path, int nr, char *const *words,
			   struct pfx_script_words *ret);
/* Divide them for reading: the script's own options, words and unknown options into run->args, the
 * options of `pfx script` into run->options; -i is the script's when run->input is known already.
 * Both stay to the end of the program. */
void pfx_script_words_divide(struct pfx_script_run *run, const char *path, int nr, char **words);

/* --- script_live.c --- */

/* `pfx record` as the script at @path wants it, with the user's words; its exit code. */
int pfx_script_record(const struct pfx_script_run *run, const char *path, int argc, char **argv);
/* How many words the script at @path cannot do without: "<comm>" in its comment, and not "[comm]".
 */
int pfx_script_nr_wanted(const char *path);
/* Start a recorder with the words that the script does not take, and wait until it writes. 0, 1
 * when it ended before that, or an error. */
int pfx_script_live_start(struct pfx_script_run *run, const char *path, int argc, char **argv,
			  struct pfx_error *err);
/* From a signal handler: end the recorder, which heard of a Ctrl-C itself. False: there is none. */
bool pfx_script_live_interrupt(bool is_from_terminal);
/* Wait for it; its exit code. */
int pfx_script_live_end(void);

#endif
