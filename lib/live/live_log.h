/* SPDX-License-Identifier: MIT */
/*
 * The newest records, as bytes, in order of time: what a snapshot of a live profile is made of. It
 * is limited in bytes and in time; the oldest records are dropped first, some thousand at once.
 * Owns its copies. Zero-initialize, then set the limits.
 */
#ifndef PFX_LIVE_LOG_H
#define PFX_LIVE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "event/record.h"

struct pfx_live_chunk;

struct pfx_live_log {
	uint64_t max_bytes, max_ns; /* at least two chunks are kept, whatever the limits are */
	/* private */
	PFX_VEC(struct pfx_live_chunk *) chunks; /* the oldest first */
	struct pfx_live_chunk *spare;
	uint64_t nr_added; /* bytes, ever */
};

/* Called with the bytes of a record, of any alignment. */
typedef void (*pfx_live_bytes_fn)(void *context, const uint8_t *bytes, size_t size);

/* Append a record, and return its copy, which stays in place until it is dropped. */
const uint8_t *pfx_live_log_add(struct pfx_live_log *log, const struct pfx_record *rec);
/* Drop what is beyond the limits at time @now. @gone is called with each dropped record that is not
 * a sample, in order. */
void pfx_live_log_trim(struct pfx_live_log *log, uint64_t now, pfx_live_bytes_fn gone,
		       void *context);
/* Call @each with all records. */
void pfx_live_log_each(const struct pfx_live_log *log, pfx_live_bytes_fn each, void *context);
/* The times of the oldest and of the newest record; false: there are none with a time. */
bool pfx_live_log_span(const struct pfx_live_log *log, uint64_t *ret_first, uint64_t *ret_last);
/* The bytes of its records. */
uint64_t pfx_live_log_bytes(const struct pfx_live_log *log);
void pfx_live_log_fini(struct pfx_live_log *log);

#endif
