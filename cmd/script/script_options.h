/* SPDX-License-Identifier: MIT */
/* The command line of `pfx script`. */
#ifndef PFX_CMD_SCRIPT_OPTIONS_H
#define PFX_CMD_SCRIPT_OPTIONS_H

#include "base/alloc.h"
#include "cli/options.h"
#include "cmd/app/symbol_options.h"
#include "cmd/script/script_run.h"
#include "script/script.h"

struct pfx_script_command {
	const char *input;
	bool force, strict, header_only, stitch_lbr, merge_chains, itrace, full_source_path,
		is_unsorted;
	int verbose;
	bool forms[PFX_NR_FORMS_OF_RECORDS]; /* by place */
	struct pfx_script_options how;
	struct pfx_symbol_options symbols;
	enum pfx_unwind_style unwind;
	struct pfx_script_run run;
	const char *dlfilter;
	PFX_VEC(char *) dlargs;
	bool lists_dlfilters, inlines_given;
	bool show_task, show_mmap, show_switch, show_namespace, show_cgroup, show_lost, show_round,
		show_bpf, show_text_poke;
};

extern const struct pfx_option pfx_script_option_table[];

/* Sets options->how from options that only exist in the command. */
void pfx_script_options_apply(struct pfx_script_command *options);

/* `pfx script flamegraph`: what `pfx flamegraph` makes of the same recording, with the filters of
 * `pfx script`. Returns the exit code. */
int pfx_script_picture(struct pfx_script_command *options);

#endif
