/* SPDX-License-Identifier: MIT */
/*
 * A growing string for output: no stdio per field. Zero is empty; `at` is NUL-terminated as soon as
 * anything was added. Also the printers of numbers and the escaping of foreign text.
 */
#ifndef PFX_BASE_STR_H
#define PFX_BASE_STR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pfx_str {
	char *at;
	size_t len, cap;
};

/* Make room for @more bytes and a NUL; returns where they go. */
char *pfx_str_reserve(struct pfx_str *s, size_t more);
/* Append: bytes, what printf makes, a character @n times. */
void pfx_str_addn(struct pfx_str *s, const char *text, size_t len);
void pfx_str_addf(struct pfx_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pfx_str_pad(struct pfx_str *s, char c, size_t n);
/* Decimal and hexadecimal (without 0x), right-aligned in @width with blanks (hex0: with zeros). */
void pfx_str_u64(struct pfx_str *s, uint64_t v, unsigned width);
void pfx_str_hex(struct pfx_str *s, uint64_t v, unsigned width);
void pfx_str_hex0(struct pfx_str *s, uint64_t v, unsigned width);
/* The last @width decimal digits of a number, with zeros in front. */
void pfx_str_u64_zeros(struct pfx_str *s, uint64_t v, unsigned width);
/* Foreign text: control characters, escapes, invisible characters that change what is seen (the
 * direction of writing, lines, nothing at all) and broken UTF-8 become \xNN, a backslash stays. */
void pfx_str_add_escaped(struct pfx_str *s, const char *text, size_t len);
/* JSON string contents (without the quotes): the same characters become \uNNNN, bytes that are no
 * UTF-8 U+FFFD. */
void pfx_str_add_json(struct pfx_str *s, const char *text, size_t len);
/* Drop the text, keep the memory. */
static inline void pfx_str_clear(struct pfx_str *s)
{
	s->len = 0;
	if (s->at)
		s->at[0] = '\0';
}
void pfx_str_fini(struct pfx_str *s);

static inline void pfx_str_add(struct pfx_str *s, const char *text)
{
	pfx_str_addn(s, text, strlen(text));
}

/* pfx_str_add_escaped() of a whole string. */
static inline void pfx_str_add_foreign(struct pfx_str *s, const char *text)
{
	pfx_str_add_escaped(s, text, strlen(text));
}

static inline void pfx_str_addc(struct pfx_str *s, char c)
{
	if (s->len + 2 > s->cap)
		pfx_str_reserve(s, 1);
	s->at[s->len++] = c;
	s->at[s->len] = '\0';
}

/* "" for an empty string, so that it can be printed always. */
static inline const char *pfx_str_get(const struct pfx_str *s)
{
	return s->at ? s->at : "";
}

/* Foreign text made safe in a static-size buffer, for error sentences. Returns @out. */
const char *pfx_escape(char *out, size_t size, const char *text);

#endif
