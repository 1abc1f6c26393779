/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks between branches. For each sample only the cycles of each distinct pair (start and
 * end of a block) are summed by event, without lookups. Afterwards pairs are sorted by function and
 * end. Of blocks with the same end the longest one gives the speed of the code; all of them give
 * the cycles. For instructions per cycle, the function is disassembled once.
 */
#include "hist/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "hist/hist_internal.h"
#include "sym/code/disasm.h"

#define NO_START UINT32_MAX

/* Larger functions are not disassembled: no compiler generates such, but a damaged file may contain
 * one. */
#define CODE_MAX (16u << 20)

/* The key of a flow. */
struct flow_key {
	uint32_t event, start, end; /* ids of places */
};

struct flow_sum {
	uint64_t cycles, count;
};

/* Code executed from start to end without a branch. */
struct flow {
	uint32_t event;
	const struct pfx_place *start, *end; /* start: NULL if unknown */
	struct flow_sum sum;
};

/* Blocks of one event or group of events. */
struct block_list {
	const struct pfx_hist *hist;
	PFX_VEC(struct pfx_block) at;
};

struct pfx_hist_flows {
	struct pfx_intern keys;
	PFX_VEC(struct flow_sum) sums; /* by id of the key */
	PFX_VEC(uint64_t) cycles;      /* of all branches, by event index */
	PFX_VEC(struct flow) sorted;   /* by function, end, start */
	bool is_sorted;
	PFX_VEC(struct block_list) lists;
	struct pfx_hash ipc_of; /* by symbol: index in ipcs */
	PFX_VEC(struct pfx_ipc) ipcs;
	struct pfx_disasm *disasm[2]; /* for 32 and 64 bits */
	bool asked_disasm[2];
};

struct pfx_hist_flows *pfx_hist_flows_new(void)
{
	return pfx_calloc(1, sizeof(struct pfx_hist_flows));
}

void pfx_hist_flows_free(struct pfx_hist_flows *flows)
{
	size_t i;

	if (!flows)
		return;
	for (i = 0; i < flows->lists.nr; i++)
		pfx_vec_free(&flows->lists.at[i].at);
	pfx_vec_free(&flows->lists);
	pfx_vec_free(&flows->sums);
	pfx_vec_free(&flows->cycles);
	pfx_vec_free(&flows->sorted);
	pfx_vec_free(&flows->ipcs);
	pfx_hash_fini(&flows->ipc_of);
	pfx_intern_fini(&flows->keys);
	pfx_disasm_free(flows->disasm[0]);
	pfx_disasm_free(flows->disasm[1]);
	free(flows);
}

static void add_flow(struct pfx_hist_flows *flows, const struct flow_key *key, uint64_t cycles)
{
	uint32_t id = pfx_intern_add(&flows->keys, key, sizeof(*key));

	if (id == flows->sums.nr)
		pfx_vec_push(&flows->sums, ((struct flow_sum){0}));
	flows->sums.at[id].cycles += cycles;
	flows->sums.at[id].count++;
}

static uint32_t place_id(const struct pfx_hist_sample *from, uint64_t ip)
{
	return pfx_resolve(from->hists->options.resolver, from->thread, PFX_MODE_UNKNOWN, ip)->id;
}

void pfx_hist_flows_add(const struct pfx_hist_sample *from)
{
	const struct pfx_branch_stack *stack = &from->sample->branch;
	/* A filtered branch stack does not contain the starts of blocks. */
	bool any = stack->type & PFX_BRANCH_ANY;
	struct pfx_hists *hists = from->hists;
	struct flow_key key = {.event = from->event->idx, .start = NO_START};
	struct pfx_branch branch;
	uint64_t i, cycles;

	while (hists->flows->cycles.nr <= key.event)
		pfx_vec_push(&hists->flows->cycles, 0);
	branch = stack->nr ? pfx_branch_at(stack, 0) : (struct pfx_branch){0};
	if (!pfx_branch_cycles(&branch))
		return;
	for (i = stack->nr; i--;) {
		branch = pfx_branch_at(stack, i);
		cycles = pfx_branch_cycles(&branch);
		hists->flows->cycles.at[key.event] += cycles;
		if (cycles) {
			key.end = place_id(from, branch.from);
			add_flow(hists->flows, &key, cycles);
		}
		key.start = any ? place_id(from, branch.to) : NO_START;
	}
}

/* --- order --- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_symbols(const struct pfx_place *a, const struct pfx_place *b)
{
	int rc = compare_u64(a->dso->id, b->dso->id);

	return rc ? rc : compare_u64(a->sym->start, b->sym->start);
}

/* By function; within it by end, descending; then the longest first. */
static int compare_flows(const void *x, const void *y)
{
	const struct flow *a = x, *b = y;
	int rc = compare_symbols(a->end, b->end);

	if (!rc)
		rc = compare_u64(b->end->addr, a->end->addr);
	if (!rc)
		rc = (a->start == NULL) - (b->start == NULL);
	if (!rc && a->start)
		rc = compare_u64(a->start->addr, b->start->addr);
	return rc ? rc : compare_u64(a->event, b->event);
}

/* Whether code can run from the start to the end without a branch. A branch directly at the target
 * of the previous one has no information about speed. */
static bool is_block(const struct pfx_place *start, const struct pfx_place *end)
{
	return start->sym && start->dso == end->dso && start->sym->start == end->sym->start &&
	       start->addr < end->addr;
}

/* Called after all samples. */
static void sort_flows(struct pfx_hists *hists)
{
	struct pfx_resolver *resolver = hists->options.resolver;
	struct pfx_hist_flows *flows = hists->flows;
	struct pfx_place *start, *end;
	struct flow_key key;
	uint32_t id;

	if (flows->is_sorted)
		return;
	flows->is_sorted = true;
	for (id = 0; id < flows->keys.nr; id++) {
		memcpy(&key, pfx_intern_get(&flows->keys, id), sizeof(key));
		end = pfx_resolver_place_at(resolver, key.end);
		if (!pfx_place_symbol(resolver, end) || !end->dso)
			continue;
		start = key.start == NO_START ? NULL : pfx_resolver_place_at(resolver, key.start);
		if (start)
			pfx_place_symbol(resolver, start);
		if (start && !is_block(start, end))
			start = NULL;
		pfx_vec_push(&flows->sorted,
			     ((struct flow){key.event, start, end, flows->sums.at[id]}));
	}
	if (flows->sorted.nr)
		qsort(flows->sorted.at, flows->sorted.nr, sizeof(struct flow), compare_flows);
}

/* --- blocks --- */

static bool is_member(const struct pfx_hist *hist, uint32_t event)
{
	uint32_t m;

	for (m = 0; m < hist->nr_members; m++)
		if (hist->members[m]->idx == event)
			return true;
	return false;
}

static bool same_end(const struct pfx_block *block, const struct flow *flow)
{
	return !compare_symbols(block->end, flow->end) && block->end->addr == flow->end->addr;
}

static int by_cycles(const void *x, const void *y)
{
	const struct pfx_block *a = x, *b = y;
	int rc = compare_u64(b->cycles, a->cycles);

	if (!rc)
		rc = compare_symbols(a->end, b->end);
	return rc ? rc : compare_u64(a->end->addr, b->end->addr);
}

static void fill_list(const struct pfx_hists *hists, struct block_list *list)
{
	const struct pfx_hist_flows *flows = hists->flows;
	const struct flow *flow;
	size_t i;

	for (i = 0; i < flows->sorted.nr; i++) {
		flow = &flows->sorted.at[i];
		if (!is_member(list->hist, flow->event) ||
		    !pfx_filter_place(hists->options.filter, flow->end))
			continue;
		if (!list->at.nr || !same_end(&list->at.at[list->at.nr - 1], flow))
			pfx_vec_push(&list->at, ((struct pfx_block){flow->start, flow->end, 0, 0}));
		list->at.at[list->at.nr - 1].cycles += flow->sum.cycles;
		list->at.at[list->at.nr - 1].count += flow->sum.count;
	}
	if (list->at.nr)
		qsort(list->at.at, list->at.nr, sizeof(struct pfx_block), by_cycles);
}

uint32_t pfx_hist_blocks(struct pfx_hists *hists, const struct pfx_hist *hist,
			 const struct pfx_block **ret)
{
	struct pfx_hist_flows *flows = hists->flows;
	struct block_list *list;
	size_t i;

	*ret = NULL;
	if (!flows)
		return 0;
	sort_flows(hists);
	for (i = 0; i < flows->lists.nr && flows->lists.at[i].hist != hist; i++)
		;
	if (i == flows->lists.nr) {
		pfx_vec_push(&flows->lists, ((struct block_list){.hist = hist}));
		fill_list(hists, &flows->lists.at[i]);
	}
	list = &flows->lists.at[i];
	*ret = list->at.at;
	return (uint32_t)list->at.nr;
}

uint64_t pfx_hist_cycles(const struct pfx_hists *hists, const struct pfx_hist *hist)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; hists->flows && i < hists->flows->cycles.nr; i++)
		if (is_member(hist, (uint32_t)i))
			sum += hists->flows->cycles.at[i];
	return sum;
}

/* --- instructions for each cycle --- */

/* A disassembled function. */
struct code {
	uint8_t *marks; /* by offset: 1 if an instruction begins there, 2 if its speed is known */
	uint64_t size;
	uint64_t nr_insns, nr_known;
	uint64_t cycles, insns; /* of executed blocks */
};

static struct pfx_disasm *get_disasm(struct pfx_hists *hists, const struct pfx_dso *dso)
{
	const char *machine = hists->options.meta->env.arch;
	struct pfx_hist_flows *flows = hists->flows;
	unsigned wide = dso->is_64bit;

	if (!flows->asked_disasm[wide] &&
	    pfx_disasm_new(&flows->disasm[wide], machine ? machine : "", wide, NULL))
		flows->disasm[wide] = NULL;
	flows->asked_disasm[wide] = true;
	return flows->disasm[wide];
}

/* Mark the first byte of each instruction. */
static void read_code(struct pfx_hists *hists, const struct pfx_place *place, struct code *code)
{
	struct pfx_disasm *disasm = get_disasm(hists, place->dso);
	struct pfx_place begin = *place;
	struct pfx_insn insn;
	uint64_t at, size;
	uint8_t *bytes;

	begin.addr = place->sym->start;
	if (!disasm)
		return;
	bytes = pfx_malloc(code->size + 1);
	size = pfx_place_code(hists->options.resolver, &begin, bytes, code->size);
	for (at = 0; at < size; at += insn.len ? insn.len : 1) {
		code->marks[at] = 1;
		code->nr_insns++;
		insn = pfx_disasm_one(disasm, bytes + at, size - at, begin.addr + at, NULL);
	}
	free(bytes);
}

static uint64_t count_insns(const struct code *code, uint64_t first, uint64_t last)
{
	uint64_t at, nr = 0;

	for (at = first; at <= last && at < code->size; at++)
		nr += code->marks[at] != 0;
	return nr;
}

/* Count a block if it covers new instructions. */
static void cover(struct code *code, uint64_t first, uint64_t last, const struct flow_sum *sum)
{
	uint64_t at, nr = count_insns(code, first, last), fresh = 0;

	for (at = first; nr && at <= last && at < code->size; at++)
		if (code->marks[at] == 1) {
			code->marks[at] = 2;
			fresh++;
		}
	if (!fresh)
		return;
	code->nr_known += fresh;
	code->cycles += sum->cycles;
	code->insns += nr * sum->count;
}

/* The first flow of the function that contains the place. */
static size_t first_flow(const struct pfx_hist_flows *flows, const struct pfx_place *place)
{
	return pfx_bisect(i, flows->sorted.nr, compare_symbols(flows->sorted.at[i].end, place) < 0);
}

static bool same_block(const struct flow *a, const struct flow *b)
{
	return a->end->addr == b->end->addr && !a->start == !b->start &&
	       (!a->start || a->start->addr == b->start->addr);
}

/* The longest blocks that end where flow *@at ends, of all events; moves on to the next end. */
static struct flow_sum take_end(const struct pfx_hist_flows *flows, size_t *at, size_t end)
{
	const struct flow *first = &flows->sorted.at[*at], *flow;
	struct flow_sum sum = {0};

	for (; *at < end; ++*at) {
		flow = &flows->sorted.at[*at];
		if (flow->end->addr != first->end->addr)
			break;
		if (!same_block(first, flow))
			continue;
		sum.cycles += flow->sum.cycles;
		sum.count += flow->sum.count;
	}
	return sum;
}

static struct pfx_ipc compute_ipc(struct pfx_hists *hists, const struct pfx_place *place)
{
	const struct pfx_symbol *sym = place->sym;
	const struct pfx_hist_flows *flows = hists->flows;
	struct code code = {.size = sym->end - sym->start};
	const struct flow *flow;
	struct flow_sum sum;
	struct pfx_ipc ipc = {0};
	size_t at = first_flow(flows, place), end = at;

	if (code.size > CODE_MAX)
		return ipc;
	while (end < flows->sorted.nr && !compare_symbols(flows->sorted.at[end].end, place))
		end++;
	code.marks = pfx_calloc(code.size + 1, 1);
	read_code(hists, place, &code);
	while (at < end) {
		flow = &flows->sorted.at[at];
		sum = take_end(flows, &at, end);
		if (flow->start)
			cover(&code, flow->start->addr - sym->start, flow->end->addr - sym->start,
			      &sum);
	}
	free(code.marks);
	if (code.cycles)
		ipc.ipc = (double)code.insns / (double)code.cycles;
	if (code.nr_insns)
		ipc.coverage = 100.0 * (double)code.nr_known / (double)code.nr_insns;
	return ipc;
}

struct pfx_ipc pfx_hist_ipc(struct pfx_hists *hists, const struct pfx_place *place)
{
	struct pfx_hist_flows *flows = hists->flows;
	struct pfx_ipc none = {0};
	uint64_t *slot;
	bool is_new;

	if (!flows || !place->sym || !place->dso)
		return none;
	sort_flows(hists);
	slot = pfx_hash_add(&flows->ipc_of, (uintptr_t)place->sym, &is_new);
	if (is_new) {
		*slot = flows->ipcs.nr;
		pfx_vec_push(&flows->ipcs, none);
		flows->ipcs.at[flows->ipcs.nr - 1] = compute_ipc(hists, place);
	}
	return flows->ipcs.at[*slot];
}
