/* SPDX-License-Identifier: MIT */
/*
 * A source file as lines of text: values before lines with cost, blanks before others, dots where
 * lines of the source are left out.
 */
#include "out/code/lines_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "out/code/code_parts.h"

/* A file being printed. */
struct print {
	const struct pfx_file_cost *file;
	struct pfx_sources *sources;
	const struct pfx_code_style *style;
	const struct pfx_code_events *events;
	struct pfx_str *to;
	unsigned margin; /* width of the value columns */
	unsigned digits; /* width of line numbers */
};

static void add_title(const struct print *print)
{
	const int width = (int)pfx_code_value_width(print->style);
	uint32_t leader = print->events->events[0]->idx, e;
	struct pfx_str title = {0};

	pfx_str_add(&title, "Source code of ");
	pfx_str_add_foreign(&title, print->file->name);
	pfx_str_add(&title, " for ");
	pfx_code_add_event_names(&title, print->events);
	pfx_str_addf(&title, " (%" PRIu64 " samples, percent: %s)",
		     pfx_cost_of(&print->file->inclusive, leader).nr_samples,
		     pfx_code_percent_name(print->style));
	for (e = 0; e < print->events->nr; e++)
		pfx_str_addf(print->to, "%*s%*s", width, "Children", width, "Self");
	pfx_str_addf(print->to, " |\t%s\n", title.at);
	pfx_str_pad(print->to, '-', print->margin + 3 + title.len);
	pfx_str_addc(print->to, '\n');
	pfx_str_fini(&title);
}

static void add_value(const struct print *print, uint32_t event, const struct pfx_cost_list *costs)
{
	const struct pfx_cost cost = pfx_cost_of(costs, event);
	const struct pfx_cost whole = print->style->of_global
					      ? print->events->wholes[event]
					      : pfx_cost_of(&print->file->inclusive, event);

	pfx_code_add_value(print->to, print->style, &cost,
			   pfx_code_share(print->style, &whole, &cost));
}

static void add_line(const struct print *print, const struct pfx_line_walk *walk)
{
	uint32_t e, event;
	const char *text;
	size_t len;

	for (e = 0; walk->cost && e < print->events->nr; e++) {
		event = print->events->events[e]->idx;
		add_value(print, event, &walk->cost->inclusive);
		add_value(print, event, &walk->cost->self);
	}
	if (!walk->cost)
		pfx_str_pad(print->to, ' ', print->margin);
	pfx_str_addf(print->to, " : %*u", (int)print->digits, walk->line);
	text = pfx_sources_line(print->sources, print->file->name, walk->line, &len);
	if (text && len) {
		pfx_str_pad(print->to, ' ', 3);
		pfx_code_add_source(print->to, text, len);
	}
	pfx_str_addc(print->to, '\n');
}

static unsigned nr_digits(uint32_t v)
{
	unsigned nr = 1;

	while (v /= 10)
		nr++;
	return nr;
}

static uint32_t *numbers_of(const struct pfx_code_events *events)
{
	uint32_t *numbers = pfx_calloc(events->nr, sizeof(*numbers)), i;

	for (i = 0; i < events->nr; i++)
		numbers[i] = events->events[i]->idx;
	return numbers;
}

void pfx_lines_text(const struct pfx_file_cost *file, struct pfx_sources *sources,
		    const struct pfx_code_style *style, const struct pfx_code_events *events,
		    struct pfx_str *to)
{
	uint32_t *numbers = numbers_of(events), last = file->lines[file->nr_lines - 1].line;
	struct pfx_line_walk walk = {.file = file,
				     .events = numbers,
				     .nr_events = events->nr,
				     .nr_lines = pfx_sources_nr_lines(sources, file->name),
				     .context = style->context};
	struct print print = {.file = file,
			      .sources = sources,
			      .style = style,
			      .events = events,
			      .to = to,
			      .margin = 2 * pfx_code_value_width(style) * events->nr,
			      .digits = nr_digits(last > walk.nr_lines ? last : walk.nr_lines)};

	add_title(&print);
	while (pfx_line_walk_next(&walk)) {
		if (walk.follows_gap && walk.nr_lines) {
			pfx_str_pad(to, ' ', print.margin);
			pfx_str_add(to, " : ...\n");
		}
		add_line(&print, &walk);
	}
	free(numbers);
}
