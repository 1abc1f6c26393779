/* SPDX-License-Identifier: MIT */
/*
 * Rows as a tree with a level for each key: commands, below each its binaries, below each its
 * symbols. Made from the finished rows; entries of upper levels are rows, too, with the sums of
 * their children.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

struct making {
	struct pfx_hists *hists;
	struct pfx_hist_build *build;
	struct pfx_intern known; /* (parent, word) to the index in entries */
	PFX_VEC(struct pfx_hist_entry *) entries;
};

static void add_stat(struct pfx_row_stat *to, const struct pfx_row_stat *from)
{
	unsigned i;

	to->period += from->period;
	to->count += from->count;
	to->latency += from->latency;
	for (i = 0; i < PFX_LEVELS; i++)
		to->by_level[i] += from->by_level[i];
	for (i = 0; i < 3; i++)
		to->weights[i] += from->weights[i];
}

static struct pfx_hist_entry *new_entry(struct making *making, struct pfx_hist_entry *parent,
					struct pfx_row *row, bool is_leaf)
{
	struct pfx_arena *arena = &making->hists->arena;
	struct pfx_hist_entry *entry = pfx_arena_new(arena, struct pfx_hist_entry);

	entry->id = (uint32_t)making->entries.nr;
	entry->parent = parent;
	entry->depth = parent ? parent->depth + 1 : 0;
	entry->is_leaf = is_leaf;
	entry->row = row;
	if (!is_leaf) {
		entry->row = pfx_arena_memdup(arena, row, sizeof(*row));
		entry->row->stat =
			pfx_arena_array(arena, struct pfx_row_stat, making->build->hist.nr_members);
		entry->row->parts = NULL;
		entry->row->nr_parts = 0;
		entry->row->first_leaf = 0;
	}
	pfx_vec_push(&making->entries, entry);
	if (parent)
		parent->nr_kids++;
	else
		making->build->hist.nr_top++;
	return entry;
}

static struct pfx_hist_entry *find_entry(struct making *making, struct pfx_hist_entry *parent,
					 struct pfx_row *row, size_t level)
{
	const struct pfx_columns *columns = making->hists->options.columns;
	const uint64_t words[2] = {
		parent ? parent->id + 1ull : 0,
		pfx_hist_key_word(making->hists, row, columns->levels.at[level])};
	uint32_t id = pfx_intern_add(&making->known, words, sizeof(words));

	if (id < making->entries.nr)
		return making->entries.at[id];
	return new_entry(making, parent, row, level + 1 == columns->levels.nr);
}

static void place_row(struct making *making, struct pfx_row *row)
{
	const struct pfx_columns *columns = making->hists->options.columns;
	struct pfx_hist_entry *entry = NULL;
	uint32_t m;
	size_t i;

	for (i = 0; i < columns->levels.nr; i++) {
		entry = find_entry(making, entry, row, i);
		for (m = 0; m < making->build->hist.nr_members && !entry->is_leaf; m++)
			add_stat(&entry->row->stat[m], &row->stat[m]);
	}
}

struct sorting {
	struct pfx_hists *hists;
	const struct pfx_hist_build *build;
};

/* A key of another level does not sort entries. */
static int compare_by(const struct sorting *sorting, const struct pfx_hist_entry *a,
		      const struct pfx_hist_entry *b, enum pfx_key key)
{
	if (pfx_key_is_value(key))
		return pfx_hist_compare_stats(sorting->hists, &sorting->build->hist, a->row->stat,
					      b->row->stat, key);
	return key == sorting->hists->options.columns->levels.at[a->depth]
		       ? pfx_hist_key_shown_order(sorting->hists, a->row, b->row, key)
		       : 0;
}

static int by_order(const void *x, const void *y, void *arg)
{
	const struct pfx_hist_entry *a = *(struct pfx_hist_entry *const *)x;
	const struct pfx_hist_entry *b = *(struct pfx_hist_entry *const *)y;
	const struct sorting *sorting = arg;
	const struct pfx_columns *columns = sorting->hists->options.columns;
	enum pfx_key first = sorting->hists->first_key;
	size_t i;
	int rc = first == PFX_KEY_NR ? 0 : compare_by(sorting, a, b, first);

	for (i = 0; i < columns->order.nr && !rc; i++)
		rc = compare_by(sorting, a, b, columns->order.at[i]);
	return rc ? rc : (a->id > b->id) - (a->id < b->id);
}

static void sort_entries(struct sorting *sorting, struct pfx_hist_entry **entries, uint32_t nr)
{
	uint32_t i;

	qsort_r(entries, nr, sizeof(*entries), by_order, sorting);
	for (i = 0; i < nr; i++)
		sort_entries(sorting, entries[i]->kids, entries[i]->nr_kids);
}

void pfx_hist_sort_hierarchy(struct pfx_hists *hists, struct pfx_hist_build *build)
{
	sort_entries(&(struct sorting){hists, build}, build->hist.top, build->hist.nr_top);
}

/* Put each entry into the list of its parent, or of the root. */
static void link_entries(struct making *making)
{
	struct pfx_arena *arena = &making->hists->arena;
	struct pfx_hist *hist = &making->build->hist;
	struct pfx_hist_entry *entry;
	uint32_t nr_top = 0;
	size_t i;

	hist->top = pfx_arena_array(arena, struct pfx_hist_entry *, hist->nr_top + 1);
	for (i = 0; i < making->entries.nr; i++) {
		entry = making->entries.at[i];
		entry->kids = pfx_arena_array(arena, struct pfx_hist_entry *, entry->nr_kids + 1);
		entry->nr_kids = 0;
		if (entry->parent)
			entry->parent->kids[entry->parent->nr_kids++] = entry;
		else
			hist->top[nr_top++] = entry;
	}
}

void pfx_hist_hierarchy(struct pfx_hists *hists, struct pfx_hist_build *build)
{
	struct making making = {.hists = hists, .build = build};
	uint32_t i;

	for (i = 0; i < build->hist.nr_rows; i++)
		place_row(&making, build->hist.rows[i]);
	link_entries(&making);
	pfx_hist_sort_hierarchy(hists, build);
	pfx_intern_fini(&making.known);
	pfx_vec_free(&making.entries);
}
