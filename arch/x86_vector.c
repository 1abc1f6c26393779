/* SPDX-License-Identifier: MIT */
/*
 * Lengths of x86 instructions with VEX (C4, C5) and EVEX (62) prefixes: AVX to AVX-512 and later.
 * Their format is regular: prefix, opcode, ModRM with SIB and displacement, and an immediate byte
 * for some opcodes. Does not check that the instruction exists.
 */
#include "arch/x86_vector.h"

#define LENGTH_MAX 15

/* Numbers of opcode maps in the prefixes. */
enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3, MAP_LAST = 7 };

/* Segment and address-size prefixes, which may precede VEX and EVEX. */
static bool is_legacy_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x64 ||
	       byte == 0x65 || byte == 0x67;
}

/* Length of the prefix at @code, 0: none. @ret_map: the opcode map that it selects. */
static unsigned prefix_length(const uint8_t *code, size_t size, unsigned *ret_map)
{
	if (size < 2)
		return 0;
	*ret_map = MAP_0F;
	switch (code[0]) {
	case 0xc5:
		return 2;
	case 0xc4:
		*ret_map = code[1] & 0x1f;
		return 3;
	case 0x62:
		*ret_map = code[1] & 7;
		return 4;
	default:
		return 0;
	}
}

static bool has_immediate(unsigned map, uint8_t opcode)
{
	if (map != MAP_0F)
		return map == MAP_0F3A;
	return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
	       (opcode >= 0xc4 && opcode <= 0xc6);
}

/* Length of ModRM, SIB and displacement. */
static unsigned operand_length(const uint8_t *code, size_t size)
{
	unsigned mod = code[0] >> 6, rm = code[0] & 7, base = rm, len = 1;

	if (mod == 3)
		return len;
	if (rm == 4) {
		if (size < 2)
			return LENGTH_MAX;
		base = code[1] & 7;
		len++;
	}
	if (mod == 1)
		return len + 1;
	return len + (mod == 2 || base == 5 ? 4 : 0);
}

unsigned pfx_x86_vector_length(const uint8_t *code, size_t size, bool is_64bit)
{
	unsigned at = 0, map, prefix;
	uint8_t opcode;

	while (at < size && at < 4 && is_legacy_prefix(code[at]))
		at++;
	prefix = prefix_length(code + at, size - at, &map);
	if (!prefix || !map || map > MAP_LAST || (!is_64bit && code[at + 1] < 0xc0))
		return 0; /* in 32-bit code, other instructions begin with these bytes, too */
	at += prefix;
	if (at >= size)
		return 0;
	opcode = code[at++];
	if (map == MAP_0F && opcode == 0x77) /* vzeroupper has no operands */
		return at;
	if (at >= size)
		return 0;
	at += operand_length(code + at, size - at) + has_immediate(map, opcode);
	return at <= size && at <= LENGTH_MAX ? at : 0;
}
