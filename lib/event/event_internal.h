/* SPDX-License-Identifier: MIT */
/* Shared by the files of event/: C bit-fields of the other byte order, and helpers of the
 * codecs. */
#ifndef PFX_EVENT_INTERNAL_H
#define PFX_EVENT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "event/record.h"

/* Whether the data are big-endian, from whether they need @swap on this machine. */
static inline bool pfx_bits_are_big(bool swap)
{
	return swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/* The widths of a C bit-field word from its first member on; they add up to 64. */
struct pfx_bit_layout {
	size_t nr;
	const uint8_t *widths;
};

/*
 * Compilers of big-endian machines fill a bit-field word from the other end: a field at [pos, len]
 * of the little-endian word is at [64 - pos - len, len] of the big-endian one. Both functions take
 * and return the word as a number; little-endian data are not changed.
 */
uint64_t pfx_bits_from_file(uint64_t word, const struct pfx_bit_layout *layout, bool swap);
uint64_t pfx_bits_to_file(uint64_t word, const struct pfx_bit_layout *layout, bool swap);

#endif
