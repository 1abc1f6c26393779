/* SPDX-License-Identifier: MIT */
/*
 * Resolves pages with samples to binaries: at the end of a recording, and from time to time in a
 * long one, so that ended processes take no memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "record/sink/tally_internal.h"

static int compare_maps(const void *left, const void *right)
{
	const struct pfx_tally_map *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* The index of the first map of the process, or where it would be inserted. */
static size_t first_map(const struct pfx_tally *tally, uint32_t pid)
{
	return pfx_bisect(i, tally->maps.nr, tally->maps.at[i].pid < pid);
}

/* Mark all dsos that the process ever mapped at the page; false if there is none. */
static bool mark(struct pfx_tally *tally, uint32_t pid, uint64_t start)
{
	uint64_t end = start + (1ull << PAGE_SHIFT);
	bool found = false;
	size_t i;

	for (i = first_map(tally, pid); i < tally->maps.nr; i++) {
		const struct pfx_tally_map *map = &tally->maps.at[i];

		if (map->pid != pid || map->start >= end)
			break;
		if (map->end > start) {
			tally->dsos.at[map->dso].hit = true;
			found = true;
		}
	}
	return found;
}

/* The page is in no map: mark it as JIT code of the process or of the ancestor that has such
 * code. */
static void mark_maker(struct pfx_tally *tally, uint32_t pid)
{
	uint64_t *maker = NULL, *parent;
	int depth;

	for (depth = 0; depth < FORKS_LIMIT && tally->makers.nr; depth++) {
		maker = pfx_hash_get(&tally->makers, pid);
		parent = maker ? NULL : pfx_hash_get(&tally->parents, pid);
		if (!parent)
			break;
		pid = (uint32_t)*parent;
	}
	if (maker)
		*maker |= PFX_TALLY_MAKER_HIT;
}

static bool resolve(struct pfx_tally *tally, uint64_t key)
{
	uint32_t own = (uint32_t)(key >> PAGE_BITS), pid = own;
	uint64_t start = (key & PAGE_MASK) << PAGE_SHIFT;
	uint64_t *parent;
	int depth;

	if (pid == KERNEL_PID && start >> (PAGE_BITS + PAGE_SHIFT - 1) & 1)
		start |= ~(PAGE_MASK << PAGE_SHIFT) & ~((1ull << PAGE_SHIFT) - 1);
	for (depth = 0; depth < FORKS_LIMIT; depth++) {
		if (mark(tally, pid, start))
			return true;
		parent = pfx_hash_get(&tally->parents, pid);
		if (!parent || pid == KERNEL_PID)
			break;
		pid = (uint32_t)*parent;
	}
	mark_maker(tally, own);
	return false;
}

static void sort_maps(struct pfx_tally *tally)
{
	if (!tally->is_sorted && tally->maps.nr)
		qsort(tally->maps.at, tally->maps.nr, sizeof(*tally->maps.at), compare_maps);
	tally->is_sorted = true;
}

void pfx_tally_hits(struct pfx_tally *tally)
{
	size_t i;

	sort_maps(tally);
	for (i = 0; i < tally->pages.cap; i++)
		if (tally->pages.used[i])
			resolve(tally, tally->pages.slots[i].key);
}

/* --- forgetting --- */

/* Find processes that ended long ago and whose maps no child needs. Records of several ring buffers
 * are not in order: processes that ended since the last trim are kept. */
static void find_gone(const struct pfx_tally *tally, struct pfx_hash *gone)
{
	const struct pfx_hash *dead = &tally->dead, *parents = &tally->parents;
	uint64_t *parent;
	size_t i;
	int depth;

	for (i = 0; i < dead->cap; i++)
		if (dead->used[i] && dead->slots[i].value < tally->nr_trims)
			pfx_hash_add(gone, dead->slots[i].key, NULL);
	for (i = 0; i < parents->cap; i++) {
		if (!parents->used[i] || pfx_hash_get(gone, parents->slots[i].key))
			continue;
		parent = &parents->slots[i].value;
		for (depth = 0; parent && depth < FORKS_LIMIT; depth++) {
			pfx_hash_remove(gone, *parent);
			parent = pfx_hash_get(parents, *parent);
		}
	}
}

/* Pages without a known map are kept: the map's record may follow. */
static void look_at_pages(struct pfx_tally *tally, const struct pfx_hash *gone)
{
	struct pfx_hash open = {0};
	size_t i;

	for (i = 0; i < tally->pages.cap; i++) {
		uint64_t key = tally->pages.used[i] ? tally->pages.slots[i].key : 0;

		if (key && !resolve(tally, key) && !pfx_hash_get(gone, key >> PAGE_BITS))
			pfx_hash_add(&open, key, NULL);
	}
	pfx_hash_fini(&tally->pages);
	tally->pages = open;
	memset(tally->seen, 0, sizeof(tally->seen));
}

static void drop_maps(struct pfx_tally *tally, const struct pfx_hash *gone)
{
	size_t i, nr = 0;

	for (i = 0; i < tally->maps.nr; i++) {
		const struct pfx_tally_map *map = &tally->maps.at[i];
		const struct pfx_tally_map *last = nr ? &tally->maps.at[nr - 1] : NULL;

		if (pfx_hash_get(gone, map->pid))
			continue;
		if (last && compare_maps(last, map) == 0 && last->dso == map->dso)
			continue;
		tally->maps.at[nr++] = *map;
	}
	tally->maps.nr = nr;
}

static void drop_processes(struct pfx_tally *tally, const struct pfx_hash *gone)
{
	size_t i;

	for (i = 0; i < gone->cap; i++) {
		if (!gone->used[i])
			continue;
		pfx_hash_remove(&tally->parents, gone->slots[i].key);
		pfx_hash_remove(&tally->dead, gone->slots[i].key);
	}
}

void pfx_tally_trim(struct pfx_tally *tally)
{
	struct pfx_hash gone = {0};
	size_t left;

	sort_maps(tally);
	find_gone(tally, &gone);
	look_at_pages(tally, &gone);
	drop_maps(tally, &gone);
	drop_processes(tally, &gone);
	pfx_hash_fini(&gone);
	tally->nr_trims++;
	left = tally->maps.nr + tally->pages.nr + tally->parents.nr;
	tally->most = 2 * left > PFX_TALLY_MOST ? 2 * left : PFX_TALLY_MOST;
}
