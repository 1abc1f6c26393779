/* SPDX-License-Identifier: MIT */
/*
 * Counters that only count: their attrs, with perf's defaults, and reading them. There are no ring
 * buffers and no samples.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sys/counter/counter_internal.h"

void pfx_counters_setup_counting(struct pfx_counters *set, const struct pfx_counting *c)
{
	size_t i;

	set->counts_only = true;
	pfx_counters_find_leaders(set);
	for (i = 0; i < set->list.nr; i++) {
		struct pfx_counter *counter = &set->list.at[i];
		struct pfx_attr *attr = &counter->attr;

		attr->sample_period = 0;
		attr->sample_type = PFX_SAMPLE_IDENTIFIER;
		attr->read_format = PFX_FORMAT_ENABLED | PFX_FORMAT_RUNNING;
		attr->flags &= ~PFX_ATTR_FREQ;
		pfx_attr_set_level(attr, c->all_user, c->all_kernel);
		if (counter->inherit ? counter->inherit > 0 : !c->no_inherit)
			attr->flags |= PFX_ATTR_INHERIT;
		if (counter->leader != i)
			continue;
		attr->flags |= PFX_ATTR_DISABLED;
		if (c->enable_on_exec && !counter->is_everywhere)
			attr->flags |= PFX_ATTR_ENABLE_ON_EXEC;
	}
}

int pfx_counter_read(const struct pfx_counter *counter, size_t fd_index, uint64_t ret[3])
{
	ssize_t n = read(counter->fds.at[fd_index].fd, ret, 3 * sizeof(*ret));

	/* The kernel includes the time that the task was on other CPUs in the time without a
	 * counter. */
	if (counter->only_on_cpus && counter->fds.at[fd_index].tid >= 0)
		ret[1] = ret[2];
	if (n == 3 * sizeof(*ret))
		return 0;
	memset(ret, 0, 3 * sizeof(*ret));
	return n < 0 ? -errno : -ENODATA;
}
