/* SPDX-License-Identifier: MIT */
/*
 * The expressions of a print format, which are C, as trees. They are evaluated by expr_eval.c. The
 * text is untrusted: the depth of recursion, the height of trees and the number of nodes are
 * bounded; a syntax error makes the whole format fail.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/print_internal.h"

/* Kernels need up to 40: constants of flags are sums in parentheses. */
#define DEPTH_MAX 200
#define NODES_MAX 20000

static struct pfx_node *parse_binary(struct pfx_print_parser *p, unsigned min_level);
static struct pfx_node *parse_unary(struct pfx_print_parser *p);

void pfx_parse_space(struct pfx_print_parser *p)
{
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
}

static bool peek(struct pfx_print_parser *p, char c)
{
	pfx_parse_space(p);
	return p->at < p->end && *p->at == c;
}

bool pfx_parse_accept(struct pfx_print_parser *p, char c)
{
	if (!peek(p, c))
		return false;
	p->at++;
	return true;
}

void pfx_parse_expect(struct pfx_print_parser *p, char c)
{
	if (!pfx_parse_accept(p, c))
		p->failed = true;
}

size_t pfx_parse_word(struct pfx_print_parser *p, const char **ret)
{
	pfx_parse_space(p);
	*ret = p->at;
	while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
		p->at++;
	return (size_t)(p->at - *ret);
}

struct pfx_node *pfx_parse_new(struct pfx_print_parser *p, enum pfx_node_kind kind)
{
	struct pfx_node *node = pfx_arena_new(&p->layout->arena, struct pfx_node);

	if (++p->nr_nodes > NODES_MAX)
		p->failed = true;
	node->kind = kind;
	return node;
}

void pfx_parse_hang(struct pfx_print_parser *p, struct pfx_node *node, struct pfx_node *a,
		    struct pfx_node *b, struct pfx_node *c)
{
	struct pfx_node *below[] = {a, b, c};
	size_t i;

	node->a = a;
	node->b = b;
	node->c = c;
	for (i = 0; i < 3; i++)
		if (below[i] && below[i]->height >= node->height)
			node->height = below[i]->height + 1;
	if (node->height > DEPTH_MAX)
		p->failed = true;
}

void pfx_parse_string(struct pfx_print_parser *p, const char **ret, size_t *ret_len)
{
	struct pfx_str s = {0};

	if (!peek(p, '"'))
		p->failed = true;
	while (!p->failed && pfx_parse_accept(p, '"')) {
		while (p->at < p->end && *p->at != '"') {
			if (*p->at == '\\' && p->end - p->at > 1)
				pfx_str_addc(&s, *p->at++);
			pfx_str_addc(&s, *p->at++);
		}
		pfx_parse_expect(p, '"');
	}
	*ret_len = s.len;
	*ret = pfx_arena_strndup(&p->layout->arena, pfx_str_get(&s), s.len);
	pfx_str_fini(&s);
}

static bool is(const char *at, size_t len, const char *text)
{
	return strlen(text) == len && !memcmp(at, text, len);
}

/* Skips "(unsigned long)". False, and nothing is skipped, for anything else. */
static bool accept_type(struct pfx_print_parser *p, const char **ret, size_t *ret_len)
{
	const char *start = p->at, *name;
	size_t len;

	if (!pfx_parse_accept(p, '('))
		return false;
	pfx_parse_space(p);
	*ret = p->at;
	len = pfx_parse_word(p, &name);
	if (len && !isdigit((unsigned char)*name) && !is(name, len, "REC") && !peek(p, '(')) {
		while (pfx_parse_word(p, &name) || pfx_parse_accept(p, '*'))
			;
		*ret_len = (size_t)(p->at - *ret);
		if (pfx_parse_accept(p, ')'))
			return true;
	}
	p->at = start;
	return false;
}

/* A word in parentheses is a type only if a value follows: "(x) + 1" is not a cast of 1. */
static bool value_follows(struct pfx_print_parser *p)
{
	pfx_parse_space(p);
	return p->at < p->end && (isalnum((unsigned char)*p->at) || strchr("_(\"~!-*&", *p->at));
}

static struct pfx_node *parse_cast(struct pfx_print_parser *p, const char *type, size_t len)
{
	struct pfx_node *node = pfx_parse_new(p, PFX_NODE_CAST), *item = parse_unary(p);

	pfx_parse_hang(p, node, item, NULL, NULL);
	while (len && isspace((unsigned char)type[len - 1]))
		len--;
	node->is_pointer = len && type[len - 1] == '*';
	if (node->is_pointer)
		while (len && strchr("* \t", type[len - 1]))
			len--;
	/* size of the value, of a pointer the size of its target; an unknown type keeps all
	 * bytes */
	node->number = pfx_type_size(type, len, p->layout->long_size);
	return node;
}

/* After "REC". */
static struct pfx_node *parse_record(struct pfx_print_parser *p)
{
	struct pfx_node *node = pfx_parse_new(p, PFX_NODE_FIELD);
	const char *name;
	size_t len;

	pfx_parse_expect(p, '-');
	pfx_parse_expect(p, '>');
	len = pfx_parse_word(p, &name);
	node->field = pfx_layout_field(p->layout, name, len);
	if (!node->field)
		p->failed = true;
	return node;
}

static struct pfx_node *parse_number(struct pfx_print_parser *p, const char *word, size_t len)
{
	struct pfx_node *node = pfx_parse_new(p, PFX_NODE_NUMBER);

	node->text = pfx_arena_strndup(&p->layout->arena, word, len);
	node->len = len;
	node->number = strtoull(node->text, NULL, 0);
	return node;
}

static struct pfx_node *parse_word(struct pfx_print_parser *p)
{
	struct pfx_node *node;
	const char *word;
	size_t len = pfx_parse_word(p, &word);

	if (len && isdigit((unsigned char)*word))
		return parse_number(p, word, len);
	if (is(word, len, "REC"))
		return parse_record(p);
	if (len && pfx_parse_accept(p, '('))
		return pfx_parse_call(p, word, len);
	if (!len)
		p->failed = true;
	node = pfx_parse_new(p, PFX_NODE_NAME);
	node->text = pfx_arena_strndup(&p->layout->arena, word, len);
	node->len = len;
	return node;
}

/* 'x' */
static struct pfx_node *parse_char(struct pfx_print_parser *p)
{
	struct pfx_node *node = pfx_parse_new(p, PFX_NODE_NUMBER);

	if (p->end - p->at < 2 || *p->at == '\\') {
		p->failed = true;
		return node;
	}
	node->number = (uint8_t)*p->at;
	node->text = pfx_arena_strndup(&p->layout->arena, p->at, 1);
	node->len = 1;
	p->at++;
	pfx_parse_expect(p, '\'');
	return node;
}

/* After '('. */
static struct pfx_node *parse_group(struct pfx_print_parser *p)
{
	const char *start = p->at, *name;
	struct pfx_node *node;
	size_t len = pfx_parse_word(p, &name);

	/* (REC)->field */
	if (is(name, len, "REC") && pfx_parse_accept(p, ')'))
		return parse_record(p);
	p->at = start;
	node = pfx_parse_expr(p);
	pfx_parse_expect(p, ')');
	return node;
}

static struct pfx_node *parse_primary(struct pfx_print_parser *p)
{
	struct pfx_node *node, *index;
	const char *type;
	size_t len;

	pfx_parse_space(p);
	if (peek(p, '"')) {
		node = pfx_parse_new(p, PFX_NODE_STRING);
		pfx_parse_string(p, &node->text, &node->len);
	} else if (pfx_parse_accept(p, '\'')) {
		node = parse_char(p);
	} else if (accept_type(p, &type, &len)) {
		if (value_follows(p))
			return parse_cast(p, type, len);
		node = pfx_parse_new(p, PFX_NODE_NAME);
		node->text = pfx_arena_strndup(&p->layout->arena, type, len);
		node->len = len;
	} else {
		node = pfx_parse_accept(p, '(') ? parse_group(p) : parse_word(p);
	}
	while (!p->failed && pfx_parse_accept(p, '[')) {
		index = pfx_parse_new(p, PFX_NODE_INDEX);
		pfx_parse_hang(p, index, node, pfx_parse_expr(p), NULL);
		pfx_parse_expect(p, ']');
		if (!pfx_node_place(node))
			p->failed = true;
		node = index;
	}
	return node;
}

static struct pfx_node *parse_unary(struct pfx_print_parser *p)
{
	struct pfx_node *node;

	if (p->failed || ++p->depth > DEPTH_MAX) {
		p->failed = true;
		return NULL;
	}
	pfx_parse_space(p);
	if (p->at < p->end && *p->at && strchr("-+!~*&", *p->at)) {
		node = pfx_parse_new(p, PFX_NODE_UNARY);
		node->op = *p->at++;
		pfx_parse_hang(p, node, parse_unary(p), NULL, NULL);
		/* '*' and '&' are supported only for places in the record */
		if ((node->op == '*' || node->op == '&') && !pfx_node_place(node->a))
			p->failed = true;
	} else {
		node = parse_primary(p);
	}
	p->depth--;
	return node;
}

static const struct operator
{
	char text[3];
	unsigned level; /* a higher level binds tighter */
}
operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
	       {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
	       {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static const struct operator* peek_operator(struct pfx_print_parser *p)
{
	size_t i, len;

	pfx_parse_space(p);
	for (i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		len = strlen(operators[i].text);
		if ((size_t)(p->end - p->at) >= len && !memcmp(p->at, operators[i].text, len))
			return &operators[i];
	}
	return NULL;
}

static struct pfx_node *parse_binary(struct pfx_print_parser *p, unsigned min_level)
{
	struct pfx_node *left = parse_unary(p), *node;
	const struct operator* operator;

	while (!p->failed && (operator= peek_operator(p)) && operator->level >= min_level) {
		p->at += strlen(operator->text);
		node = pfx_parse_new(p, PFX_NODE_BINARY);
		node->op = operator->text[1] ? PFX_OP(operator->text[0], operator->text[1]) :
					     operator->text[0];
		pfx_parse_hang(p, node, left, parse_binary(p, operator->level + 1), NULL);
		left = node;
	}
	return left;
}

struct pfx_node *pfx_parse_expr(struct pfx_print_parser *p)
{
	struct pfx_node *first, *yes, *node;

	if (p->failed || ++p->depth > DEPTH_MAX) {
		p->failed = true;
		return NULL;
	}
	first = parse_binary(p, 1);
	if (!p->failed && pfx_parse_accept(p, '?')) {
		node = pfx_parse_new(p, PFX_NODE_CHOICE);
		yes = pfx_parse_expr(p);
		pfx_parse_expect(p, ':');
		pfx_parse_hang(p, node, first, yes, pfx_parse_expr(p));
		first = node;
	}
	p->depth--;
	return p->failed ? NULL : first;
}
