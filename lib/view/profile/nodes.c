/* SPDX-License-Identifier: MIT */
/* Makes trees of frames. Most nodes have few kids, which are neighbours in memory: a list finds
 * them faster than a hash table. */
#include <stdlib.h>

#include "view/profile/nodes_internal.h"

#define FEW 8 /* fewer kids of a node are found by walking alone */

void pfx_made_nodes_init(struct pfx_made_nodes *nodes, uint32_t nr)
{
	*nodes = (struct pfx_made_nodes){.at = {0}};
	pfx_vec_reserve(&nodes->at, nr + 1ul);
	pfx_vec_push(&nodes->at, ((struct pfx_made_node){0, PFX_NO_ID, 0, 0}));
}

void pfx_made_nodes_fini(struct pfx_made_nodes *nodes)
{
	pfx_vec_free(&nodes->at);
	pfx_id_table_fini(&nodes->by_hash);
}

static uint64_t hash_of(uint32_t parent, uint32_t frame)
{
	return pfx_hash_u64((uint64_t)parent << 32 | frame);
}

static uint32_t find_indexed(const struct pfx_made_nodes *nodes, uint32_t parent, uint32_t frame)
{
	const struct pfx_made_node *all = nodes->at.at;
	uint64_t hash = hash_of(parent, frame), at = hash;
	uint32_t id;

	while (pfx_id_table_next(&nodes->by_hash, hash, &at, &id))
		if (all[id].parent == parent && all[id].frame == frame)
			return id;
	return 0;
}

/* The child with this frame; 0: none. Nodes with FEW kids or more are in the table; *@ret_nr:
 * number of kids, up to FEW. */
static uint32_t find_kid(const struct pfx_made_nodes *nodes, uint32_t parent, uint32_t frame,
			 uint32_t *ret_nr)
{
	const struct pfx_made_node *all = nodes->at.at;
	uint32_t id, nr = 0;

	for (id = all[parent].first_kid; id && nr < FEW; id = all[id].next, nr++)
		if (all[id].frame == frame)
			return id;
	*ret_nr = nr;
	return nr == FEW ? find_indexed(nodes, parent, frame) : 0;
}

static void index_kid(struct pfx_made_nodes *nodes, uint32_t id)
{
	const struct pfx_made_node *kid = &nodes->at.at[id];

	pfx_id_table_add(&nodes->by_hash, hash_of(kid->parent, kid->frame), id);
}

uint32_t pfx_made_nodes_add(struct pfx_made_nodes *nodes, uint32_t parent, uint32_t frame)
{
	uint32_t nr, id = find_kid(nodes, parent, frame, &nr), kid;
	struct pfx_made_node *above;

	if (id)
		return id;
	id = (uint32_t)nodes->at.nr;
	pfx_vec_push(&nodes->at, ((struct pfx_made_node){parent, frame, 0, 0}));
	above = &nodes->at.at[parent];
	nodes->at.at[id].next = above->first_kid;
	above->first_kid = id;
	if (nr == FEW)
		index_kid(nodes, id);
	else if (nr == FEW - 1)
		for (kid = id; kid; kid = nodes->at.at[kid].next)
			index_kid(nodes, kid);
	return id;
}

static uint32_t *new_ids(uint32_t nr)
{
	return pfx_malloc((nr + 1ul) * sizeof(uint32_t));
}

/* The sizes of subtrees, in place of the first kids. */
static void measure(struct pfx_made_nodes *nodes)
{
	struct pfx_made_node *all = nodes->at.at;
	size_t i;

	for (i = 0; i < nodes->at.nr; i++)
		all[i].first_kid = 1;
	for (i = nodes->at.nr; i-- > 1;)
		all[all[i].parent].first_kid += all[i].first_kid;
}

void pfx_made_nodes_sort(struct pfx_made_nodes *nodes, struct pfx_nodes *ret)
{
	uint32_t nr = (uint32_t)nodes->at.nr, i, at = 0, size;
	struct pfx_made_node *node, *parent;

	measure(nodes);
	*ret = (struct pfx_nodes){nr, new_ids(nr), new_ids(nr), new_ids(nr)};
	for (i = 0; i < nr; i++) {
		node = &nodes->at.at[i];
		parent = &nodes->at.at[node->parent];
		size = node->first_kid;
		if (i) {
			at = parent->first_kid;
			parent->first_kid += size;
		}
		node->next = at;
		node->first_kid = at + 1;
		ret->parent[at] = parent->next;
		ret->frame[at] = node->frame;
		ret->end[at] = at + size;
	}
}

void pfx_nodes_fini(struct pfx_nodes *nodes)
{
	free(nodes->parent);
	free(nodes->frame);
	free(nodes->end);
	*nodes = (struct pfx_nodes){0};
}
