/* SPDX-License-Identifier: MIT */
/*
 * Derived values: the ratio to another count of the same group, cgroup and privilege level
 * (instructions to cycles, misses to accesses), counts per second, and metrics. Tables define which
 * events are related. Events identified by name are in notes_named.c, the lookup of related counts
 * is in notes_place.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stat/notes_internal.h"

#define CACHE(which, op, result) ((which) | (op) << 8 | (result) << 16)

static const struct pfx_note_kind instructions = {PFX_TYPE_HARDWARE, PFX_HW_INSTRUCTIONS};
static const struct pfx_note_kind stalled_front = {PFX_TYPE_HARDWARE, PFX_HW_STALLED_FRONTEND};
static const struct pfx_note_kind stalled_back = {PFX_TYPE_HARDWARE, PFX_HW_STALLED_BACKEND};
static const struct pfx_note_kind cpu_clock = {PFX_TYPE_SOFTWARE, PFX_SW_CPU_CLOCK};
static const struct pfx_note_kind task_clock = {PFX_TYPE_SOFTWARE, PFX_SW_TASK_CLOCK};

/* Shares of another count, in percent. */
static const struct share {
	struct pfx_note_kind part, whole;
	const char *format, *unit;
	double limits[3]; /* mild, high, worst */
} shares[] = {
	{{PFX_TYPE_HARDWARE, PFX_HW_BRANCH_MISSES},
	 {PFX_TYPE_HARDWARE, PFX_HW_BRANCH_INSTRUCTIONS},
	 "%7.2f%%",
	 "of all branches",
	 {5, 10, 20}},
	{{PFX_TYPE_HARDWARE, PFX_HW_CACHE_MISSES},
	 {PFX_TYPE_HARDWARE, PFX_HW_CACHE_REFERENCES},
	 "%8.3f %%",
	 "of all cache refs",
	 {5, 10, 20}},
	{{PFX_TYPE_HARDWARE, PFX_HW_STALLED_FRONTEND},
	 {PFX_TYPE_HARDWARE, PFX_HW_CPU_CYCLES},
	 "%7.2f%%",
	 "frontend cycles idle",
	 {10, 30, 50}},
	{{PFX_TYPE_HARDWARE, PFX_HW_STALLED_BACKEND},
	 {PFX_TYPE_HARDWARE, PFX_HW_CPU_CYCLES},
	 "%7.2f%%",
	 "backend cycles idle",
	 {20, 50, 75}},
	{{PFX_TYPE_HW_CACHE, CACHE(0, 0, 1)},
	 {PFX_TYPE_HW_CACHE, CACHE(0, 0, 0)},
	 "%7.2f%%",
	 "of all L1-dcache accesses",
	 {5, 10, 20}},
	{{PFX_TYPE_HW_CACHE, CACHE(1, 0, 1)},
	 {PFX_TYPE_HW_CACHE, CACHE(1, 0, 0)},
	 "%7.2f%%",
	 "of all L1-icache accesses",
	 {5, 10, 20}},
	{{PFX_TYPE_HW_CACHE, CACHE(2, 0, 1)},
	 {PFX_TYPE_HW_CACHE, CACHE(2, 0, 0)},
	 "%7.2f%%",
	 "of all LL-cache accesses",
	 {5, 10, 20}},
	{{PFX_TYPE_HW_CACHE, CACHE(3, 0, 1)},
	 {PFX_TYPE_HW_CACHE, CACHE(3, 0, 0)},
	 "%7.2f%%",
	 "of all dTLB cache accesses",
	 {5, 10, 20}},
	{{PFX_TYPE_HW_CACHE, CACHE(4, 0, 1)},
	 {PFX_TYPE_HW_CACHE, CACHE(4, 0, 0)},
	 "%7.2f%%",
	 "of all iTLB cache accesses",
	 {5, 10, 20}},
};

#define NR(table) (sizeof(table) / sizeof((table)[0]))

static bool add_instructions(struct pfx_note_place *p)
{
	double all = pfx_note_cycles(p), front, back, stalled;

	if (!pfx_note_is_kind(p->event, &instructions))
		return false;
	pfx_note_add(p, "%7.2f ", "insn per cycle", all > 0 ? p->value / all : 0, all > 0);
	front = pfx_note_beside_kind(p, &stalled_front);
	back = pfx_note_beside_kind(p, &stalled_back);
	stalled = front > back ? front : back;
	if (stalled > 0 && p->value > 0)
		pfx_note_add(p, "%7.2f ", "stalled cycles per insn", stalled / p->value, true);
	return true;
}

/* Busy time of the CPUs, in ns. */
static double busy_ns(const struct pfx_note_place *p)
{
	struct pfx_moments mean = {0};
	double ns = pfx_note_beside_kind(p, &task_clock);

	if (ns > 0)
		pfx_moments_add(&mean, ns);
	ns = pfx_note_beside_kind(p, &cpu_clock);
	if (ns > 0)
		pfx_moments_add(&mean, ns);
	return mean.mean;
}

static bool add_cycles(struct pfx_note_place *p)
{
	double ns = busy_ns(p);

	if (!pfx_note_is_cycles(p->event))
		return false;
	pfx_note_add(p, "%8.3f", "GHz", ns > 0 ? p->value / ns : 0, ns > 0);
	return true;
}

static bool add_clock(struct pfx_note_place *p)
{
	double wall = p->stat->wall_ns.mean;

	if (!pfx_note_is_kind(p->event, &cpu_clock) && !pfx_note_is_kind(p->event, &task_clock))
		return false;
	pfx_note_add(p, "%8.3f", "CPUs utilized", wall > 0 ? p->value / wall : 0, wall > 0);
	return true;
}

static enum pfx_stat_grade grade_of(double value, const double limits[3])
{
	if (value > limits[2])
		return PFX_STAT_WORST;
	if (value > limits[1])
		return PFX_STAT_HIGH;
	return value > limits[0] ? PFX_STAT_MILD : PFX_STAT_PLAIN;
}

static bool add_share(struct pfx_note_place *p)
{
	size_t i;

	for (i = 0; i < NR(shares); i++) {
		double whole, percent;

		if (!pfx_note_is_kind(p->event, &shares[i].part))
			continue;
		whole = pfx_note_beside_kind(p, &shares[i].whole);
		percent = whole > 0 ? 100 * p->value / whole : 0;
		pfx_note_add(p, shares[i].format, shares[i].unit, percent, whole > 0);
		p->notes[p->nr - 1].grade = grade_of(percent, shares[i].limits);
		return true;
	}
	return false;
}

static void add_rate(struct pfx_note_place *p)
{
	static const char *const units[] = {"/sec", "K/sec", "M/sec", "G/sec"};
	double ns = busy_ns(p), rate = ns > 0 ? 1e9 * p->value / ns : 0;
	size_t unit = 0;

	for (; rate > 1000 && unit < NR(units) - 1; unit++)
		rate /= 1000;
	if (ns > 0)
		pfx_note_add(p, "%8.3f", units[unit], rate, true);
	else
		pfx_note_add(p, NULL, "", 0, false);
}

/* --- metrics --- */

struct lookup {
	const struct pfx_counts *stat;
	const size_t *ids;
	size_t group;
};

static bool value_of_id(void *context, size_t id, double *ret)
{
	const struct lookup *l = context;
	size_t event = l->ids[id];
	const struct pfx_stat_cell *cell;

	if (event == PFX_STAT_NO_EVENT)
		return false;
	cell = pfx_stat_cell(l->stat, event, l->group);
	if (!pfx_stat_was_counted(cell))
		return false;
	/* Formulas use counts without units, and seconds. */
	*ret = cell->value.mean;
	if (l->stat->events.at[event].tool != PFX_STAT_COUNTER &&
	    l->stat->events.at[event].tool < PFX_STAT_NUM_CPUS)
		*ret *= 1e-9;
	return true;
}

/* The number of PMUs in the row of an event. */
static double sources_of_id(void *context, size_t id)
{
	const struct lookup *l = context;
	size_t event = l->ids[id], i, nr = 1;

	for (i = event; i < l->stat->events.nr; i++)
		nr += l->stat->events.at[i].merged_into == (long)event;
	return (double)nr;
}

static void add_metric(struct pfx_note_place *p, const struct pfx_stat_metric *metric)
{
	struct lookup lookup = {p->stat, metric->ids, p->group};
	struct pfx_metric_machine machine = p->stat->machine;
	char unit[128];
	double value;
	bool has;

	machine.sources = sources_of_id;
	has = pfx_metric_eval(metric->expr, &machine, value_of_id, &lookup, &value) &&
	      isfinite(value * metric->scale);
	if (metric->suffix[0])
		snprintf(unit, sizeof(unit), "%s  %s", metric->suffix, metric->name);
	else
		snprintf(unit, sizeof(unit), "%s", metric->name);
	pfx_note_add(p, metric->suffix[0] || metric->scale != 1 ? "%8.1f" : "%8.2f", unit,
		     has ? value * metric->scale : 0, has);
	lookup.ids = metric->threshold_ids;
	if (!has || !metric->threshold ||
	    !pfx_metric_eval(metric->threshold, &machine, value_of_id, &lookup, &value))
		return;
	p->notes[p->nr - 1].verdict = value != 0 ? PFX_STAT_BAD : PFX_STAT_GOOD;
	if (value != 0)
		p->notes[p->nr - 1].grade = PFX_STAT_WORST;
}

static bool add_metrics(struct pfx_note_place *p, size_t event)
{
	bool any = false;
	size_t i;

	for (i = 0; i < p->stat->metrics.nr; i++) {
		if (p->stat->metrics.at[i].row != event)
			continue;
		add_metric(p, &p->stat->metrics.at[i]);
		any = true;
	}
	return any;
}

size_t pfx_stat_notes(const struct pfx_counts *stat, size_t event, size_t group,
		      struct pfx_stat_note *notes)
{
	struct pfx_note_place p = {
		.stat = stat,
		.event = &stat->events.at[event],
		.group = group,
		.value = pfx_stat_cell(stat, event, group)->value.mean,
		.notes = notes,
	};

	if (add_metrics(&p, event))
		return p.nr;
	if (p.event->tool != PFX_STAT_COUNTER)
		pfx_note_add(&p, NULL, "", 0, false);
	else if (!add_instructions(&p) && !add_cycles(&p) && !add_clock(&p) && !add_share(&p) &&
		 !pfx_note_add_named(&p))
		add_rate(&p);
	return p.nr;
}
