/* SPDX-License-Identifier: MIT */
/*
 * Instructions are found by trying the lengths of those that begin with the same two bytes. Direct
 * jumps and calls of 64-bit code are known by their opcode alone, since each has another distance.
 */
#include <stdlib.h>
#include <string.h>

#include "sym/code/insn_cache_internal.h"

#define KNOWN_MAX   (1u << 16) /* about 10 MB */
#define DECIMAL_MAX 9          /* larger numbers are written in hexadecimal */

/* --- direct jumps --- */

/* The number of bytes of the distance after an opcode without prefixes; 0: it is another
 * instruction. */
static unsigned distance_size(const uint8_t *code, size_t size, unsigned *ret_opcode)
{
	*ret_opcode = 1;
	if (size >= 2 && ((code[0] & 0xf0) == 0x70 || code[0] == 0xeb))
		return 1;
	if (size >= 5 && (code[0] == 0xe8 || code[0] == 0xe9))
		return 4;
	*ret_opcode = 2;
	return size >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80 ? 4 : 0;
}

/* The number of a jump's opcode, whose size is @opcode. */
static unsigned jump_number(const uint8_t *code, unsigned opcode)
{
	return opcode == 1 ? code[0] : PFX_SHORT_OPCODES + (code[1] & 15);
}

static uint64_t target_of(const uint8_t *distance, unsigned size, uint64_t end)
{
	int32_t far;

	if (size == 1)
		return end + (uint64_t)(int64_t)(int8_t)distance[0];
	far = (int32_t)((uint32_t)distance[0] | (uint32_t)distance[1] << 8 |
			(uint32_t)distance[2] << 16 | (uint32_t)distance[3] << 24);
	return end + (uint64_t)(int64_t)far;
}

/* The text is that of the opcode, a blank, and the address. */
static bool find_jump(const struct pfx_insn_cache *cache, const uint8_t *code, size_t size,
		      uint64_t addr, struct pfx_insn *ret, struct pfx_str *text)
{
	unsigned opcode, distance = distance_size(code, size, &opcode);
	const struct pfx_known_insn *known;
	uint32_t at;

	if (!distance)
		return false;
	at = cache->jumps[jump_number(code, opcode)];
	if (!at)
		return false;
	known = &cache->known.at[at - 1];
	*ret = known->insn;
	ret->target = target_of(code + opcode, distance, addr + ret->len);
	if (ret->target <= DECIMAL_MAX)
		return false;
	pfx_str_addn(text, known->text, known->text_len);
	pfx_str_hex(text, ret->target, 0);
	return true;
}

/* Whether the text ends with the target as find_jump() writes it. */
static bool is_usual_jump(const uint8_t *code, uint64_t addr, const struct pfx_insn *insn,
			  const char *text)
{
	unsigned opcode, distance = distance_size(code, insn->len, &opcode);
	struct pfx_str wanted = {0};
	bool is_usual;

	if (!distance || opcode + distance != insn->len || !insn->has_target || insn->has_data ||
	    insn->target != target_of(code + opcode, distance, addr + insn->len))
		return false;
	pfx_str_addn(&wanted, text, insn->mnemonic);
	pfx_str_add(&wanted, " 0x");
	pfx_str_hex(&wanted, insn->target, 0);
	is_usual = !strcmp(wanted.at, text);
	pfx_str_fini(&wanted);
	return is_usual;
}

/* --- others --- */

/* Up to 16 bytes as two words. */
struct words {
	uint64_t low, high;
};

static struct words load(const uint8_t *code, size_t size)
{
	uint8_t bytes[sizeof(struct words)] = {0};
	struct words ret;

	if (size < sizeof(bytes)) {
		memcpy(bytes, code, size);
		code = bytes;
	}
	memcpy(&ret.low, code, sizeof(ret.low));
	memcpy(&ret.high, code + sizeof(ret.low), sizeof(ret.high));
	return ret;
}

/* The first @len bytes (1 to 15) of words that are in memory. */
static const uint8_t mask_bytes[32] = {255, 255, 255, 255, 255, 255, 255, 255,
				       255, 255, 255, 255, 255, 255, 255, 255};

static struct words cut(struct words words, unsigned len)
{
	struct words mask = load(mask_bytes + sizeof(words) - len, sizeof(words));

	return (struct words){words.low & mask.low, words.high & mask.high};
}

static uint64_t hash_of(struct words words, unsigned len)
{
	return pfx_hash_u64(words.low ^ pfx_hash_fold(words.high + len, pfx_hash_secret[0] | 1));
}

static const struct pfx_known_insn *find_bytes(const struct pfx_insn_cache *cache,
					       struct words words, unsigned len)
{
	const struct pfx_known_insn *known;
	uint64_t hash = hash_of(words, len), at = hash;
	uint32_t id;

	while (pfx_id_table_next(&cache->ids, hash, &at, &id)) {
		known = &cache->known.at[id];
		if (known->low == words.low && known->high == words.high && known->insn.len == len)
			return known;
	}
	return NULL;
}

static const struct pfx_known_insn *find_known(const struct pfx_insn_cache *cache,
					       const uint8_t *code, size_t size)
{
	const struct pfx_known_insn *known = NULL;
	struct words words;
	unsigned lengths, len;

	if (cache->single[code[0]])
		return &cache->known.at[cache->single[code[0]] - 1];
	if (size < 2)
		return NULL;
	words = load(code, size);
	lengths = cache->lengths[code[0] | code[1] << 8];
	for (; lengths && !known; lengths &= lengths - 1) {
		len = (unsigned)__builtin_ctz(lengths);
		if (len > size)
			return NULL;
		known = find_bytes(cache, cut(words, len), len);
	}
	return known;
}

bool pfx_insn_cache_find(const struct pfx_insn_cache *cache, const uint8_t *code, size_t size,
			 uint64_t addr, struct pfx_insn *ret, struct pfx_str *text)
{
	const struct pfx_known_insn *known;

	if (!cache->lengths || !size)
		return false;
	if (find_jump(cache, code, size, addr, ret, text))
		return true;
	known = find_known(cache, code, size);
	if (!known)
		return false;
	*ret = known->insn;
	if (ret->is_relative)
		ret->data += addr + ret->len;
	pfx_str_addn(text, known->text, known->text_len);
	return true;
}

/* A prefix is shown as an instruction of its own if what follows does not go with it. */
static bool is_prefixes(const uint8_t *code, unsigned len, bool is_64bit)
{
	unsigned i;

	for (i = 0; i < len; i++)
		if (!memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", code[i], 11) &&
		    !(is_64bit && (code[i] & 0xf0) == 0x40))
			return false;
	return true;
}

static uint32_t add_known(struct pfx_insn_cache *cache, const uint8_t *code, uint64_t addr,
			  const struct pfx_insn *insn, const char *text, size_t text_len)
{
	const struct words words = load(code, insn->len);
	struct pfx_known_insn known = {
		.low = words.low,
		.high = words.high,
		.text = pfx_arena_strndup(&cache->texts, text, text_len),
		.text_len = (uint32_t)text_len,
		.insn = *insn,
	};

	if (insn->is_relative)
		known.insn.data -= addr + insn->len;
	pfx_vec_push(&cache->known, known);
	return (uint32_t)cache->known.nr - 1;
}

void pfx_insn_cache_add(struct pfx_insn_cache *cache, const uint8_t *code, uint64_t addr,
			bool is_64bit, const struct pfx_insn *insn, const char *text)
{
	unsigned opcode;
	uint32_t id;

	if (cache->known.nr >= KNOWN_MAX || !insn->len || insn->len > PFX_INSN_LENGTH_MAX)
		return;
	if (!cache->lengths)
		cache->lengths = pfx_calloc(1 << 16, sizeof(*cache->lengths));
	if (insn->has_target) {
		if (!is_64bit || !is_usual_jump(code, addr, insn, text))
			return;
		id = add_known(cache, code, addr, insn, text, insn->mnemonic + strlen(" 0x"));
		distance_size(code, insn->len, &opcode);
		cache->jumps[jump_number(code, opcode)] = id + 1;
		return;
	}
	if (is_prefixes(code, insn->len, is_64bit))
		return;
	id = add_known(cache, code, addr, insn, text, strlen(text));
	if (insn->len == 1) {
		cache->single[code[0]] = id + 1;
		return;
	}
	pfx_id_table_add(&cache->ids, hash_of(load(code, insn->len), insn->len), id);
	cache->lengths[code[0] | code[1] << 8] |= (uint16_t)(1u << insn->len);
}

void pfx_insn_cache_clear(struct pfx_insn_cache *cache)
{
	pfx_arena_clear(&cache->texts);
	pfx_vec_free(&cache->known);
	pfx_id_table_fini(&cache->ids);
	free(cache->lengths);
	memset(cache, 0, sizeof(*cache));
}
