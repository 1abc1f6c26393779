/* SPDX-License-Identifier: MIT */
/* Makes trees of frames. */
#include <stdlib.h>

#include "view/nodes_internal.h"

void pfx_made_nodes_init(struct pfx_made_nodes *nodes)
{
	*nodes = (struct pfx_made_nodes){.at = {0}};
	pfx_vec_push(&nodes->at, ((struct pfx_made_node){0, PFX_NO_ID}));
}

void pfx_made_nodes_fini(struct pfx_made_nodes *nodes)
{
	pfx_vec_free(&nodes->at);
	pfx_id_table_fini(&nodes->by_hash);
}

uint32_t pfx_made_nodes_add(struct pfx_made_nodes *nodes, uint32_t parent, uint32_t frame)
{
	uint64_t hash = pfx_hash_u64((uint64_t)parent << 32 | frame), at = hash;
	uint32_t id;

	while (pfx_id_table_next(&nodes->by_hash, hash, &at, &id))
		if (nodes->at.at[id].parent == parent && nodes->at.at[id].frame == frame)
			return id;
	id = (uint32_t)nodes->at.nr;
	pfx_id_table_add(&nodes->by_hash, hash, id);
	pfx_vec_push(&nodes->at, ((struct pfx_made_node){parent, frame}));
	return id;
}

static uint32_t *new_ids(uint32_t nr)
{
	return pfx_malloc((nr + 1ul) * sizeof(uint32_t));
}

/* The sizes of subtrees. */
static uint32_t *measure(const struct pfx_made_nodes *nodes)
{
	uint32_t nr = (uint32_t)nodes->at.nr, i, *sizes = pfx_calloc(nr, sizeof(*sizes));

	for (i = nr; i--;) {
		sizes[i]++;
		if (i)
			sizes[nodes->at.at[i].parent] += sizes[i];
	}
	return sizes;
}

uint32_t *pfx_made_nodes_sort(const struct pfx_made_nodes *nodes, struct pfx_nodes *ret)
{
	uint32_t nr = (uint32_t)nodes->at.nr, i, at;
	uint32_t *now = new_ids(nr), *next = new_ids(nr), *sizes = measure(nodes);
	const struct pfx_made_node *node;

	*ret = (struct pfx_nodes){nr, new_ids(nr), new_ids(nr), new_ids(nr)};
	for (i = 0; i < nr; i++) {
		node = &nodes->at.at[i];
		at = i ? next[node->parent] : 0;
		if (i)
			next[node->parent] += sizes[i];
		now[i] = at;
		next[i] = at + 1;
		ret->parent[at] = now[node->parent];
		ret->frame[at] = node->frame;
		ret->end[at] = at + sizes[i];
	}
	free(sizes);
	free(next);
	return now;
}

void pfx_nodes_fini(struct pfx_nodes *nodes)
{
	free(nodes->parent);
	free(nodes->frame);
	free(nodes->end);
	*nodes = (struct pfx_nodes){0};
}
