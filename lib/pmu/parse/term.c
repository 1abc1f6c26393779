/* SPDX-License-Identifier: MIT */
/*
 * The terms between the slashes: "name", "name=value", "name='any text'", separated by commas. Only
 * syntax and numbers; config.c interprets the names.
 */
#include <errno.h>

#include "pmu/parse/parse_internal.h"

#define TERMS_MAX 256 /* no PMU has this many formats; bounds the work on untrusted input */

static int parse_value(struct pfx_parser *p, struct pfx_term *term)
{
	struct pfx_scanner *s = &p->scan;

	pfx_token_next(s);
	if (s->tok.kind != PFX_TOKEN_WORD && s->tok.kind != PFX_TOKEN_QUOTED)
		return pfx_parse_unexpected(p, "a value");
	term->value = s->tok;
	pfx_token_next(s);
	return 0;
}

static int parse_term(struct pfx_parser *p, struct pfx_terms *ret)
{
	struct pfx_scanner *s = &p->scan;
	struct pfx_term *term;

	if (s->tok.kind != PFX_TOKEN_WORD)
		return pfx_parse_unexpected(p, "a term");
	if (ret->terms.nr == TERMS_MAX)
		return pfx_parse_fail(p, &s->tok, "more than %d terms", TERMS_MAX);
	term = pfx_vec_add(&ret->terms);
	*term = (struct pfx_term){.name = s->tok, .where = s->tok};
	pfx_token_next(s);
	return s->tok.kind == PFX_TOKEN_EQUALS ? parse_value(p, term) : 0;
}

static int parse_list(struct pfx_parser *p, enum pfx_token_kind end, struct pfx_terms *ret)
{
	struct pfx_scanner *s = &p->scan;
	int err;

	for (;;) {
		err = parse_term(p, ret);
		if (err)
			return err;
		if (s->tok.kind == end)
			return 0;
		if (s->tok.kind != PFX_TOKEN_COMMA)
			return pfx_parse_unexpected(p, "',' or '/'");
		pfx_token_next(s);
	}
}

int pfx_terms_parse(struct pfx_parser *p, struct pfx_terms *ret)
{
	struct pfx_scanner *s = &p->scan;
	struct pfx_token open = s->tok;
	int err = 0;

	s->in_terms = true;
	pfx_token_next(s);
	p->terms_at = s->tok.col;
	if (s->tok.kind != PFX_TOKEN_SLASH)
		err = parse_list(p, PFX_TOKEN_SLASH, ret);
	s->in_terms = false;
	if (err && s->tok.kind == PFX_TOKEN_END)
		return pfx_parse_fail(p, &open, "no '/' that ends the terms");
	if (err)
		return err;
	p->terms_end = s->tok.col;
	pfx_token_next(s);
	return 0;
}

int pfx_terms_parse_alias(struct pfx_parser *p, const char *text, const struct pfx_token *where,
			  struct pfx_terms *ret)
{
	struct pfx_scanner user = p->scan;
	char shown[PFX_SHOWN_SIZE];
	size_t i = ret->terms.nr;
	int err;

	p->scan = (struct pfx_scanner){.text = text, .in_terms = true};
	pfx_token_next(&p->scan);
	err = parse_list(p, PFX_TOKEN_END, ret);
	p->scan = user;
	if (err)
		return pfx_parse_fail(p, where, "the kernel's definition of '%s' cannot be read",
				      pfx_parse_show(shown, where));
	for (; i < ret->terms.nr; i++) {
		ret->terms.at[i].where = *where;
		ret->terms.at[i].is_of_event = true;
	}
	return 0;
}

void pfx_terms_fini(struct pfx_terms *terms)
{
	pfx_vec_free(&terms->terms);
}

int pfx_term_number(struct pfx_parser *p, const struct pfx_term *term, uint64_t *ret)
{
	char shown[PFX_SHOWN_SIZE], value[PFX_SHOWN_SIZE];

	*ret = 1;
	if (term->value.kind == PFX_TOKEN_END || pfx_token_number(&term->value, ret))
		return 0;
	return pfx_parse_fail(p, &term->value, "'%s' of term '%s' is not a 64-bit number",
			      pfx_parse_show(value, &term->value),
			      pfx_parse_show(shown, &term->name));
}
