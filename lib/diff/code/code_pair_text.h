/* SPDX-License-Identifier: MIT */
/* Two builds of a function as text or JSON: each instruction with its cost in both recordings. */
#ifndef PFX_DIFF_CODE_PAIR_TEXT_H
#define PFX_DIFF_CODE_PAIR_TEXT_H

#include "diff/code/code_pair.h"
#include "out/code/code_text.h"

#define PFX_ANNOTATE_DIFF_SCHEMA "pfx.annotate-diff/1"

/* An event that both recordings have: its number in each, and the cost of all samples in each. */
struct pfx_code_pair_event {
	const char *name;
	uint32_t idx[2];
	struct pfx_cost wholes[2];
};

/* The cost of row @i in the old (@side 0) or new recording (1). */
struct pfx_cost pfx_code_pair_cost(const struct pfx_code_pair *pair,
				   const struct pfx_code_pair_event *event, uint32_t i, int side);
/* The same for a source line: its own instructions. */
struct pfx_cost pfx_code_pair_line_cost(const struct pfx_code_pair *pair,
					const struct pfx_code_pair_event *event, uint32_t i,
					int side);

/* The function, with its title; 0, or what writing returned. */
int pfx_code_pair_text(const struct pfx_code_pair *pair, const struct pfx_code_style *style,
		       const struct pfx_code_pair_event *event,
		       const struct pfx_code_output *output);

/* One JSON object for all functions, in the schema PFX_ANNOTATE_DIFF_SCHEMA
 * (Documentation/annotate-diff-schema.json): its beginning, a function, its end. */
void pfx_code_pair_json_begin(const struct pfx_code_pair_event *events, uint32_t nr,
			      struct pfx_str *to);
int pfx_code_pair_json_add(const struct pfx_code_pair *pair,
			   const struct pfx_code_pair_event *events, uint32_t nr, bool is_first,
			   const struct pfx_code_output *output);
void pfx_code_pair_json_end(struct pfx_str *to);

#endif
