/* SPDX-License-Identifier: MIT */
/* Sets of CPUs and other bit masks: words of the recording machine's size and byte order. */
#include "trace/print_internal.h"

struct mask {
	const struct pfx_event_bytes *event;
	uint64_t offset, nr; /* of the first byte; bits */
	uint64_t word;       /* bytes of one */
};

static struct mask make_mask(const struct pfx_event_bytes *event, struct pfx_field_bytes bytes)
{
	struct mask mask = {.event = event, .nr = bytes.size * 8};

	mask.offset = (uint64_t)(bytes.at - event->data);
	mask.word = event->trace->blob.long_size == 4 ? 4 : 8;
	return mask;
}

/* The word that contains @bit, shifted so that the bit is the lowest. */
static uint64_t from_bit(const struct mask *mask, uint64_t bit)
{
	uint64_t bits = mask->word * 8;

	return pfx_event_load(mask->event, mask->offset + bit / bits * mask->word, mask->word) >>
	       bit % bits;
}

/* The next set bit, mask->nr if there is none. Zero words are skipped. */
static uint64_t next_bit(const struct mask *mask, uint64_t bit)
{
	uint64_t bits = mask->word * 8, rest;

	for (; bit < mask->nr; bit += bits - bit % bits) {
		rest = from_bit(mask, bit);
		if (!rest)
			continue;
		bit += (unsigned)__builtin_ctzll(rest);
		return bit < mask->nr ? bit : mask->nr;
	}
	return mask->nr;
}

void pfx_print_mask(const struct pfx_event_bytes *event, struct pfx_field_bytes bytes,
		    struct pfx_str *to)
{
	struct mask mask = make_mask(event, bytes);
	uint64_t bit;

	/* if the size is not a multiple of a group, the first group is shorter */
	for (bit = (mask.nr + 31) / 32 * 32; bit > 0; bit -= 32) {
		pfx_str_hex0(to, from_bit(&mask, bit - 32) & UINT32_MAX, 8);
		if (bit > 32)
			pfx_str_addc(to, ',');
	}
}

void pfx_print_mask_list(const struct pfx_event_bytes *event, struct pfx_field_bytes bytes,
			 struct pfx_str *to)
{
	struct mask mask = make_mask(event, bytes);
	uint64_t bit, end;
	bool any = false;

	for (bit = next_bit(&mask, 0); bit < mask.nr; bit = next_bit(&mask, end)) {
		for (end = bit + 1; end < mask.nr && from_bit(&mask, end) & 1; end++)
			;
		if (any)
			pfx_str_addc(to, ',');
		any = true;
		pfx_str_u64(to, bit, 0);
		if (end - 1 > bit) {
			pfx_str_addc(to, '-');
			pfx_str_u64(to, end - 1, 0);
		}
	}
}
