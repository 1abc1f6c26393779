/* SPDX-License-Identifier: MIT */
/*
 * The option engine. A command's options are one const table; its rows feed parsing, `-h`, bash
 * completion and the check that the man page agrees. perf's syntax: parsing stops at the first word
 * that is not an option or at `--`; short options bundle; `-F99`, `-F 99`, `--freq=99`, `--freq
 * 99`; unique long prefixes; `--no-X` for every boolean and `--X` for one declared `no-X`.
 */
#ifndef PFX_CLI_OPTIONS_H
#define PFX_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "base/words.h"

enum pfx_option_kind {
	PFX_OPT_END,
	PFX_OPT_GROUP,  /* a heading in the help; only `help` is used */
	PFX_OPT_BOOL,   /* bool */
	PFX_OPT_COUNT,  /* int, incremented each time; --no-X: 0 */
	PFX_OPT_STRING, /* const char * */
	PFX_OPT_U64,    /* uint64_t */
	PFX_OPT_INT,    /* int */
	PFX_OPT_CALL,   /* call(): argument required, may be repeated */
	PFX_OPT_VALUE,  /* the same, but call() gets the value at `offset` instead of the options */
	PFX_OPT_CALL_OPTIONAL, /* call(): argument only as --x=ARG or -xARG, else NULL */
	PFX_OPT_CALL_NEXT, /* call(): takes the next word unless it is last or starts with '-' */
	PFX_OPT_CALL_NONE, /* call(): no argument */
	PFX_OPT_ABSENT,    /* an option of perf that pfx lacks: `help` says why; to be hidden */
};

struct pfx_option;
/* @options: the command's options, or one value of them (PFX_OPT_VALUE); @arg: the argument or
 * NULL;
 * @unset: the negated form, --no-X. */
typedef int (*pfx_option_fn)(void *options, const char *arg, bool unset, struct pfx_error *err);

/* Adds words, each preceded by a blank. */
typedef void (*pfx_option_words_fn)(struct pfx_str *to);

struct pfx_option {
	enum pfx_option_kind kind;
	char letter;      /* 0: none */
	const char *name; /* long name, NULL: none */
	size_t offset;    /* offset of the value in the command's options struct */
	const char *arg;  /* name of the argument in the help, NULL: none */
	const char *help; /* one line, lower case, no full stop */
	pfx_option_fn call;
	size_t set_offset; /* offset of a bool that is set if the option was given; 0: none */
	bool hidden;       /* accepted, not shown (old names) */
	bool is_new;       /* perf 6.1 has no such option */
	bool keeps;        /* adds to earlier values: there is no --no- form */
	/* PFX_OPT_ABSENT: by perf's name a note says why it has no effect, as in perf; with `arg`
	 * the option takes a value. */
	bool is_moot;
	/* For completion: the words that the value consists of, separated by blanks, NULL: none;
	 * one of "@events", "@metrics", "@scripts", "@pids", "@users" for names that depend on the
	 * machine. */
	const char *words;
	pfx_option_words_fn add_words; /* the same, if they are generated from another table */
	/* For a letter without a value: the long option for text after it, NULL: none. */
	const char *with_value;
};

#define PFX_USAGE_ERROR 129 /* exit code of usage errors, as perf's */

/* A subcommand. `run` returns the exit code. */
struct pfx_command {
	const char *name;
	const char *args;                  /* usage after the options: "[--] command [arguments]" */
	const char *summary;               /* one line */
	const struct pfx_option *options;  /* ends with PFX_OPT_END */
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
	/* Commands whose options it takes, too, for completion; ends with NULL. NULL: none. */
	const struct pfx_command *const *also;
	bool permute;   /* options may also follow other words (as for report) */
	bool keeps_all; /* has much in memory, of a recording: see pfx_alloc_huge_pages() */
};

/* Parse argv[1..] into @options by the command's table. Returns the index of the first word that is
 * not an option, or a negative errno. `-h`/`--help` is handled by the caller: *@ret_help is set.
 * For a command that permutes, all other words are moved to the end of @argv. */
int pfx_options_parse(const struct pfx_command *command, int argc, char **argv, void *options,
		      bool *ret_help, struct pfx_error *err);
/* Options that every command has. */
enum pfx_special { PFX_SPECIAL_NONE, PFX_SPECIAL_HELP, PFX_SPECIAL_LIST };

#define PFX_LIST_CODE 130 /* exit code of --list-opts, as perf's */

/* The same; stops after a special option, which it returns. */
int pfx_options_take(const struct pfx_command *command, int argc, char **argv, void *options,
		     enum pfx_special *ret_special, struct pfx_error *err);
/* How many of these @nr words the first one, "--freq" or "-F99", takes as an option of the table
 * @rows, 1 or 2, and its row (the last one of a bundle); 0: unknown or ambiguous. */
int pfx_options_span(const struct pfx_option *rows, int nr, char *const *words,
		     const struct pfx_option **ret_row);
/* Check a field separator (NULL: none): "\\t" becomes a tab. -EINVAL if it contains control
 * characters that change a terminal, or invalid bytes. */
int pfx_parse_separator(const char **separator, struct pfx_error *err);
/* Append the help text of a command, for a screen of @width columns; with @words (may be NULL, ends
 * with NULL) only the options whose name or description contains one of them. */
void pfx_options_help_text(const struct pfx_command *command, char *const *words, unsigned width,
			   struct pfx_str *to);
/* Folds text at blanks and adds a newline: no line is wider than @width, all but the first are
 * indented to column @indent. The first continues the last line of @to, which must end at that
 * column. */
void pfx_help_wrap(const char *text, unsigned indent, unsigned width, struct pfx_str *to);
/* "--freq --no-inherit ...": the long names, for completion. */
void pfx_options_list(const struct pfx_command *command, struct pfx_str *to);
/* "\treport:-s|report:--sort) echo 'comm dso ...';;", a line for each option with such words. */
void pfx_options_words(const struct pfx_command *command, struct pfx_str *to);
/* The negated forms of boolean options: "--no-x", and "--x" for "--no-x". */
void pfx_options_negations(const struct pfx_command *command, struct pfx_str *to);
/* The options that leave the next word alone: "-a --all-cpus". */
void pfx_options_flags(const struct pfx_command *command, struct pfx_str *to);

#endif
