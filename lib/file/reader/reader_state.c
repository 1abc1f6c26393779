/* SPDX-License-Identifier: MIT */
/* The state of a reader's input and its memory: accessors for the caller and for the parts of the
 * reader. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/str.h"
#include "reader_state_internal.h"

#define PAGE       4096
#define KEPT_BYTES ((size_t)4 << 20) /* of mapped pages, of all lanes together */

const char *pfx_reader_name(const struct pfx_reader *reader, char *out, size_t size)
{
	return strcmp(reader->path, "-") ? pfx_escape(out, size, reader->path) : "standard input";
}

struct pfx_meta *pfx_reader_meta(struct pfx_reader *reader)
{
	return reader->meta;
}

const struct pfx_file_info *pfx_reader_info(const struct pfx_reader *reader)
{
	return &reader->info;
}

const struct pfx_reader_damage *pfx_reader_damage(const struct pfx_reader *reader)
{
	return &reader->damage;
}

int pfx_reader_check_cut(const struct pfx_reader *reader, struct pfx_error *err)
{
	char name[256];
	uint32_t i;

	for (i = 0; i < reader->nr_lanes; i++)
		if (pfx_mapping_was_cut(&reader->lanes[i].map))
			break;
	if (i == reader->nr_lanes)
		return 0;
	pfx_error_set(err, ENODATA, "'%s' became shorter while it was read",
		      pfx_reader_name(reader, name, sizeof(name)));
	pfx_error_hint(err, "another program writes to it: wait for its end, or read a copy");
	return -ENODATA;
}

uint64_t pfx_reader_mark(const struct pfx_reader *reader)
{
	return reader->seq - (reader->nr_waiting - reader->next_waiting);
}

void pfx_reader_release(struct pfx_reader *reader, uint64_t mark)
{
	uint32_t i;

	for (i = 0; i < reader->nr_lanes; i++) {
		pfx_feed_release(&reader->lanes[i].raw, mark);
		pfx_feed_release(&reader->lanes[i].unpacked, mark);
	}
}

bool pfx_reader_keeps(const struct pfx_reader *reader, const struct pfx_record *rec)
{
	const struct pfx_mapping *map;
	uint32_t i;

	for (i = 0; i < reader->nr_lanes; i++) {
		map = &reader->lanes[i].map;
		if (map->data && rec->bytes >= map->data && rec->bytes < map->data + map->size)
			return true;
	}
	return false;
}

/* All but the pages before the place that is read and after it: most of them are needed soon. */
static void drop_pages_of(const struct pfx_lane *lane, size_t keep)
{
	const uint8_t *data = lane->map.data, *at = lane->raw.at;
	size_t done;

	if (!data || at < data || at > data + lane->map.size)
		return;
	done = (size_t)(at - data);
	if (done > keep)
		madvise((void *)data, (done - keep) & ~(size_t)(PAGE - 1), MADV_DONTNEED);
}

void pfx_reader_drop_pages(struct pfx_reader *reader)
{
	uint32_t i;

	reader->walked = 0;
	for (i = 0; i < reader->nr_lanes; i++)
		drop_pages_of(&reader->lanes[i], KEPT_BYTES / reader->nr_lanes);
	pfx_spill_drop_pages(&reader->spill);
}
