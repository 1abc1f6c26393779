/* SPDX-License-Identifier: MIT */
/*
 * Counting by (event, place, chain). The functions of entries are looked up once, when the
 * functions are requested; then entries are in the order of their functions.
 */
#include "code/cost.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compare.h"
#include "base/hash.h"

/* One combination of event, place and chain. */
struct entry {
	uint32_t event, place, chain;
	uint32_t function;
	struct pfx_cost cost;
};

enum choice { NOT_ASKED, ACCEPTED, REFUSED };

/* A chain and a function in it. */
struct passage {
	uint32_t function, event, chain;
	struct pfx_cost cost;
};

struct pfx_costs {
	struct pfx_resolver *resolver;
	uint32_t nr_events;
	PFX_VEC(struct entry) entries;
	struct pfx_id_table table;
	PFX_VEC(uint32_t) last;          /* by place: the entry that was found last, plus 1 */
	PFX_VEC(struct pfx_cost) totals; /* by event */
	struct pfx_branch_runs *runs;    /* NULL: no branch stacks */
	struct pfx_weight_table *weights;
	struct pfx_memory_table *memory;
	struct pfx_costs_choice choice; /* zero: all binaries */
	PFX_VEC(uint8_t) choices;       /* by id of the binary: enum choice */
	bool is_sorted;
	PFX_VEC(struct pfx_code_function) functions;
	struct pfx_cost_table by_function; /* in the order in which functions were found */
	PFX_VEC(uint32_t) first;           /* entry of each function, and the end of the last one */
	struct pfx_hash by_symbol;         /* its address -> index of functions, plus 1 */
	bool has_passages;
	PFX_VEC(struct passage) passages; /* sorted by function */
	PFX_VEC(uint32_t) first_passage;
};

struct pfx_costs *pfx_costs_new(struct pfx_resolver *resolver)
{
	struct pfx_costs *costs = pfx_calloc(1, sizeof(*costs));

	costs->resolver = resolver;
	costs->weights = pfx_weight_table_new();
	costs->memory = pfx_memory_table_new();
	return costs;
}

void pfx_costs_free(struct pfx_costs *costs)
{
	if (!costs)
		return;
	pfx_vec_free(&costs->functions);
	pfx_cost_table_fini(&costs->by_function);
	pfx_vec_free(&costs->entries);
	pfx_vec_free(&costs->choices);
	pfx_vec_free(&costs->first);
	pfx_vec_free(&costs->passages);
	pfx_vec_free(&costs->first_passage);
	pfx_id_table_fini(&costs->table);
	pfx_vec_free(&costs->last);
	pfx_hash_fini(&costs->by_symbol);
	pfx_vec_free(&costs->totals);
	pfx_branch_runs_free(costs->runs);
	pfx_weight_table_free(costs->weights);
	pfx_memory_table_free(costs->memory);
	free(costs);
}

static bool is_entry(const struct entry *entry, uint32_t event, uint32_t place, uint32_t chain)
{
	return entry->place == place && entry->chain == chain && entry->event == event;
}

static uint32_t look_up_entry(struct pfx_costs *costs, uint32_t event, uint32_t place,
			      uint32_t chain)
{
	uint64_t hash = pfx_hash_u64((uint64_t)place << 32 | chain) + event, at = hash;
	uint32_t id;

	while (pfx_id_table_next(&costs->table, hash, &at, &id))
		if (is_entry(&costs->entries.at[id], event, place, chain))
			return id;
	id = (uint32_t)costs->entries.nr;
	pfx_id_table_add(&costs->table, hash, id);
	pfx_vec_push(&costs->entries,
		     ((struct entry){.event = event, .place = place, .chain = chain}));
	return id;
}

/* Mostly the one that was found last at the place. */
static struct entry *find_entry(struct pfx_costs *costs, uint32_t event, uint32_t place,
				uint32_t chain)
{
	uint32_t *last = pfx_vec_slot(&costs->last, place);

	if (!*last || !is_entry(&costs->entries.at[*last - 1], event, place, chain))
		*last = look_up_entry(costs, event, place, chain) + 1;
	return &costs->entries.at[*last - 1];
}

static void count(struct pfx_costs *costs, uint32_t event, const struct pfx_sample *sample,
		  uint32_t place, uint32_t chain)
{
	const struct pfx_cost cost = {sample->period, 1};

	pfx_cost_add(&find_entry(costs, event, place, chain)->cost, &cost);
	pfx_cost_add(pfx_vec_slot(&costs->totals, event), &cost);
	if (sample->type & (PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT))
		pfx_weight_table_add(costs->weights, event, place, sample);
	if (sample->type & PFX_SAMPLE_DATA_SRC)
		pfx_memory_table_add(costs->memory, event, place, sample);
}

void pfx_costs_add(struct pfx_costs *costs, uint32_t event, const struct pfx_sample *sample,
		   struct pfx_thread *thread)
{
	uint32_t place = pfx_resolve_id(costs->resolver, thread, sample->cpumode, sample->ip);

	count(costs, event, sample, place, pfx_resolve_chain_id(costs->resolver, thread, sample));
}

void pfx_costs_add_self(struct pfx_costs *costs, uint32_t event, const struct pfx_sample *sample,
			struct pfx_thread *thread)
{
	count(costs, event, sample,
	      pfx_resolve_id(costs->resolver, thread, sample->cpumode, sample->ip), 0);
}

void pfx_costs_add_branches(struct pfx_costs *costs, uint32_t event,
			    const struct pfx_sample *sample, struct pfx_thread *thread)
{
	if (!(sample->type & PFX_SAMPLE_BRANCH_STACK) || !sample->branch.nr)
		return;
	if (!costs->runs)
		costs->runs = pfx_branch_runs_new(costs->resolver, true);
	pfx_branch_runs_add(costs->runs, event, thread, &sample->branch);
}

const struct pfx_weight_table *pfx_costs_weights(const struct pfx_costs *costs)
{
	return costs->weights;
}

const struct pfx_memory_table *pfx_costs_memory(const struct pfx_costs *costs)
{
	return costs->memory;
}

struct pfx_cost pfx_costs_total(const struct pfx_costs *costs, uint32_t event)
{
	return event < costs->totals.nr ? costs->totals.at[event] : (struct pfx_cost){0};
}

uint32_t pfx_costs_nr_events(const struct pfx_costs *costs)
{
	return costs->nr_events;
}

/* --- functions --- */

static uint32_t function_of(struct pfx_costs *costs, const struct pfx_place *place)
{
	const struct pfx_symbol *symbol = place->sym;
	uint64_t *slot;
	bool is_new;

	slot = pfx_hash_add(&costs->by_symbol, (uint64_t)(uintptr_t)symbol, &is_new);
	if (is_new) {
		pfx_vec_push(&costs->functions, ((struct pfx_code_function){
							.dso = place->dso,
							.symbol = symbol,
							.place = place,
						}));
		*slot = costs->functions.nr;
	}
	return (uint32_t)*slot - 1;
}

void pfx_costs_choose(struct pfx_costs *costs, const struct pfx_costs_choice *choice)
{
	costs->choice = choice ? *choice : (struct pfx_costs_choice){0};
	pfx_vec_free(&costs->choices);
	costs->is_sorted = costs->has_passages = false;
	costs->functions.nr = costs->first.nr = 0;
	costs->passages.nr = costs->first_passage.nr = 0;
	pfx_cost_table_fini(&costs->by_function);
	pfx_hash_fini(&costs->by_symbol);
	memset(&costs->by_function, 0, sizeof(costs->by_function));
	memset(&costs->by_symbol, 0, sizeof(costs->by_symbol));
}

bool pfx_costs_chosen(struct pfx_costs *costs, const struct pfx_dso *dso)
{
	uint8_t *known;

	if (!costs->choice.accepts)
		return true;
	known = pfx_vec_slot(&costs->choices, dso->id);
	if (*known == NOT_ASKED)
		*known = costs->choice.accepts(costs->choice.context, dso) ? ACCEPTED : REFUSED;
	return *known == ACCEPTED;
}

static void assign_functions(struct pfx_costs *costs)
{
	struct pfx_place *place;
	struct entry *entry;
	size_t i;

	for (i = 0; i < costs->entries.nr; i++) {
		entry = &costs->entries.at[i];
		place = pfx_resolver_place_at(costs->resolver, entry->place);
		entry->function = UINT32_MAX;
		if (!place->dso || !pfx_costs_chosen(costs, place->dso) ||
		    !pfx_place_symbol(costs->resolver, place))
			continue;
		entry->function = function_of(costs, place);
		pfx_cost_table_add(&costs->by_function, entry->function, entry->event,
				   &entry->cost);
	}
	pfx_cost_table_sort(&costs->by_function);
	for (i = 0; i < costs->functions.nr; i++)
		costs->functions.at[i].costs =
			pfx_cost_table_list(&costs->by_function, (uint32_t)i);
}

/* Sorts functions by the period of the first event in which they differ, then by address, so that
 * the order is stable. */
struct ranked {
	struct pfx_code_function function;
	uint32_t old;
};

static int compare_functions(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int rc = pfx_cost_compare(&x->function.costs, &y->function.costs);

	if (!rc)
		rc = pfx_compare_u64(x->function.dso->id, y->function.dso->id);
	if (!rc)
		rc = pfx_compare_u64(x->function.symbol->start, y->function.symbol->start);
	return rc ? rc : pfx_compare_u64(x->old, y->old);
}

static void sort_functions(struct pfx_costs *costs)
{
	struct ranked *ranked = pfx_calloc(costs->functions.nr + 1, sizeof(*ranked));
	uint32_t *moved = pfx_calloc(costs->functions.nr + 1, sizeof(*moved)), i;
	uint64_t *slot;

	for (i = 0; i < costs->functions.nr; i++)
		ranked[i] = (struct ranked){costs->functions.at[i], i};
	qsort(ranked, costs->functions.nr, sizeof(*ranked), compare_functions);
	for (i = 0; i < costs->functions.nr; i++) {
		costs->functions.at[i] = ranked[i].function;
		moved[ranked[i].old] = i;
		slot = pfx_hash_get(&costs->by_symbol,
				    (uint64_t)(uintptr_t)ranked[i].function.symbol);
		*slot = i + 1;
	}
	for (i = 0; i < costs->entries.nr; i++)
		if (costs->entries.at[i].function != UINT32_MAX)
			costs->entries.at[i].function = moved[costs->entries.at[i].function];
	free(ranked);
	free(moved);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int rc = pfx_compare_u64(x->function, y->function);

	if (!rc)
		rc = pfx_compare_u64(x->place, y->place);
	if (!rc)
		rc = pfx_compare_u64(x->event, y->event);
	return rc ? rc : pfx_compare_u64(x->chain, y->chain);
}

/* Entries of a function. They are added in the order of new places, so they mostly are in order. */
static void sort_run(struct entry *entries, uint32_t nr)
{
	uint32_t i;

	for (i = 1; i < nr; i++)
		if (compare_entries(&entries[i - 1], &entries[i]) > 0)
			break;
	if (i < nr)
		qsort(entries, nr, sizeof(*entries), compare_entries);
}

/* Sorts by function, by counting, then within each function. Entries without a function are last.
 */
static void sort_entries(struct pfx_costs *costs)
{
	uint32_t nr = (uint32_t)costs->functions.nr, i, *at, sum = 0, each;
	struct entry *sorted = pfx_malloc((costs->entries.nr + 1) * sizeof(*sorted));
	struct entry *entry;

	at = pfx_calloc((size_t)nr + 1, sizeof(*at)); /* the last is for those without function */
	for (i = 0; i < costs->entries.nr; i++)
		at[costs->entries.at[i].function < nr ? costs->entries.at[i].function : nr]++;
	for (i = 0; i <= nr; i++) {
		each = at[i];
		at[i] = sum;
		pfx_vec_push(&costs->first, sum);
		sum += each;
	}
	for (i = 0; i < costs->entries.nr; i++) {
		entry = &costs->entries.at[i];
		sorted[at[entry->function < nr ? entry->function : nr]++] = *entry;
	}
	for (i = 0; i <= nr; i++)
		sort_run(sorted + costs->first.at[i], at[i] - costs->first.at[i]);
	free(at);
	free(costs->entries.at);
	costs->entries.at = sorted;
	costs->entries.cap = costs->entries.nr + 1;
}

uint32_t pfx_costs_functions(struct pfx_costs *costs, uint32_t nr_events,
			     const struct pfx_code_function **ret)
{
	if (!costs->is_sorted) {
		costs->nr_events = nr_events;
		costs->is_sorted = true;
		assign_functions(costs);
		sort_functions(costs);
		sort_entries(costs);
	}
	*ret = costs->functions.at;
	return (uint32_t)costs->functions.nr;
}

size_t pfx_costs_runs(const struct pfx_costs *costs, const struct pfx_code_function *function,
		      const struct pfx_branch_run **ret)
{
	*ret = NULL;
	return costs->runs ? pfx_branch_runs_of(costs->runs, function->place, ret) : 0;
}

static void read_entry(const struct pfx_costs *costs, uint32_t i, struct pfx_cost_entry *ret)
{
	const struct entry *entry = &costs->entries.at[i];

	*ret = (struct pfx_cost_entry){
		.event = entry->event,
		.chain = entry->chain,
		.place = pfx_resolver_place_at(costs->resolver, entry->place),
		.cost = entry->cost,
	};
}

/* The index of a function; false: it is not one of these, and has no samples. */
static bool find_index(const struct pfx_costs *costs, const struct pfx_code_function *function,
		       size_t *ret)
{
	uintptr_t first = (uintptr_t)costs->functions.at, at = (uintptr_t)function;

	*ret = (at - first) / sizeof(*function);
	return at >= first && *ret < costs->functions.nr;
}

bool pfx_costs_next(const struct pfx_costs *costs, const struct pfx_code_function *function,
		    uint32_t *at, struct pfx_cost_entry *ret)
{
	size_t i;

	if (!find_index(costs, function, &i) || costs->first.at[i] + *at >= costs->first.at[i + 1])
		return false;
	read_entry(costs, costs->first.at[i] + (*at)++, ret);
	return true;
}

bool pfx_costs_each(const struct pfx_costs *costs, uint32_t *at, struct pfx_cost_entry *ret)
{
	if (*at >= costs->entries.nr)
		return false;
	read_entry(costs, (*at)++, ret);
	return true;
}

/* --- chains --- */

/* The cost of each distinct chain, one element per event. */
struct chain_costs {
	PFX_VEC(struct passage) at; /* the field function is unused */
};

static int compare_chains(const void *a, const void *b)
{
	const struct passage *x = a, *y = b;
	int rc = pfx_compare_u64(x->chain, y->chain);

	return rc ? rc : pfx_compare_u64(x->event, y->event);
}

/* Several places may share a chain: their costs are added up. */
static void sum_chains(const struct pfx_costs *costs, struct chain_costs *sums)
{
	const struct entry *entry;
	size_t i, nr = 0;

	for (i = 0; i < costs->entries.nr; i++) {
		entry = &costs->entries.at[i];
		if (entry->chain)
			pfx_vec_push(&sums->at, ((struct passage){.event = entry->event,
								  .chain = entry->chain,
								  .cost = entry->cost}));
	}
	if (sums->at.nr)
		qsort(sums->at.at, sums->at.nr, sizeof(*sums->at.at), compare_chains);
	for (i = 0; i < sums->at.nr; i++)
		if (nr && !compare_chains(&sums->at.at[nr - 1], &sums->at.at[i]))
			pfx_cost_add(&sums->at.at[nr - 1].cost, &sums->at.at[i].cost);
		else
			sums->at.at[nr++] = sums->at.at[i];
	sums->at.nr = nr;
}

/* The functions in a chain, if they have samples; @nr elements of @sums belong to the chain. */
static void add_passages(struct pfx_costs *costs, const struct passage *sums, size_t nr,
			 uint32_t *last_chain)
{
	struct pfx_place **places;
	uint32_t i, nr_places = pfx_chain_frames(costs->resolver, sums->chain, &places), function;
	const uint64_t *slot;
	size_t k;

	for (i = 0; i < nr_places; i++) {
		if (!places[i]->dso || !pfx_place_symbol(costs->resolver, places[i]))
			continue;
		slot = pfx_hash_get(&costs->by_symbol, (uint64_t)(uintptr_t)places[i]->sym);
		if (!slot || last_chain[*slot - 1] == sums->chain)
			continue;
		function = (uint32_t)*slot - 1;
		last_chain[function] = sums->chain;
		for (k = 0; k < nr; k++) {
			pfx_vec_push(&costs->passages, sums[k]);
			costs->passages.at[costs->passages.nr - 1].function = function;
		}
	}
}

static int compare_passages(const void *a, const void *b)
{
	const struct passage *x = a, *y = b;
	int rc = pfx_compare_u64(x->function, y->function);

	return rc ? rc : compare_chains(a, b);
}

static void find_passages(struct pfx_costs *costs)
{
	uint32_t *last_chain = pfx_calloc(costs->functions.nr + 1, sizeof(*last_chain));
	struct chain_costs sums = {0};
	size_t i, end, at = 0;

	sum_chains(costs, &sums);
	for (i = 0; i < sums.at.nr; i = end) {
		for (end = i; end < sums.at.nr && sums.at.at[end].chain == sums.at.at[i].chain;)
			end++;
		add_passages(costs, &sums.at.at[i], end - i, last_chain);
	}
	if (costs->passages.nr)
		qsort(costs->passages.at, costs->passages.nr, sizeof(*costs->passages.at),
		      compare_passages);
	for (i = 0; i <= costs->functions.nr; i++) {
		while (at < costs->passages.nr && costs->passages.at[at].function < i)
			at++;
		pfx_vec_push(&costs->first_passage, (uint32_t)at);
	}
	pfx_vec_free(&sums.at);
	free(last_chain);
}

bool pfx_costs_next_chain(struct pfx_costs *costs, const struct pfx_code_function *function,
			  uint32_t *at, struct pfx_cost_entry *ret)
{
	const struct passage *passage;
	size_t i;

	if (!find_index(costs, function, &i))
		return false;
	if (!costs->has_passages) {
		costs->has_passages = true;
		find_passages(costs);
	}
	if (costs->first_passage.at[i] + *at >= costs->first_passage.at[i + 1])
		return false;
	passage = &costs->passages.at[costs->first_passage.at[i] + (*at)++];
	*ret = (struct pfx_cost_entry){
		.event = passage->event, .chain = passage->chain, .cost = passage->cost};
	return true;
}
