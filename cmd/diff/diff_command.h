/* SPDX-License-Identifier: MIT */
/* What the files of `pfx diff` share. */
#ifndef PFX_CMD_DIFF_COMMAND_H
#define PFX_CMD_DIFF_COMMAND_H

#include "base/alloc.h"
#include "cmd/app/symbol_options.h"
#include "diff/branches/streams.h"
#include "diff/comparison.h"
#include "diff/cycles.h"
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
	bool exact, inlines, inlines_given, dump;
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

struct pfx_diff_command {
	struct pfx_cmd_diff_options *options;
	struct pfx_comparison comparison;
	struct pfx_diff_cycles *cycles;   /* of -c cycles; NULL: not requested */
	struct pfx_diff_streams *streams; /* of --stream; NULL: not requested */
	const char *baseline_name;        /* NULL: the old side is not a baseline */
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

/* -EINVAL: there is no screen for --tui, or other options exclude it. */
int pfx_diff_check_screen(const struct pfx_diff_command *command, struct pfx_error *err);
/* Show the comparison until the user ends; after it was made. */
int pfx_diff_show_screen(struct pfx_diff_command *command, struct pfx_error *err);

/* All that follows the options. */
int pfx_diff_run_command(struct pfx_diff_command *command, struct pfx_error *err);
/* Read a file as a profile; with -D, only dump it. Notes about it are printed. */
int pfx_diff_read_file(struct pfx_diff_command *command, struct pfx_compared_file *file,
		       struct pfx_error *err);

#endif
