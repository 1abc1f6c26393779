/* SPDX-License-Identifier: MIT */
/* Trees of frames that are being made: of a profile, and of what filters leave of it. */
#ifndef PFX_VIEW_NODES_INTERNAL_H
#define PFX_VIEW_NODES_INTERNAL_H

#include "base/alloc.h"
#include "base/hash.h"
#include "view/profile/profile.h"

struct pfx_made_node {
	uint32_t parent, frame;
	uint32_t first_kid; /* the last one added; 0: none. While sorting: the size of the subtree,
			       then the place of the next kid */
	uint32_t next;      /* sibling; 0: none. In a sorted tree: the new number */
};

/* In order of appearance, parents first. */
struct pfx_made_nodes {
	PFX_VEC(struct pfx_made_node) at;
	struct pfx_id_table by_hash; /* kids of nodes with many */
};

/* The root alone, and room for @nr nodes. */
void pfx_made_nodes_init(struct pfx_made_nodes *nodes, uint32_t nr);
void pfx_made_nodes_fini(struct pfx_made_nodes *nodes);
/* The child of @parent with this frame; added if new. */
uint32_t pfx_made_nodes_add(struct pfx_made_nodes *nodes, uint32_t parent, uint32_t frame);
/* The nodes in depth-first order, siblings in order of appearance. Nothing can be added any more;
 * then the new number of a node is: */
void pfx_made_nodes_sort(struct pfx_made_nodes *nodes, struct pfx_nodes *ret);
static inline uint32_t pfx_made_nodes_now(const struct pfx_made_nodes *nodes, uint32_t node)
{
	return nodes->at.at[node].next;
}
void pfx_nodes_fini(struct pfx_nodes *nodes);

#endif
