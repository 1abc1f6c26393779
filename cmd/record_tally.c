/* SPDX-License-Identifier: MIT */
/*
 * The cheap look at each record on its way from the ring to the file. A sample costs a few loads,
 * and for the binaries that were hit one look into a small table of pages met lately; nothing is
 * allocated unless a page, map or process is new. Addresses become binaries at the end, from the
 * distinct pages only.
 *
 * A page is attributed to every map of its process (or of those it was forked from) that ever
 * covered it: when maps change, a binary too many may be named, never one too few.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/record_tally.h"

/* A page as one word: process above, page number below. Kernel pages belong to KERNEL_PID. */
#define PAGE_SHIFT  12
#define PAGE_BITS   42
#define PAGE_MASK   ((1ull << PAGE_BITS) - 1)
#define KERNEL_PID  0x3fffffu
#define FORKS_LIMIT 64 /* generations to look for a map */

struct view {
	const uint8_t *data;
	uint64_t mask;
	uint64_t at, end; /* of the record */
};

/* Words never wrap: records are aligned to 8 bytes, and so is the ring's size. */
static uint64_t word(const struct view *v, uint64_t index)
{
	uint64_t value;

	memcpy(&value, v->data + ((v->at + 8 * (index + 1)) & v->mask), sizeof(value));
	return value;
}

/* One of the two 32-bit fields of a word: 0 is the one that comes first in memory. */
static uint32_t half(const struct view *v, uint64_t index, unsigned which)
{
	uint32_t value;

	memcpy(&value, v->data + ((v->at + 8 * (index + 1)) & v->mask) + 4 * which, sizeof(value));
	return value;
}

static uint64_t nr_words(const struct view *v)
{
	return (v->end - v->at) / 8 - 1;
}

static void layout_of(const struct pfx_attr *attr, struct pfx_tally_layout *ret)
{
	/* The order of the fields in a SAMPLE, as far as each is one word. */
	static const uint64_t order[] = {
		PFX_SAMPLE_IDENTIFIER, PFX_SAMPLE_IP,   PFX_SAMPLE_TID,
		PFX_SAMPLE_TIME,       PFX_SAMPLE_ADDR, PFX_SAMPLE_ID,
		PFX_SAMPLE_STREAM_ID,  PFX_SAMPLE_CPU,  PFX_SAMPLE_PERIOD,
	};
	int at = 0;
	size_t i;

	ret->ip = ret->tid = ret->time = ret->chain = -1;
	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(attr->sample_type & order[i]))
			continue;
		if (order[i] == PFX_SAMPLE_IP)
			ret->ip = at;
		else if (order[i] == PFX_SAMPLE_TID)
			ret->tid = at;
		else if (order[i] == PFX_SAMPLE_TIME)
			ret->time = at;
		at++;
	}
	/* Counter values in front of the chain have no fixed length. */
	if (attr->sample_type & PFX_SAMPLE_CALLCHAIN && !(attr->sample_type & PFX_SAMPLE_READ))
		ret->chain = at;
}

static bool can_sample(const struct pfx_attr *attr)
{
	return attr->type != PFX_TYPE_SOFTWARE || attr->config != PFX_SW_DUMMY;
}

static void find_uniform(struct pfx_tally *tally)
{
	bool has_first = false;
	uint32_t i;

	tally->is_uniform = true;
	for (i = 0; i < tally->meta->nr_events; i++) {
		if (!can_sample(&tally->meta->events[i]->attr))
			continue;
		if (!has_first) {
			tally->uniform = i;
			has_first = true;
		} else if (memcmp(&tally->layouts[i], &tally->layouts[tally->uniform],
				  sizeof(tally->layouts[i]))) {
			tally->is_uniform = false;
		}
	}
}

void pfx_tally_init(struct pfx_tally *tally, const struct pfx_meta *meta, bool wants_hits)
{
	uint32_t i;

	memset(tally, 0, sizeof(*tally));
	tally->first_ns = PFX_NO_TIME;
	tally->meta = meta;
	tally->wants_hits = wants_hits;
	tally->layouts = pfx_calloc(meta->nr_events + 1, sizeof(*tally->layouts));
	for (i = 0; i < meta->nr_events; i++)
		layout_of(&meta->events[i]->attr, &tally->layouts[i]);
	find_uniform(tally);
}

static void meet_new_page(struct pfx_tally *tally, uint64_t key)
{
	pfx_hash_add(&tally->pages, key, NULL);
}

static inline void meet(struct pfx_tally *tally, uint32_t pid, uint64_t ip)
{
	uint64_t key = (uint64_t)pid << PAGE_BITS | (ip >> PAGE_SHIFT & PAGE_MASK);
	uint64_t *slot = &tally->seen[(key ^ key >> PAGE_BITS) & (PFX_TALLY_SEEN - 1)];

	if (*slot == key)
		return;
	*slot = key;
	meet_new_page(tally, key);
}

static void meet_chain(struct pfx_tally *tally, const struct view *v, uint64_t at, uint32_t pid)
{
	uint64_t nr = word(v, at);
	uint64_t room = nr_words(v) - at - 1;
	uint64_t i, ip;
	uint32_t owner = pid;

	for (i = 0; i < nr && i < room; i++) {
		ip = word(v, at + 1 + i);
		if (ip >= PFX_CONTEXT_MAX)
			owner = ip == PFX_CONTEXT_USER || ip == PFX_CONTEXT_USER_DEFERRED
					? pid
					: KERNEL_PID;
		else
			meet(tally, owner, ip);
	}
}

static const struct pfx_tally_layout *layout_for(struct pfx_tally *tally, const struct view *v)
{
	const struct pfx_event *event = NULL;

	if (tally->is_uniform)
		return &tally->layouts[tally->uniform];
	if (tally->meta->id_pos >= 0 && (uint64_t)tally->meta->id_pos < nr_words(v))
		event = pfx_meta_find_id(tally->meta, word(v, (uint64_t)tally->meta->id_pos));
	return event ? &tally->layouts[event->idx] : NULL;
}

static void take_sample(struct pfx_tally *tally, const struct view *v, uint16_t misc)
{
	const struct pfx_tally_layout *layout = layout_for(tally, v);
	int64_t nr = (int64_t)nr_words(v);
	unsigned mode = misc & PFX_MISC_CPUMODE_MASK;
	uint64_t time;
	uint32_t pid;

	tally->nr_samples++;
	if (!layout)
		return;
	if (layout->time >= 0 && layout->time < nr) {
		time = word(v, (uint64_t)layout->time);
		if (time < tally->first_ns)
			tally->first_ns = time;
		if (time > tally->last_ns)
			tally->last_ns = time;
	}
	if (!tally->wants_hits || layout->tid < 0 || layout->tid >= nr)
		return;
	pid = half(v, (uint64_t)layout->tid, 0);
	if (layout->ip >= 0)
		meet(tally, mode == PFX_MODE_KERNEL ? KERNEL_PID : pid,
		     word(v, (uint64_t)layout->ip));
	if (layout->chain >= 0 && layout->chain < nr)
		meet_chain(tally, v, (uint64_t)layout->chain, pid);
}

/* The record as plain bytes: in place, or put together in scratch memory where it wraps. */
static const uint8_t *flat(struct pfx_tally *tally, const struct view *v)
{
	uint64_t start = v->at & v->mask, size = v->end - v->at;
	uint64_t first = v->mask - start + 1;

	if (v->mask == UINT64_MAX || size <= first)
		return v->data + start;
	pfx_buffer_clear(&tally->scratch);
	pfx_buffer_bytes(&tally->scratch, v->data + start, first);
	pfx_buffer_bytes(&tally->scratch, v->data, size - first);
	return tally->scratch.at;
}

static uint32_t dso_of(struct pfx_tally *tally, const struct pfx_mmap *map, uint16_t cpumode)
{
	uint32_t name = pfx_intern_str(&tally->names, map->filename);
	bool is_new;
	uint64_t *index = pfx_hash_add(&tally->dso_by_name, name, &is_new);
	struct pfx_tally_dso *dso;

	if (!is_new)
		return (uint32_t)*index;
	*index = tally->dsos.nr;
	dso = pfx_vec_add(&tally->dsos);
	memset(dso, 0, sizeof(*dso));
	dso->name = name;
	dso->cpumode = cpumode;
	dso->pid = map->pid;
	dso->build_id_size = map->build_id_size;
	memcpy(dso->build_id, map->build_id, sizeof(dso->build_id));
	return (uint32_t)(tally->dsos.nr - 1);
}

static bool decode(struct pfx_tally *tally, const struct view *v, struct pfx_body *ret)
{
	struct pfx_record rec;

	pfx_record_init(&rec, flat(tally, v), false, 0);
	return pfx_record_decode(&rec, NULL, ret, NULL) >= 0;
}

static void take_map(struct pfx_tally *tally, const struct view *v)
{
	struct pfx_tally_map *map;
	struct pfx_body body;
	uint16_t mode;
	uint32_t dso;

	if (!decode(tally, v, &body) || body.misc & PFX_MISC_MMAP_DATA)
		return;
	mode = body.misc & PFX_MISC_CPUMODE_MASK;
	dso = dso_of(tally, &body.mmap, mode);
	map = pfx_vec_add(&tally->maps);
	map->pid = mode == PFX_MODE_KERNEL ? KERNEL_PID : body.mmap.pid;
	map->dso = dso;
	map->start = body.mmap.addr;
	map->end = body.mmap.addr + body.mmap.len;
	tally->is_sorted = false;
}

static void take_fork(struct pfx_tally *tally, const struct view *v)
{
	uint32_t pid = half(v, 0, 0), parent = half(v, 0, 1);

	if (nr_words(v) >= 2 && pid != parent)
		*pfx_hash_add(&tally->parents, pid, NULL) = parent;
}

static void take_record(struct pfx_tally *tally, const struct view *v, uint32_t type, uint16_t misc)
{
	switch (type) {
	case PFX_RECORD_SAMPLE:
		take_sample(tally, v, misc);
		break;
	case PFX_RECORD_LOST:
		if (nr_words(v) >= 2)
			tally->nr_lost += word(v, 1);
		break;
	case PFX_RECORD_LOST_SAMPLES:
		if (nr_words(v) >= 1)
			tally->nr_lost += word(v, 0);
		break;
	case PFX_RECORD_THROTTLE:
		tally->nr_throttled++;
		break;
	case PFX_RECORD_MMAP:
	case PFX_RECORD_MMAP2:
		if (tally->wants_hits)
			take_map(tally, v);
		break;
	case PFX_RECORD_FORK:
		if (tally->wants_hits)
			take_fork(tally, v);
		break;
	default:
		break;
	}
}

void pfx_tally_take(struct pfx_tally *tally, const uint8_t *data, uint64_t mask, uint64_t from,
		    uint64_t to)
{
	struct view v = {.data = data, .mask = mask, .at = from};
	struct {
		uint32_t type;
		uint16_t misc, size;
	} header;

	while (to - v.at >= sizeof(header)) {
		memcpy(&header, data + (v.at & mask), sizeof(header));
		if (header.size < 8 || header.size % 8 || header.size > to - v.at)
			break;
		v.end = v.at + header.size;
		take_record(tally, &v, header.type, header.misc);
		v.at = v.end;
	}
	tally->nr_bad += v.at != to;
}

static int compare_maps(const void *left, const void *right)
{
	const struct pfx_tally_map *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* The first map of the process, or where it would be. */
static size_t first_map(const struct pfx_tally *tally, uint32_t pid)
{
	size_t low = 0, high = tally->maps.nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (tally->maps.at[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Mark all dsos that the process ever had at the page; false when there is none. */
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

static void resolve(struct pfx_tally *tally, uint64_t key)
{
	uint32_t pid = (uint32_t)(key >> PAGE_BITS);
	uint64_t start = (key & PAGE_MASK) << PAGE_SHIFT;
	uint64_t *parent;
	int depth;

	if (pid == KERNEL_PID && start >> (PAGE_BITS + PAGE_SHIFT - 1) & 1)
		start |= ~(PAGE_MASK << PAGE_SHIFT) & ~((1ull << PAGE_SHIFT) - 1);
	for (depth = 0; depth < FORKS_LIMIT; depth++) {
		if (mark(tally, pid, start))
			return;
		parent = pfx_hash_get(&tally->parents, pid);
		if (!parent || pid == KERNEL_PID)
			return;
		pid = (uint32_t)*parent;
	}
}

void pfx_tally_hits(struct pfx_tally *tally)
{
	size_t i;

	if (!tally->is_sorted && tally->maps.nr)
		qsort(tally->maps.at, tally->maps.nr, sizeof(*tally->maps.at), compare_maps);
	tally->is_sorted = true;
	for (i = 0; i < tally->pages.cap; i++)
		if (tally->pages.used[i])
			resolve(tally, tally->pages.slots[i].key);
}

void pfx_tally_fini(struct pfx_tally *tally)
{
	free(tally->layouts);
	pfx_hash_fini(&tally->pages);
	pfx_intern_fini(&tally->names);
	pfx_hash_fini(&tally->dso_by_name);
	pfx_vec_free(&tally->dsos);
	pfx_vec_free(&tally->maps);
	pfx_hash_fini(&tally->parents);
	pfx_buffer_fini(&tally->scratch);
	memset(tally, 0, sizeof(*tally));
}
