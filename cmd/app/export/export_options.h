/* SPDX-License-Identifier: MIT */
/* The options of `pfx export`, which `pfx flamegraph` has, too. */
#ifndef PFX_CMD_EXPORT_OPTIONS_H
#define PFX_CMD_EXPORT_OPTIONS_H

#include "base/alloc.h"
#include "cli/options.h"
#include "cmd/app/symbol_options.h"
#include "export/export.h"
#include "read/event_switch.h"
#include "read/filter.h"
#include "unwind/resolve.h"

struct pfx_export_options {
	const char *input, *output, *old, *title, *cpus, *time;
	bool list, force, strict, sources, quiet, hide_unresolved, inlines, modules, guest,
		no_chains;
	int verbose;
	uint64_t max_stack, width;
	enum pfx_measure measure;
	bool measure_given;
	bool redact;
	bool is_unnamed; /* the recording is temporary, so that messages do not name it */
	bool skip_empty; /* write nothing if no sample is left; no option */
	const char *patterns[PFX_VIEW_NR_PATTERNS];
	PFX_VEC(const char *) events;
	struct pfx_event_switch event_switch;
	struct pfx_filter filter;
	struct pfx_symbol_options symbols;
	enum pfx_unwind_style unwind;
};

#define PFX_EXPORT_OPTIONS_DEFAULT                                                        \
	{                                                                                 \
		.output = "-", .inlines = true, .modules = true, .max_stack = UINT64_MAX, \
	}

extern const struct pfx_option pfx_export_option_table[];

/* Check values after parsing. @word: the first word that is left; NULL: none. */
int pfx_export_options_check(const char *command, struct pfx_export_options *options,
			     const char *word, struct pfx_error *err);
/* Whether the format does what the options request. */
int pfx_export_options_suit(const struct pfx_export_options *options,
			    const struct pfx_export *format, struct pfx_error *err);
void pfx_export_options_fini(struct pfx_export_options *options);

#endif
