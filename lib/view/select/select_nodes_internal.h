/* SPDX-License-Identifier: MIT */
/* The part of a selection that needs stacks only: which of them pass, and the frames left. */
#ifndef PFX_VIEW_SELECT_NODES_INTERNAL_H
#define PFX_VIEW_SELECT_NODES_INTERNAL_H

#include "view/profile/nodes_internal.h"
#include "view/select/view_filter.h"

struct pfx_stack_choice {
	struct pfx_nodes nodes; /* of the profile, unless owns_nodes */
	bool owns_nodes;
	/* By stack of the profile; node PFX_NO_ID: it does not pass. */
	uint32_t *node, *own;
};

void pfx_stacks_choose(const struct pfx_view_filter *filter, struct pfx_stack_choice *ret);

#endif
