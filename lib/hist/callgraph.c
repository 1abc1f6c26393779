/* SPDX-License-Identifier: MIT */
/* The parser of -g: one table of words; numbers are recognized by their form. */
#include "hist/callgraph.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/words.h"

#define WORD_MAX 64

const struct pfx_callgraph pfx_callgraph_default = {
	.mode = PFX_GRAPH_GRAPH,
	.min_percent = 0.5,
	.caller = true,
};

enum word_kind { WORD_MODE, WORD_ORDER, WORD_BRANCH, WORD_KEY, WORD_VALUE };

/* If a prefix matches several words, the first one is used. */
static const struct graph_word {
	const char *name;
	enum word_kind kind;
	int value;
} graph_words[] = {
	{"graph", WORD_MODE, PFX_GRAPH_GRAPH},
	{"flat", WORD_MODE, PFX_GRAPH_FLAT},
	{"fractal", WORD_MODE, PFX_GRAPH_FRACTAL},
	{"folded", WORD_MODE, PFX_GRAPH_FOLDED},
	{"none", WORD_MODE, PFX_GRAPH_NONE},
	{"caller", WORD_ORDER, true},
	{"callee", WORD_ORDER, false},
	{"branch", WORD_BRANCH, true},
	{"function", WORD_KEY, PFX_GRAPH_FUNCTION},
	{"address", WORD_KEY, PFX_GRAPH_ADDRESS},
	{"srcline", WORD_KEY, PFX_GRAPH_SRCLINE},
	{"symoff", WORD_KEY, PFX_GRAPH_ADDRESS},
	{"percent", WORD_VALUE, PFX_GRAPH_PERCENT},
	{"period", WORD_VALUE, PFX_GRAPH_PERIOD},
	{"count", WORD_VALUE, PFX_GRAPH_COUNT},
};
#define NR_WORDS (sizeof(graph_words) / sizeof(*graph_words))

const char *pfx_callgraph_word(size_t i)
{
	return i < NR_WORDS ? graph_words[i].name : NULL;
}

/* @text: all words, NULL if there is only one; @at: the invalid one. */
static int unknown_word(const char *word, const char *text, const char *at, struct pfx_error *err)
{
	const char *names[NR_WORDS], *near;
	char safe[3 * WORD_MAX], more[64];
	size_t i;

	for (i = 0; i < NR_WORDS; i++)
		names[i] = graph_words[i].name;
	near = pfx_nearest(word, names, NR_WORDS);
	pfx_error_set(err, EINVAL, "'%s' is not a word for a call graph",
		      pfx_escape(safe, sizeof(safe), word));
	if (near)
		snprintf(more, sizeof(more), "did you mean '%s'?", near);
	pfx_error_point(
		err, text ? text : word, text ? (size_t)(at - text) : 0,
		near ? more
		     : "words are graph, flat, fractal, folded, none; caller, callee; "
		       "function, address, symoff, srcline; percent, period, count; branch; "
		       "and two numbers: threshold in percent, print limit");
	return -EINVAL;
}

static void apply(struct pfx_callgraph *graph, const struct graph_word *word)
{
	switch (word->kind) {
	case WORD_MODE:
		graph->mode = word->value;
		break;
	case WORD_ORDER:
		graph->caller = word->value;
		graph->order_given = true;
		break;
	case WORD_BRANCH:
		graph->branch = word->value;
		break;
	case WORD_KEY:
		graph->key = word->value;
		break;
	case WORD_VALUE:
		graph->value = word->value;
		break;
	}
}

static bool take_word(struct pfx_callgraph *graph, const char *word)
{
	size_t i;

	for (i = 0; i < NR_WORDS; i++)
		if (!strncmp(graph_words[i].name, word, strlen(word))) {
			apply(graph, &graph_words[i]);
			return true;
		}
	return false;
}

bool pfx_callgraph_is_plain(const struct pfx_callgraph *graph)
{
	return graph->mode == PFX_GRAPH_GRAPH && graph->key == PFX_GRAPH_FUNCTION &&
	       graph->value == PFX_GRAPH_PERCENT && !graph->branch && !graph->print_limit;
}

/* @nth: the number of preceding numbers. */
static bool take_number(struct pfx_callgraph *graph, const char *word, int nth)
{
	double number;
	char *end;

	number = strtod(word, &end);
	end += *end == '%';
	if (*end || nth > 1 || !isfinite(number) || number > 1e9)
		return false;
	if (nth)
		graph->print_limit = number;
	else
		graph->min_percent = number;
	graph->min_given |= !nth;
	return true;
}

int pfx_callgraph_parse(struct pfx_callgraph *graph, const char *text, struct pfx_error *err)
{
	char word[WORD_MAX];
	int nr_numbers = 0;
	const char *at;
	size_t len;
	bool ok;

	for (at = text; *at; at += len) {
		len = strspn(at, ", ");
		if (len)
			continue;
		len = strcspn(at, ", ");
		snprintf(word, sizeof(word), "%.*s", (int)(len < WORD_MAX ? len : WORD_MAX), at);
		if (isdigit((unsigned char)*word) || *word == '.')
			ok = take_number(graph, word, nr_numbers++);
		else
			ok = take_word(graph, word);
		if (!ok)
			return unknown_word(word, text, at, err);
	}
	return 0;
}

static int set_kind(struct pfx_callgraph *graph, const char *word, enum word_kind kind,
		    struct pfx_error *err)
{
	size_t i;

	for (i = 0; i < NR_WORDS; i++)
		if (graph_words[i].kind == kind &&
		    !strncmp(graph_words[i].name, word, strlen(word))) {
			apply(graph, &graph_words[i]);
			return 0;
		}
	return unknown_word(word, NULL, NULL, err);
}

int pfx_callgraph_set_mode(struct pfx_callgraph *graph, const char *word, struct pfx_error *err)
{
	return set_kind(graph, word, WORD_MODE, err);
}

int pfx_callgraph_set_order(struct pfx_callgraph *graph, const char *word, struct pfx_error *err)
{
	return set_kind(graph, word, WORD_ORDER, err);
}

int pfx_callgraph_set_key(struct pfx_callgraph *graph, const char *word, struct pfx_error *err)
{
	return set_kind(graph, word, WORD_KEY, err);
}
