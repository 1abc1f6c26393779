/* SPDX-License-Identifier: MIT */
/* Values, source text and names of events, as columns and parts of lines. */
#include <inttypes.h>

#include "out/code/code_parts.h"
#include "out/colour/percent_colour.h"

double pfx_code_share(const struct pfx_code_style *style, const struct pfx_cost *whole,
		      const struct pfx_cost *cost)
{
	uint64_t all = style->of_hits ? whole->nr_samples : whole->period;
	uint64_t part = style->of_hits ? cost->nr_samples : cost->period;

	return all ? 100.0 * (double)part / (double)all : 0;
}

unsigned pfx_code_value_width(const struct pfx_code_style *style)
{
	return style->value == PFX_CODE_PERIOD ? 12 : 8;
}

void pfx_code_add_value(struct pfx_str *to, const struct pfx_code_style *style,
			const struct pfx_cost *cost, double percent)
{
	const char *colour = style->colours ? pfx_percent_colour(percent) : NULL;
	int width = (int)pfx_code_value_width(style);

	if (!cost->nr_samples && !cost->period) { /* most instructions */
		pfx_str_pad(to, ' ', (size_t)width - (style->value == PFX_CODE_PERCENT ? 4 : 1));
		pfx_str_add(to, style->value == PFX_CODE_PERCENT ? "0.00" : "0");
		return;
	}
	if (colour)
		pfx_str_add(to, colour);
	switch (style->value) {
	case PFX_CODE_PERIOD:
		pfx_str_addf(to, "%*" PRIu64, width, cost->period);
		break;
	case PFX_CODE_SAMPLES:
		pfx_str_addf(to, "%*" PRIu64, width, cost->nr_samples);
		break;
	case PFX_CODE_PERCENT:
		pfx_str_hundredths(to, percent, (unsigned)width);
		break;
	}
	if (colour)
		pfx_str_add(to, PFX_COLOUR_END);
}

void pfx_code_add_source(struct pfx_str *to, const char *text, size_t len)
{
	size_t i, begin = 0, column = 0;

	for (i = 0; i < len; i++) {
		if (text[i] != '\t') {
			column++;
			continue;
		}
		pfx_str_add_escaped(to, text + begin, i - begin);
		pfx_str_pad(to, ' ', 8 - column % 8);
		column += 8 - column % 8;
		begin = i + 1;
	}
	pfx_str_add_escaped(to, text + begin, len - begin);
}

void pfx_code_add_event_names(struct pfx_str *to, const struct pfx_code_events *events)
{
	bool is_group = events->nr > 1 && events->events[0]->nr_members > 1;
	uint32_t e;

	pfx_str_add(to, is_group ? "anon group { " : "");
	for (e = 0; e < events->nr; e++) {
		pfx_str_add(to, e ? ", " : "");
		pfx_str_add_foreign(to, events->events[e]->name);
	}
	pfx_str_add(to, is_group ? " }" : "");
}
