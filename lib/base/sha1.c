/* SPDX-License-Identifier: MIT */
/*
 * SHA-1 after FIPS 180-4: blocks of 64 bytes, 80 steps each, big-endian words, padding of one bit,
 * zeros and the length in bits.
 */
#include "base/sha1.h"

#include <string.h>

static uint32_t rotate(uint32_t x, unsigned by)
{
	return x << by | x >> (32 - by);
}

static uint32_t load_big(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void store_big(uint8_t *at, uint32_t word)
{
	at[0] = (uint8_t)(word >> 24);
	at[1] = (uint8_t)(word >> 16);
	at[2] = (uint8_t)(word >> 8);
	at[3] = (uint8_t)word;
}

/* The function and the constant of a step. */
static uint32_t mix(unsigned step, const uint32_t *s)
{
	if (step < 20)
		return ((s[1] & s[2]) | (~s[1] & s[3])) + 0x5a827999;
	if (step < 40)
		return (s[1] ^ s[2] ^ s[3]) + 0x6ed9eba1;
	if (step < 60)
		return ((s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3])) + 0x8f1bbcdc;
	return (s[1] ^ s[2] ^ s[3]) + 0xca62c1d6;
}

static void take_block(struct pfx_sha1 *sha, const uint8_t *block)
{
	uint32_t words[80], s[5], next;
	unsigned i;

	for (i = 0; i < 16; i++)
		words[i] = load_big(block + 4 * i);
	for (; i < 80; i++)
		words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
	memcpy(s, sha->state, sizeof(s));
	for (i = 0; i < 80; i++) {
		next = rotate(s[0], 5) + mix(i, s) + s[4] + words[i];
		s[4] = s[3];
		s[3] = s[2];
		s[2] = rotate(s[1], 30);
		s[1] = s[0];
		s[0] = next;
	}
	for (i = 0; i < 5; i++)
		sha->state[i] += s[i];
}

void pfx_sha1_init(struct pfx_sha1 *sha)
{
	static const uint32_t start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
					  0xc3d2e1f0};

	memset(sha, 0, sizeof(*sha));
	memcpy(sha->state, start, sizeof(start));
}

void pfx_sha1_add(struct pfx_sha1 *sha, const void *data, size_t size)
{
	const uint8_t *at = data;
	size_t have, n;

	while (size) {
		have = sha->size % sizeof(sha->block);
		n = sizeof(sha->block) - have;
		n = n < size ? n : size;
		memcpy(sha->block + have, at, n);
		sha->size += n;
		at += n;
		size -= n;
		if (have + n == sizeof(sha->block))
			take_block(sha, sha->block);
	}
}

void pfx_sha1_end(struct pfx_sha1 *sha, uint8_t digest[PFX_SHA1_SIZE])
{
	static const uint8_t zeros[64];
	uint64_t bits = sha->size * 8;
	uint8_t tail[8];
	size_t have;
	unsigned i;

	pfx_sha1_add(sha, "\x80", 1);
	have = sha->size % 64;
	pfx_sha1_add(sha, zeros, (64 + 56 - have) % 64);
	store_big(tail, (uint32_t)(bits >> 32));
	store_big(tail + 4, (uint32_t)bits);
	pfx_sha1_add(sha, tail, sizeof(tail));
	for (i = 0; i < 5; i++)
		store_big(digest + 4 * i, sha->state[i]);
}
