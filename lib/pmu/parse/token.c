/* SPDX-License-Identifier: MIT */
/*
 * The words of an event specification, one at a time, with their columns. Only lexical rules: which
 * characters form a word, outside and between slashes.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/parse/parse_internal.h"

#define DIGITS_MAX 20 /* of a 64-bit number in decimal */

static bool is_word_char(const struct pfx_scanner *s, char c)
{
	if (isalnum((unsigned char)c))
		return true;
	return c && strchr(s->in_terms ? "_*?[].!-^%:~@" : "_*?[].!-^%", c);
}

static enum pfx_token_kind single(char c)
{
	switch (c) {
	case ',':
		return PFX_TOKEN_COMMA;
	case ':':
		return PFX_TOKEN_COLON;
	case '/':
		return PFX_TOKEN_SLASH;
	case '=':
		return PFX_TOKEN_EQUALS;
	case '{':
		return PFX_TOKEN_OPEN;
	case '}':
		return PFX_TOKEN_CLOSE;
	}
	return PFX_TOKEN_BAD;
}

/* 'text' or "text"; the current character is the quote. */
static void scan_quoted(struct pfx_scanner *s, struct pfx_token *tok)
{
	const char *end = strchr(tok->at + 1, *tok->at);

	if (!end) {
		tok->len = 1;
		return;
	}
	tok->kind = PFX_TOKEN_QUOTED;
	tok->at++;
	tok->len = (size_t)(end - tok->at);
	s->pos = (size_t)(end + 1 - s->text);
}

void pfx_token_next(struct pfx_scanner *s)
{
	struct pfx_token *tok = &s->tok;

	s->last_end = tok->end;
	while (isspace((unsigned char)s->text[s->pos]))
		s->pos++;
	*tok = (struct pfx_token){PFX_TOKEN_END, s->text + s->pos, 0, s->pos, 0};
	if (!*tok->at) {
		tok->end = s->pos;
		return;
	}
	if (is_word_char(s, *tok->at)) {
		tok->kind = PFX_TOKEN_WORD;
		while (is_word_char(s, s->text[s->pos]))
			s->pos++;
		tok->len = s->pos - tok->col;
	} else {
		s->pos++;
		tok->len = 1;
		tok->kind = single(*tok->at);
		if (s->in_terms && (*tok->at == '\'' || *tok->at == '"'))
			scan_quoted(s, tok);
	}
	tok->end = s->pos;
}

bool pfx_token_is(const struct pfx_token *tok, const char *word)
{
	return tok->kind == PFX_TOKEN_WORD && strlen(word) == tok->len &&
	       !memcmp(tok->at, word, tok->len);
}

bool pfx_token_hex(const char *at, size_t len, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (!isxdigit((unsigned char)at[i]) || v >> 60)
			return false;
		v = v << 4 | (uint64_t)(isdigit((unsigned char)at[i])
						? at[i] - '0'
						: tolower((unsigned char)at[i]) - 'a' + 10);
	}
	*ret = v;
	return len > 0;
}

bool pfx_token_number(const struct pfx_token *tok, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i;

	if (tok->kind != PFX_TOKEN_WORD)
		return false;
	if (tok->len > 2 && tok->at[0] == '0' && (tok->at[1] | 0x20) == 'x')
		return pfx_token_hex(tok->at + 2, tok->len - 2, ret);
	for (i = 0; i < tok->len; i++) {
		if (!isdigit((unsigned char)tok->at[i]) || i >= DIGITS_MAX)
			return false;
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(tok->at[i] - '0'), &v))
			return false;
	}
	*ret = v;
	return tok->len > 0;
}
