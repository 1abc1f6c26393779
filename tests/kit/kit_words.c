/* SPDX-License-Identifier: MIT */
/* Splits lines of the description into words, and converts words to numbers and bytes. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "kit/kit_internal.h"

#define WORDS_MAX   4096
#define STRING_PAD  64
#define NUMBERS_MAX 65536

int pfx_kit_error(struct kit *kit, const struct kit_line *line, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return pfx_error_set(kit->err, EINVAL, "line %u: %s", line->number, text);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The character of an escape sequence: n t 0 xNN, or itself. */
static char escaped(const char **p, const char *end)
{
	char c = *(*p)++;

	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '0':
		return '\0';
	case 'x':
		if (end - *p < 2 || hex_digit((*p)[0]) < 0 || hex_digit((*p)[1]) < 0)
			return c;
		c = (char)(hex_digit((*p)[0]) * 16 + hex_digit((*p)[1]));
		*p += 2;
		return c;
	}
	return c;
}

static const char *take_word(struct kit *kit, const char *p, const char *end, struct kit_word *ret)
{
	char *out = pfx_arena_alloc(&kit->arena, (size_t)(end - p) + 1);
	bool quoted = false, was_quoted = false;
	size_t len = 0;

	*ret = (struct kit_word){.value = out};
	while (p < end && (quoted || !isspace((unsigned char)*p))) {
		char c = *p++;

		if (c == '"') {
			quoted = !quoted;
			was_quoted = true;
		} else if (c == '\\' && quoted && p < end) {
			out[len++] = escaped(&p, end);
		} else if (c == '=' && !was_quoted && !ret->key) {
			out[len] = '\0';
			ret->key = out;
			out += len + 1;
			ret->value = out;
			len = 0;
		} else {
			out[len++] = c;
		}
	}
	out[len] = '\0';
	ret->len = len;
	return p;
}

int pfx_kit_split(struct kit *kit, const char *text, size_t len, struct kit_line *ret)
{
	struct kit_word *words = pfx_arena_array(&kit->arena, struct kit_word, len / 2 + 1);
	const char *p = text, *end = text + len;

	ret->words = words;
	ret->nr = 0;
	ret->verb = NULL;
	for (;;) {
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p == end || *p == '#')
			return 0;
		p = take_word(kit, p, end, &words[ret->nr++]);
		if (ret->verb)
			continue;
		if (words[0].key)
			return pfx_kit_error(kit, ret, "a line starts with a verb");
		ret->verb = words[--ret->nr].value;
	}
}

struct kit_word *pfx_kit_find(struct kit_line *line, const char *key)
{
	size_t i;

	for (i = 0; i < line->nr; i++) {
		if (line->words[i].key && !strcmp(line->words[i].key, key)) {
			line->words[i].used = true;
			return &line->words[i];
		}
	}
	return NULL;
}

struct kit_word *pfx_kit_plain(struct kit_line *line)
{
	size_t i;

	for (i = 0; i < line->nr; i++) {
		if (!line->words[i].key && !line->words[i].used) {
			line->words[i].used = true;
			return &line->words[i];
		}
	}
	return NULL;
}

bool pfx_kit_number(const char *value, uint64_t *ret)
{
	bool negative = *value == '-';

	if (!pfx_parse_u64(value + negative, ret))
		return false;
	if (negative)
		*ret = -*ret;
	return true;
}

bool pfx_kit_mode(const char *name, uint64_t *ret)
{
	static const char *const names[] = {"unknown", "kernel",       "user",
					    "hv",      "guest_kernel", "guest_user"};
	uint64_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], name)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

int pfx_kit_u64(struct kit *kit, struct kit_line *line, const char *key, uint64_t *ret)
{
	struct kit_word *word = pfx_kit_find(line, key);

	if (!word || pfx_kit_number(word->value, ret))
		return 0;
	return pfx_kit_error(kit, line, "%s=%s is no number", key, word->value);
}

int pfx_kit_numbers(struct kit *kit, const struct kit_line *line, const struct kit_word *word,
		    bool (*name_of)(const char *name, uint64_t *ret), struct pfx_words *ret)
{
	uint64_t *out = pfx_arena_array(&kit->arena, uint64_t, word->len / 2 + 1);
	char *copy = pfx_arena_strdup(&kit->arena, word->value), *save = NULL, *item;

	*ret = (struct pfx_words){.at = (const uint8_t *)out};
	for (item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		if (ret->nr < NUMBERS_MAX && (pfx_kit_number(item, &out[ret->nr]) ||
					      (name_of && name_of(item, &out[ret->nr])))) {
			ret->nr++;
			continue;
		}
		return pfx_kit_error(kit, line, "'%s' is neither a number nor a name", item);
	}
	return 0;
}

int pfx_kit_hex(struct kit *kit, const struct kit_line *line, const struct kit_word *word,
		struct pfx_bytes *ret)
{
	uint8_t *out = pfx_arena_alloc(&kit->arena, word->len / 2 + 1);
	size_t i;

	for (i = 0; i + 1 < word->len; i += 2) {
		int high = hex_digit(word->value[i]), low = hex_digit(word->value[i + 1]);

		if (high < 0 || low < 0)
			return pfx_kit_error(kit, line, "'%s' is not hex", word->value);
		out[i / 2] = (uint8_t)(high << 4 | low);
	}
	if (word->len % 2)
		return pfx_kit_error(kit, line, "half a byte in '%s'", word->value);
	*ret = (struct pfx_bytes){out, word->len / 2};
	return 0;
}

void pfx_kit_string(struct pfx_buffer *to, const char *s)
{
	size_t at = to->len;

	pfx_buffer_u32(to, 0);
	pfx_buffer_cstr(to, s, STRING_PAD);
	pfx_buffer_patch32(to, at, (uint32_t)(to->len - at - 4));
}

static int typed_number(struct kit *kit, struct kit_line *line, const struct kit_word *word,
			struct pfx_buffer *to)
{
	uint64_t v;

	if (!pfx_kit_number(word->value, &v))
		return pfx_kit_error(kit, line, "'%s' is not a number", word->value);
	if (!strcmp(word->key, "u8"))
		pfx_buffer_u8(to, (uint8_t)v);
	else if (!strcmp(word->key, "u16"))
		pfx_buffer_u16(to, (uint16_t)v);
	else if (!strcmp(word->key, "u32"))
		pfx_buffer_u32(to, (uint32_t)v);
	else if (!strcmp(word->key, "u64"))
		pfx_buffer_u64(to, v);
	else if (!strcmp(word->key, "order"))
		pfx_buffer_u8(to, kit->options.big_endian ? (uint8_t)v : 0);
	else if (!strcmp(word->key, "zeros"))
		pfx_buffer_zeros(to, v);
	else if (!strcmp(word->key, "align") && v)
		pfx_buffer_align(to, v);
	else
		return pfx_kit_error(kit, line, "unknown kind of bytes '%s'", word->key);
	return 0;
}

static int typed_word(struct kit *kit, struct kit_line *line, const struct kit_word *word,
		      struct pfx_buffer *to)
{
	struct pfx_bytes bytes = {0};
	int rc;

	if (!word->key || !strcmp(word->key, "text")) {
		pfx_buffer_bytes(to, word->value, word->len);
		return 0;
	}
	if (!strcmp(word->key, "str")) {
		pfx_kit_string(to, word->value);
		return 0;
	}
	if (strcmp(word->key, "bytes"))
		return typed_number(kit, line, word, to);
	rc = pfx_kit_hex(kit, line, word, &bytes);
	if (!rc)
		pfx_buffer_bytes(to, bytes.at, bytes.size);
	return rc;
}

int pfx_kit_typed(struct kit *kit, struct kit_line *line, struct pfx_buffer *to)
{
	int rc = 0;
	size_t i;

	for (i = 0; i < line->nr && !rc; i++) {
		if (line->words[i].used)
			continue;
		line->words[i].used = true;
		rc = typed_word(kit, line, &line->words[i], to);
	}
	return rc;
}

int pfx_kit_all_used(struct kit *kit, const struct kit_line *line)
{
	size_t i;

	for (i = 0; i < line->nr; i++) {
		const struct kit_word *word = &line->words[i];

		if (!word->used)
			return pfx_kit_error(kit, line, "'%s' does not know '%s%s%s'", line->verb,
					     word->key ? word->key : "", word->key ? "=" : "",
					     word->value);
	}
	return 0;
}
