/* SPDX-License-Identifier: MIT */
/*
 * The index of a split debug information package: a hash table from a unit id to a row, and two
 * tables (offsets and sizes) with a row for each unit and a column for each section. The bytes are
 * untrusted: the tables must lie within them, and a search ends after one pass over all slots. Does
 * not read the sections.
 */
#include "base/cursor.h"
#include "sym/elf/split_internal.h"

#define HEADER_SIZE 16
#define COLUMNS_MAX 16

bool pfx_split_index_open(struct pfx_split_index *index, struct pfx_slice bytes, bool swap)
{
	struct pfx_cursor c = pfx_cursor_make(bytes.at, bytes.size, swap);
	uint64_t words;
	uint32_t version = pfx_cursor_u32(&c);

	/* DWARF 5 stores the version as a 16-bit number and 16 bits of padding */
	if (bytes.size >= 2 && version != 2)
		version = pfx_load16(bytes.at, swap);
	*index = (struct pfx_split_index){
		.bytes = bytes, .swap = swap, .version = (uint16_t)version};
	index->nr_columns = pfx_cursor_u32(&c);
	index->nr_units = pfx_cursor_u32(&c);
	index->nr_slots = pfx_cursor_u32(&c);
	if (!pfx_cursor_ok(&c) || (version != 2 && version != 5) || !index->nr_columns ||
	    index->nr_columns > COLUMNS_MAX || !index->nr_slots ||
	    (index->nr_slots & (index->nr_slots - 1)) != 0)
		return false;
	words = 3ull * index->nr_slots +
		(2ull * index->nr_units + 1) * index->nr_columns; /* of 4 bytes each */
	return pfx_cursor_fits(&c, words, 4);
}

static uint32_t word_at(const struct pfx_split_index *index, uint64_t i)
{
	return pfx_load32(index->bytes.at + HEADER_SIZE + i * 4, index->swap);
}

/* The row of a unit, from 1; 0: not found. */
static uint32_t find_row(const struct pfx_split_index *index, uint64_t id)
{
	uint32_t mask = index->nr_slots - 1, i;
	uint64_t slot = id & mask, step = ((id >> 32) & mask) | 1;
	uint32_t row;

	for (i = 0; i < index->nr_slots; i++, slot = (slot + step) & mask) {
		row = word_at(index, 2ull * index->nr_slots + slot);
		if (!row || row > index->nr_units)
			return 0;
		if (pfx_load64(index->bytes.at + HEADER_SIZE + slot * 8, index->swap) == id)
			return row;
	}
	return 0;
}

/* The section that a column number means, or PFX_SPLIT_NR_COLUMNS. */
static unsigned column_of(uint16_t version, uint32_t number)
{
	switch (number) {
	case 1:
		return PFX_SPLIT_INFO;
	case 3:
		return PFX_SPLIT_ABBREV;
	case 6:
		return PFX_SPLIT_STR_OFFSETS;
	case 8:
		return version == 5 ? PFX_SPLIT_RNGLISTS : PFX_SPLIT_NR_COLUMNS;
	default:
		return PFX_SPLIT_NR_COLUMNS;
	}
}

bool pfx_split_index_find(const struct pfx_split_index *index, uint64_t id,
			  struct pfx_split_range ret[PFX_SPLIT_NR_COLUMNS])
{
	uint64_t head = 3ull * index->nr_slots, nr = index->nr_columns, i;
	uint64_t offsets, sizes;
	uint32_t row = find_row(index, id);
	unsigned column;

	if (!row)
		return false;
	for (i = 0; i < PFX_SPLIT_NR_COLUMNS; i++)
		ret[i] = (struct pfx_split_range){0};
	offsets = head + row * nr;
	sizes = offsets + index->nr_units * nr;
	for (i = 0; i < nr; i++) {
		column = column_of(index->version, word_at(index, head + i));
		if (column < PFX_SPLIT_NR_COLUMNS)
			ret[column] = (struct pfx_split_range){word_at(index, offsets + i),
							       word_at(index, sizes + i)};
	}
	return true;
}
