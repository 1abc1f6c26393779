/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a recording: the events with their ids, the environment (header features), and
 * how to find the event of a record. The reader fills it (at once from a file, step by step from a
 * pipe); the recorder fills it and writes it. It owns all its members.
 */
#ifndef PFX_EVENT_META_H
#define PFX_EVENT_META_H

#include "base/arena.h"
#include "base/hash.h"
#include "event/attr.h"
#include "event/env.h"
#include "event/record.h"

/* The event of record --off-cpu: periods are ns. */
#define PFX_OFFCPU_NAME "offcpu-time"

struct pfx_event {
	struct pfx_attr attr;
	uint32_t idx;     /* position in the recording */
	const char *name; /* as given by the user (from EVENT_DESC), or made from the attr */
	uint64_t *ids;
	uint32_t nr_ids, cap_ids;
	const char *unit;    /* NULL: none */
	double scale;        /* 1 unless an EVENT_UPDATE record has set it */
	uint32_t leader;     /* idx of the group's leader; its own idx outside groups */
	uint32_t nr_members; /* of the group, in its leader; 0 or 1 outside groups */
	/* Derived from the attr by pfx_meta_update(); -1: none. */
	int time_pos; /* position of the time in a SAMPLE, in words from the start of the body */
	int trailer_time_pos; /* position of the time in other records, in words from the end, 1 is
				 the last */
};

struct pfx_meta {
	struct pfx_arena arena;
	bool swap;                 /* the recording is in the other byte order */
	bool is_pipe;              /* a stream, not a seekable file */
	struct pfx_event **events; /* by idx */
	uint32_t nr_events, cap_events;
	struct pfx_env env;
	struct pfx_hash by_id; /* id to idx */
	/* Derived by pfx_meta_update(), to find a record's event quickly. */
	bool same_type; /* all events have the same sample_type, read_format, sample_id_all */
	int id_pos;     /* of the id in a SAMPLE, in words from the start of the body; -1: none */
	int is_pos; /* position of the id in other records, in words from the end, 1 is the last; -1
		       none */
	int time_pos; /* position of the time in SAMPLEs and in other records if it is the same for
			 all events; or -1 */
	uint32_t nr_updated; /* number of events that the above takes into account */
};

/* Empty; pfx_meta_free() frees it with all its members. */
struct pfx_meta *pfx_meta_new(void);
void pfx_meta_free(struct pfx_meta *meta);
/* Name an event. Of a name that is too long for a column of each sample, the beginning is kept. */
void pfx_meta_name_event(struct pfx_meta *meta, struct pfx_event *event, const char *name);
/* Append an event. The attr's tail, the ids and @name (NULL: made from the attr) are copied. */
struct pfx_event *pfx_meta_add_event(struct pfx_meta *meta, const struct pfx_attr *attr,
				     const char *name);
/* Add an id to an event. */
void pfx_meta_add_id(struct pfx_meta *meta, struct pfx_event *event, uint64_t id);
/* The event that has @id, or NULL. */
struct pfx_event *pfx_meta_find_id(const struct pfx_meta *meta, uint64_t id);
/* Call this after the last change of events and before reading records. */
void pfx_meta_update(struct pfx_meta *meta);
/* The same if events were only added since the last call. */
void pfx_meta_update_new(struct pfx_meta *meta);
/* Set rec->event and rec->time of a kernel record from its ids and trailer or sample body. Records
 * without an id and those with an unknown id (has_unknown_id is set) belong to the first event. */
void pfx_meta_identify(const struct pfx_meta *meta, struct pfx_record *rec);
/* The same for a sequence of records, most of which are samples of one event. Initialize @last with
 * zero, and again after a change of events. */
struct pfx_meta_last {
	uint64_t id;
	const struct pfx_event *event; /* NULL: none yet */
};
void pfx_meta_identify_next(const struct pfx_meta *meta, struct pfx_meta_last *last,
			    struct pfx_record *rec);

#endif
