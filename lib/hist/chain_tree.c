/* SPDX-License-Identifier: MIT */
/*
 * All chains in one tree: a node is a sequence of frames, a chain is a path. Common parts of chains
 * are stored once if they are split into nodes at the same frames. After all chains were added,
 * nodes are sorted in depth-first order, so that the descendants of a node are a range.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

struct pfx_tree *pfx_tree_new(void)
{
	struct pfx_tree *tree = pfx_calloc(1, sizeof(*tree));

	pfx_vec_push(&tree->nodes, ((struct pfx_tree_node){0}));
	return tree;
}

void pfx_tree_free(struct pfx_tree *tree)
{
	if (!tree)
		return;
	pfx_vec_free(&tree->nodes);
	pfx_vec_free(&tree->frames);
	pfx_id_table_fini(&tree->by_hash);
	free(tree->sums);
	free(tree);
}

uint64_t pfx_tree_hash(uint64_t outer, const uint32_t *frames, uint32_t nr)
{
	return pfx_hash_u64(pfx_hash_bytes(frames, nr * sizeof(*frames)) ^ outer);
}

uint32_t pfx_tree_add(struct pfx_tree *tree, uint32_t parent, uint64_t hash, const uint32_t *frames,
		      uint32_t nr)
{
	uint64_t probe = hash;
	struct pfx_tree_node *node;
	uint32_t id;

	while (pfx_id_table_next(&tree->by_hash, hash, &probe, &id)) {
		node = &tree->nodes.at[id];
		if (node->parent == parent && node->nr == nr &&
		    !memcmp(tree->frames.at + node->first, frames, nr * sizeof(*frames)))
			return id;
	}
	id = (uint32_t)tree->nodes.nr;
	node = pfx_vec_add(&tree->nodes);
	*node = (struct pfx_tree_node){.parent = parent, .nr = nr};
	node->first = (uint32_t)tree->frames.nr;
	node->depth = pfx_tree_depth(tree, parent);
	pfx_vec_reserve(&tree->frames, tree->frames.nr + nr);
	memcpy(tree->frames.at + tree->frames.nr, frames, nr * sizeof(*frames));
	tree->frames.nr += nr;
	pfx_id_table_add(&tree->by_hash, hash, id);
	return id;
}

/* Compute the end of each subtree, in @node.end. */
static void measure(struct pfx_tree *tree)
{
	uint32_t i;

	for (i = (uint32_t)tree->nodes.nr; i--;) {
		tree->nodes.at[i].end++;
		if (i)
			tree->nodes.at[tree->nodes.at[i].parent].end += tree->nodes.at[i].end;
	}
}

uint32_t *pfx_tree_sort(struct pfx_tree *tree)
{
	uint32_t nr = (uint32_t)tree->nodes.nr, i;
	struct pfx_tree_node *sorted = pfx_malloc(nr * sizeof(*sorted)), *node;
	uint32_t *now = pfx_malloc(nr * sizeof(*now)), *free_at = pfx_malloc(nr * sizeof(*now));

	pfx_id_table_fini(&tree->by_hash);
	measure(tree);
	for (i = 0; i < nr; i++) {
		node = &tree->nodes.at[i];
		now[i] = i ? free_at[node->parent] : 0;
		if (i)
			free_at[node->parent] += node->end;
		free_at[i] = now[i] + 1;
		sorted[now[i]] = *node;
		sorted[now[i]].parent = now[node->parent];
		sorted[now[i]].end = now[i] + node->end;
	}
	free(free_at);
	free(tree->nodes.at);
	tree->nodes.at = sorted;
	tree->nodes.cap = nr;
	tree->sums = pfx_calloc(nr, sizeof(*tree->sums));
	return now;
}
