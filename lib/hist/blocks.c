/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks between branches, of the runs that lib/unwind counts. Of blocks with the same end
 * the longest one gives the speed of the code; all of them give the cycles. For instructions per
 * cycle, the function is disassembled once.
 */
#include "hist/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compare.h"
#include "hist/hist_internal.h"
#include "sym/code/disasm.h"

/* Larger functions are not disassembled: no compiler generates such, but a damaged file may contain
 * one. */
#define CODE_MAX (16u << 20)

/* Blocks of one event or group of events. */
struct block_list {
	const struct pfx_hist *hist;
	PFX_VEC(struct pfx_block) at;
};

struct pfx_hist_runs {
	struct pfx_branch_runs *runs;
	PFX_VEC(struct block_list) lists;
	struct pfx_hash ipc_of; /* by symbol: index in ipcs */
	PFX_VEC(struct pfx_ipc) ipcs;
	struct pfx_disasm *disasm[2]; /* for 32 and 64 bits */
	bool asked_disasm[2];
};

struct pfx_hist_runs *pfx_hist_runs_new(struct pfx_resolver *resolver)
{
	struct pfx_hist_runs *runs = pfx_calloc(1, sizeof(*runs));

	runs->runs = pfx_branch_runs_new(resolver, false);
	return runs;
}

void pfx_hist_runs_free(struct pfx_hist_runs *runs)
{
	size_t i;

	if (!runs)
		return;
	for (i = 0; i < runs->lists.nr; i++)
		pfx_vec_free(&runs->lists.at[i].at);
	pfx_vec_free(&runs->lists);
	pfx_vec_free(&runs->ipcs);
	pfx_hash_fini(&runs->ipc_of);
	pfx_disasm_free(runs->disasm[0]);
	pfx_disasm_free(runs->disasm[1]);
	pfx_branch_runs_free(runs->runs);
	free(runs);
}

void pfx_hist_runs_add(const struct pfx_hist_sample *from)
{
	pfx_branch_runs_add(from->hists->runs->runs, from->event->idx, from->thread,
			    &from->sample->branch);
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

static bool same_end(const struct pfx_block *block, const struct pfx_branch_run *run)
{
	return !pfx_branch_run_order(block->end, run->end) && block->end->addr == run->end->addr;
}

static int by_cycles(const void *x, const void *y)
{
	const struct pfx_block *a = x, *b = y;
	int rc = pfx_compare_u64(b->cycles, a->cycles);

	if (!rc)
		rc = pfx_branch_run_order(a->end, b->end);
	return rc ? rc : pfx_compare_u64(a->end->addr, b->end->addr);
}

static void fill_list(const struct pfx_hists *hists, struct block_list *list)
{
	const struct pfx_branch_run *runs, *run;
	size_t i, nr = pfx_branch_runs_all(hists->runs->runs, &runs);

	for (i = 0; i < nr; i++) {
		run = &runs[i];
		if (!is_member(list->hist, run->event) ||
		    !pfx_filter_place(hists->options.filter, run->end))
			continue;
		if (!list->at.nr || !same_end(&list->at.at[list->at.nr - 1], run))
			pfx_vec_push(&list->at, ((struct pfx_block){run->start, run->end, 0, 0}));
		list->at.at[list->at.nr - 1].cycles += run->cycles;
		list->at.at[list->at.nr - 1].count += run->count;
	}
	if (list->at.nr)
		qsort(list->at.at, list->at.nr, sizeof(struct pfx_block), by_cycles);
}

uint32_t pfx_hist_blocks(struct pfx_hists *hists, const struct pfx_hist *hist,
			 const struct pfx_block **ret)
{
	struct pfx_hist_runs *runs = hists->runs;
	struct block_list *list;
	size_t i;

	*ret = NULL;
	if (!runs)
		return 0;
	for (i = 0; i < runs->lists.nr && runs->lists.at[i].hist != hist; i++)
		;
	if (i == runs->lists.nr) {
		pfx_vec_push(&runs->lists, ((struct block_list){.hist = hist}));
		fill_list(hists, &runs->lists.at[i]);
	}
	list = &runs->lists.at[i];
	*ret = list->at.at;
	return (uint32_t)list->at.nr;
}

uint64_t pfx_hist_cycles(const struct pfx_hists *hists, const struct pfx_hist *hist)
{
	uint64_t sum = 0;
	uint32_t m;

	for (m = 0; hists->runs && m < hist->nr_members; m++)
		sum += pfx_branch_runs_cycles(hists->runs->runs, hist->members[m]->idx);
	return sum;
}

/* --- instructions for each cycle --- */

static struct pfx_disasm *get_disasm(struct pfx_hists *hists, const struct pfx_place *begin)
{
	struct pfx_code_kind kind = pfx_place_code_kind(hists->options.resolver, begin);
	struct pfx_hist_runs *runs = hists->runs;
	unsigned wide = kind.is_64bit;

	if (!runs->asked_disasm[wide] &&
	    pfx_disasm_new(&runs->disasm[wide], kind.machine ? kind.machine : "", wide, NULL))
		runs->disasm[wide] = NULL;
	runs->asked_disasm[wide] = true;
	return runs->disasm[wide];
}

/* Mark the first byte of each instruction. */
static void read_code(struct pfx_hists *hists, const struct pfx_place *place,
		      const struct pfx_branch_code *code)
{
	struct pfx_place begin = pfx_place_begin(place);
	struct pfx_disasm *disasm;
	struct pfx_insn insn;
	uint64_t at, size;
	uint8_t *bytes;

	disasm = get_disasm(hists, &begin);
	if (!disasm)
		return;
	bytes = pfx_malloc(code->size + 1);
	size = pfx_place_code(hists->options.resolver, &begin, bytes, code->size);
	for (at = 0; at < size; at += insn.len ? insn.len : 1) {
		code->marks[at] = 1;
		insn = pfx_disasm_one(disasm, bytes + at, size - at, begin.addr + at, NULL);
	}
	free(bytes);
}

static struct pfx_ipc compute_ipc(struct pfx_hists *hists, const struct pfx_place *place)
{
	struct pfx_branch_code code = {.size = place->sym->end - place->sym->start};
	const struct pfx_branch_run *runs;
	struct pfx_ipc ipc = {0};
	size_t nr;

	if (code.size > CODE_MAX)
		return ipc;
	code.marks = pfx_calloc(code.size + 1, 1);
	read_code(hists, place, &code);
	nr = pfx_branch_runs_of(hists->runs->runs, place, &runs);
	ipc = pfx_branch_runs_measure(runs, nr, place->sym->start, &code);
	free(code.marks);
	return ipc;
}

struct pfx_ipc pfx_hist_ipc(struct pfx_hists *hists, const struct pfx_place *place)
{
	struct pfx_hist_runs *runs = hists->runs;
	struct pfx_ipc none = {0};
	uint64_t *slot;
	bool is_new;

	if (!runs || !place->sym || !place->dso)
		return none;
	slot = pfx_hash_add(&runs->ipc_of, (uintptr_t)place->sym, &is_new);
	if (is_new) {
		*slot = runs->ipcs.nr;
		pfx_vec_push(&runs->ipcs, none);
		runs->ipcs.at[runs->ipcs.nr - 1] = compute_ipc(hists, place);
	}
	return runs->ipcs.at[*slot];
}
