/* SPDX-License-Identifier: MIT */
/*
 * Adds build IDs of mapped binaries, as BUILD_ID records or inside MMAP2 records, for all maps or
 * for those with samples. Maps that are written before their first sample are made from the
 * session's current state, so that inherited and partly replaced maps are correct.
 */
#include <string.h>
#include <sys/mman.h>

#include "read/sample_maps.h"
#include "rewrite/inject_internal.h"

static bool is_guest(const struct pfx_record *rec)
{
	enum pfx_cpumode mode = pfx_record_cpumode(rec);

	return mode == PFX_MODE_GUEST_KERNEL || mode == PFX_MODE_GUEST_USER;
}

static bool is_map(const struct pfx_record *rec)
{
	return rec->type == PFX_RECORD_MMAP || rec->type == PFX_RECORD_MMAP2;
}

/* Converts MMAP to MMAP2, with the values that MMAP implies. */
static void make_mmap2(struct pfx_body *body)
{
	if (body->type == PFX_RECORD_MMAP2)
		return;
	body->type = PFX_RECORD_MMAP2;
	body->mmap.prot = body->misc & PFX_MISC_MMAP_DATA ? PROT_READ : PROT_READ | PROT_EXEC;
	body->mmap.flags = MAP_PRIVATE;
}

static bool add_id(struct pfx_inject *inject, struct pfx_body *body)
{
	enum pfx_cpumode mode = (enum pfx_cpumode)(body->misc & PFX_MISC_CPUMODE_MASK);
	struct pfx_build_id id;

	if (!pfx_inject_id_of(inject, body->mmap.filename, mode, &id))
		return false;
	body->misc |= PFX_MISC_MMAP_BUILD_ID;
	body->mmap.build_id_size = id.size;
	memcpy(body->mmap.build_id, id.data, sizeof(body->mmap.build_id));
	return true;
}

/* Writes the record with a build ID in it; unchanged if none is known. */
static int rewrite_map(struct pfx_inject *inject, const struct pfx_record *rec,
		       struct pfx_error *err)
{
	const struct pfx_attr *attr = rec->event ? &rec->event->attr : NULL;
	struct pfx_error ignored;
	struct pfx_body body;
	int rc;

	if (is_guest(rec) || pfx_record_decode(rec, attr, &body, &ignored) < 0)
		return PFX_INJECT_KEEP;
	if (body.mmap.build_id_size || !add_id(inject, &body))
		return PFX_INJECT_KEEP;
	make_mmap2(&body);
	pfx_buffer_clear(&inject->scratch);
	if (!pfx_record_encode(&body, attr, &inject->scratch))
		return PFX_INJECT_KEEP;
	rc = pfx_inject_put_bytes(inject, &inject->scratch, err);
	return rc < 0 ? rc : PFX_INJECT_DROP;
}

/* Writes a BUILD_ID record before the map, if all maps are requested. */
static int tell_map(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err)
{
	const struct pfx_attr *attr = rec->event ? &rec->event->attr : NULL;
	struct pfx_error ignored;
	struct pfx_body body;
	int rc;

	if (is_guest(rec) || pfx_record_decode(rec, attr, &body, &ignored) < 0)
		return PFX_INJECT_KEEP;
	if (body.mmap.build_id_size)
		pfx_inject_skip_id(inject, body.mmap.filename);
	if (!inject->options.build_ids_all)
		return PFX_INJECT_KEEP;
	rc = pfx_inject_tell_id(inject, body.mmap.filename, pfx_record_cpumode(rec), err);
	return rc < 0 ? rc : PFX_INJECT_KEEP;
}

/* A record with addresses: a sample, or the deferred frames of one. */
struct hitting {
	struct pfx_inject *inject;
	const struct pfx_record *rec;
	const struct pfx_thread *thread;
	struct pfx_sample_id id;
	struct pfx_error *err;
};

static int tell_dso(void *context, const struct pfx_map *map)
{
	struct hitting *h = context;

	return pfx_inject_tell_id(h->inject, map->dso->name,
				  map->is_kernel ? PFX_MODE_KERNEL : PFX_MODE_USER, h->err);
}

/* Sets the trailer of a record that is written before a sample. */
static void fill_trailer(const struct pfx_sample *sample, const struct pfx_event *event,
			 struct pfx_sample_id *id)
{
	id->pid = sample->pid;
	id->tid = sample->tid;
	id->time = sample->time;
	id->id = sample->type & (PFX_SAMPLE_ID | PFX_SAMPLE_IDENTIFIER) ? sample->id
		 : event->nr_ids                                        ? event->ids[0]
									: 0;
	id->identifier = id->id;
	id->stream_id = sample->stream_id;
	id->cpu = sample->cpu;
}

static void fill_map(const struct pfx_map *map, uint32_t pid, struct pfx_body *body)
{
	body->type = PFX_RECORD_MMAP2;
	body->misc =
		PFX_MODE_USER | (map->prot && !(map->prot & PROT_EXEC) ? PFX_MISC_MMAP_DATA : 0);
	body->mmap = (struct pfx_mmap){
		.pid = pid,
		.tid = pid,
		.addr = map->start,
		.len = map->end - map->start,
		.pgoff = map->pgoff,
		.maj = map->maj,
		.min = map->min,
		.ino = map->ino,
		.ino_generation = map->ino_generation,
		.prot = map->prot ? map->prot : PROT_READ | PROT_EXEC,
		.flags = map->flags ? map->flags : MAP_PRIVATE,
		.filename = map->dso->name,
	};
}

/* Writes the map of a process once, before the first sample in it. */
static int tell_hit_map(void *context, const struct pfx_map *map)
{
	struct hitting *h = context;
	struct pfx_inject *inject = h->inject;
	uint32_t pid = h->thread->pid;
	struct pfx_body body = {.id = h->id};
	bool is_new;

	if (map->is_kernel)
		return 0;
	pfx_hash_add(&inject->maps_told, (uint64_t)pid << 32 | map->id, &is_new);
	if (!is_new)
		return 0;
	fill_map(map, pid, &body);
	if (map->dso->build_id_size) {
		body.misc |= PFX_MISC_MMAP_BUILD_ID;
		body.mmap.build_id_size = map->dso->build_id_size;
		memcpy(body.mmap.build_id, map->dso->build_id, sizeof(body.mmap.build_id));
	} else {
		add_id(inject, &body);
	}
	pfx_buffer_clear(&inject->scratch);
	if (!pfx_record_encode(&body, &h->rec->event->attr, &inject->scratch))
		return 0;
	return pfx_inject_put_bytes(inject, &inject->scratch, h->err);
}

static int visit_sample(struct hitting *h, pfx_map_fn fn)
{
	const struct pfx_event *event = h->rec->event;
	struct pfx_map_visitor visitor = {h->inject->session, NULL, fn, h};
	struct pfx_sample sample;

	if (!event || !pfx_sample_decode(h->rec, &event->attr, &sample))
		return 0;
	visitor.thread = pfx_session_thread(visitor.session, sample.pid, sample.tid);
	h->thread = visitor.thread;
	fill_trailer(&sample, event, &h->id);
	return pfx_visit_sample_maps(&visitor, &sample, true);
}

/* Deferred user frames of earlier samples: their maps are written now. */
static int visit_late_frames(struct hitting *h, pfx_map_fn fn)
{
	const struct pfx_event *event = h->rec->event;
	struct pfx_map_visitor visitor = {h->inject->session, NULL, fn, h};
	struct pfx_error ignored;
	struct pfx_body body;

	if (!event || pfx_record_decode(h->rec, &event->attr, &body, &ignored) < 0)
		return 0;
	visitor.thread = pfx_session_thread(visitor.session, body.id.pid, body.id.tid);
	h->thread = visitor.thread;
	h->id = body.id;
	return pfx_visit_chain_maps(&visitor, PFX_MODE_USER, &body.callchain_deferred.ips);
}

static int take_map(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err)
{
	const struct pfx_inject_options *o = &inject->options;

	if (o->maps_all || (o->maps_hit && pfx_record_cpumode(rec) == PFX_MODE_KERNEL))
		return rewrite_map(inject, rec, err);
	if (o->maps_hit)
		return is_guest(rec) ? PFX_INJECT_KEEP : PFX_INJECT_DROP;
	return tell_map(inject, rec, err);
}

int pfx_inject_maps_take(struct pfx_inject *inject, const struct pfx_record *rec,
			 struct pfx_error *err)
{
	const struct pfx_inject_options *o = &inject->options;
	struct hitting h = {.inject = inject, .rec = rec, .err = err};
	pfx_map_fn fn = o->maps_hit && !o->maps_all         ? tell_hit_map
			: o->build_ids && !o->build_ids_all ? tell_dso
							    : NULL;
	int rc = 0;

	if (is_map(rec))
		return take_map(inject, rec, err);
	if (fn && rec->type == PFX_RECORD_SAMPLE)
		rc = visit_sample(&h, fn);
	else if (fn && rec->type == PFX_RECORD_CALLCHAIN_DEFERRED)
		rc = visit_late_frames(&h, fn);
	return rc < 0 ? rc : PFX_INJECT_KEEP;
}

int pfx_inject_take(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err)
{
	int verdict = PFX_INJECT_KEEP;

	if (inject->ids)
		verdict = pfx_inject_maps_take(inject, rec, err);
	return verdict == PFX_INJECT_KEEP ? pfx_inject_put(inject, rec, err) : verdict;
}
