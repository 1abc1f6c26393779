/* SPDX-License-Identifier: MIT */
/* The order of siblings in a tree. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "view/view_tree_internal.h"

static int compare_files(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* By name, library, line, address. */
static int compare_frames(const struct pfx_profile *profile, uint32_t a, uint32_t b)
{
	const struct pfx_profile_frame *x = &profile->frames[a], *y = &profile->frames[b];
	int rc = strcmp(profile->functions[x->function].name, profile->functions[y->function].name);

	if (!rc && x->dso != y->dso && x->dso != PFX_NO_ID && y->dso != PFX_NO_ID)
		rc = strcmp(profile->dsos[x->dso].name, profile->dsos[y->dso].name);
	if (!rc)
		rc = compare_files(x->file, y->file);
	if (!rc)
		rc = pfx_compare_u64(x->line, y->line);
	if (!rc)
		rc = pfx_compare_u64(x->address, y->address);
	return rc ? rc : pfx_compare_u64(a, b);
}

static int by_name(const void *a, const void *b, void *context)
{
	const struct pfx_tree_kid *x = a, *y = b;

	return compare_frames(context, x->node.frame, y->node.frame);
}

static int by_weight(const void *a, const void *b, void *context)
{
	const struct pfx_tree_kid *x = a, *y = b;
	int rc = pfx_compare_u64(y->node.total, x->node.total);

	return rc ? rc : by_name(a, b, context);
}

void pfx_tree_sort_kids(const struct pfx_tree_growing *growing, struct pfx_tree_kid *kids,
			size_t nr)
{
	bool weight = growing->options->order == PFX_TREE_BY_WEIGHT;

	if (nr > 1)
		qsort_r(kids, nr, sizeof(*kids), weight ? by_weight : by_name,
			(void *)(uintptr_t)growing->selection->profile);
}
