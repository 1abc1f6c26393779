/* SPDX-License-Identifier: MIT */
/* Display options of call graphs: the values of -g. */
#ifndef PFX_HIST_CALLGRAPH_H
#define PFX_HIST_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum pfx_graph_mode {
	PFX_GRAPH_NONE,
	PFX_GRAPH_FLAT,    /* one list of frames for each chain */
	PFX_GRAPH_GRAPH,   /* a tree, percentages of the whole */
	PFX_GRAPH_FRACTAL, /* a tree, percentages of the branch above */
	PFX_GRAPH_FOLDED,  /* one line for each chain, frames separated by ';' */
};

/* The key of frames: frames with equal keys are merged. */
enum pfx_graph_key { PFX_GRAPH_FUNCTION, PFX_GRAPH_ADDRESS, PFX_GRAPH_SRCLINE };

enum pfx_graph_value { PFX_GRAPH_PERCENT, PFX_GRAPH_PERIOD, PFX_GRAPH_COUNT };

struct pfx_callgraph {
	enum pfx_graph_mode mode;
	double min_percent; /* branches below are omitted */
	bool min_given;
	uint32_t print_limit; /* maximum lines (flat: chains) per row; 0: all */
	bool caller;          /* root first; false: leaf first */
	bool order_given;
	bool branch; /* append the branch history to call chains */
	enum pfx_graph_key key;
	enum pfx_graph_value value;
};

/* graph,0.5,caller,function,percent */
extern const struct pfx_callgraph pfx_callgraph_default;

/* Words in any order, separated by commas; prefixes are sufficient. The first number is the
 * threshold, the second the print limit. Other settings keep their values. */
int pfx_callgraph_parse(struct pfx_callgraph *graph, const char *text, struct pfx_error *err);
/* A tree of functions with percentages of the whole and without a limit of entries. */
bool pfx_callgraph_is_plain(const struct pfx_callgraph *graph);
/* The words, 0, 1, ...; NULL after the last. */
const char *pfx_callgraph_word(size_t i);
/* Single settings, as in configuration files. */
int pfx_callgraph_set_mode(struct pfx_callgraph *graph, const char *word, struct pfx_error *err);
int pfx_callgraph_set_order(struct pfx_callgraph *graph, const char *word, struct pfx_error *err);
int pfx_callgraph_set_key(struct pfx_callgraph *graph, const char *word, struct pfx_error *err);

#endif
