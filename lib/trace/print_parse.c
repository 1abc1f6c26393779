/* SPDX-License-Identifier: MIT */
/*
 * The print format of an event: a format string of printf and its arguments, as pieces. The
 * arguments are expressions (expr_parse.c). The text is untrusted: the number of pieces is bounded.
 */
#include <ctype.h>
#include <string.h>

#include "trace/print_internal.h"

#define PIECES_MAX 1000 /* and maximum number of arguments */
#define COUNT_MAX  1024 /* width and precision */

struct splitter {
	struct pfx_layout *layout;
	const char *at; /* in the format string, NUL-terminated */
	PFX_VEC(struct pfx_node *) args;
	size_t next_arg;
	PFX_VEC(struct pfx_print_piece) pieces;
	struct pfx_str literal;
	bool failed;
};

static int read_count(struct splitter *s)
{
	int v = 0;

	for (; *s->at >= '0' && *s->at <= '9'; s->at++)
		v = v < COUNT_MAX ? v * 10 + (*s->at - '0') : COUNT_MAX;
	return v < COUNT_MAX ? v : COUNT_MAX;
}

static const struct pfx_node *take_arg(struct splitter *s)
{
	if (s->next_arg < s->args.nr)
		return s->args.at[s->next_arg++];
	s->failed = true;
	return NULL;
}

static void read_flags(struct splitter *s, struct pfx_print_piece *piece)
{
	for (;; s->at++) {
		if (*s->at == '-')
			piece->minus = true;
		else if (*s->at == '0')
			piece->zero = true;
		else if (*s->at == '#')
			piece->alt = true;
		else if (*s->at == '+')
			piece->plus = true;
		else if (*s->at == ' ')
			piece->space = true;
		else
			return;
	}
}

static void read_width(struct splitter *s, struct pfx_print_piece *piece)
{
	if (*s->at == '*') {
		s->at++;
		piece->width_arg = take_arg(s);
	} else {
		piece->width = read_count(s);
	}
	if (*s->at != '.')
		return;
	s->at++;
	piece->has_precision = true;
	if (*s->at == '*') {
		s->at++;
		piece->precision_arg = take_arg(s);
	} else {
		piece->precision = read_count(s);
	}
}

static void read_size(struct splitter *s, struct pfx_print_piece *piece)
{
	for (;; s->at++) {
		if (*s->at == 'h')
			piece->size--;
		else if (*s->at == 'l')
			piece->size++;
		else if (*s->at == 'L' || *s->at == 'q' || *s->at == 'j')
			piece->size = 2;
		else if (*s->at == 'z' || *s->at == 'Z' || *s->at == 't')
			piece->size = 1;
		else
			return;
	}
}

/* The letters after %p that belong to it. */
static void read_pointer(struct splitter *s, struct pfx_print_piece *piece)
{
	static const char *const known[] = {"S",  "s",  "F", "f", "B", "I4", "i4", "I6",  "i6",
					    "IS", "iS", "M", "m", "U", "bl", "b",  "I6c", "i6c"};
	size_t i, len, best = 0;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		len = strlen(known[i]);
		if (!strncmp(s->at, known[i], len) && len > best)
			best = len;
	}
	/* options of an address: the kind of UUID or MAC, byte order, port and so on */
	if (best && strchr("UMm", *s->at) && strchr("bBlLFR", s->at[best]) && s->at[best])
		best++;
	else if (best && strchr("Ii", *s->at))
		while (best < sizeof(piece->sub) - 1 && s->at[best] &&
		       strchr("pfschnbl", s->at[best]))
			best++;
	memcpy(piece->sub, s->at, best);
	s->at += best;
}

/* After '%'. */
static void read_conversion(struct splitter *s, struct pfx_print_piece *piece)
{
	read_flags(s, piece);
	read_width(s, piece);
	read_size(s, piece);
	if (!*s->at || !strchr("diuxXoscp", *s->at)) {
		s->failed = true;
		return;
	}
	piece->conv = *s->at++;
	if (piece->conv == 'p')
		read_pointer(s, piece);
	piece->arg = take_arg(s);
}

/* Escape the text once, except for tabs and newlines, which print formats of the kernel contain. */
static void end_literal(struct splitter *s)
{
	struct pfx_print_piece piece = {0};
	struct pfx_str text = {0};
	size_t i, run;

	if (!s->literal.len)
		return;
	for (i = 0; i < s->literal.len; i += run + 1) {
		run = strcspn(s->literal.at + i, "\t\n");
		pfx_str_add_escaped(&text, s->literal.at + i, run);
		if (s->literal.at[i + run])
			pfx_str_addc(&text, s->literal.at[i + run]);
	}
	piece.text = pfx_arena_strndup(&s->layout->arena, pfx_str_get(&text), text.len);
	piece.len = text.len;
	pfx_vec_push(&s->pieces, piece);
	pfx_str_clear(&s->literal);
	pfx_str_fini(&text);
}

static char unescape(char c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

static void split(struct splitter *s)
{
	struct pfx_print_piece piece;

	while (*s->at && !s->failed) {
		if (*s->at == '\\' && s->at[1]) {
			pfx_str_addc(&s->literal, unescape(s->at[1]));
			s->at += 2;
		} else if (*s->at == '%' && s->at[1] == '%') {
			pfx_str_addc(&s->literal, '%');
			s->at += 2;
		} else if (*s->at == '%') {
			s->at++;
			end_literal(s);
			piece = (struct pfx_print_piece){0};
			read_conversion(s, &piece);
			pfx_vec_push(&s->pieces, piece);
		} else {
			pfx_str_addc(&s->literal, *s->at++);
		}
		if (s->pieces.nr > PIECES_MAX)
			s->failed = true;
	}
	end_literal(s);
}

static bool read_args(struct pfx_print_parser *p, struct splitter *s)
{
	while (pfx_parse_accept(p, ',')) {
		pfx_vec_push(&s->args, pfx_parse_expr(p));
		if (p->failed || s->args.nr > PIECES_MAX)
			return false;
	}
	pfx_parse_space(p);
	return p->at == p->end;
}

bool pfx_print_parse(struct pfx_layout *layout, const char *at, const char *end)
{
	struct pfx_print_parser p = {.layout = layout, .at = at, .end = end};
	struct splitter s = {.layout = layout};
	size_t len;

	pfx_parse_string(&p, &s.at, &len);
	s.failed = p.failed || !read_args(&p, &s);
	if (!s.failed)
		split(&s);
	if (!s.failed && s.pieces.nr) {
		layout->pieces = pfx_arena_memdup(&layout->arena, s.pieces.at,
						  s.pieces.nr * sizeof(*s.pieces.at));
		layout->nr_pieces = s.pieces.nr;
	}
	pfx_vec_free(&s.pieces);
	pfx_vec_free(&s.args);
	pfx_str_fini(&s.literal);
	return !s.failed;
}
