/* SPDX-License-Identifier: MIT */
/* What the files of `pfx diff` share. */
#ifndef PFX_CMD_DIFF_COMMAND_H
#define PFX_CMD_DIFF_COMMAND_H

#include "base/alloc.h"
#include "cmd/app/symbol_options.h"
#include "diff/diff_text.h"
#include "read/recording.h"

#define PFX_DIFF_COMMAND "diff"

struct pfx_cmd_diff_options {
	const char *sort, *separator, *time, *cpus;
	const char *compute, *weight;
	struct pfx_filter filter;
	struct pfx_symbol_options symbols;
	uint64_t order;
	bool order_given;
	bool baseline_only, periods, formula, relative, modules;
	bool exact, inlines, dump;
	bool force, strict, quiet;
	int verbose;
};

/* A recording that is compared. */
struct pfx_diff_file {
	const char *path;
	uint32_t side;
	struct pfx_profile *profile; /* once it was read */
	char *machine;               /* what it was recorded on: CPU and kernel; NULL: unknown */
};

struct pfx_diff_command {
	struct pfx_cmd_diff_options *options;
	struct pfx_diff_options model;
	struct pfx_diff_look look;
	PFX_VEC(struct pfx_diff_file) files;
	PFX_VEC(const char *) names; /* by side */
	struct pfx_diff *diff;
	struct pfx_str out;
};

/* Read a file as a profile; with -D, only dump it. Notes about it are printed. */
int pfx_diff_read_file(struct pfx_diff_command *command, struct pfx_diff_file *file,
		       struct pfx_error *err);

#endif
