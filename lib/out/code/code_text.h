/* SPDX-License-Identifier: MIT */
/*
 * The code of a function with its costs (lib/code) as text. Columns are those of `perf annotate
 * --stdio`; in the short form they are those of --stdio2, with labels and arrows at jumps.
 */
#ifndef PFX_OUT_CODE_TEXT_H
#define PFX_OUT_CODE_TEXT_H

#include "base/str.h"
#include "code/code.h"
#include "event/meta.h"
#include "out/code/code_output.h"
#include "sym/table/asked_name.h"

/* The value before an instruction. */
enum pfx_code_value { PFX_CODE_PERCENT, PFX_CODE_PERIOD, PFX_CODE_SAMPLES };

struct pfx_code_style {
	enum pfx_code_value value;
	bool of_global;   /* percentages of all samples of the event, not of the function */
	bool of_hits;     /* of numbers of samples, not of their periods */
	bool full_paths;  /* show full paths of the DSO and of source files */
	bool raw;         /* the bytes of instructions */
	bool no_source;   /* no source lines */
	bool print_lines; /* file and line after instructions with samples, and a summary */
	bool short_form;  /* --stdio2 */
	bool histogram;   /* addresses with their numbers of samples first, as perf -v has them */
	bool colours;
	uint32_t context; /* instructions around those with samples; UINT32_MAX: all */
	const struct pfx_asked_name *only; /* only the instructions of these inlined functions;
					      NULL: all */
};

/* The events whose costs are shown side by side, and the totals for global percentages. */
struct pfx_code_events {
	const struct pfx_event *const *events;
	uint32_t nr;
	const struct pfx_cost *wholes; /* by the event's number in the recording */
};

/* The percentage of a cost, according to the style. */
double pfx_code_percent(const struct pfx_code *code, const struct pfx_code_style *style,
			const struct pfx_code_events *events, uint32_t event,
			const struct pfx_cost *cost);
/* "local period" and so on. */
const char *pfx_code_percent_name(const struct pfx_code_style *style);
/* The instruction in disassembler syntax: a padded mnemonic, operands, names of addresses. */
void pfx_code_insn_text(const struct pfx_code *code, const struct pfx_code_insn *insn,
			bool short_form, struct pfx_str *to);
/* The whole function, with its title; 0, or what writing returned. */
int pfx_code_text(const struct pfx_code *code, const struct pfx_code_style *style,
		  const struct pfx_code_events *events, const struct pfx_code_output *to);

#endif
