/* SPDX-License-Identifier: MIT */
/* Counts the indexes of each key, then places them. */
#include "base/groups.h"

#include <stdlib.h>

#include "base/alloc.h"

void pfx_groups_make(struct pfx_groups *ret, uint32_t nr, uint32_t nr_keys, pfx_group_key_fn key,
		     const void *context)
{
	/* first[k + 1] is where the next index of k is placed: in the end, where those of k + 1
	 * begin. */
	uint32_t *first = pfx_calloc(nr_keys + 2ul, sizeof(*first)), i;

	ret->first = first;
	ret->at = pfx_malloc((nr + 1ul) * sizeof(*ret->at));
	for (i = 0; i < nr; i++)
		first[key(context, i) + 2]++;
	for (i = 2; i < nr_keys + 1; i++)
		first[i] += first[i - 1];
	for (i = 0; i < nr; i++)
		ret->at[first[key(context, i) + 1]++] = i;
}

void pfx_groups_fini(struct pfx_groups *groups)
{
	free(groups->at);
	free(groups->first);
	*groups = (struct pfx_groups){0};
}
