/* SPDX-License-Identifier: MIT */
/* Parts of lines that code and source files have in common. */
#ifndef PFX_OUT_CODE_PARTS_INTERNAL_H
#define PFX_OUT_CODE_PARTS_INTERNAL_H

#include "out/code/code_text.h"

/* The percentage of a cost, by period or by number of samples. */
double pfx_code_share(const struct pfx_code_style *style, const struct pfx_cost *whole,
		      const struct pfx_cost *cost);
/* The columns of a value. */
unsigned pfx_code_value_width(const struct pfx_code_style *style);
/* A cost, or its percentage, in its columns and in the colour of its percentage. */
void pfx_code_add_value(struct pfx_str *to, const struct pfx_code_style *style,
			const struct pfx_cost *cost, double percent);
/* Untrusted text, with tabs expanded to multiples of eight. */
void pfx_code_add_source(struct pfx_str *to, const char *text, size_t len);
/* The name of a group, as perf prints groups without a name. */
void pfx_code_add_event_names(struct pfx_str *to, const struct pfx_code_events *events);

#endif
