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
	const char *input; /* -i; NULL: not given. _words() sets "-" if standard input has a
			      recording */
	/* set by _words(): */
	const char *word; /* the first unexpected word; NULL: none */
	char **args;      /* arguments of the script */
	int nr_args;
	char **options; /* of `pfx script` after the name, argv[0] first; still to be parsed */
	int nr_options;
	bool is_live; /* a recorder was started: the recording is read from standard input */
};

/* Parse the words after the options: the script's arguments, or "record NAME", "report NAME". True
 * if the command must return *@ret_code, because it is done or a word is invalid. */
bool pfx_script_run_words(struct pfx_script_run *run, int argc, char **argv, int *ret_code);
/* Whether the script is only words about a picture, which pfx writes itself ("# picture: ..."). */
bool pfx_script_run_is_picture(const struct pfx_script_run *run);
/* pfx_script_begin() with the script, if any. From now on Ctrl-C ends reading. */
int pfx_script_run_begin(struct pfx_script *script, const struct pfx_script_run *run,
			 struct pfx_recording *recording, struct pfx_error *err);
/* pfx_script_end(). */
int pfx_script_run_end(struct pfx_script *script, int rc, struct pfx_error *err);
/* Not 0: Ctrl-C was typed. Reads no more samples, but prints the results so far. */
extern volatile sig_atomic_t pfx_script_is_stopped;

/* --- script_words.c --- */

/* Results of scanning the words after the name of a script. */
struct pfx_script_words {
	bool wants_help;       /* -h */
	bool has_input;        /* -i with a recording */
	bool has_program;      /* a program to be recorded, or "--" */
	bool has_target;       /* a target is selected: -a, -p, -t, -u */
	bool is_for_recorder;  /* an option that only `pfx record` has */
	const char *recording; /* the first word that is a recording without -i; NULL: none */
};

/* Scan the words after the name of the script at @path. */
void pfx_script_words_scan(const char *path, int nr, char *const *words,
			   struct pfx_script_words *ret);
/* Divide them for reading: the script's own options, words and unknown options into run->args, the
 * options of `pfx script` into run->options; -i is the script's if run->input is already set. Both
 * are used until the program ends. */
void pfx_script_words_divide(struct pfx_script_run *run, const char *path, int nr, char **words);

/* --- script_live.c --- */

/* Run `pfx record` with the arguments of the script at @path and the user's; its exit code. */
int pfx_script_record(const struct pfx_script_run *run, const char *path, int argc, char **argv);
/* How many arguments the script at @path requires: "<comm>" in its comment, but not "[comm]". */
int pfx_script_nr_wanted(const char *path);
/* Start a recorder with the words that the script does not take, and wait for its first output. 0,
 * 1 if it ended without output, or an error. */
int pfx_script_live_start(struct pfx_script_run *run, const char *path, int argc, char **argv,
			  struct pfx_error *err);
/* Called by a signal handler: stop the recorder, and so the program that it records; a Ctrl-C of
 * the terminal reaches them directly. False: no recorder is running. */
bool pfx_script_live_interrupt(int sig, bool is_from_terminal);
/* Wait for the recorder. Returns @code if it is not 0, else the recorder's exit code, which is that
 * of the recorded program. Does not return after SIGTERM or SIGHUP. */
int pfx_script_live_end(int code);

#endif
