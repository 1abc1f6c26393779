/* SPDX-License-Identifier: MIT */
/* `pfx annotate` on a terminal: the code of the hottest function, or of the one that was asked for,
 * on the screen. Options that only text has ask for text. */
#include <stdlib.h>
#include <unistd.h>

#include "cmd/annotate/annotate_run.h"
#include "cmd/app/screen/screen_run.h"

static bool asks_for_text(const struct pfx_annotate_options *o)
{
	const struct pfx_code_style *style = &o->style;

	return o->diff || o->stdio || o->json || o->dump || o->lines || o->with_types ||
	       o->has_context || o->top || o->percent_limit > 0 || o->nr_samples ||
	       o->total_period || o->group_given || o->has_percent_type ||
	       pfx_annotate_shows_data(&o->data) || style->short_form || style->print_lines ||
	       style->raw || !o->source;
}

int pfx_annotate_choose_screen(const struct pfx_annotate_run *a, struct pfx_error *err)
{
	const struct pfx_annotate_options *o = a->options;
	const struct pfx_screen_wish wish = {
		.command = "annotate",
		.tui = o->tui,
		.text = asks_for_text(o)
				? "other options ask for text"
				: pfx_screen_cannot_show(pfx_recording_reader(a->recording)),
		.quiet = o->quiet,
		.input = o->input,
	};

	return pfx_screen_wanted(&wish, err);
}

int pfx_annotate_show_screen(struct pfx_annotate_run *a, const struct pfx_recording_options *how,
			     const struct pfx_resolve_options *resolving, struct pfx_error *err)
{
	struct pfx_annotate_options *o = a->options;
	const struct pfx_screen_task task = {
		.command = "annotate",
		.browse = {.recording = a->recording,
			   .how = how,
			   .resolving = resolving,
			   .filter = &o->filter,
			   .code = {.intel = o->syntax && !strcmp(o->syntax, "intel"),
				    .sources = o->sources}},
		.quiet = o->quiet,
		.no_colours = !pfx_term_colours(o->colour),
		.symbol = o->symbol,
		.hottest = true,
		.options = {.only = &o->filter, .levels = ".kH", .code_first = true},
	};
	char *opened;
	int rc = pfx_screen_run(&task, &opened, err);

	/* Another recording may lack the function: report shows it. */
	free(opened);
	return rc;
}
