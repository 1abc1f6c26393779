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
	const char *input; /* -i; NULL: not given. _words() finds it behind `report NAME`, too */
	/* filled by _words(): */
	const char *word; /* the first that nobody wants; NULL: none */
	char **args;      /* of the script */
	int nr_args;
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

/* --- script_live.c --- */

/* `pfx record` as the script at @path wants it, with the user's words; its exit code. */
int pfx_script_record(const struct pfx_script_run *run, const char *path, int argc, char **argv);
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
/* What a script's comments say behind "# @key: ", "" without it; false when it cannot be read. */
bool pfx_script_comment(const char *path, const char *key, struct pfx_str *to);
/* One line for each script. */
void pfx_script_catalog(struct pfx_str *to);
/* The name of the script that was probably meant, on the heap, or NULL. */
char *pfx_script_nearest(const char *name);

#endif
