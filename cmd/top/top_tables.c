/* SPDX-License-Identifier: MIT */
/* Columns and counts of `pfx top`: the same as of `pfx report`, with perf's defaults of top. */
#include <errno.h>

#include "cmd/top/top_internal.h"

#define USUAL_KEYS "dso,symbol"

/* Keys that only a complete recording can have. */
static int check_keys(const struct pfx_top *top, struct pfx_error *err)
{
	static const enum pfx_key of_switches[] = {PFX_KEY_PARALLELISM, PFX_KEY_LATENCY,
						   PFX_KEY_LATENCY_CHILDREN};
	const struct pfx_columns *columns = &top->columns;
	size_t i;

	for (i = 0; i < sizeof(of_switches) / sizeof(*of_switches); i++)
		if (pfx_columns_has(columns, of_switches[i]) ||
		    pfx_columns_shows(columns, of_switches[i]))
			return pfx_error_set(
				err, EINVAL,
				"'%s' needs to know which threads ran: use 'pfx record "
				"--switch-events' and 'pfx report'",
				pfx_key_info(of_switches[i])->name);
	for (i = 0; i < columns->order.nr; i++)
		if (pfx_key_info(columns->order.at[i])->by_history)
			return pfx_error_set(err, EINVAL,
					     "'%s' needs the branches before samples: use 'pfx "
					     "record -b' and 'pfx report --branch-history'",
					     pfx_key_info(columns->order.at[i])->name);
	return 0;
}

int pfx_top_build_columns(struct pfx_top *top, bool is_known, struct pfx_error *err)
{
	const struct pfx_top_options *o = top->options;
	bool counts_branches = o->record.rec.branch_type != 0;
	bool has_chains = o->record.rec.callgraph.mode != PFX_CALLGRAPH_NONE || top->has_chains;
	struct pfx_columns_request request = {
		.sort = o->sort,
		.usual = counts_branches ? NULL : USUAL_KEYS,
		.mode = !is_known         ? PFX_REPORT_ANY
			: counts_branches ? PFX_REPORT_BRANCH
					  : PFX_REPORT_NORMAL,
		.find_fields = is_known ? pfx_sample_field_find : NULL,
		.near_field = is_known ? pfx_sample_field_near : NULL,
		.ctx = &top->trace,
		.fields = o->fields,
		.widths = o->widths,
		.children = o->children && has_chains && !counts_branches && !o->hierarchy,
		.nr_samples = o->nr_samples,
		.total_period = o->total_period,
	};
	int rc;

	pfx_columns_fini(&top->columns);
	rc = pfx_columns_build(&top->columns, &request, err);
	if (!rc)
		rc = check_keys(top, err);
	if (!rc)
		pfx_columns_elide(&top->columns, &o->filter);
	return rc;
}

void pfx_top_look_at_events(struct pfx_top *top)
{
	const struct pfx_meta *meta = pfx_live_world(top->live)->meta;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		top->has_chains |= (meta->events[i]->attr.sample_type & PFX_SAMPLE_CALLCHAIN) != 0;
		top->has_branches |=
			(meta->events[i]->attr.sample_type & PFX_SAMPLE_BRANCH_STACK) != 0;
	}
}

/* The texts of tracepoints are of one world. */
void pfx_top_renew_trace(void *context, const struct pfx_live_world *world)
{
	struct pfx_top *top = context;

	pfx_sample_trace_fini(&top->trace);
	top->trace = (struct pfx_sample_trace){.meta = world->meta,
					       .session = world->session,
					       .resolver = world->resolver,
					       .raw = top->options->raw_trace};
}

static bool has_groups(const struct pfx_meta *meta)
{
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (meta->events[i]->nr_members > 1)
			return true;
	return false;
}

static int check_world(struct pfx_top *top, const struct pfx_live_world *world,
		       struct pfx_error *err)
{
	const struct pfx_top_options *o = top->options;
	int rc;

	if (pfx_columns_has(&top->columns, PFX_KEY_PARENT) && !top->has_chains)
		return pfx_error_set(
			err, EINVAL,
			"there are no parents to show: the samples have no call chains "
			"(-g)");
	if (o->group_sort_idx && !has_groups(world->meta))
		return pfx_error_set(err, EINVAL,
				     "--group-sort-idx has no groups of events to order");
	rc = pfx_event_switch_check(&o->event_switch, world->meta, NULL);
	if (rc < 0)
		return pfx_error_set(
			err, EINVAL,
			"--switch-on and --switch-off name events of -e: 'pfx top -e "
			"cpu-clock,sched:sched_switch --switch-on sched:sched_switch'");
	if (!rc)
		rc = pfx_filter_check_cpus(&o->filter, world->meta, err);
	return rc ? rc : pfx_resolver_check_unwind(world->resolver, err);
}

struct pfx_hist_options pfx_top_hist_options(struct pfx_top *top)
{
	struct pfx_top_options *o = top->options;
	struct pfx_hist_options options = {
		.columns = &top->columns,
		.filter = &o->filter,
		.graph = &o->graph,
		.texts = {&top->trace, pfx_sample_trace_id, pfx_sample_trace_text,
			  pfx_sample_field_id, pfx_sample_field_text, pfx_sample_field_order,
			  pfx_sample_field_width},
		.mode = o->record.rec.branch_type ? PFX_REPORT_BRANCH : PFX_REPORT_NORMAL,
		.guest = true,
		.ignore_callees = top->has_ignore_callees ? &top->ignore_callees : NULL,
		.chains = top->has_chains && !o->record.rec.branch_type,
		.children = pfx_columns_shows(&top->columns, PFX_KEY_OVERHEAD_CHILDREN) &&
			    o->children && top->has_chains,
		.relative = o->relative,
		.hierarchy = o->hierarchy && top->columns.levels.nr,
		.join_groups = true,
		.sort_member = (uint32_t)o->group_sort_idx,
		.min_percent = o->percent_limit,
		.min_samples = o->count_filter,
	};

	if (!o->graph.order_given)
		o->graph.caller = options.children;
	return options;
}

int pfx_top_make_hists(struct pfx_top *top, struct pfx_error *err)
{
	const struct pfx_live_world *world = pfx_live_world(top->live);
	struct pfx_hist_options options;
	struct pfx_live_sink sink;
	int rc;

	pfx_top_renew_trace(top, world);
	rc = pfx_top_build_columns(top, true, err);
	if (!rc)
		rc = check_world(top, world, err);
	if (rc < 0) {
		top->bad_words = true;
		return rc;
	}
	options = pfx_top_hist_options(top);
	top->hists = pfx_live_hists_new(&options, pfx_top_renew_trace, top);
	sink = pfx_live_hists_sink(top->hists);
	pfx_live_add_sink(top->live, &sink);
	return 0;
}
