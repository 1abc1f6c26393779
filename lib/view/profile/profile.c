/* SPDX-License-Identifier: MIT */
/* The end of a profile; what makes one is in make_profile.c. */
#include "view/profile/profile.h"

#include <stdlib.h>

#include "view/profile/nodes_internal.h"

void pfx_row_pages_drop(struct pfx_row_pages *pages)
{
	size_t i;

	for (i = 0; i < PFX_ROW_COLUMNS; i++)
		pfx_paged_drop(&pages->columns[i]);
}

void pfx_row_pages_free(struct pfx_row_pages *pages)
{
	size_t i;

	for (i = 0; pages && i < PFX_ROW_COLUMNS; i++)
		pfx_paged_free(&pages->columns[i]);
	free(pages);
}

static void free_rows(struct pfx_profile *profile)
{
	if (profile->row_pages) {
		pfx_row_pages_free(profile->row_pages);
		return;
	}
	free(profile->row_time);
	free(profile->row_event);
	free(profile->row_task);
	free(profile->row_cpu);
	free(profile->row_stack);
	free(profile->row_count);
	free(profile->row_period);
}

void pfx_profile_free(struct pfx_profile *profile)
{
	if (!profile)
		return;
	free(profile->events);
	free(profile->processes);
	free(profile->threads);
	free(profile->tasks);
	free(profile->comms);
	free(profile->cpus);
	free(profile->dsos);
	free(profile->functions);
	free(profile->frames);
	free(profile->markers);
	pfx_nodes_fini(&profile->nodes);
	free(profile->stack_node);
	free(profile->stack_own);
	free(profile->stack_level);
	free(profile->sums);
	free_rows(profile);
	pfx_arena_clear(&profile->texts);
	free(profile);
}
