/* SPDX-License-Identifier: MIT */
/* The text has perf's lines, since scripts read them. */
#include "live/live_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "live/live_internal.h"
#include "out/form.h"
#include "out/json_parts.h"

#define RULE_WIDTH 79

struct pfx_live_moment pfx_live_moment(struct pfx_live_rates *rates, const struct pfx_live *live)
{
	const struct pfx_live_counts *now = &live->counts, *old = &rates->counts;
	uint64_t ns = live->source.machine->monotonic();
	struct timespec wall = {0};
	struct pfx_live_moment moment = {
		.seconds = rates->ns ? (double)(ns - rates->ns) / 1e9 : 0,
		.nr_samples = now->nr_samples - old->nr_samples,
		.nr_kernel = now->nr_kernel - old->nr_kernel,
		.nr_user = now->nr_user - old->nr_user,
		.nr_exact = now->nr_exact - old->nr_exact,
		.nr_lost = now->nr_lost - old->nr_lost,
		.nr_lost_in_all = now->nr_lost,
	};

	clock_gettime(CLOCK_REALTIME, &wall);
	moment.time = (double)wall.tv_sec + (double)wall.tv_nsec / 1e9;
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

static void add_tables(const struct pfx_hists *hists, const struct pfx_hist_text *look,
		       struct pfx_str *to)
{
	struct pfx_form_rows from = {.hists = (struct pfx_hists *)(uintptr_t)hists, .look = *look};
	uint32_t i, nr = 0;

	pfx_json_add_name(to, "tables");
	pfx_str_addc(to, '[');
	for (i = 0; i < pfx_hists_nr(hists); i++) {
		if (!pfx_hist_has_samples(pfx_hists_at(hists, i)))
			continue;
		pfx_json_add_comma(to, nr++);
		pfx_hist_json(&from, pfx_hists_at(hists, i), to);
	}
	pfx_str_addc(to, ']');
}

/* Line breaks between rows: those in texts are escaped. */
static void join_lines(struct pfx_str *text, size_t from)
{
	size_t at;

	for (at = from; at < text->len; at++)
		if (text->at[at] == '\n')
			text->at[at] = ' ';
}

void pfx_live_json(const struct pfx_live *live, const struct pfx_live_moment *moment,
		   const struct pfx_hists *hists, const struct pfx_hist_text *look,
		   struct pfx_str *to)
{
	struct pfx_str target = {0};
	size_t begin = to->len;

	pfx_str_addc(to, '{');
	pfx_json_add_number(to, "schema", 1);
	pfx_json_add_name(to, "time");
	pfx_str_addf(to, "%.3f", moment->time);
	pfx_json_add_name(to, "seconds");
	pfx_str_addf(to, "%.3f", moment->seconds);
	pfx_live_target_text(live, &target);
	pfx_json_add_text(to, "target", pfx_str_get(&target));
	pfx_str_fini(&target);
	pfx_json_add_number(to, "samples", moment->nr_samples);
	pfx_json_add_number(to, "kernel", moment->nr_kernel);
	pfx_json_add_number(to, "lost", moment->nr_lost);
	pfx_json_add_number(to, "lost_in_all", moment->nr_lost_in_all);
	pfx_json_add_number(to, "throttled", live->counts.nr_throttled);
	add_tables(hists, look, to);
	join_lines(to, begin);
	pfx_str_add(to, "}\n");
}
