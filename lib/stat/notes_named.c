/* SPDX-License-Identifier: MIT */
/*
 * Derived values of events that are identified by their PMU's name: pipeline slots and their use,
 * cycles in transactions, SMIs. Counts are multiplied by their scales.
 */
#include "stat/notes_internal.h"

#define NR(table) (sizeof(table) / sizeof((table)[0]))

static void add_percent(struct pfx_note_place *p, const char *unit, double value, double high)
{
	pfx_note_add(p, "%8.1f%%", unit, value, true);
	if (value > high)
		p->notes[p->nr - 1].grade = PFX_STAT_WORST;
}

/* --- slots, newer CPUs: four categories with two subcategories each --- */

static const struct slice {
	const char *event, *unit;
	const char *whole, *rest; /* for level 2: its category, and the name of the rest */
	double high;              /* threshold for highlighting */
} slices[] = {
	{"topdown-retiring", "Retiring", NULL, NULL, 1000},
	{"topdown-bad-spec", "Bad Speculation", NULL, NULL, 10},
	{"topdown-fe-bound", "Frontend Bound", NULL, NULL, 20},
	{"topdown-be-bound", "Backend Bound", NULL, NULL, 20},
	{"topdown-heavy-ops", "Heavy Operations", "topdown-retiring", "Light Operations", 10},
	{"topdown-br-mispredict", "Branch Mispredict", "topdown-bad-spec", "Machine Clears", 5},
	{"topdown-fetch-lat", "Fetch Latency", "topdown-fe-bound", "Fetch Bandwidth", 15},
	{"topdown-mem-bound", "Memory Bound", "topdown-be-bound", "Core Bound", 20},
};

/* All slots: the sum of the four categories, or, if some are not counted, the count of slots. */
static double all_slots(const struct pfx_note_place *p)
{
	double sum = 0, one;
	size_t i;

	for (i = 0; i < 4; i++) {
		one = pfx_note_beside(p, slices[i].event);
		if (one <= 0)
			return pfx_note_beside(p, "slots");
		sum += one;
	}
	return sum;
}

static bool add_slice(struct pfx_note_place *p)
{
	const struct slice *slice;
	double slots, whole;
	size_t i;

	for (i = 0; i < NR(slices); i++) {
		slice = &slices[i];
		if (!pfx_note_is_named(p->event, slice->event))
			continue;
		slots = all_slots(p);
		if (slots <= 0)
			return false;
		add_percent(p, slice->unit, 100 * p->value / slots, slice->high);
		whole = slice->whole ? pfx_note_beside(p, slice->whole) : 0;
		if (whole > 0)
			add_percent(p, slice->rest, 100 * (whole - p->value) / slots, slice->high);
		return true;
	}
	return false;
}

/* --- slots, older CPUs --- */

/* Counters of slots are not read atomically: clamp values below zero. */
static double not_below(double share)
{
	return share < 0 && share >= -0.02 ? 0 : share;
}

static double bad_speculation(const struct pfx_note_place *p, double total)
{
	double issued = pfx_note_beside(p, "topdown-slots-issued");
	double retired = pfx_note_beside(p, "topdown-slots-retired");
	double recovery = pfx_note_beside(p, "topdown-recovery-bubbles");

	return not_below((issued - retired + recovery) / total);
}

static bool add_old_slots(struct pfx_note_place *p)
{
	double total = pfx_note_beside(p, "topdown-total-slots"), others;

	if (total <= 0)
		return false;
	if (pfx_note_is_named(p->event, "topdown-slots-retired")) {
		add_percent(p, "retiring", 100 * p->value / total, 1000);
	} else if (pfx_note_is_named(p->event, "topdown-fetch-bubbles")) {
		add_percent(p, "frontend bound", 100 * p->value / total, 20);
	} else if (pfx_note_is_named(p->event, "topdown-recovery-bubbles")) {
		add_percent(p, "bad speculation", 100 * bad_speculation(p, total), 10);
	} else if (pfx_note_is_named(p->event, "topdown-slots-issued")) {
		others = (pfx_note_beside(p, "topdown-slots-retired") +
			  pfx_note_beside(p, "topdown-fetch-bubbles")) /
				 total +
			 bad_speculation(p, total);
		add_percent(p, "backend bound", 100 * not_below(1 - others), 20);
	} else {
		return false;
	}
	return true;
}

/* --- transactions --- */

static bool add_transaction(struct pfx_note_place *p)
{
	double in_transactions = pfx_note_beside(p, "cycles-t"), all;

	if (pfx_note_is_named(p->event, "cycles-t") || pfx_note_is_named(p->event, "cycles-ct")) {
		bool is_committed = pfx_note_is_named(p->event, "cycles-ct");
		double value = p->value;

		all = pfx_note_cycles(p);
		if (is_committed)
			value = in_transactions > value ? in_transactions - value : 0;
		pfx_note_add(p, "%7.2f%%", is_committed ? "aborted cycles" : "transactional cycles",
			     all > 0 ? 100 * value / all : 0, all > 0);
		return true;
	}
	if (in_transactions <= 0 || p->value <= 0)
		return false;
	if (pfx_note_is_named(p->event, "tx-start"))
		pfx_note_add(p, "%8.0f", "cycles / transaction", in_transactions / p->value, true);
	else if (pfx_note_is_named(p->event, "el-start"))
		pfx_note_add(p, "%8.0f", "cycles / elision", in_transactions / p->value, true);
	else
		return false;
	return true;
}

/* SMIs: aperf continues during them, cycles do not. */
static bool add_firmware(struct pfx_note_place *p)
{
	double total, own, percent;

	if (!pfx_note_is_named(p->event, "smi"))
		return false;
	total = pfx_note_beside(p, "aperf");
	own = pfx_note_cycles(p);
	if (total <= 0 || own <= 0)
		return false;
	percent = p->value > 0 ? 100 * (total - own) / total : 0;
	add_percent(p, "SMI cycles%", percent, 10);
	pfx_note_add(p, "%4.0f", "SMI#", p->value, true);
	return true;
}

bool pfx_note_add_named(struct pfx_note_place *p)
{
	struct pfx_note_place scaled = *p;
	bool any;

	scaled.value *= p->event->scale;
	any = add_slice(&scaled) || add_old_slots(&scaled) || add_transaction(&scaled) ||
	      add_firmware(&scaled);
	p->nr = scaled.nr;
	return any;
}
