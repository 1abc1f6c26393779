/* SPDX-License-Identifier: MIT */
/*
 * The kernel's side of a ring buffer in memory: a control page, then data. As the kernel does, it
 * drops records while the ring buffer is full, and reports their number before the next record that
 * fits. One writer, and a reader that may be another thread or process. Needs nothing but the C
 * library, so that libraries which are loaded before other programs can use it.
 */
#ifndef PFX_RING_WRITER_H
#define PFX_RING_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_LOST_MAX 96 /* bytes of a record of lost records */
#define RING_LOST_AT  16 /* where its number of lost records is */

/* Set page, data, size, and the template of a record of lost records. */
struct ring_writer {
	uint8_t *page, *data;
	uint64_t size; /* of the data, a power of two */
	uint8_t lost[RING_LOST_MAX];
	size_t lost_size;
	size_t lost_time_at; /* where its time is; 0: it has none */
	uint64_t nr_put, nr_dropped;
	uint64_t nr_unsaid; /* dropped, and not reported yet */
};

/* Write a record of @size bytes, a multiple of 8; false: it was dropped. @time is for the record of
 * lost records. */
bool ring_writer_put(struct ring_writer *writer, const void *bytes, size_t size, uint64_t time);
/* Report what was dropped and not reported yet; false: there is no room. */
bool ring_writer_flush(struct ring_writer *writer, uint64_t time);
/* Whether such a record would be written now. */
bool ring_writer_has_room(const struct ring_writer *writer, size_t size);
/* Bytes that were written, ever. */
uint64_t ring_writer_head(const struct ring_writer *writer);

#endif
