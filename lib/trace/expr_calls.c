/* SPDX-License-Identifier: MIT */
/*
 * Function calls in a print format: the helpers of the kernel's headers for names of numbers, for
 * arrays and for strings. Other functions of the kernel are not supported; a format that calls one
 * cannot be parsed.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/print_internal.h"

#define NAMES_MAX 5000

static bool is(const char *at, size_t len, const char *text)
{
	return strlen(text) == len && !memcmp(at, text, len);
}

/* Constants that formats use by name, without their values. */
static int64_t known_name(const char *name)
{
	static const struct {
		const char *name;
		int64_t value;
	} known[] = {
		{"HI_SOFTIRQ", 0},      {"TIMER_SOFTIRQ", 1},     {"NET_TX_SOFTIRQ", 2},
		{"NET_RX_SOFTIRQ", 3},  {"BLOCK_SOFTIRQ", 4},     {"IRQ_POLL_SOFTIRQ", 5},
		{"TASKLET_SOFTIRQ", 6}, {"SCHED_SOFTIRQ", 7},     {"HRTIMER_SOFTIRQ", 8},
		{"RCU_SOFTIRQ", 9},     {"HRTIMER_NORESTART", 0}, {"HRTIMER_RESTART", 1},
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, name))
			return known[i].value;
	return -1;
}

/* The value before a name. Negative values and unknown words are -1. */
static uint64_t list_value(const struct pfx_node *node)
{
	int64_t value;

	if (node->kind == PFX_NODE_NAME)
		return (uint64_t)known_name(node->text);
	if (node->kind == PFX_NODE_NUMBER)
		return node->number;
	value = pfx_node_constant(node);
	return value < 0 ? UINT64_MAX : (uint64_t)value;
}

static void read_name(struct pfx_print_parser *p, struct pfx_print_name *name)
{
	struct pfx_node *node = pfx_parse_expr(p);

	if (p->failed)
		return;
	name->value = list_value(node);
	pfx_parse_expect(p, ',');
	node = pfx_parse_expr(p);
	if (p->failed)
		return;
	/* the NULL at the end of the list has no text */
	name->text = node->kind == PFX_NODE_STRING ? node->text : "0";
	name->len = node->kind == PFX_NODE_STRING ? node->len : 1;
}

/* { 1, "a" }, { 2, "b" }; the nodes of the values are not kept. */
static void read_names(struct pfx_print_parser *p, struct pfx_node *node)
{
	PFX_VEC(struct pfx_print_name) names = {0};
	struct pfx_print_name name;

	while (!p->failed && names.nr < NAMES_MAX && pfx_parse_accept(p, '{')) {
		if (pfx_parse_accept(p, '}'))
			break;
		name = (struct pfx_print_name){0};
		read_name(p, &name);
		pfx_vec_push(&names, name);
		pfx_parse_accept(p, ',');
		pfx_parse_expect(p, '}');
		if (!pfx_parse_accept(p, ','))
			break;
	}
	if (names.nr)
		node->names =
			pfx_arena_memdup(&p->layout->arena, names.at, names.nr * sizeof(*names.at));
	node->nr_names = names.nr;
	pfx_vec_free(&names);
}

/* (value, "|", names...) */
static struct pfx_node *parse_flags(struct pfx_print_parser *p)
{
	struct pfx_node *node = pfx_parse_new(p, PFX_NODE_FLAGS);

	pfx_parse_hang(p, node, pfx_parse_expr(p), NULL, NULL);
	pfx_parse_expect(p, ',');
	if (!p->failed)
		pfx_parse_string(p, &node->text, &node->len);
	if (pfx_parse_accept(p, ','))
		read_names(p, node);
	return node;
}

/* (value, names...) */
static struct pfx_node *parse_symbolic(struct pfx_print_parser *p)
{
	struct pfx_node *node = pfx_parse_new(p, PFX_NODE_SYMBOL);

	pfx_parse_hang(p, node, pfx_parse_expr(p), NULL, NULL);
	if (pfx_parse_accept(p, ','))
		read_names(p, node);
	return node;
}

/* (bytes, length), (bytes, nr, element size) */
static struct pfx_node *parse_bytes(struct pfx_print_parser *p, enum pfx_node_kind kind,
				    int between)
{
	struct pfx_node *node = pfx_parse_new(p, kind), *bytes = pfx_parse_expr(p), *nr;
	struct pfx_node *size = NULL;

	pfx_parse_expect(p, ',');
	nr = pfx_parse_expr(p);
	if (kind == PFX_NODE_ARRAY) {
		pfx_parse_expect(p, ',');
		size = pfx_parse_expr(p);
	}
	node->op = between;
	pfx_parse_hang(p, node, bytes, nr, size);
	if (!p->failed && !pfx_node_place(bytes))
		p->failed = true;
	return node;
}

/* (name) */
static struct pfx_node *parse_named(struct pfx_print_parser *p, enum pfx_node_kind kind)
{
	struct pfx_node *node = pfx_parse_new(p, kind);
	const char *name;
	size_t len = pfx_parse_word(p, &name);

	node->field = pfx_layout_field(p->layout, name, len);
	if (!node->field)
		p->failed = true;
	return node;
}

static struct pfx_node *parse_string_field(struct pfx_print_parser *p)
{
	struct pfx_node *node = parse_named(p, PFX_NODE_DYNAMIC);

	node->number = 1;
	return node;
}

/* sizeof(type) */
static struct pfx_node *parse_sizeof(struct pfx_print_parser *p)
{
	struct pfx_node *node = pfx_parse_new(p, PFX_NODE_NUMBER), *of;
	const char *start, *word;

	pfx_parse_space(p);
	start = p->at;
	if (pfx_parse_word(p, &word) == 3 && !memcmp(word, "REC", 3)) {
		p->at = start;
		of = pfx_parse_expr(p);
		node->number = of && of->field ? of->field->size : 0;
	} else {
		while (pfx_parse_word(p, &word) || pfx_parse_accept(p, '*'))
			;
		node->number = pfx_type_size(start, (size_t)(p->at - start), p->layout->long_size);
	}
	node->text = "";
	if (!node->number)
		p->failed = true;
	return node;
}

/* (condition, expected value) */
static struct pfx_node *parse_likely(struct pfx_print_parser *p)
{
	struct pfx_node *node = pfx_parse_expr(p);

	pfx_parse_expect(p, ',');
	pfx_parse_expr(p);
	return node;
}

static struct pfx_node *parse_arguments(struct pfx_print_parser *p, const char *name, size_t len)
{
	static const struct {
		const char *name;
		enum pfx_node_kind kind;
	} named[] = {{"__get_dynamic_array", PFX_NODE_DYNAMIC},
		     {"__get_rel_dynamic_array", PFX_NODE_DYNAMIC},
		     {"__get_sockaddr", PFX_NODE_DYNAMIC},
		     {"__get_rel_sockaddr", PFX_NODE_DYNAMIC},
		     {"__get_dynamic_array_len", PFX_NODE_LENGTH},
		     {"__get_rel_dynamic_array_len", PFX_NODE_LENGTH},
		     {"__get_bitmask", PFX_NODE_BITMASK},
		     {"__get_rel_bitmask", PFX_NODE_BITMASK},
		     {"__get_cpumask", PFX_NODE_CPUMASK},
		     {"__get_rel_cpumask", PFX_NODE_CPUMASK}};
	size_t i;

	if (is(name, len, "__print_flags") || is(name, len, "__print_flags_u64"))
		return parse_flags(p);
	if (is(name, len, "__print_symbolic") || is(name, len, "__print_symbolic_u64"))
		return parse_symbolic(p);
	if (is(name, len, "__get_str") || is(name, len, "__get_rel_str"))
		return parse_string_field(p);
	if (is(name, len, "__print_hex"))
		return parse_bytes(p, PFX_NODE_HEX, ' ');
	if (is(name, len, "__print_hex_str"))
		return parse_bytes(p, PFX_NODE_HEX, 0);
	if (is(name, len, "__print_array"))
		return parse_bytes(p, PFX_NODE_ARRAY, ' ');
	if (is(name, len, "sizeof"))
		return parse_sizeof(p);
	if (is(name, len, "__builtin_expect"))
		return parse_likely(p);
	for (i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (is(name, len, named[i].name))
			return parse_named(p, named[i].kind);
	p->failed = true;
	return NULL;
}

struct pfx_node *pfx_parse_call(struct pfx_print_parser *p, const char *name, size_t len)
{
	struct pfx_node *node = parse_arguments(p, name, len);

	pfx_parse_expect(p, ')');
	return p->failed ? NULL : node;
}
