/* SPDX-License-Identifier: MIT */
/* Answers that are call trees and flame graphs. */
#include <errno.h>
#include <string.h>

#include "api/samples_internal.h"
#include "base/error.h"
#include "base/str.h"
#include "view/view_tree.h"

#define WORD_MAX 256 /* of a name in a message */

/* The function with this name that has samples. */
static int find_root(const struct pfx_profile *profile, const char *name, uint32_t *ret,
		     struct pfx_error *err)
{
	char shown[WORD_MAX];
	uint32_t i;

	*ret = PFX_NO_ID;
	for (i = 0; name && i < profile->nr_functions; i++) {
		if (strcmp(profile->functions[i].name, name))
			continue;
		*ret = i;
		return 0;
	}
	return name ? pfx_error_set(err, EINVAL, "'%s' is not a function of the recording",
				    pfx_escape(shown, sizeof(shown), name))
		    : 0;
}

static void name_node(const struct pfx_profile *profile, const struct pfx_view_node *node,
		      struct pfx_answer_row *row)
{
	const struct pfx_profile_frame *frame;
	const struct pfx_profile_function *function;

	if (node->frame == PFX_NO_ID) {
		row->name = "all";
		return;
	}
	frame = &profile->frames[node->frame];
	function = &profile->functions[frame->function];
	row->name = function->name;
	row->dso = frame->dso == PFX_NO_ID ? NULL : profile->dsos[frame->dso].name;
	row->file = frame->file ? frame->file : function->file;
	row->line = frame->file ? frame->line : function->line;
	row->is_inlined = function->is_inlined;
}

static struct pfx_answer *make_answer(const struct pfx_asked *asked,
				      const struct pfx_view_tree *tree)
{
	struct pfx_answer *answer = pfx_answer_new(asked);
	uint32_t i;

	answer->nr_rows = tree->nr_nodes;
	answer->rows = pfx_calloc(tree->nr_nodes, sizeof(*answer->rows));
	for (i = 0; i < tree->nr_nodes; i++) {
		const struct pfx_view_node *node = &tree->nodes[i];
		struct pfx_answer_row *row = &answer->rows[i];

		name_node(asked->selection.profile, node, row);
		row->self = node->self;
		row->total = node->total;
		row->self_share = pfx_share(node->self, answer->total);
		row->total_share = pfx_share(node->total, answer->total);
		row->parent = node->parent == PFX_NO_ID ? 0 : node->parent;
		row->depth = node->depth;
		row->first_child = node->first_kid;
		row->nr_children = node->nr_kids;
		row->x = node->x;
	}
	if (asked->query.root && answer->nr_rows)
		answer->rows[0].name = asked->query.root;
	return answer;
}

int pfx_samples_tree(const struct pfx_samples *samples, const struct pfx_query *query,
		     struct pfx_answer **ret, struct pfx_error *err)
{
	struct pfx_view_tree_options options = {0};
	struct pfx_view_tree tree;
	struct pfx_asked asked;
	int rc = pfx_asked_init(&asked, samples, query, ret, err);

	if (!rc)
		rc = find_root(samples->profile, asked.query.root, &options.function, err);
	if (!rc) {
		options.order = asked.query.by_name ? PFX_TREE_BY_NAME : PFX_TREE_BY_WEIGHT;
		options.inverted = asked.query.inverted;
		options.min_share = asked.query.min_share;
		options.max_depth = asked.query.max_depth;
		pfx_view_tree_make(&tree, &asked.selection, &options);
		*ret = make_answer(&asked, &tree);
		pfx_view_tree_fini(&tree);
	}
	pfx_asked_fini(&asked);
	return pfx_api_rc(rc, err);
}
