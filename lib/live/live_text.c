/* SPDX-License-Identifier: MIT */
/* The text has perf's lines, since scripts read them. */
#include "live/live_text.h"

#include <inttypes.h>
#include <string.h>

#include "live/live_internal.h"

#define RULE_WIDTH 79

struct pfx_live_moment pfx_live_moment(struct pfx_live_rates *rates, const struct pfx_live *live)
{
	const struct pfx_live_counts *now = &live->counts, *old = &rates->counts;
	uint64_t ns = live->source.machine->monotonic();
	struct pfx_live_moment moment = {
		.seconds = rates->ns ? (double)(ns - rates->ns) / 1e9 : 0,
		.nr_samples = now->nr_samples - old->nr_samples,
		.nr_kernel = now->nr_kernel - old->nr_kernel,
		.nr_user = now->nr_user - old->nr_user,
		.nr_exact = now->nr_exact - old->nr_exact,
		.nr_lost = now->nr_lost - old->nr_lost,
		.nr_lost_in_all = now->nr_lost,
	};

	rates->ns = ns;
	rates->counts = *now;
	return moment;
}

static void add_event(const struct pfx_event *event, struct pfx_str *to)
{
	unsigned long long rate = event->attr.sample_period;

	if (event->attr.flags & PFX_ATTR_FREQ)
		pfx_str_addf(to, "%lluHz ", rate);
	else
		pfx_str_addf(to, "%llu ", rate);
	pfx_str_add_foreign(to, event->name);
}

/* A list of ids in the words of the option, or the CPUs. */
static void add_target(const struct pfx_live *live, struct pfx_str *to)
{
	const struct pfx_recorder_options *o = live->options.record;
	const char *ids = o->pids ? o->pids : o->tids;
	size_t nr = live->plan.target.cpus.nr;

	pfx_str_addc(to, '(');
	if (ids) {
		pfx_str_add(to, o->pids ? "target_pid: " : "target_tid: ");
		pfx_str_add_foreign(to, ids);
	} else if (o->user) {
		pfx_str_add(to, "uid: ");
		pfx_str_add_foreign(to, o->user);
	} else if (!o->cpus) {
		pfx_str_add(to, "all");
	}
	if (o->cpus && !ids && !o->user)
		pfx_str_addf(to, "CPU%s: %s)", nr > 1 ? "s" : "", o->cpus);
	else
		pfx_str_addf(to, ", %zu CPU%s)", nr, nr > 1 ? "s" : "");
}

void pfx_live_target_text(const struct pfx_live *live, struct pfx_str *to)
{
	bool is_first = true;
	uint32_t i;

	pfx_str_addc(to, '[');
	for (i = 0; i < live->meta->nr_events; i++) {
		const struct pfx_event *event = live->meta->events[i];

		if (event->attr.type == PFX_TYPE_SOFTWARE && event->attr.config == PFX_SW_DUMMY)
			continue;
		pfx_str_add(to, is_first ? "" : ", ");
		add_event(event, to);
		is_first = false;
	}
	pfx_str_add(to, "],  ");
	add_target(live, to);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void pfx_live_head_text(const struct pfx_live *live, const struct pfx_live_moment *moment,
			struct pfx_str *to)
{
	double rate = moment->seconds > 0 ? (double)moment->nr_samples / moment->seconds : 0;

	pfx_str_addf(to,
		     "   PerfTop:%8.0f irqs/sec  kernel:%4.1f%%  exact: %4.1f%% lost: %" PRIu64
		     "/%" PRIu64 " drop: 0/0 ",
		     rate, percent(moment->nr_kernel, moment->nr_samples),
		     percent(moment->nr_exact, moment->nr_samples), moment->nr_lost,
		     moment->nr_lost_in_all);
	pfx_live_target_text(live, to);
	pfx_str_addc(to, '\n');
	pfx_str_pad(to, '-', RULE_WIDTH);
	pfx_str_add(to, "\n\n");
}

int pfx_live_tables_text(const struct pfx_hists *hists, const struct pfx_hist_text *look,
			 struct pfx_str *to)
{
	uint32_t nr = pfx_hists_nr(hists), nr_full = 0, i;
	int rc = 0;

	for (i = 0; i < nr; i++)
		nr_full += pfx_hist_has_samples(pfx_hists_at(hists, i));
	for (i = 0; i < nr && !rc; i++) {
		if (!pfx_hist_has_samples(pfx_hists_at(hists, i)))
			continue;
		if (nr_full > 1)
			pfx_hist_text_event(look, hists, pfx_hists_at(hists, i), to);
		rc = pfx_hist_text_rows(look, hists, pfx_hists_at(hists, i), to);
		pfx_str_addc(to, '\n');
	}
	return rc;
}
