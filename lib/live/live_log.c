/* SPDX-License-Identifier: MIT */
/* Chunks of whole records; places of the records that are not samples, so that dropping a chunk
 * does not read its samples. */
#include "live/live_log.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (256u << 10) /* larger than any record */

struct pfx_live_chunk {
	size_t used;
	uint64_t first, last;     /* times; PFX_NO_TIME: none */
	PFX_VEC(uint32_t) others; /* offsets of records that are not samples */
	uint8_t bytes[CHUNK_BYTES];
};

static struct pfx_live_chunk *begin_chunk(struct pfx_live_log *log)
{
	struct pfx_live_chunk *chunk = log->spare;

	log->spare = NULL;
	if (!chunk) {
		chunk = pfx_malloc(sizeof(*chunk));
		chunk->others.at = NULL;
		chunk->others.cap = 0;
	}
	chunk->used = 0;
	chunk->others.nr = 0;
	chunk->first = chunk->last = PFX_NO_TIME;
	pfx_vec_push(&log->chunks, chunk);
	return chunk;
}

const uint8_t *pfx_live_log_add(struct pfx_live_log *log, const struct pfx_record *rec)
{
	struct pfx_live_chunk *chunk = log->chunks.nr ? log->chunks.at[log->chunks.nr - 1] : NULL;
	uint8_t *to;

	if (!chunk || chunk->used + rec->size > CHUNK_BYTES)
		chunk = begin_chunk(log);
	to = chunk->bytes + chunk->used;
	memcpy(to, rec->bytes, rec->size);
	if (rec->type != PFX_RECORD_SAMPLE)
		pfx_vec_push(&chunk->others, (uint32_t)chunk->used);
	if (rec->time != PFX_NO_TIME) {
		chunk->last = rec->time;
		if (chunk->first == PFX_NO_TIME)
			chunk->first = rec->time;
	}
	chunk->used += rec->size;
	log->nr_added += rec->size;
	return to;
}

static uint16_t size_at(const uint8_t *bytes)
{
	uint16_t size;

	memcpy(&size, bytes + 6, sizeof(size));
	return size;
}

static void free_chunk(struct pfx_live_chunk *chunk)
{
	if (!chunk)
		return;
	pfx_vec_free(&chunk->others);
	free(chunk);
}

static void drop_chunk(struct pfx_live_log *log, struct pfx_live_chunk *chunk,
		       pfx_live_bytes_fn gone, void *context)
{
	const uint8_t *at;
	size_t i;

	for (i = 0; gone && i < chunk->others.nr; i++) {
		at = chunk->bytes + chunk->others.at[i];
		gone(context, at, size_at(at));
	}
	free_chunk(log->spare);
	log->spare = chunk;
}

static bool is_beyond(const struct pfx_live_log *log, size_t first, uint64_t now)
{
	const struct pfx_live_chunk *chunk = log->chunks.at[first];

	if ((log->chunks.nr - first) * (uint64_t)CHUNK_BYTES > log->max_bytes)
		return true;
	return chunk->last != PFX_NO_TIME && chunk->last < now && now - chunk->last > log->max_ns;
}

void pfx_live_log_trim(struct pfx_live_log *log, uint64_t now, pfx_live_bytes_fn gone,
		       void *context)
{
	size_t nr = 0;

	while (nr + 2 < log->chunks.nr && is_beyond(log, nr, now))
		drop_chunk(log, log->chunks.at[nr++], gone, context);
	if (!nr)
		return;
	log->chunks.nr -= nr;
	memmove(log->chunks.at, log->chunks.at + nr, log->chunks.nr * sizeof(*log->chunks.at));
}

void pfx_live_log_each(const struct pfx_live_log *log, pfx_live_bytes_fn each, void *context)
{
	const struct pfx_live_chunk *chunk;
	size_t i, at;

	for (i = 0; i < log->chunks.nr; i++) {
		chunk = log->chunks.at[i];
		for (at = 0; at < chunk->used; at += size_at(chunk->bytes + at))
			each(context, chunk->bytes + at, size_at(chunk->bytes + at));
	}
}

bool pfx_live_log_span(const struct pfx_live_log *log, uint64_t *ret_first, uint64_t *ret_last)
{
	const struct pfx_live_chunk *chunk;
	bool has_time = false;
	size_t i;

	for (i = 0; i < log->chunks.nr; i++) {
		chunk = log->chunks.at[i];
		if (chunk->first == PFX_NO_TIME)
			continue;
		if (!has_time)
			*ret_first = chunk->first;
		*ret_last = chunk->last;
		has_time = true;
	}
	return has_time;
}

uint64_t pfx_live_log_bytes(const struct pfx_live_log *log)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < log->chunks.nr; i++)
		bytes += log->chunks.at[i]->used;
	return bytes;
}

void pfx_live_log_fini(struct pfx_live_log *log)
{
	size_t i;

	for (i = 0; i < log->chunks.nr; i++)
		free_chunk(log->chunks.at[i]);
	free_chunk(log->spare);
	pfx_vec_free(&log->chunks);
	log->spare = NULL;
}
