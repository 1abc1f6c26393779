/* SPDX-License-Identifier: MIT */
/*
 * For each sample only the cycles of each distinct pair (start and end of a run) are summed by
 * event, without look-ups. Afterwards pairs are sorted by function and end.
 */
#include "unwind/branch_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/compare.h"
#include "base/hash.h"

#define NO_START UINT32_MAX

/* The key of a run. */
struct run_key {
	uint32_t event, start, end; /* ids of places */
};

struct run_sum {
	uint64_t cycles, count, executions;
	double squares;
	uint32_t bins[PFX_BRANCH_BINS];
};

struct pfx_branch_runs {
	struct pfx_resolver *resolver;
	bool with_executions;
	struct pfx_intern keys;
	PFX_VEC(struct run_sum) sums;          /* by id of the key */
	PFX_VEC(uint64_t) cycles;              /* of all branches, by event */
	PFX_VEC(struct pfx_branch_run) sorted; /* by function, end, start */
	bool is_sorted;
};

struct pfx_branch_runs *pfx_branch_runs_new(struct pfx_resolver *resolver, bool with_executions)
{
	struct pfx_branch_runs *runs = pfx_calloc(1, sizeof(*runs));

	runs->resolver = resolver;
	runs->with_executions = with_executions;
	return runs;
}

void pfx_branch_runs_free(struct pfx_branch_runs *runs)
{
	if (!runs)
		return;
	pfx_vec_free(&runs->sums);
	pfx_vec_free(&runs->cycles);
	pfx_vec_free(&runs->sorted);
	pfx_intern_fini(&runs->keys);
	free(runs);
}

static unsigned bin_of(uint64_t cycles)
{
	unsigned bin = 0;

	for (; cycles > 1 && bin < PFX_BRANCH_BINS - 1; cycles >>= 1)
		bin++;
	return bin;
}

static void add_run(struct pfx_branch_runs *runs, const struct run_key *key, uint64_t cycles)
{
	uint32_t id = pfx_intern_add(&runs->keys, key, sizeof(*key));
	struct run_sum *sum;

	if (id == runs->sums.nr)
		pfx_vec_push(&runs->sums, ((struct run_sum){0}));
	sum = &runs->sums.at[id];
	sum->cycles += cycles;
	sum->count += cycles != 0;
	sum->squares += (double)cycles * (double)cycles;
	if (cycles)
		sum->bins[bin_of(cycles)]++;
	sum->executions += key->start != NO_START;
}

static uint32_t place_id(struct pfx_branch_runs *runs, struct pfx_thread *thread, uint64_t ip)
{
	return pfx_resolve(runs->resolver, thread, PFX_MODE_UNKNOWN, ip)->id;
}

void pfx_branch_runs_add(struct pfx_branch_runs *runs, uint32_t event, struct pfx_thread *thread,
			 const struct pfx_branch_stack *stack)
{
	/* A filtered branch stack does not contain the starts of runs. */
	bool any = stack->type & PFX_BRANCH_ANY, has_cycles;
	struct run_key key = {.event = event, .start = NO_START};
	uint64_t i, cycles, *sum = pfx_vec_slot(&runs->cycles, event);
	struct pfx_branch branch;

	branch = stack->nr ? pfx_branch_at(stack, 0) : (struct pfx_branch){0};
	has_cycles = pfx_branch_cycles(&branch);
	if (!has_cycles && !(any && runs->with_executions))
		return;
	for (i = stack->nr; i--;) {
		branch = pfx_branch_at(stack, i);
		cycles = has_cycles ? pfx_branch_cycles(&branch) : 0;
		*sum += cycles;
		if (cycles || (runs->with_executions && key.start != NO_START)) {
			key.end = place_id(runs, thread, branch.from);
			add_run(runs, &key, cycles);
		}
		key.start = any ? place_id(runs, thread, branch.to) : NO_START;
	}
}

uint64_t pfx_branch_runs_cycles(const struct pfx_branch_runs *runs, uint32_t event)
{
	return event < runs->cycles.nr ? runs->cycles.at[event] : 0;
}

/* --- order --- */

int pfx_branch_run_order(const struct pfx_place *a, const struct pfx_place *b)
{
	int rc = pfx_compare_u64(a->dso->id, b->dso->id);

	return rc ? rc : pfx_compare_u64(a->sym->start, b->sym->start);
}

static int compare_runs(const void *x, const void *y)
{
	const struct pfx_branch_run *a = x, *b = y;
	int rc = pfx_branch_run_order(a->end, b->end);

	if (!rc)
		rc = pfx_compare_u64(b->end->addr, a->end->addr);
	if (!rc)
		rc = (a->start == NULL) - (b->start == NULL);
	if (!rc && a->start)
		rc = pfx_compare_u64(a->start->addr, b->start->addr);
	return rc ? rc : pfx_compare_u64(a->event, b->event);
}

/* Whether code can run from the start to the end without a branch. A branch directly at the target
 * of the previous one has no information about speed. */
static bool is_run(const struct pfx_place *start, const struct pfx_place *end)
{
	return start->sym && start->dso == end->dso && start->sym->start == end->sym->start &&
	       start->addr < end->addr;
}

static void sort(struct pfx_branch_runs *runs)
{
	struct pfx_resolver *resolver = runs->resolver;
	struct pfx_place *start, *end;
	const struct run_sum *sum;
	struct run_key key;
	uint32_t id;

	runs->is_sorted = true;
	for (id = 0; id < runs->keys.nr; id++) {
		memcpy(&key, pfx_intern_get(&runs->keys, id), sizeof(key));
		sum = &runs->sums.at[id];
		end = pfx_resolver_place_at(resolver, key.end);
		if (!pfx_place_symbol(resolver, end) || !end->dso)
			continue;
		start = key.start == NO_START ? NULL : pfx_resolver_place_at(resolver, key.start);
		if (start)
			pfx_place_symbol(resolver, start);
		if (start && !is_run(start, end))
			start = NULL;
		pfx_vec_push(&runs->sorted,
			     ((struct pfx_branch_run){.event = key.event,
						      .start = start,
						      .end = end,
						      .cycles = sum->cycles,
						      .count = sum->count,
						      .squares = sum->squares,
						      .bins = sum->bins,
						      .executions = start ? sum->executions : 0}));
	}
	if (runs->sorted.nr)
		qsort(runs->sorted.at, runs->sorted.nr, sizeof(struct pfx_branch_run),
		      compare_runs);
}

size_t pfx_branch_runs_all(struct pfx_branch_runs *runs, const struct pfx_branch_run **ret)
{
	if (!runs->is_sorted)
		sort(runs);
	*ret = runs->sorted.at;
	return runs->sorted.nr;
}

size_t pfx_branch_runs_of(struct pfx_branch_runs *runs, const struct pfx_place *place,
			  const struct pfx_branch_run **ret)
{
	const struct pfx_branch_run *all;
	size_t nr = pfx_branch_runs_all(runs, &all), first, end;

	first = pfx_bisect(i, nr, pfx_branch_run_order(all[i].end, place) < 0);
	for (end = first; end < nr && !pfx_branch_run_order(all[end].end, place); end++)
		;
	*ret = nr ? all + first : NULL;
	return end - first;
}

/* --- instructions for each cycle --- */

/* A function that is being measured. Runs are added by descending end, so that earlier runs cover
 * the code of a later one from the first of their starts on. */
struct measure {
	const struct pfx_branch_code *code;
	uint32_t *before;       /* by offset: the number of instructions before it */
	uint64_t covered;       /* the first start, as offset */
	uint64_t nr_known;      /* instructions in runs */
	uint64_t cycles, insns; /* of executed runs */
};

static void count_insns(struct measure *m)
{
	const struct pfx_branch_code *code = m->code;
	uint64_t at;

	m->before = pfx_calloc(code->size + 1, sizeof(*m->before));
	for (at = 0; at < code->size; at++)
		m->before[at + 1] = m->before[at] + (code->marks[at] != 0);
}

/* Count a run if it covers new instructions; @end is the offset after it. */
static void cover(struct measure *m, uint64_t first, uint64_t end, const struct run_sum *sum)
{
	const struct pfx_branch_code *code = m->code;
	uint64_t at, nr = m->before[end] - m->before[first], fresh;

	if (end > m->covered)
		end = m->covered;
	if (first >= end)
		return;
	for (at = first; code->ipc && at < end; at++)
		if (code->marks[at])
			code->ipc[at] = (float)((double)(nr * sum->count) / (double)sum->cycles);
	fresh = m->before[end] - m->before[first];
	m->covered = first;
	m->nr_known += fresh;
	m->cycles += fresh ? sum->cycles : 0;
	m->insns += fresh ? nr * sum->count : 0;
}

static bool is_same(const struct pfx_branch_run *a, const struct pfx_branch_run *b)
{
	return a->end->addr == b->end->addr && !a->start == !b->start &&
	       (!a->start || a->start->addr == b->start->addr);
}

/* The longest runs with cycles that end where run *@at ends, of all events; moves on to the next
 * end. Returns one of them, NULL if there is none. */
static const struct pfx_branch_run *take_end(const struct pfx_branch_run *runs, size_t *at,
					     size_t nr, struct run_sum *sum)
{
	uint64_t end = runs[*at].end->addr;
	const struct pfx_branch_run *first = NULL, *run;

	for (; *at < nr && runs[*at].end->addr == end; ++*at) {
		run = &runs[*at];
		if (run->count && !first)
			first = run;
		if (!first || !is_same(first, run))
			continue;
		sum->cycles += run->cycles;
		sum->count += run->count;
	}
	return first;
}

struct pfx_ipc pfx_branch_runs_measure(const struct pfx_branch_run *runs, size_t nr, uint64_t begin,
				       const struct pfx_branch_code *code)
{
	struct measure m = {.code = code, .covered = code->size};
	const struct pfx_branch_run *run;
	struct pfx_ipc ipc = {0};
	uint64_t first, last;
	struct run_sum sum;
	size_t at = 0;

	count_insns(&m);
	while (at < nr) {
		sum = (struct run_sum){0};
		run = take_end(runs, &at, nr, &sum);
		if (!run || !run->start)
			continue;
		first = run->start->addr - begin;
		last = run->end->addr - begin;
		if (first <= last && first < code->size)
			cover(&m, first, last < code->size ? last + 1 : code->size, &sum);
	}
	if (m.cycles)
		ipc.ipc = (double)m.insns / (double)m.cycles;
	if (m.before[code->size])
		ipc.coverage = 100.0 * (double)m.nr_known / (double)m.before[code->size];
	free(m.before);
	return ipc;
}
