/* SPDX-License-Identifier: MIT */
/*
 * Metadata records: events, features, build IDs, tracepoint formats. They go into the meta. Records
 * that cannot be decoded are counted as damage and otherwise ignored. Section 2.4 of
 * Documentation/file-format.md.
 */
#include <errno.h>
#include <string.h>

#include "file/header/feature.h"
#include "file/header/feature_internal.h"
#include "reader_state_internal.h"

/* With the padding of newer writers; longer records contain the data itself. */
#define TRACING_RECORD_SIZE 16

/* Only for streams: a file has its attrs in the header. */
static bool consume_attr(struct pfx_reader *reader, const struct pfx_body *body)
{
	const struct pfx_header_attr *said = &body->header_attr;
	struct pfx_meta *meta = reader->meta;
	struct pfx_event *event;
	uint64_t i;

	if (!meta->is_pipe)
		return true;
	if (meta->nr_events >= PFX_EVENTS_MAX)
		return false;
	event = pfx_meta_add_event(meta, &said->attr, NULL);
	for (i = 0; i < said->ids.nr; i++)
		pfx_meta_add_id(meta, event, pfx_word(&said->ids, i));
	reader->events_changed = true;
	return true;
}

static bool consume_update(struct pfx_reader *reader, const struct pfx_body *body)
{
	const struct pfx_event_update *said = &body->event_update;
	struct pfx_event *event = pfx_meta_find_id(reader->meta, said->id);
	struct pfx_arena *arena = &reader->meta->arena;

	if (!event)
		return true;
	switch (said->type) {
	case PFX_UPDATE_UNIT:
		event->unit = pfx_arena_strdup(arena, said->text);
		break;
	case PFX_UPDATE_SCALE:
		event->scale = said->scale;
		break;
	case PFX_UPDATE_NAME:
		pfx_meta_name_event(reader->meta, event, said->text);
		break;
	default:
		break;
	}
	return true;
}

/* The record that ends the features of a stream has no payload; its id is one above the last
 * feature that its writer supports. */
static bool consume_feature(struct pfx_reader *reader, const struct pfx_body *body)
{
	const struct pfx_header_feature *said = &body->header_feature;
	struct pfx_error ignored;

	if (!said->payload.size) {
		if (said->feature == PFX_FEAT_BRANCH_STACK || said->feature == PFX_FEAT_STAT)
			pfx_env_set(&reader->meta->env, (unsigned)said->feature);
		return true;
	}
	if (said->feature >= PFX_FEAT_BITS)
		return false;
	if (pfx_feature_decode(reader->meta, (unsigned)said->feature, said->payload.at,
			       said->payload.size, &ignored) < 0)
		return false;
	reader->events_changed = true;
	return true;
}

static bool consume_tracing_data(struct pfx_reader *reader, const struct pfx_record *rec)
{
	const uint8_t *data = rec->extra;
	uint64_t size = rec->extra_size;
	struct pfx_error ignored;

	if (!data &&
	    rec->size > TRACING_RECORD_SIZE) { /* simpleperf has the data inside the record */
		data = rec->bytes + 12;
		size = rec->size - 12u;
	}
	if (size > PFX_TRACING_DATA_MAX)
		return false;
	if (!data || !size)
		return true;
	return pfx_feature_decode(reader->meta, PFX_FEAT_TRACING_DATA, data, size, &ignored) == 0;
}

static bool consume_build_id(struct pfx_reader *reader, const struct pfx_body *body)
{
	const struct pfx_header_build_id *said = &body->header_build_id;
	struct pfx_meta *meta = reader->meta;
	struct pfx_env_build_id *entry = pfx_feature_add_build_id(meta);

	entry->pid = said->pid;
	entry->misc = body->misc;
	entry->size = said->build_id_size;
	memcpy(entry->id, said->build_id, sizeof(entry->id));
	entry->filename = pfx_arena_strdup(&meta->arena, said->filename);
	pfx_env_set(&meta->env, PFX_FEAT_BUILD_ID);
	return true;
}

static bool consume_body(struct pfx_reader *reader, const struct pfx_record *rec)
{
	struct pfx_error ignored;
	struct pfx_body body;

	if (pfx_record_decode(rec, NULL, &body, &ignored) < 0)
		return false;
	switch (rec->type) {
	case PFX_RECORD_HEADER_ATTR:
		return consume_attr(reader, &body);
	case PFX_RECORD_EVENT_UPDATE:
		return consume_update(reader, &body);
	case PFX_RECORD_HEADER_FEATURE:
		return consume_feature(reader, &body);
	default:
		return consume_build_id(reader, &body);
	}
}

bool pfx_reader_consume(struct pfx_reader *reader, const struct pfx_record *rec)
{
	switch (rec->type) {
	case PFX_RECORD_HEADER_EVENT_TYPE:
		return true;
	case PFX_RECORD_HEADER_TRACING_DATA:
		reader->damage.nr_bad += !consume_tracing_data(reader, rec);
		return true;
	case PFX_RECORD_HEADER_ATTR:
	case PFX_RECORD_HEADER_FEATURE:
	case PFX_RECORD_HEADER_BUILD_ID:
	case PFX_RECORD_EVENT_UPDATE:
		reader->damage.nr_bad += !consume_body(reader, rec);
		return true;
	default:
		return false;
	}
}
