/* SPDX-License-Identifier: MIT */
/*
 * What a recording consists of besides its records: the events with their ids, the environment, and
 * how to find the event that a record belongs to. The reader builds it while it reads (all at once
 * from a file, bit by bit from a pipe), the recorder builds it to be written. It owns all it holds.
 */
#ifndef PFX_EVENT_META_H
#define PFX_EVENT_META_H

#include "base/arena.h"
#include "base/hash.h"
#include "event/attr.h"
#include "event/env.h"
#include "event/record.h"

struct pfx_event {
	struct pfx_attr attr;
	uint32_t idx;     /* position in the recording */
	const char *name; /* as the user typed it, from EVENT_DESC, or made from the attr */
	uint64_t *ids;
	uint32_t nr_ids, cap_ids;
	const char *unit;    /* NULL: none */
	double scale;        /* 1 unless an EVENT_UPDATE said otherwise */
	uint32_t leader;     /* idx of the group's leader; its own idx outside groups */
	uint32_t nr_members; /* of the group, in its leader; 0 or 1 outside groups */
	/* Derived from the attr by pfx_meta_update(); -1 where there is none. */
	int time_pos;         /* of the time in a SAMPLE, in words from the body's start */
	int trailer_time_pos; /* in other records, in words from the end, 1 the last */
};

struct pfx_meta {
	struct pfx_arena arena;
	bool swap;                 /* the recording is in the other byte order */
	bool is_pipe;              /* a stream, not a seekable file */
	struct pfx_event **events; /* by idx */
	uint32_t nr_events, cap_events;
	struct pfx_env env;
	struct pfx_hash by_id; /* id -> idx */
	/* Derived by pfx_meta_update(): how to find a record's event without trying. */
	bool same_type;      /* all events have the same sample_type, read_format, sample_id_all */
	int id_pos;          /* of the id in a SAMPLE, in words from the body's start; -1 none */
	int is_pos;          /* in other records, in words from the end, 1 the last; -1 none */
	int time_pos;        /* of the time in a SAMPLE of whatever event, as in these; or -1 */
	uint32_t nr_updated; /* events that are part of that */
};

/* Nothing known yet; the caller frees it, with all that it was told. */
struct pfx_meta *pfx_meta_new(void);
void pfx_meta_free(struct pfx_meta *meta);
/* Append an event. The attr's tail and the ids are copied, @name (NULL: made from the attr) too. */
struct pfx_event *pfx_meta_add_event(struct pfx_meta *meta, const struct pfx_attr *attr,
				     const char *name);
/* Give an event one more id. */
void pfx_meta_add_id(struct pfx_meta *meta, struct pfx_event *event, uint64_t id);
/* The event that has @id, or NULL. */
struct pfx_event *pfx_meta_find_id(const struct pfx_meta *meta, uint64_t id);
/* To be called after the last change of events and before records are asked for. */
void pfx_meta_update(struct pfx_meta *meta);
/* The same where events were only added since. */
void pfx_meta_update_new(struct pfx_meta *meta);
/* Set rec->event and rec->time of a kernel record from its ids and trailer or sample body. A record
 * of an unknown id (has_unknown_id tells) or without one belongs to the first event. */
void pfx_meta_identify(const struct pfx_meta *meta, struct pfx_record *rec);

#endif
