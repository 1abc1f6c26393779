/* SPDX-License-Identifier: MIT */
#include "kit/ring_writer.h"

#include <string.h>

#define PAGE_HEAD 1024
#define PAGE_TAIL 1032

static uint64_t *word(const struct ring_writer *writer, size_t at)
{
	return (uint64_t *)(void *)(writer->page + at);
}

uint64_t ring_writer_head(const struct ring_writer *writer)
{
	return *word(writer, PAGE_HEAD);
}

static bool has_room(const struct ring_writer *writer, size_t size)
{
	uint64_t tail = __atomic_load_n(word(writer, PAGE_TAIL), __ATOMIC_ACQUIRE);

	return ring_writer_head(writer) + size - tail <= writer->size;
}

bool ring_writer_has_room(const struct ring_writer *writer, size_t size)
{
	return has_room(writer, size + (writer->nr_unsaid ? writer->lost_size : 0));
}

static void write_bytes(struct ring_writer *writer, const void *bytes, size_t size)
{
	uint64_t head = ring_writer_head(writer);
	size_t at = (size_t)(head & (writer->size - 1)), first = (size_t)(writer->size - at);

	first = first < size ? first : size;
	memcpy(writer->data + at, bytes, first);
	memcpy(writer->data, (const uint8_t *)bytes + first, size - first);
	__atomic_store_n(word(writer, PAGE_HEAD), head + size, __ATOMIC_RELEASE);
}

static void write_lost(struct ring_writer *writer, uint64_t time)
{
	memcpy(writer->lost + RING_LOST_AT, &writer->nr_unsaid, sizeof(writer->nr_unsaid));
	if (writer->lost_time_at)
		memcpy(writer->lost + writer->lost_time_at, &time, sizeof(time));
	write_bytes(writer, writer->lost, writer->lost_size);
	writer->nr_unsaid = 0;
}

bool ring_writer_put(struct ring_writer *writer, const void *bytes, size_t size, uint64_t time)
{
	if (!ring_writer_has_room(writer, size)) {
		writer->nr_dropped++;
		writer->nr_unsaid++;
		return false;
	}
	if (writer->nr_unsaid)
		write_lost(writer, time);
	write_bytes(writer, bytes, size);
	writer->nr_put++;
	return true;
}

bool ring_writer_flush(struct ring_writer *writer, uint64_t time)
{
	if (!writer->nr_unsaid)
		return true;
	if (!has_room(writer, writer->lost_size))
		return false;
	write_lost(writer, time);
	return true;
}
