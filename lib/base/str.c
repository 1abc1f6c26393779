/* SPDX-License-Identifier: MIT */
/* Builds text. All untrusted text passes pfx_str_add_escaped() before it is shown. */
#include "base/str.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

char *pfx_str_reserve(struct pfx_str *s, size_t more)
{
	size_t need = s->len + more + 1;

	if (!s->at || need > s->cap)
		s->at = pfx_vec_grow(s->at, &s->cap, need < 64 ? 64 : need, 1);
	return s->at + s->len;
}

void pfx_str_addn(struct pfx_str *s, const char *text, size_t len)
{
	char *to = pfx_str_reserve(s, len);

	memcpy(to, text, len);
	to[len] = '\0';
	s->len += len;
}

void pfx_str_addf(struct pfx_str *s, const char *fmt, ...)
{
	va_list ap, again;
	char *to = pfx_str_reserve(s, 64);
	int len;

	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(to, s->cap - s->len, fmt, ap);
	if (len > 0 && (size_t)len >= s->cap - s->len) {
		to = pfx_str_reserve(s, (size_t)len);
		vsnprintf(to, (size_t)len + 1, fmt, again);
	}
	if (len > 0)
		s->len += (size_t)len;
	va_end(again);
	va_end(ap);
}

void pfx_str_pad(struct pfx_str *s, char c, size_t n)
{
	char *to = pfx_str_reserve(s, n);

	memset(to, c, n);
	to[n] = '\0';
	s->len += n;
}

/* The decimal digits of 0 to 99. */
static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
				  "25262728293031323334353637383940414243444546474849"
				  "50515253545556575859606162636465666768697071727374"
				  "75767778798081828384858687888990919293949596979899";

#define NUMBER_MAX 24 /* more than the digits of any 64-bit number */

static void add_digits(struct pfx_str *s, const char *digits, size_t nr, unsigned width, char fill)
{
	size_t all = nr < width ? width : nr;
	char *to = pfx_str_reserve(s, all);

	memset(to, fill, all - nr);
	memcpy(to + all - nr, digits, nr);
	to[all] = '\0';
	s->len += all;
}

void pfx_str_u64(struct pfx_str *s, uint64_t v, unsigned width)
{
	char digits[NUMBER_MAX];
	size_t at = sizeof(digits);

	while (v >= 100) {
		at -= 2;
		memcpy(digits + at, digit_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		at -= 2;
		memcpy(digits + at, digit_pairs + v * 2, 2);
	} else {
		digits[--at] = (char)('0' + v);
	}
	add_digits(s, digits + at, sizeof(digits) - at, width, ' ');
}

void pfx_str_u64_zeros(struct pfx_str *s, uint64_t v, unsigned width)
{
	char *to = pfx_str_reserve(s, width);
	unsigned at = width;

	for (; at >= 2; at -= 2, v /= 100)
		memcpy(to + at - 2, digit_pairs + v % 100 * 2, 2);
	if (at)
		to[0] = (char)('0' + v % 10);
	to[width] = '\0';
	s->len += width;
}

/* printf rounds the exact value: near the middle between two results, a product is not exact
 * enough. */
void pfx_str_hundredths(struct pfx_str *s, double v, unsigned width)
{
	double scaled = v * 100;
	uint64_t whole = scaled >= 0 && scaled < 1e9 ? (uint64_t)scaled : 0;
	double rest = scaled - (double)whole;

	if (!(v > 0 && scaled < 1e9) || (rest > 0.499999 && rest < 0.500001)) {
		pfx_str_addf(s, "%*.2f", (int)width, v);
		return;
	}
	whole += rest > 0.5;
	pfx_str_u64(s, whole / 100, width > 3 ? width - 3 : 0);
	pfx_str_addc(s, '.');
	pfx_str_u64_zeros(s, whole % 100, 2);
}

static void add_hex(struct pfx_str *s, uint64_t v, unsigned width, char fill)
{
	char digits[NUMBER_MAX];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	add_digits(s, digits + at, sizeof(digits) - at, width, fill);
}

void pfx_str_hex(struct pfx_str *s, uint64_t v, unsigned width)
{
	add_hex(s, v, width, ' ');
}

void pfx_str_hex0(struct pfx_str *s, uint64_t v, unsigned width)
{
	add_hex(s, v, width, '0');
}

/* Length of the valid UTF-8 sequence at @p (1 to 4 bytes), or 0; *@ret is its code point. Overlong
 * forms and surrogates are invalid. */
static size_t utf8_len(const uint8_t *p, size_t left, uint32_t *ret)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
	uint32_t c;
	size_t i;

	*ret = p[0];
	if (p[0] < 0x80)
		return 1;
	if (!len || len > left)
		return 0;
	c = p[0] & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	*ret = c;
	return c < smallest[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : len;
}

/* Invisible code points beyond ASCII that change how other text is shown: C1 controls (some
 * terminals execute them), direction marks and overrides, line separators, zero-width characters,
 * tags. */
static bool is_steering(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x80, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},   {0x180e, 0x180e},
		{0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f}, {0xfeff, 0xfeff},
		{0xfff9, 0xfffb}, {0xe0000, 0xe007f},
	};
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static bool is_plain(uint8_t c)
{
	return c >= 0x20 && c != 0x7f;
}

void pfx_str_add_escaped(struct pfx_str *s, const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t i = 0, n, run;
	uint32_t c;

	while (i < len) {
		for (run = i; run < len && is_plain(p[run]) && p[run] < 0x80; run++)
			;
		pfx_str_addn(s, text + i, run - i);
		i = run;
		if (i == len)
			break;
		n = p[i] < 0x80 ? 0 : utf8_len(p + i, len - i, &c);
		if (n && !is_steering(c)) {
			pfx_str_addn(s, text + i, n);
			i += n;
		} else {
			pfx_str_add(s, "\\x");
			pfx_str_hex0(s, p[i++], 2);
		}
	}
}

static void add_json_char(struct pfx_str *s, uint8_t c)
{
	if (c == '"' || c == '\\') {
		pfx_str_addc(s, '\\');
		pfx_str_addc(s, (char)c);
	} else if (c == '\n') {
		pfx_str_add(s, "\\n");
	} else if (c == '\t') {
		pfx_str_add(s, "\\t");
	} else if (!is_plain(c)) {
		pfx_str_add(s, "\\u");
		pfx_str_hex0(s, c, 4);
	} else {
		pfx_str_addc(s, (char)c);
	}
}

/* A JSON escape sequence; code points above U+FFFF become a surrogate pair. */
static void add_json_code(struct pfx_str *s, uint32_t c)
{
	if (c > 0xffff) {
		add_json_code(s, 0xd800 + ((c - 0x10000) >> 10));
		c = 0xdc00 + (c & 0x3ff);
	}
	pfx_str_add(s, "\\u");
	pfx_str_hex0(s, c, 4);
}

void pfx_str_add_json(struct pfx_str *s, const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t i = 0, n;
	uint32_t c;

	while (i < len) {
		n = utf8_len(p + i, len - i, &c);
		if (n == 1)
			add_json_char(s, p[i]);
		else if (!n)
			pfx_str_add(s, "\xef\xbf\xbd");
		else if (is_steering(c))
			add_json_code(s, c);
		else
			pfx_str_addn(s, text + i, n);
		i += n ? n : 1;
	}
}

void pfx_str_fini(struct pfx_str *s)
{
	if (!s)
		return;
	free(s->at);
	memset(s, 0, sizeof(*s));
}

const char *pfx_escape(char *out, size_t size, const char *text)
{
	struct pfx_str s = {0};

	pfx_str_add_foreign(&s, text);
	snprintf(out, size, "%s", pfx_str_get(&s));
	pfx_str_fini(&s);
	return out;
}
