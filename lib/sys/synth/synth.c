/* SPDX-License-Identifier: MIT */
/*
 * Records that describe the recording itself: the requested threads and CPUs, the ids of events,
 * the conversion of timestamps. /proc is only read for names.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "sys/synth/synth_internal.h"
#include "sys/target/target.h"

#define COMM_SIZE     16
#define THREAD_ENTRY  24
#define THREADS_MAX   2700 /* entries of THREAD_MAP that fit into a record */
#define ID_WORDS      4
#define IDS_MAX       2040 /* entries of ID_INDEX that fit into a record */
#define CPU_ANY       0xffff
#define CPU_MAP_LIMIT 65535 /* CPUs are 16-bit numbers in the record */

/* Instead of device and inode. */
static void put_build_id(const struct pfx_synth_options *options, struct pfx_body *body)
{
	struct pfx_mmap *map = &body->mmap;

	map->build_id_size = options->build_id(options->build_id_context, map, map->build_id);
	if (!map->build_id_size)
		return;
	body->type = PFX_RECORD_MMAP2;
	body->misc |= PFX_MISC_MMAP_BUILD_ID;
}

void pfx_synth_put(const struct pfx_synth_options *options, struct pfx_body *body,
		   struct pfx_buffer *to)
{
	bool is_map = body->type == PFX_RECORD_MMAP || body->type == PFX_RECORD_MMAP2;

	if (is_map && options->build_id)
		put_build_id(options, body);
	pfx_record_encode(body, options->attr, to);
}

static void put_thread(const char *root, int32_t tid, uint8_t *entry)
{
	char path[PFX_PROC_PATH_MAX], comm[64];
	uint64_t id = (uint64_t)(int64_t)tid;

	memset(entry, 0, THREAD_ENTRY);
	memcpy(entry, &id, sizeof(id));
	snprintf(path, sizeof(path), "%s/proc/%d/comm", root ? root : "", tid);
	if (tid >= 0 && !pfx_read_line(path, comm, sizeof(comm)))
		memcpy(entry + 8, comm, strnlen(comm, COMM_SIZE - 1));
}

void pfx_synth_thread_map(const char *root, const int32_t *tids, size_t nr, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_THREAD_MAP};
	size_t i, part, done = 0;
	uint8_t *entries = pfx_calloc(nr < THREADS_MAX ? nr + 1 : THREADS_MAX, THREAD_ENTRY);

	do {
		part = nr - done < THREADS_MAX ? nr - done : THREADS_MAX;
		for (i = 0; i < part; i++)
			put_thread(root, tids[done + i], entries + i * THREAD_ENTRY);
		body.thread_map.nr = part;
		body.thread_map.entries = (struct pfx_bytes){entries, part * THREAD_ENTRY};
		pfx_record_encode(&body, NULL, to);
		done += part;
	} while (done < nr);
	free(entries);
}

/* The map as a list or as a mask, whichever is shorter; *@storage is its memory. */
static void fill_cpus(const struct pfx_list *cpus, struct pfx_cpu_map *map, void **storage)
{
	size_t words = (size_t)cpus->at[cpus->nr - 1] / 64 + 1, i;
	uint64_t *mask;
	uint16_t *list;

	if (8 * words < 2 * cpus->nr) {
		mask = *storage = pfx_calloc(words, 8);
		for (i = 0; i < cpus->nr; i++)
			mask[cpus->at[i] / 64] |= 1ull << (cpus->at[i] % 64);
		map->type = PFX_CPU_MAP_MASK;
		map->nr = (uint16_t)words;
		map->long_size = 8;
		map->entries = (struct pfx_bytes){*storage, 8 * words};
		return;
	}
	list = *storage = pfx_calloc(cpus->nr, 2);
	for (i = 0; i < cpus->nr; i++)
		list[i] = (uint16_t)cpus->at[i];
	map->type = PFX_CPU_MAP_CPUS;
	map->nr = (uint16_t)cpus->nr;
	map->entries = (struct pfx_bytes){*storage, 2 * cpus->nr};
}

static void *make_cpu_map(const struct pfx_list *cpus, struct pfx_cpu_map *map)
{
	static const uint16_t any = CPU_ANY;
	void *storage = NULL;
	int first, last;

	*map = (struct pfx_cpu_map){.type = PFX_CPU_MAP_CPUS};
	if (!cpus || !cpus->nr || cpus->at[cpus->nr - 1] >= CPU_MAP_LIMIT) {
		map->nr = 1;
		map->entries = (struct pfx_bytes){(const uint8_t *)&any, 2};
		return NULL;
	}
	first = cpus->at[0];
	last = cpus->at[cpus->nr - 1];
	if (last - first + 1 == (int)cpus->nr) {
		map->type = PFX_CPU_MAP_RANGE;
		map->start = (uint16_t)first;
		map->end = (uint16_t)last;
		return NULL;
	}
	fill_cpus(cpus, map, &storage);
	return storage;
}

void pfx_synth_cpu_map(const struct pfx_list *cpus, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_CPU_MAP};
	void *storage = make_cpu_map(cpus, &body.cpu_map);

	pfx_record_encode(&body, NULL, to);
	free(storage);
}

void pfx_synth_target(const struct pfx_target *target, struct pfx_buffer *to)
{
	size_t nr = target->threads.nr, i;
	int32_t *tids = pfx_calloc(nr + 1, sizeof(*tids));

	tids[0] = -1;
	for (i = 0; i < nr; i++)
		tids[i] = target->threads.at[i].tid;
	pfx_synth_thread_map(NULL, tids, nr ? nr : 1, to);
	pfx_synth_cpu_map(target->per_thread ? NULL : &target->cpus, to);
	free(tids);
}

void pfx_synth_id_index(const struct pfx_synth_id *ids, size_t nr, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_ID_INDEX};
	size_t i, part, done = 0;
	uint64_t *words = pfx_calloc(IDS_MAX * ID_WORDS, sizeof(*words));

	while (done < nr) {
		part = nr - done < IDS_MAX ? nr - done : IDS_MAX;
		for (i = 0; i < part; i++) {
			words[ID_WORDS * i] = ids[done + i].id;
			words[ID_WORDS * i + 1] = ids[done + i].idx;
			words[ID_WORDS * i + 2] = (uint64_t)ids[done + i].cpu;
			words[ID_WORDS * i + 3] = (uint64_t)ids[done + i].tid;
		}
		body.id_index.nr = part;
		body.id_index.entries =
			(struct pfx_words){(const uint8_t *)words, part * ID_WORDS, false};
		pfx_record_encode(&body, NULL, to);
		done += part;
	}
	free(words);
}

void pfx_synth_event_update(const struct pfx_event *event, const struct pfx_list *own_cpus,
			    bool with_name, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_EVENT_UPDATE};
	struct pfx_event_update *update = &body.event_update;
	void *storage;

	update->id = event->nr_ids ? event->ids[0] : 0;
	if (event->unit && event->unit[0]) {
		update->type = PFX_UPDATE_UNIT;
		update->text = event->unit;
		pfx_record_encode(&body, NULL, to);
	}
	if (event->scale != 1.0 && event->scale != 0.0) {
		update->type = PFX_UPDATE_SCALE;
		update->scale = event->scale;
		pfx_record_encode(&body, NULL, to);
	}
	if (own_cpus && own_cpus->nr) {
		update->type = PFX_UPDATE_CPUS;
		storage = make_cpu_map(own_cpus, &update->cpus);
		pfx_record_encode(&body, NULL, to);
		free(storage);
	}
	if (with_name && event->name) {
		update->type = PFX_UPDATE_NAME;
		update->text = event->name;
		pfx_record_encode(&body, NULL, to);
	}
}

/* The kernel increments `lock` before and after it changes the page: equal values mean a consistent
 * read. */
static void read_conversion(const volatile struct perf_event_mmap_page *page,
			    struct pfx_time_conv *ret)
{
	uint32_t seq;

	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		ret->time_shift = page->time_shift;
		ret->time_mult = page->time_mult;
		ret->time_zero = page->time_zero;
		ret->time_cycles = page->time_cycles;
		ret->time_mask = page->time_mask;
		ret->cap_user_time_zero = page->cap_user_time_zero;
		ret->cap_user_time_short = page->cap_user_time_short;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq & 1 || page->lock != seq);
}

bool pfx_synth_clock(const void *mmap_page, struct pfx_time_conv *ret)
{
	read_conversion(mmap_page, ret);
	return ret->cap_user_time_zero;
}

void pfx_synth_time_conv(const void *mmap_page, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_TIME_CONV};

	if (!mmap_page)
		return;
	read_conversion(mmap_page, &body.time_conv);
	if (!body.time_conv.cap_user_time_zero)
		return;
	body.time_conv.is_long = true;
	pfx_record_encode(&body, NULL, to);
}
