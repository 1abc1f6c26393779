/* SPDX-License-Identifier: MIT */
/* Trees of frames that are being made: of a profile, and of what filters leave of it. */
#ifndef PFX_VIEW_NODES_INTERNAL_H
#define PFX_VIEW_NODES_INTERNAL_H

#include "base/alloc.h"
#include "base/hash.h"
#include "view/profile.h"

struct pfx_made_node {
	uint32_t parent, frame;
};

/* In order of appearance, parents first. */
struct pfx_made_nodes {
	PFX_VEC(struct pfx_made_node) at;
	struct pfx_id_table by_hash;
};

/* The root alone. */
void pfx_made_nodes_init(struct pfx_made_nodes *nodes);
void pfx_made_nodes_fini(struct pfx_made_nodes *nodes);
/* The child of @parent with this frame; added if new. */
uint32_t pfx_made_nodes_add(struct pfx_made_nodes *nodes, uint32_t parent, uint32_t frame);
/* The nodes in depth-first order, siblings in order of appearance. Returns new numbers by old ones;
 * the caller frees them. */
uint32_t *pfx_made_nodes_sort(const struct pfx_made_nodes *nodes, struct pfx_nodes *ret);
void pfx_nodes_fini(struct pfx_nodes *nodes);

#endif
