/* SPDX-License-Identifier: MIT */
/*
 * Reads packed texts. The table is part of the program, so that its codes are trusted; it is the
 * only input.
 */
#include "pmu/vendor/vendor_text.h"

#include <ctype.h>
#include <string.h>

#include "pmu/vendor/vendor_table.h"

#define LITERAL    0x7f
#define LOW_WORDS  0x1f /* 0x01 to 0x1f */
#define HIGH_WORDS 0x80
#define LONG_WORDS 0xc0
#define NR_SHORT   (LOW_WORDS + LONG_WORDS - HIGH_WORDS)

/* The next characters of a text. */
struct piece {
	const char *at;
	size_t len; /* 0: the text has ended */
};

static struct piece word(uint32_t number)
{
	uint32_t place = pfx_vendor_words[number];

	return (struct piece){pfx_vendor_word_bytes + (place >> 8), place & 0xff};
}

static struct piece next(const unsigned char **at)
{
	const unsigned char *code = *at;

	*at += *code >= LONG_WORDS || *code == LITERAL ? 2 : 1;
	if (!*code)
		return (struct piece){"", 0};
	if (*code <= LOW_WORDS)
		return word(*code - 1u);
	if (*code >= LONG_WORDS)
		return word(NR_SHORT + ((*code - LONG_WORDS) * 256u + code[1]));
	if (*code >= HIGH_WORDS)
		return word(LOW_WORDS + *code - HIGH_WORDS);
	return (struct piece){(const char *)code + (*code == LITERAL), 1};
}

static const char *unpacked(const unsigned char *packed, struct pfx_arena *arena)
{
	const unsigned char *at = packed;
	struct piece piece;
	size_t len = 0;
	char *text, *end;

	while ((piece = next(&at)).len)
		len += piece.len;
	if (!len)
		return "";
	text = end = pfx_arena_alloc(arena, len + 1);
	for (at = packed; (piece = next(&at)).len; end += piece.len)
		memcpy(end, piece.at, piece.len);
	return text;
}

const char *pfx_vendor_text(uint32_t offset, struct pfx_arena *arena)
{
	return unpacked(pfx_vendor_packed + offset, arena);
}

const char *pfx_vendor_text_after(uint32_t offset, struct pfx_arena *arena)
{
	const unsigned char *at = pfx_vendor_packed + offset;

	if (!offset)
		return "";
	while (next(&at).len)
		;
	return unpacked(at, arena);
}

int pfx_vendor_text_compare(uint32_t offset, const char *other)
{
	const unsigned char *at = pfx_vendor_packed + offset;
	struct piece piece;
	size_t i;

	while ((piece = next(&at)).len)
		for (i = 0; i < piece.len; i++, other++) {
			int a = tolower((unsigned char)piece.at[i]);
			int b = tolower((unsigned char)*other);

			if (a != b)
				return a - b;
		}
	return *other ? -1 : 0;
}
