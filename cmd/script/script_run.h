/* SPDX-License-Identifier: MIT */
/* Scripts of `pfx script`: where they are, and running one over the recording. */
#ifndef PFX_CMD_SCRIPT_RUN_H
#define PFX_CMD_SCRIPT_RUN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

struct pfx_script;

/* What -s, -g, -l and the words behind the options ask for. */
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

/* Take the words behind the options: the script's arguments, or "record NAME", "report NAME". True
 * when all is done already, or a word is wrong, and the command is to return *@ret_code. */
bool pfx_script_run_words(struct pfx_script_run *run, int argc, char **argv, int *ret_code);
/* Start the script; samples are told to it from here on. */
int pfx_script_run_begin(struct pfx_script *script, const struct pfx_script_run *run,
			 struct pfx_error *err);
/* End it; @rc is how reading went. Returns the first error. */
int pfx_script_run_end(struct pfx_script *script, int rc, struct pfx_error *err);
/* Ctrl-C was typed: no more samples, but what was gathered is told. */
bool pfx_script_is_stopped(void);
/* Write perf-script.py with a function for each event of the recording. */
int pfx_script_skeleton(struct pfx_script *script, const char *language, struct pfx_error *err);

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

/* --- script_catalog.c --- */

/* Folders with scripts, the user's own first; NULL at the end. The caller frees. */
char **pfx_script_folders(void);
void pfx_script_folders_free(char **folders);
/* The file of a script by name, or NULL. The caller frees. */
char *pfx_script_find(const char *name);
/* The same for a name or the path of a file NAME.py. */
char *pfx_script_find_or_file(const char *word);
/* What a script's comments say behind "# @key: ", "" without it; false when it cannot be read. */
bool pfx_script_comment(const char *path, const char *key, struct pfx_str *to);
/* One line for each script. */
void pfx_script_catalog(struct pfx_str *to);
/* What a script is for and how it is run, for people; false when there is no such script. A file of
 * a script will do for its name. */
bool pfx_script_help(const char *name, struct pfx_str *to);
/* The name of the script that was probably meant, on the heap, or NULL. */
char *pfx_script_nearest(const char *name);

#endif
