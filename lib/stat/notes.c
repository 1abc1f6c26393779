/* SPDX-License-Identifier: MIT */
/*
 * The numbers beside counts: a count in relation to another one of the same group, cgroup and
 * privilege level (instructions to cycles, misses to accesses), a count per second, and metrics.
 * Tables say which event relates to which. Events known only by name are in notes_named.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stat/notes_internal.h"

#define LEVELS                                                                   \
	(PFX_ATTR_EXCLUDE_USER | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV | \
	 PFX_ATTR_EXCLUDE_HOST | PFX_ATTR_EXCLUDE_IDLE)
#define CACHE(which, op, result) ((which) | (op) << 8 | (result) << 16)

/* What an event is, as far as relations go. */
struct kind {
	uint32_t type;
	uint64_t config;
};

static const struct kind cycles = {PFX_TYPE_HARDWARE, PFX_HW_CPU_CYCLES};
static const struct kind instructions = {PFX_TYPE_HARDWARE, PFX_HW_INSTRUCTIONS};
static const struct kind stalled_front = {PFX_TYPE_HARDWARE, PFX_HW_STALLED_FRONTEND};
static const struct kind stalled_back = {PFX_TYPE_HARDWARE, PFX_HW_STALLED_BACKEND};
static const struct kind cpu_clock = {PFX_TYPE_SOFTWARE, PFX_SW_CPU_CLOCK};
static const struct kind task_clock = {PFX_TYPE_SOFTWARE, PFX_SW_TASK_CLOCK};

/* Parts of something, in percent. */
static const struct share {
	struct kind part, whole;
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

/* Above the event's own number stands the PMU of the cores that it counts on, 0: all of them. */
static uint32_t cores_of(const struct pfx_attr *attr)
{
	bool has = attr->type == PFX_TYPE_HARDWARE || attr->type == PFX_TYPE_HW_CACHE;

	return has ? (uint32_t)(attr->config >> 32) : 0;
}

static bool is_kind(const struct pfx_stat_event *event, const struct kind *kind)
{
	uint64_t config = event->attr.config - ((uint64_t)cores_of(&event->attr) << 32);

	return event->attr.type == kind->type && config == kind->config &&
	       event->tool == PFX_STAT_COUNTER;
}

static bool same_context(const struct pfx_stat_event *a, const struct pfx_stat_event *b)
{
	if ((a->attr.flags & LEVELS) != (b->attr.flags & LEVELS))
		return false;
	if (cores_of(&a->attr) && cores_of(&b->attr) && cores_of(&a->attr) != cores_of(&b->attr))
		return false;
	if (!a->cgroup || !b->cgroup)
		return a->cgroup == b->cgroup;
	return !strcmp(a->cgroup, b->cgroup);
}

/* The word of an event without its PMU and modifiers: "slots" of "cpu/slots/u". */
bool pfx_note_is_named(const struct pfx_stat_event *event, const char *name)
{
	const char *slash = strchr(event->name, '/'), *at = slash ? slash + 1 : event->name;
	size_t len = strlen(name);

	return !strncasecmp(at, name, len) && (!at[len] || strchr(":/,", at[len]));
}

static bool usable(const struct pfx_note_place *p, size_t event)
{
	const struct pfx_stat_event *other = &p->stat->events.at[event];

	return other->merged_into < 0 && same_context(other, p->event) &&
	       pfx_stat_was_counted(pfx_stat_cell(p->stat, event, p->group));
}

/* The mean of all events of this kind, or of this name, beside the one at hand; 0: there is none.
 * Kinds are counts as the kernel has them; what a name means may have a scale. */
static double beside(const struct pfx_note_place *p, const struct kind *kind, const char *name)
{
	struct pfx_moments mean = {0};
	size_t i;

	for (i = 0; i < p->stat->events.nr; i++) {
		const struct pfx_stat_event *other = &p->stat->events.at[i];

		if (kind ? !is_kind(other, kind) : !pfx_note_is_named(other, name))
			continue;
		if (usable(p, i))
			pfx_moments_add(&mean, pfx_stat_cell(p->stat, i, p->group)->value.mean *
						       (kind ? 1 : other->scale));
	}
	return mean.mean;
}

double pfx_note_beside(const struct pfx_note_place *p, const char *name)
{
	return beside(p, NULL, name);
}

double pfx_note_cycles(const struct pfx_note_place *p)
{
	return beside(p, &cycles, NULL);
}

void pfx_note_add(struct pfx_note_place *p, const char *format, const char *unit, double value,
		  bool has)
{
	struct pfx_stat_note *note;

	if (p->nr == PFX_STAT_NOTES_MAX)
		return;
	note = &p->notes[p->nr++];
	*note = (struct pfx_stat_note){.has_value = has, .value = value, .format = format};
	snprintf(note->unit, sizeof(note->unit), "%s", unit);
}

static bool add_instructions(struct pfx_note_place *p)
{
	double all = beside(p, &cycles, NULL), front, back, stalled;

	if (!is_kind(p->event, &instructions))
		return false;
	pfx_note_add(p, "%7.2f ", "insn per cycle", all > 0 ? p->value / all : 0, all > 0);
	front = beside(p, &stalled_front, NULL);
	back = beside(p, &stalled_back, NULL);
	stalled = front > back ? front : back;
	if (stalled > 0 && p->value > 0)
		pfx_note_add(p, "%7.2f ", "stalled cycles per insn", stalled / p->value, true);
	return true;
}

/* How long the processors worked, in ns. */
static double busy_ns(const struct pfx_note_place *p)
{
	struct pfx_moments mean = {0};
	double ns = beside(p, &task_clock, NULL);

	if (ns > 0)
		pfx_moments_add(&mean, ns);
	ns = beside(p, &cpu_clock, NULL);
	if (ns > 0)
		pfx_moments_add(&mean, ns);
	return mean.mean;
}

static bool add_cycles(struct pfx_note_place *p)
{
	double ns = busy_ns(p);

	if (!is_kind(p->event, &cycles))
		return false;
	pfx_note_add(p, "%8.3f", "GHz", ns > 0 ? p->value / ns : 0, ns > 0);
	return true;
}

static bool add_clock(struct pfx_note_place *p)
{
	double wall = p->stat->wall_ns.mean;

	if (!is_kind(p->event, &cpu_clock) && !is_kind(p->event, &task_clock))
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

		if (!is_kind(p->event, &shares[i].part))
			continue;
		whole = beside(p, &shares[i].whole, NULL);
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
	/* Formulas are about bare counts, whatever unit their rows have, and about seconds. */
	*ret = cell->value.mean;
	if (l->stat->events.at[event].tool != PFX_STAT_COUNTER &&
	    l->stat->events.at[event].tool < PFX_STAT_NUM_CPUS)
		*ret *= 1e-9;
	return true;
}

/* The PMUs whose counts are in the row of an event. */
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
	char unit[64];
	double value;
	bool has;

	machine.sources = sources_of_id;
	has = pfx_metric_eval(metric->expr, &machine, value_of_id, &lookup, &value) &&
	      isfinite(value);
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
