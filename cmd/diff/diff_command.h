/* SPDX-License-Identifier: MIT */
/* What the files of `pfx diff` share. */
#ifndef PFX_CMD_DIFF_COMMAND_H
#define PFX_CMD_DIFF_COMMAND_H

#include "base/alloc.h"
#include "cmd/app/symbol_options.h"
#include "diff/branches/streams.h"
#include "diff/cycles.h"
#include "diff/diff_text.h"
#include "read/recording.h"

#define PFX_DIFF_COMMAND "diff"

/* A growing array, as PFX_VEC(). */
struct pfx_diff_words {
	const char **at;
	size_t nr, cap;
};

struct pfx_cmd_diff_options {
	const char *sort, *separator, *time, *cpus;
	const char *compute, *weight;
	struct pfx_filter filter;
	struct pfx_symbol_options symbols;
	uint64_t order;
	bool order_given;
	bool baseline_only, periods, formula, relative, modules;
	bool exact, inlines, dump;
	bool noise, beyond_noise, ignore_noise, json, markdown, tree, folded, tui;
	double least;
	bool force, strict, quiet;
	struct pfx_diff_words old_files, new_files, fail_on;
	const char *rules, *baseline, *keep;
	bool cycles, cycles_hist, stream;
	uint64_t min_samples;
	double min_share;
	int verbose;
};

/* A recording that is compared. */
struct pfx_diff_file {
	const char *path;
	uint32_t side;
	struct pfx_profile *profile; /* once it was read; NULL: it has counts instead of samples */
	char *machine;               /* what it was recorded on: CPU and kernel; NULL: unknown */
};

struct pfx_diff_command {
	struct pfx_cmd_diff_options *options;
	struct pfx_diff_options model;
	struct pfx_diff_look look;
	PFX_VEC(struct pfx_diff_file) files;
	PFX_VEC(char *) names; /* by side: the files */
	struct pfx_diff *diff;
	struct pfx_diff *total; /* inclusive, for rules about total; NULL: none */
	struct pfx_diff *tree;  /* for --tree; NULL: not requested */
	struct pfx_diff_noise *noise;
	struct pfx_diff_amounts *amounts;
	struct pfx_diff_cycles *cycles;   /* of -c cycles; NULL: not requested */
	struct pfx_diff_streams *streams; /* of --stream; NULL: not requested */
	const char *baseline_name;        /* NULL: the old side is not a baseline */
	PFX_VEC(struct pfx_diff_rule) rules;
	PFX_VEC(struct pfx_diff_verdict) verdicts; /* by rule */
	struct pfx_str out;
};

/* Exit code when a rule is broken. */
#define PFX_DIFF_BROKEN 2

/* As many words as perf takes: "--old a b" becomes "--old a --old b". The caller frees the array,
 * not the words. */
char **pfx_diff_spread_words(int argc, char **argv, int *ret_argc);
/* Which file is which, from the words and --old, --new. */
int pfx_diff_take_files(struct pfx_diff_command *command, int nr, char **words,
			struct pfx_error *err);

/* Add the runs of the baseline to the old side. */
int pfx_diff_load_baseline(struct pfx_diff_command *command, struct pfx_error *err);
/* Write all profiles as the baseline of --keep. */
int pfx_diff_keep(struct pfx_diff_command *command, struct pfx_error *err);

/* The rules of --fail-on and --rules. */
int pfx_diff_read_rules(struct pfx_diff_command *command, struct pfx_error *err);
/* Whether rules or other options need call chains. */
bool pfx_diff_wants_chains(const struct pfx_diff_command *command);
/* Check all rules: sets the verdicts. */
int pfx_diff_check_rules(struct pfx_diff_command *command, struct pfx_error *err);
/* Print a line for each rule that is broken, or would be; the number of those that are. */
unsigned pfx_diff_say_rules(const struct pfx_diff_command *command);

/* -EINVAL: there is no screen for --tui, or other options exclude it. */
int pfx_diff_check_screen(const struct pfx_diff_command *command, struct pfx_error *err);
/* Show the comparison until the user ends; after it was made. */
int pfx_diff_show_screen(struct pfx_diff_command *command, struct pfx_error *err);

/* All that follows the options. */
int pfx_diff_run_command(struct pfx_diff_command *command, struct pfx_error *err);
/* Read a file as a profile; with -D, only dump it. Notes about it are printed. */
int pfx_diff_read_file(struct pfx_diff_command *command, struct pfx_diff_file *file,
		       struct pfx_error *err);

#endif
