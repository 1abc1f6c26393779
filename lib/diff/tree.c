/* SPDX-License-Identifier: MIT */
/* Rows of a tree have the text of the callers and the name: pfx_diff_add_path(). Callees are looked
 * at before their callers. */
#include "diff/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff_internal.h"
#include "out/json_parts.h"

struct node {
	const struct pfx_diff_row *row;
	uint32_t parent, depth;             /* parent: PFX_NO_ID: none */
	double change, weight;              /* weight: of both sides */
	double explained, explained_weight; /* by subtrees in it */
};

struct explaining {
	const struct pfx_diff_measure *how;
	const struct pfx_diff_noise *noise;
	uint32_t side;
	double least;
	struct node *nodes; /* by row */
	uint32_t *order;
	PFX_VEC(struct pfx_diff_subtree) found;
};

struct pfx_diff_options pfx_diff_tree_options(const struct pfx_diff_options *of)
{
	struct pfx_diff_options options = *of;

	options.keys[0] = PFX_DIFF_PATH;
	options.nr_keys = 1;
	options.inclusive = true;
	options.binaries = NULL;
	return options;
}

static uint32_t text_of(const struct pfx_diff *diff, const struct pfx_diff_row *row)
{
	return pfx_diff_identity_at(diff, row->id)->texts[PFX_DIFF_PATH];
}

void pfx_diff_path_text(const struct pfx_diff *diff, const struct pfx_diff_row *row,
			struct pfx_str *to)
{
	pfx_diff_add_path(diff, text_of(diff, row), to);
}

static void add_string(const char *name, bool is_last, struct pfx_str *to)
{
	pfx_json_add_string(to, name);
	pfx_str_add(to, is_last ? "" : ",");
}

void pfx_diff_path_json(const struct pfx_diff *diff, const struct pfx_diff_row *row,
			struct pfx_str *to)
{
	pfx_str_addc(to, '[');
	pfx_diff_each_name(diff, text_of(diff, row), add_string, to);
	pfx_str_addc(to, ']');
}

static void make_nodes(struct explaining *explaining)
{
	const struct pfx_diff_measure *how = explaining->how;
	const struct pfx_diff_event *event = how->event;
	struct pfx_hash by_text = {0};
	struct node *node;
	uint64_t *at;
	uint32_t i;

	explaining->nodes = pfx_calloc(event->nr_rows + 1ul, sizeof(*explaining->nodes));
	for (i = 0; i < event->nr_rows; i++)
		*pfx_hash_add(&by_text, text_of(how->diff, &event->rows[i]), NULL) = i;
	for (i = 0; i < event->nr_rows; i++) {
		node = &explaining->nodes[i];
		node->row = &event->rows[i];
		at = pfx_hash_get(&by_text, pfx_diff_path_parent(node->row->texts[0]));
		node->parent = at ? (uint32_t)*at : PFX_NO_ID;
		node->change = pfx_diff_delta(how, node->row, explaining->side);
		node->weight = pfx_diff_weight(how, &node->row->values[0], 0) +
			       pfx_diff_weight(how, &node->row->values[explaining->side],
					       explaining->side);
	}
	pfx_hash_fini(&by_text);
}

/* The depth of a node and of its callers: 0 is a root, or not known yet. Each is set once. */
static void set_depths(struct node *nodes, uint32_t of)
{
	uint32_t at, depth = 0;

	for (at = of; nodes[at].parent != PFX_NO_ID && !nodes[at].depth; at = nodes[at].parent)
		depth++;
	depth += nodes[at].depth;
	for (at = of; nodes[at].parent != PFX_NO_ID && !nodes[at].depth; at = nodes[at].parent)
		nodes[at].depth = depth--;
}

/* Callees first: a counting sort by depth. */
static void sort_nodes(struct explaining *explaining)
{
	uint32_t nr = explaining->how->event->nr_rows, i, deepest = 0, *starts;

	for (i = 0; i < nr; i++) {
		set_depths(explaining->nodes, i);
		deepest =
			explaining->nodes[i].depth > deepest ? explaining->nodes[i].depth : deepest;
	}
	starts = pfx_calloc(deepest + 2ul, sizeof(*starts));
	explaining->order = pfx_malloc((nr + 1ul) * sizeof(*explaining->order));
	for (i = 0; i < nr; i++)
		starts[deepest - explaining->nodes[i].depth + 1]++;
	for (i = 0; i < deepest; i++)
		starts[i + 1] += starts[i];
	for (i = 0; i < nr; i++)
		explaining->order[starts[deepest - explaining->nodes[i].depth]++] = i;
	free(starts);
}

/* The interval of what is left without the explained part: as for a part of the samples. */
static double rest_half(const struct explaining *explaining, const struct node *node, double rest)
{
	const struct pfx_diff_interval *interval =
		explaining->noise ? pfx_diff_interval(explaining->noise, explaining->how->event,
						      node->row, explaining->side)
				  : NULL;

	if (!interval || !interval->is_known || node->weight <= 0)
		return 0;
	return interval->half * sqrt(rest > 0 ? rest / node->weight : 0);
}

static void judge(struct explaining *explaining, struct node *node)
{
	double change = node->change - node->explained;
	double rest = node->weight - node->explained_weight;
	double half = rest_half(explaining, node, rest);
	struct node *parent = node->parent == PFX_NO_ID ? NULL : &explaining->nodes[node->parent];
	uint64_t samples =
		node->row->values[0].samples + node->row->values[explaining->side].samples;

	if (fabs(change) > half && fabs(change) >= explaining->least &&
	    (!explaining->noise || samples >= PFX_DIFF_NOISE_SAMPLES)) {
		pfx_vec_push(&explaining->found,
			     ((struct pfx_diff_subtree){node->row, change, half}));
		node->explained = node->change;
		node->explained_weight = node->weight;
	}
	if (!parent)
		return;
	parent->explained += node->explained;
	parent->explained_weight += node->explained_weight;
}

static int by_change(const void *a, const void *b)
{
	const struct pfx_diff_subtree *x = a, *y = b;

	if (fabs(x->change) > fabs(y->change) || fabs(x->change) < fabs(y->change))
		return fabs(x->change) > fabs(y->change) ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

void pfx_diff_explain(const struct pfx_diff_measure *how, const struct pfx_diff_noise *noise,
		      uint32_t side, double least, struct pfx_diff_subtrees *ret)
{
	struct explaining explaining = {.how = how, .noise = noise, .side = side, .least = least};
	uint32_t i;

	make_nodes(&explaining);
	sort_nodes(&explaining);
	for (i = 0; i < how->event->nr_rows; i++)
		judge(&explaining, &explaining.nodes[explaining.order[i]]);
	if (explaining.found.nr)
		qsort(explaining.found.at, explaining.found.nr, sizeof(*explaining.found.at),
		      by_change);
	*ret = (struct pfx_diff_subtrees){explaining.found.at, (uint32_t)explaining.found.nr};
	free(explaining.nodes);
	free(explaining.order);
}

void pfx_diff_subtrees_fini(struct pfx_diff_subtrees *subtrees)
{
	free(subtrees->at);
	*subtrees = (struct pfx_diff_subtrees){0};
}
