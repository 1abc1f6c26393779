/* SPDX-License-Identifier: MIT */
/*
 * A call tree below its row. The graph, with one column of bars for each level:
 *
 *	            |
 *	            ---main
 *	               |
 *	               |--9.02%--mid1
 *	               |          leaf_a
 *	               |
 *	                --8.39%--rec
 *
 * What is printed once for all samples of the row (the trunk) has no percentage.
 */
#include <inttypes.h>

#include "base/arena.h"
#include "out/hist_text_internal.h"

#define MARGIN      12 /* columns before the trunk */
#define TRUNK_SHIFT 3  /* "---" */
#define FLAT_VALUE  11
#define FLAT_FRAME  16
#define DEPTH_MAX   8192 /* levels of branching: a record cannot contain more frames */

struct drawing {
	const struct pfx_hist_text *how;
	struct pfx_resolver *resolver;
	struct pfx_callgraph graph;
	struct pfx_str *to;
	unsigned margin;
	bool bars[DEPTH_MAX + 1]; /* levels whose bar continues below */
};

static uint64_t weight(const struct pfx_call_node *node)
{
	return node->hit + node->kids_hit;
}

static void add_srcline(struct drawing *d, const struct pfx_place *frame)
{
	const char *srcline = pfx_place_srcline(d->resolver, frame);

	if (srcline) {
		pfx_str_addc(d->to, ' ');
		pfx_str_add_foreign(d->to, srcline);
	} else if (d->graph.key == PFX_GRAPH_ADDRESS) {
		pfx_str_addf(d->to, " +%" PRIu64, frame->addr - frame->sym->start);
	}
}

static void add_name(struct drawing *d, const struct pfx_place *frame)
{
	if (!frame->sym) {
		pfx_str_addf(d->to, "%#" PRIx64, frame->ip);
		return;
	}
	pfx_str_add_foreign(d->to, frame->sym->name);
	if (d->graph.key)
		add_srcline(d, frame);
	if (frame->sym->is_inlined)
		pfx_str_add(d->to, " (inlined)");
}

static void add_note(struct drawing *d, const char *name, uint64_t value)
{
	if (value)
		pfx_str_addf(d->to, "%s:%" PRIu64 " ", name, value);
}

/* A frame of a node, with the values of its branches. */
static void add_frame(struct drawing *d, const struct pfx_call_node *node, uint32_t i)
{
	const struct pfx_branch_sum *sum = node->branches ? &node->branches[i] : NULL;
	size_t start, begin;

	add_name(d, node->frames[i]);
	if (!sum)
		return;
	begin = d->to->len;
	pfx_str_add(d->to, " (");
	start = d->to->len;
	pfx_branch_kinds_text(sum->kinds, d->to);
	if (sum->predicted < sum->to)
		pfx_str_addf(d->to, "predicted:%.1f%% ", 100.0 * sum->predicted / sum->to);
	if (sum->aborts)
		pfx_str_addf(d->to, "abort:%.1f%% ", 100.0 * sum->aborts / sum->to);
	if (sum->from) {
		add_note(d, "cycles", sum->cycles / sum->from);
		add_note(d, "iter", sum->loops / sum->from);
		if (sum->loops / sum->from)
			add_note(d, "avg_cycles", sum->loop_cycles / sum->loops);
	}
	d->to->len = d->to->len > start ? d->to->len - 1 : begin;
	if (d->to->len > begin)
		pfx_str_addc(d->to, ')');
}

/* @period or @count, as -g selects, or the percentage of @total. */
static void add_value(struct drawing *d, uint64_t period, uint64_t count, uint64_t total)
{
	double percent = total ? 100.0 * period / total : 0;
	const char *colour;

	if (d->graph.value == PFX_GRAPH_PERIOD) {
		pfx_str_addf(d->to, "%" PRIu64, period);
		return;
	}
	if (d->graph.value == PFX_GRAPH_COUNT) {
		pfx_str_addf(d->to, "%" PRIu64, count);
		return;
	}
	colour = pfx_row_colour(d->how, percent);
	if (colour)
		pfx_str_add(d->to, colour);
	pfx_str_addf(d->to, "%.2f%%", percent);
	if (colour)
		pfx_str_add(d->to, PFX_COLOUR_END);
}

static void add_bars(struct drawing *d, uint32_t depth)
{
	uint32_t i;

	pfx_str_pad(d->to, ' ', d->margin);
	for (i = 0; i < depth; i++)
		pfx_str_add(d->to, d->bars[i] ? "|          " : "           ");
}

/* The bars before a frame; the value, if any, follows the last one. */
static void add_branch(struct drawing *d, uint32_t depth)
{
	add_bars(d, depth - 1);
	pfx_str_addc(d->to, d->bars[depth - 1] ? '|' : ' ');
	pfx_str_addn(d->to, "--", 2);
}

static void add_frames(struct drawing *d, const struct pfx_call_node *node, uint32_t depth,
		       uint64_t total)
{
	uint32_t i;

	for (i = 0; i < node->nr_frames; i++) {
		if (!i) {
			add_branch(d, depth);
			add_value(d, weight(node), node->hits + node->kids_hits, total);
			pfx_str_addn(d->to, "--", 2);
		} else {
			add_bars(d, depth);
		}
		add_frame(d, node, i);
		pfx_str_addc(d->to, '\n');
	}
}

/* In a fractal graph: the rest of the branch without the children above the threshold. */
static void add_rest(struct drawing *d, const struct pfx_call_node *node, uint64_t rest,
		     uint64_t rest_count, uint32_t depth, uint64_t total)
{
	if (d->graph.mode != PFX_GRAPH_FRACTAL || !rest || rest == total)
		return;
	if (d->graph.value == PFX_GRAPH_COUNT && node->parent && !rest_count)
		return;
	d->bars[depth - 1] = false;
	add_branch(d, depth);
	add_value(d, rest, rest_count, total);
	pfx_str_add(d->to, "--[...]\n");
}

static void add_kids(struct drawing *d, const struct pfx_call_node *node, uint64_t total,
		     uint32_t depth)
{
	uint64_t rest = total, rest_count = node->kids_hits;
	const struct pfx_call_node *kid;
	bool fractal = d->graph.mode == PFX_GRAPH_FRACTAL;
	uint32_t i;

	if (depth > DEPTH_MAX)
		return;
	for (i = 0; i < node->nr_kids && (!d->graph.print_limit || i < d->graph.print_limit); i++) {
		kid = node->kids[i];
		rest -= weight(kid);
		rest_count -= kid->hits + kid->kids_hits;
		d->bars[depth - 1] = true;
		add_bars(d, depth);
		pfx_str_addc(d->to, '\n');
		if (i + 1 == node->nr_kids && !(fractal && rest))
			d->bars[depth - 1] = false;
		add_frames(d, kid, depth, total);
		add_kids(d, kid, fractal ? kid->kids_hit : total, depth + 1);
	}
	add_rest(d, node, rest, rest_count, depth, total);
}

/* The frames that all samples of the row share. */
static void add_trunk(struct drawing *d, const struct pfx_call_node *node)
{
	uint32_t i, nr = 0;

	for (i = d->how->skip_first_frame; i < node->nr_frames; i++) {
		pfx_str_pad(d->to, ' ', d->margin);
		if (!nr) {
			pfx_str_add(d->to, "|\n");
			pfx_str_pad(d->to, ' ', d->margin);
			pfx_str_add(d->to, "---");
			d->margin += TRUNK_SHIFT;
		}
		add_frame(d, node, i);
		pfx_str_addc(d->to, '\n');
		if (++nr == d->graph.print_limit)
			break;
	}
}

static void add_graph(struct drawing *d, const struct pfx_call_node *root, uint64_t row_weight,
		      uint64_t total)
{
	size_t before = d->to->len;
	bool has_trunk = root->nr_kids == 1 && weight(root->kids[0]) == row_weight;

	if (has_trunk) {
		root = root->kids[0];
		add_trunk(d, root);
	}
	add_kids(d, root, d->graph.mode == PFX_GRAPH_FRACTAL ? row_weight : total, 1);
	if (d->to->len > before)
		pfx_str_addc(d->to, '\n');
}

/* From the start of the chain to the frames of @node. */
static void add_path(struct drawing *d, const struct pfx_call_node *node, const char *separator)
{
	uint32_t i;

	if (!node->parent)
		return;
	add_path(d, node->parent, separator);
	for (i = 0; i < node->nr_frames; i++) {
		if (!separator)
			pfx_str_pad(d->to, ' ', FLAT_FRAME);
		else if (i || node->parent->parent)
			pfx_str_add(d->to, separator);
		add_frame(d, node, i);
		if (!separator)
			pfx_str_addc(d->to, '\n');
	}
}

static void add_list(struct drawing *d, const struct pfx_call_node *root, uint64_t total)
{
	bool folded = d->graph.mode == PFX_GRAPH_FOLDED;
	const char *separator = d->how->separator ? d->how->separator : ";";
	const struct pfx_call_node *node;
	uint32_t i;

	for (i = 0; i < root->nr_kids && (!d->graph.print_limit || i < d->graph.print_limit); i++) {
		node = root->kids[i];
		pfx_str_pad(d->to, ' ', folded ? 0 : FLAT_VALUE);
		if (folded)
			add_value(d, node->hit, node->hits, total);
		else
			add_value(d, weight(node), node->hits + node->kids_hits, total);
		pfx_str_addc(d->to, folded ? ' ' : '\n');
		add_path(d, node, folded ? separator : NULL);
		pfx_str_addc(d->to, '\n');
	}
}

void pfx_call_text(const struct pfx_hist_text *how, const struct pfx_hists *hists,
		   const struct pfx_hist *hist, const struct pfx_row *row, struct pfx_str *to)
{
	const struct pfx_hist_options *options = pfx_hists_options(hists);
	const struct pfx_row *from = pfx_row_for_chains(hists, hist, row, &hist);
	struct drawing d = {.how = how, .graph = *options->graph, .to = to, .margin = MARGIN};
	uint64_t total = pfx_hist_period(hists, hist, 0);
	struct pfx_arena arena = {0};
	struct pfx_call_node *root;

	if (!from)
		return;
	d.resolver = options->resolver;
	root = pfx_hist_calltree(hists, hist, from, &arena);
	if (root && (d.graph.mode == PFX_GRAPH_FLAT || d.graph.mode == PFX_GRAPH_FOLDED))
		add_list(&d, root, total);
	else if (root)
		add_graph(&d, root, options->children ? from->stat->children : from->stat->period,
			  total);
	pfx_arena_clear(&arena);
}
