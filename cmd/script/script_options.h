/* SPDX-License-Identifier: MIT */
/* What the command line of `pfx script` asks for. */
#ifndef PFX_CMD_SCRIPT_OPTIONS_H
#define PFX_CMD_SCRIPT_OPTIONS_H

#include "cmd/app/options.h"
#include "cmd/app/symbol_options.h"
#include "cmd/script/script_internal.h"
#include "cmd/script/script_run.h"
#include "read/event_switch.h"

struct pfx_script_options {
	const char *input, *time;
	bool force, strict, quiet, dump, header, header_only, show_info;
	bool stitch_lbr, merge_chains, kernel_path, itrace;
	bool hide_chains, ns, reltime, deltatime, inlines, full_source_path;
	int verbose;
	bool latency, json, per_event, checks_order, is_unsorted;
	struct pfx_event_switch event_switch;
	uint64_t max_stack, max_blocks;
	struct pfx_script_fields fields;
	struct pfx_script_filter filter;
	struct pfx_symbol_options symbols;
	enum pfx_unwind_style unwind;
	struct pfx_script_run run;
	bool show_task, show_mmap, show_switch, show_namespace, show_cgroup, show_lost, show_round,
		show_bpf, show_text_poke;
};

extern const struct pfx_option pfx_script_option_table[];

/* Take over what the printing needs to know. */
void pfx_script_options_apply(const struct pfx_script_options *options, struct pfx_script *script);

#endif
