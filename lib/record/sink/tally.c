/* SPDX-License-Identifier: MIT */
/*
 * Inspects each record between the ring buffer and the file. A sample costs a few loads, and for
 * its addresses one lookup in a small cache of recent pages; memory is only allocated for a new
 * page, map or process. Pages are resolved to binaries at the end.
 *
 * A page is attributed to every map of its process (or of its ancestors) that ever covered it: when
 * maps change, there may be a binary too many, never one too few.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "record/sink/mapped_file.h"
#include "record/sink/tally_internal.h"
#include "session/session.h"

struct view {
	const uint8_t *data;
	uint64_t mask;
	uint64_t at, end; /* position of the record in the ring buffer */
};

/* Words never wrap: records are aligned to 8 bytes, and so is the ring buffer's size. */
static uint64_t word(const struct view *v, uint64_t index)
{
	uint64_t value;

	memcpy(&value, v->data + ((v->at + 8 * (index + 1)) & v->mask), sizeof(value));
	return value;
}

/* One of the two 32-bit fields of a word: 0 is the first in memory. */
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
	/* The order of the fields in a SAMPLE that are one word each. */
	static const uint64_t order[] = {
		PFX_SAMPLE_IDENTIFIER, PFX_SAMPLE_IP,   PFX_SAMPLE_TID,
		PFX_SAMPLE_TIME,       PFX_SAMPLE_ADDR, PFX_SAMPLE_ID,
		PFX_SAMPLE_STREAM_ID,  PFX_SAMPLE_CPU,  PFX_SAMPLE_PERIOD,
	};
	int at = 0;
	size_t i;

	ret->ip = ret->tid = ret->time = ret->addr = ret->chain = -1;
	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(attr->sample_type & order[i]))
			continue;
		if (order[i] == PFX_SAMPLE_IP)
			ret->ip = at;
		else if (order[i] == PFX_SAMPLE_TID)
			ret->tid = at;
		else if (order[i] == PFX_SAMPLE_TIME)
			ret->time = at;
		else if (order[i] == PFX_SAMPLE_ADDR)
			ret->addr = at;
		at++;
	}
	ret->has_trailer_tid = attr->flags & PFX_ATTR_SAMPLE_ID_ALL && ret->tid >= 0;
	/* Counter values before the chain have a variable length. */
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

static uint64_t mount_ns_of(const char *process)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	return stat(path, &st) < 0 ? 0 : st.st_ino;
}

void pfx_tally_init(struct pfx_tally *tally, const struct pfx_meta *meta, bool wants_hits)
{
	uint32_t i;

	memset(tally, 0, sizeof(*tally));
	tally->first_ns = PFX_NO_TIME;
	tally->meta = meta;
	tally->wants_hits = wants_hits;
	tally->most = PFX_TALLY_MOST;
	tally->mount_ns = mount_ns_of("self");
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
	uint64_t i, ip, user = 0; /* index of the first user-space frame; 0: none */
	uint32_t owner = pid;

	for (i = 0; i < nr && i < room; i++) {
		ip = word(v, at + 1 + i);
		if (ip >= PFX_CONTEXT_MAX) {
			owner = ip == PFX_CONTEXT_USER || ip == PFX_CONTEXT_USER_DEFERRED
					? pid
					: KERNEL_PID;
			user = ip == PFX_CONTEXT_USER ? i + 1 : 0;
		} else {
			meet(tally, owner, ip);
		}
	}
	tally->nr_user_chains += user && i > user;
	tally->nr_lone_chains += user && i == user + 1;
}

/* Data: kernel addresses have the highest bit set. */
static void meet_data(struct pfx_tally *tally, uint64_t addr, uint32_t pid)
{
	if (addr)
		meet(tally, addr >> 63 ? KERNEL_PID : pid, addr);
}

/* @id_at: index of the word with the event's id; negative: none. */
static const struct pfx_tally_layout *layout_for(struct pfx_tally *tally, const struct view *v,
						 int64_t id_at)
{
	const struct pfx_event *event = NULL;

	if (tally->is_uniform)
		return &tally->layouts[tally->uniform];
	if (id_at >= 0 && (uint64_t)id_at < nr_words(v))
		event = pfx_meta_find_id(tally->meta, word(v, (uint64_t)id_at));
	return event ? &tally->layouts[event->idx] : NULL;
}

static void take_sample(struct pfx_tally *tally, const struct view *v, uint16_t misc)
{
	const struct pfx_tally_layout *layout = layout_for(tally, v, tally->meta->id_pos);
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
	if (layout->addr >= 0 && layout->addr < nr)
		meet_data(tally, word(v, (uint64_t)layout->addr), pid);
	if (layout->chain >= 0 && layout->chain < nr)
		meet_chain(tally, v, (uint64_t)layout->chain, pid);
}

/* CALLCHAIN_DEFERRED: cookie, nr, ips[nr], and the trailer, which begins with the process. */
static void take_late_frames(struct pfx_tally *tally, const struct view *v)
{
	int id_from_end = tally->meta->is_pos;
	const struct pfx_tally_layout *layout;
	uint64_t nr_ips, nr = nr_words(v);

	layout = layout_for(tally, v, id_from_end < 0 ? -1 : (int64_t)nr - id_from_end);
	if (nr < 3 || !layout || !layout->has_trailer_tid)
		return;
	nr_ips = word(v, 1);
	if (nr_ips <= nr - 3)
		meet_chain(tally, v, 1, half(v, 2 + nr_ips, 0));
}

/* The record as contiguous bytes: in place, or copied to scratch memory if it wraps. */
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

/* A file of a container may be unreachable when the recording ends, and its path may name another
 * file here: keep it open from now on. If the process is already gone, the next one that maps the
 * file is tried. */
static void hold_file(struct pfx_tally *tally, struct pfx_tally_dso *dso,
		      const struct pfx_mmap *map)
{
	char process[16];
	uint64_t ns;

	snprintf(process, sizeof(process), "%u", map->pid);
	ns = mount_ns_of(process);
	dso->is_placed = ns && ns == tally->mount_ns;
	if (!ns || dso->is_placed || tally->nr_fds >= PFX_TALLY_FDS)
		return;
	dso->fd = pfx_mapped_file_open_inside(map->pid, map->filename, map->ino);
	dso->is_placed = dso->fd >= 0;
	tally->nr_fds += dso->is_placed;
}

static uint32_t dso_of(struct pfx_tally *tally, const struct pfx_mmap *map, uint16_t cpumode)
{
	uint32_t name = pfx_intern_str(&tally->names, map->filename);
	bool is_new;
	uint64_t *index = pfx_hash_add(&tally->dso_by_name, name, &is_new);
	struct pfx_tally_dso *dso;

	if (!is_new) {
		dso = &tally->dsos.at[*index];
		dso->has_others |= dso->ino && map->ino && dso->ino != map->ino;
		if (!dso->is_placed && map->pid != dso->pid && map->ino == dso->ino)
			hold_file(tally, dso, map);
		return (uint32_t)*index;
	}
	*index = tally->dsos.nr;
	dso = pfx_vec_add(&tally->dsos);
	memset(dso, 0, sizeof(*dso));
	dso->name = name;
	dso->cpumode = cpumode;
	dso->pid = map->pid;
	dso->start = map->addr;
	dso->end = map->addr + map->len;
	dso->ino = map->build_id_size ? 0 : map->ino;
	dso->fd = -1;
	dso->is_placed = cpumode != PFX_MODE_USER || map->filename[0] != '/' ||
			 map->filename[1] == '/' || map->build_id_size;
	if (!dso->is_placed)
		hold_file(tally, dso, map);
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

/* The files of a process in a container disappear with it, and are needed at the end. */
static void hold_view(struct pfx_tally *tally, uint32_t pid)
{
	struct pfx_tally_view held = {.pid = pid};
	char process[16];

	snprintf(process, sizeof(process), "%u", pid);
	if (tally->nr_fds >= PFX_TALLY_FDS || !pfx_jit_view_of((int32_t)pid, &held.view))
		return;
	if (held.view.pid == (int32_t)pid && mount_ns_of(process) == tally->mount_ns)
		return;
	held.fd = pfx_find_inside(held.view.root, held.view.tmp, O_DIRECTORY);
	if (held.fd < 0)
		return;
	snprintf(held.view.root, sizeof(held.view.root), "/proc/self/fd/%d", held.fd);
	held.view.tmp = "";
	tally->nr_fds++;
	pfx_vec_push(&tally->views, held);
}

/* The process has JIT code: @dump is the dso of its jitdump plus 1, 0 unknown. */
static void add_maker(struct pfx_tally *tally, uint32_t pid, uint64_t dump)
{
	uint64_t *maker = pfx_hash_get(&tally->makers, pid);

	if (!maker && tally->makers.nr < PFX_TALLY_MAKERS_MAX) {
		maker = pfx_hash_add(&tally->makers, pid, NULL);
		hold_view(tally, pid);
	}
	if (maker && dump)
		*maker = (*maker & PFX_TALLY_MAKER_HIT) | dump << PFX_TALLY_MAKER_SHIFT;
}

/* Anonymous memory; programs with JIT code have very many such maps. */
static bool is_own_memory(const char *name)
{
	static const char *const starts[] = {"//", "[anon:", "/anon_hugepage", "/dev/zero",
					     "/memfd:doublemapper"};
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	return !*name || strcmp(name, "[heap]") == 0;
}

static void take_map(struct pfx_tally *tally, const struct view *v)
{
	struct pfx_tally_map *map;
	struct pfx_body body;
	uint16_t mode;
	uint32_t dso;

	if (!decode(tally, v, &body) || body.misc & PFX_MISC_MMAP_DATA)
		return;
	if (is_own_memory(body.mmap.filename)) {
		add_maker(tally, body.mmap.pid, 0);
		return;
	}
	mode = body.misc & PFX_MISC_CPUMODE_MASK;
	dso = dso_of(tally, &body.mmap, mode);
	if (pfx_session_is_jitdump(body.mmap.filename))
		add_maker(tally, body.mmap.pid, dso + 1ull);
	map = pfx_vec_add(&tally->maps);
	map->pid = mode == PFX_MODE_KERNEL ? KERNEL_PID : body.mmap.pid;
	map->dso = dso;
	map->start = body.mmap.addr;
	map->end = body.mmap.addr + body.mmap.len;
	tally->is_sorted = false;
}

static void take_fork(struct pfx_tally *tally, const struct view *v)
{
	uint32_t pid, parent;

	if (nr_words(v) < 2)
		return;
	pid = half(v, 0, 0);
	parent = half(v, 0, 1);
	if (pid == parent)
		return;
	*pfx_hash_add(&tally->parents, pid, NULL) = parent;
	pfx_hash_remove(&tally->dead, pid);
}

/* Only the exit of the first thread ends the process here. Other threads may continue for a
 * while. */
static void take_exit(struct pfx_tally *tally, const struct view *v)
{
	if (nr_words(v) >= 2 && half(v, 0, 0) == half(v, 1, 0))
		*pfx_hash_add(&tally->dead, half(v, 0, 0), NULL) = tally->nr_trims;
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
	case PFX_RECORD_CALLCHAIN_DEFERRED:
		if (tally->wants_hits)
			take_late_frames(tally, v);
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
	case PFX_RECORD_EXIT:
		if (tally->wants_hits)
			take_exit(tally, v);
		break;
	default:
		break;
	}
	if (tally->carry && type != PFX_RECORD_SAMPLE)
		pfx_carry_take(tally->carry, flat(tally, v), v->end - v->at);
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
	if (tally->maps.nr + tally->pages.nr + tally->parents.nr > tally->most)
		pfx_tally_trim(tally);
}

void pfx_tally_fini(struct pfx_tally *tally)
{
	size_t i;

	for (i = 0; i < tally->dsos.nr; i++)
		if (tally->dsos.at[i].fd >= 0)
			close(tally->dsos.at[i].fd);
	for (i = 0; i < tally->views.nr; i++)
		close(tally->views.at[i].fd);
	pfx_vec_free(&tally->views);
	free(tally->layouts);
	pfx_hash_fini(&tally->pages);
	pfx_intern_fini(&tally->names);
	pfx_hash_fini(&tally->dso_by_name);
	pfx_vec_free(&tally->dsos);
	pfx_vec_free(&tally->maps);
	pfx_hash_fini(&tally->parents);
	pfx_hash_fini(&tally->makers);
	pfx_hash_fini(&tally->dead);
	pfx_buffer_fini(&tally->scratch);
	memset(tally, 0, sizeof(*tally));
}
