/* SPDX-License-Identifier: MIT */
/*
 * C bit-fields of the other byte order. The kernel declares the flags of an attr and of a branch as
 * bit-fields, so their position in the word depends on the compiler of the recording machine. (It
 * does not for data_src and the weights: those are declared once per byte order, so that the number
 * is the same.) Section 12.3 of Documentation/file-format.md.
 */
#include "event/event_internal.h"

static uint64_t mask_of(unsigned width)
{
	return width >= 64 ? ~0ull : (1ull << width) - 1;
}

uint64_t pfx_bits_from_file(uint64_t word, const struct pfx_bit_layout *layout, bool swap)
{
	uint64_t out = 0;
	unsigned pos = 0;
	size_t i;

	if (!pfx_bits_are_big(swap))
		return word;
	for (i = 0; i < layout->nr; i++) {
		unsigned width = layout->widths[i];

		out |= (word >> (64 - pos - width) & mask_of(width)) << pos;
		pos += width;
	}
	return out;
}

uint64_t pfx_bits_to_file(uint64_t word, const struct pfx_bit_layout *layout, bool swap)
{
	uint64_t out = 0;
	unsigned pos = 0;
	size_t i;

	if (!pfx_bits_are_big(swap))
		return word;
	for (i = 0; i < layout->nr; i++) {
		unsigned width = layout->widths[i];

		out |= (word >> pos & mask_of(width)) << (64 - pos - width);
		pos += width;
	}
	return out;
}
