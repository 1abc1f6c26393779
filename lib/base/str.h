/* SPDX-License-Identifier: MIT */
/*
 * A growing string for output, faster than stdio. A zeroed struct is an empty string; `at` is
 * NUL-terminated after the first append. Also prints numbers and escapes untrusted text.
 */
#ifndef PFX_BASE_STR_H
#define PFX_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pfx_str {
	char *at;
	size_t len, cap;
};

/* Make room for @more bytes and a NUL; returns the address where they start. */
char *pfx_str_reserve(struct pfx_str *s, size_t more);
/* Append bytes, printf output, a character @n times. */
void pfx_str_addn(struct pfx_str *s, const char *text, size_t len);
void pfx_str_addf(struct pfx_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pfx_str_pad(struct pfx_str *s, char c, size_t n);
/* Decimal and hexadecimal (without 0x), right-aligned to @width with blanks (hex0: with zeros). */
void pfx_str_u64(struct pfx_str *s, uint64_t v, unsigned width);
void pfx_str_hex(struct pfx_str *s, uint64_t v, unsigned width);
void pfx_str_hex0(struct pfx_str *s, uint64_t v, unsigned width);
/* The last @width decimal digits of a number, with leading zeros. */
void pfx_str_u64_zeros(struct pfx_str *s, uint64_t v, unsigned width);
/* A number as printf's "%*.2f" writes it, several times as fast. */
void pfx_str_hundredths(struct pfx_str *s, double v, unsigned width);
/* Untrusted text: control characters, escapes, invisible characters that change how text is shown
 * (direction, line separators, zero width) and invalid UTF-8 become \xNN; a backslash is kept. */
void pfx_str_add_escaped(struct pfx_str *s, const char *text, size_t len);
/* JSON string contents (without the quotes): the same characters become \uNNNN, invalid UTF-8
 * becomes U+FFFD. */
void pfx_str_add_json(struct pfx_str *s, const char *text, size_t len);
/* Empty the string but keep its memory. */
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

/* "" for an empty string, so that it can always be printed. */
static inline const char *pfx_str_get(const struct pfx_str *s)
{
	return s->at ? s->at : "";
}

/* What follows the last slash of a path, or all of it. */
static inline const char *pfx_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether a byte of UTF-8 text begins a character. */
static inline bool pfx_begins_char(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* How many characters the first @len bytes have. */
static inline size_t pfx_nr_chars(const char *text, size_t len)
{
	size_t nr = 0, i;

	for (i = 0; i < len; i++)
		nr += pfx_begins_char(text[i]);
	return nr;
}

/* The length of @text, or of its beginning if it is longer than @most bytes; no UTF-8 character is
 * cut. */
static inline size_t pfx_length_within(const char *text, size_t most)
{
	size_t len = strnlen(text, most + 1);

	if (len <= most)
		return len;
	for (len = most; len && !pfx_begins_char(text[len]);)
		len--;
	return len;
}

/* Untrusted text, escaped into a buffer of fixed size, for error messages. Returns @out. */
const char *pfx_escape(char *out, size_t size, const char *text);

#endif
