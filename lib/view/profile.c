/* SPDX-License-Identifier: MIT */
/* The end of a profile; what makes one is in make_profile.c. */
#include "view/profile.h"

#include <stdlib.h>

#include "view/nodes_internal.h"

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
	free(profile->row_time);
	free(profile->row_event);
	free(profile->row_task);
	free(profile->row_cpu);
	free(profile->row_stack);
	free(profile->row_count);
	free(profile->row_period);
	pfx_arena_clear(&profile->texts);
	free(profile);
}
