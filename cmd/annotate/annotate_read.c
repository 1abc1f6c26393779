/* SPDX-License-Identifier: MIT */
/* `pfx annotate`: the samples of a recording, and what is written of them. */
#include <string.h>

#include "cmd/annotate/annotate_run.h"
#include "cmd/app/commands.h"
#include "code/read_costs.h"

static int on_item(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	struct pfx_annotate_run *a = context;

	(void)err;
	pfx_progress_step(&a->progress, &item->rec);
	return 0;
}

int pfx_annotate_read_costs(struct pfx_annotate_run *a, struct pfx_error *err)
{
	const struct pfx_annotate_options *o = a->options;
	const struct pfx_costs_reading reading = {
		.recording = a->recording,
		.filter = &o->filter,
		.no_chains = !o->lines && (!o->json || o->diff), /* what has self costs only */
		.step = on_item,
		.step_context = a,
	};
	int rc;

	a->costs = pfx_costs_new(pfx_recording_resolver(a->recording));
	pfx_progress_begin(&a->progress, "annotate", a->options->quiet,
			   pfx_recording_reader(a->recording));
	rc = pfx_costs_read(a->costs, &reading, err);
	pfx_progress_end(&a->progress);
	return rc;
}

struct pfx_annotate pfx_annotate_request(const struct pfx_annotate_run *a)
{
	const struct pfx_annotate_options *o = a->options;
	struct pfx_annotate how = {
		.meta = pfx_recording_meta(a->recording),
		.session = pfx_recording_session(a->recording),
		.resolver = pfx_recording_resolver(a->recording),
		.costs = a->costs,
		.symbol = o->symbol,
		.filter = &o->filter,
		.percent_limit = o->percent_limit,
		.top = o->top,
		.group = o->group,
		.group_all = o->group && o->group_given,
		.skip_empty = o->skip_empty,
		.json = o->json,
		.data = o->data,
		.style = o->style,
		.code = {.intel = o->syntax && !strcmp(o->syntax, "intel"),
			 .with_data = o->with_types,
			 .sources = o->source ? o->sources : NULL},
	};

	how.style.colours = pfx_term_colours(o->colour);
	return how;
}
