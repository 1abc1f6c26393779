/* SPDX-License-Identifier: MIT */
/*
 * The events of a recording and the way from a record to its event. How a record names its event
 * depends on the sample_type of that very event, so the id must be at the same position for all
 * events; pfx_meta_update() determines the position, pfx_meta_identify() uses it. Section 3.7 of
 * Documentation/file-format.md.
 */
#include "event/meta.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "event/names.h"

#define NAME_MOST 1024 /* bytes; the name of an event may be printed for each sample */

#define BEFORE_TIME (PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_IP | PFX_SAMPLE_TID)
#define BEFORE_ID   (PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_ADDR)
#define BEHIND_TIME                                                                \
	(PFX_SAMPLE_TIME | PFX_SAMPLE_ID | PFX_SAMPLE_STREAM_ID | PFX_SAMPLE_CPU | \
	 PFX_SAMPLE_IDENTIFIER)
#define FROM_ID (PFX_SAMPLE_ID | PFX_SAMPLE_STREAM_ID | PFX_SAMPLE_CPU)

struct pfx_meta *pfx_meta_new(void)
{
	struct pfx_meta *meta = pfx_calloc(1, sizeof(*meta));

	pfx_meta_update(meta);
	return meta;
}

void pfx_meta_free(struct pfx_meta *meta)
{
	uint32_t i;

	if (!meta)
		return;
	for (i = 0; i < meta->nr_events; i++)
		free(meta->events[i]->ids);
	free(meta->events);
	pfx_hash_fini(&meta->by_id);
	pfx_arena_clear(&meta->arena);
	free(meta);
}

/* Position of the id in the body of a SAMPLE, in words; -1: none. */
static int sample_id_pos(uint64_t sample_type)
{
	if (sample_type & PFX_SAMPLE_IDENTIFIER)
		return 0;
	if (!(sample_type & PFX_SAMPLE_ID))
		return -1;
	return __builtin_popcountll(sample_type & BEFORE_ID);
}

/* Position of the id in the trailer of other records, in words from the end. */
static int trailer_id_pos(uint64_t sample_type)
{
	if (sample_type & PFX_SAMPLE_IDENTIFIER)
		return 1;
	if (!(sample_type & PFX_SAMPLE_ID))
		return -1;
	return __builtin_popcountll(sample_type & FROM_ID);
}

static void find_time(struct pfx_event *event)
{
	uint64_t type = event->attr.sample_type;

	event->time_pos = -1;
	event->trailer_time_pos = -1;
	if (!(type & PFX_SAMPLE_TIME))
		return;
	event->time_pos = __builtin_popcountll(type & BEFORE_TIME);
	if (event->attr.flags & PFX_ATTR_SAMPLE_ID_ALL)
		event->trailer_time_pos = __builtin_popcountll(type & BEHIND_TIME);
}

void pfx_meta_name_event(struct pfx_meta *meta, struct pfx_event *event, const char *name)
{
	event->name = pfx_arena_strndup(&meta->arena, name, pfx_length_within(name, NAME_MOST));
}

struct pfx_event *pfx_meta_add_event(struct pfx_meta *meta, const struct pfx_attr *attr,
				     const char *name)
{
	struct pfx_event *event = pfx_arena_new(&meta->arena, struct pfx_event);
	char made[256];

	if (meta->nr_events == meta->cap_events) {
		size_t cap = meta->cap_events;

		meta->events = pfx_vec_grow(meta->events, &cap, cap + 1, sizeof(*meta->events));
		meta->cap_events = (uint32_t)cap;
	}
	event->attr = *attr;
	if (attr->tail)
		event->attr.tail = pfx_arena_memdup(&meta->arena, attr->tail, attr->tail_size);
	if (!name) {
		pfx_attr_name(attr, made, sizeof(made));
		name = made;
	}
	pfx_meta_name_event(meta, event, name);
	event->scale = 1;
	event->idx = event->leader = meta->nr_events;
	find_time(event);
	meta->events[meta->nr_events++] = event;
	return event;
}

void pfx_meta_add_id(struct pfx_meta *meta, struct pfx_event *event, uint64_t id)
{
	bool is_new;
	uint64_t *slot = pfx_hash_add(&meta->by_id, id, &is_new);

	if (!is_new && *slot == event->idx)
		return;
	*slot = event->idx;
	if (event->nr_ids == event->cap_ids) {
		size_t cap = event->cap_ids;

		event->ids = pfx_vec_grow(event->ids, &cap, cap + 1, sizeof(*event->ids));
		event->cap_ids = (uint32_t)cap;
	}
	event->ids[event->nr_ids++] = id;
}

struct pfx_event *pfx_meta_find_id(const struct pfx_meta *meta, uint64_t id)
{
	uint64_t *idx = pfx_hash_get(&meta->by_id, id);

	return idx ? meta->events[*idx] : NULL;
}

static bool same_layout(const struct pfx_attr *a, const struct pfx_attr *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       !((a->flags ^ b->flags) & PFX_ATTR_SAMPLE_ID_ALL);
}

/* Takes one more event into account: positions must be the same for all events. */
static void update_event(struct pfx_meta *meta, struct pfx_event *event)
{
	const struct pfx_attr *attr = &event->attr;

	find_time(event);
	meta->same_type &= same_layout(&meta->events[0]->attr, attr);
	if (sample_id_pos(attr->sample_type) != meta->id_pos)
		meta->id_pos = -1;
	if (!meta->nr_updated)
		meta->time_pos = event->time_pos;
	else if (event->time_pos != meta->time_pos)
		meta->time_pos = -1;
	if (!(attr->flags & PFX_ATTR_SAMPLE_ID_ALL) ||
	    trailer_id_pos(attr->sample_type) != meta->is_pos)
		meta->is_pos = -1;
}

void pfx_meta_update_new(struct pfx_meta *meta)
{
	const struct pfx_attr *first;

	if (!meta->nr_updated && meta->nr_events) {
		first = &meta->events[0]->attr;
		meta->id_pos = sample_id_pos(first->sample_type);
		if (first->flags & PFX_ATTR_SAMPLE_ID_ALL)
			meta->is_pos = trailer_id_pos(first->sample_type);
	}
	for (; meta->nr_updated < meta->nr_events; meta->nr_updated++)
		update_event(meta, meta->events[meta->nr_updated]);
}

void pfx_meta_update(struct pfx_meta *meta)
{
	meta->same_type = true;
	meta->id_pos = meta->is_pos = meta->time_pos = -1;
	meta->nr_updated = 0;
	pfx_meta_update_new(meta);
}

/* The word at @pos from the body's start (positive) or from the record's end (negative). */
static inline bool load_word(const struct pfx_record *rec, int pos, uint64_t *ret)
{
	uint32_t offset;

	if (pos >= 0) {
		offset = PFX_RECORD_HEADER_SIZE + 8 * (uint32_t)pos;
		if (offset + 8 > rec->size)
			return false;
	} else {
		if (PFX_RECORD_HEADER_SIZE + 8 * (uint32_t)-pos > rec->size)
			return false;
		offset = rec->size - 8 * (uint32_t)-pos;
	}
	*ret = pfx_load64(rec->bytes + offset, rec->swap);
	return true;
}

static __attribute__((noinline)) const struct pfx_event *event_by_id(const struct pfx_meta *meta,
								     struct pfx_meta_last *last,
								     uint64_t id)
{
	const struct pfx_event *event = pfx_meta_find_id(meta, id);

	if (event)
		*last = (struct pfx_meta_last){id, event};
	return event;
}

static inline const struct pfx_event *event_of(const struct pfx_meta *meta,
					       struct pfx_meta_last *last, struct pfx_record *rec)
{
	bool is_sample = rec->type == PFX_RECORD_SAMPLE;
	int pos = is_sample ? meta->id_pos : meta->is_pos;
	const struct pfx_event *event;
	uint64_t id;

	if (meta->nr_events == 1 || pos < 0)
		return meta->events[0];
	if (!load_word(rec, is_sample ? pos : -pos, &id) || !id)
		return meta->events[0];
	if (last->event && last->id == id)
		return last->event;
	event = event_by_id(meta, last, id);
	rec->has_unknown_id = !event;
	return event ? event : meta->events[0];
}

void pfx_meta_identify_next(const struct pfx_meta *meta, struct pfx_meta_last *last,
			    struct pfx_record *rec)
{
	const struct pfx_event *event;

	rec->time = PFX_NO_TIME;
	rec->event = NULL;
	rec->has_unknown_id = false;
	if (rec->type >= PFX_RECORD_USER_FIRST || !meta->nr_events)
		return;
	event = event_of(meta, last, rec);
	rec->event = event;
	if (rec->type != PFX_RECORD_SAMPLE) {
		if (event->trailer_time_pos > 0)
			load_word(rec, -event->trailer_time_pos, &rec->time);
	} else if (event->time_pos >= 0) {
		load_word(rec, event->time_pos, &rec->time);
	}
}

void pfx_meta_identify(const struct pfx_meta *meta, struct pfx_record *rec)
{
	struct pfx_meta_last last = {0};

	pfx_meta_identify_next(meta, &last, rec);
}
