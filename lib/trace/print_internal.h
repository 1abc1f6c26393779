/* SPDX-License-Identifier: MIT */
/* A parsed print format: pieces of text and conversions with their expressions. */
#ifndef PFX_TRACE_PRINT_INTERNAL_H
#define PFX_TRACE_PRINT_INTERNAL_H

#include "trace/layout_internal.h"

enum pfx_node_kind {
	PFX_NODE_NUMBER,  /* number */
	PFX_NODE_NAME,    /* text: a bare word; as a number 0 */
	PFX_NODE_STRING,  /* text */
	PFX_NODE_FIELD,   /* field */
	PFX_NODE_DYNAMIC, /* field: refers to the array; number: 1 if it is a string */
	PFX_NODE_LENGTH,  /* field: bytes of that array */
	PFX_NODE_INDEX,   /* a: field or dynamic, perhaps in casts; b: index */
	PFX_NODE_CAST,    /* a; number: bytes to keep, 0: all; is_pointer */
	PFX_NODE_UNARY,   /* op, a */
	PFX_NODE_BINARY,  /* op, a, b */
	PFX_NODE_CHOICE,  /* a ? b : c */
	PFX_NODE_FLAGS,   /* a; text: the separator; names */
	PFX_NODE_SYMBOL,  /* a; names */
	PFX_NODE_HEX,     /* a: bytes, b: their number; op: the separator */
	PFX_NODE_ARRAY,   /* a: elements, b: their number, c: bytes of one */
	PFX_NODE_BITMASK, /* field */
	PFX_NODE_CPUMASK, /* field */
};

/* Operators of two characters. */
#define PFX_OP(a, b) ((a) << 8 | (b))

/* { value, "text" } */
struct pfx_print_name {
	uint64_t value;
	const char *text;
	size_t len;
};

struct pfx_node {
	enum pfx_node_kind kind;
	int op;
	bool is_pointer;
	unsigned height; /* of the tree below this node */
	uint64_t number;
	const struct pfx_field *field;
	struct pfx_node *a, *b, *c;
	const char *text;
	size_t len, nr_names;
	const struct pfx_print_name *names;
};

/* Literal text, or one conversion. */
struct pfx_print_piece {
	const char *text; /* literal if conv is 0; escaped */
	size_t len;
	char conv;   /* 'd' */
	char sub[6]; /* after %p: "S", "I4" */
	int size;    /* -2 hh, -1 h, 0, 1 l, 2 ll */
	bool minus, zero, alt, plus, space, has_precision;
	int width, precision;
	const struct pfx_node *width_arg, *precision_arg, *arg;
};

/* Parse the text after "print fmt:". False if it cannot be parsed. */
bool pfx_print_parse(struct pfx_layout *layout, const char *at, const char *end);

/* The parser of the text, shared by expr_parse.c and expr_calls.c. */
struct pfx_print_parser {
	struct pfx_layout *layout;
	const char *at, *end;
	unsigned depth, nr_nodes;
	bool failed;
};

/* An expression; on errors NULL, and p->failed is set. */
struct pfx_node *pfx_parse_expr(struct pfx_print_parser *p);
/* One or more adjacent string literals, without the quotes. Escapes are kept. */
void pfx_parse_string(struct pfx_print_parser *p, const char **ret, size_t *ret_len);
bool pfx_parse_accept(struct pfx_print_parser *p, char c);
void pfx_parse_expect(struct pfx_print_parser *p, char c);
void pfx_parse_space(struct pfx_print_parser *p);
/* The next word, empty if there is none. */
size_t pfx_parse_word(struct pfx_print_parser *p, const char **ret);
/* Parse the arguments of function @name; the cursor is after the parenthesis. */
struct pfx_node *pfx_parse_call(struct pfx_print_parser *p, const char *name, size_t len);
struct pfx_node *pfx_parse_new(struct pfx_print_parser *p, enum pfx_node_kind kind);
/* Make nodes the children of @node; fails if the tree gets too high. */
void pfx_parse_hang(struct pfx_print_parser *p, struct pfx_node *node, struct pfx_node *a,
		    struct pfx_node *b, struct pfx_node *c);

/* The value of an expression; texts are 0. */
uint64_t pfx_node_value(const struct pfx_event_bytes *event, const struct pfx_node *node);
/* The value of a constant in a list of names, signed. */
int64_t pfx_node_constant(const struct pfx_node *node);
/* The field or array below casts; NULL for other nodes. */
const struct pfx_node *pfx_node_place(const struct pfx_node *node);

/* Append the event's text. */
void pfx_print_event(const struct pfx_event_bytes *event, struct pfx_str *to);
/* Append a %p conversion. */
void pfx_print_pointer(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
		       struct pfx_str *to);
/* As groups of 32 bits in hex, the highest first; or as the numbers of the set bits: "0-3,8". */
void pfx_print_mask(const struct pfx_event_bytes *event, struct pfx_field_bytes bytes,
		    struct pfx_str *to);
void pfx_print_mask_list(const struct pfx_event_bytes *event, struct pfx_field_bytes bytes,
			 struct pfx_str *to);
/* printf's conversions of numbers. */
void pfx_print_number(const struct pfx_print_piece *piece, uint64_t value, struct pfx_str *to);
/* %s of @text, escaped. */
void pfx_print_padded(const struct pfx_print_piece *piece, const char *text, size_t len,
		      struct pfx_str *to);

#endif
