/* SPDX-License-Identifier: MIT */
/* Shared by the implementations of an output: size limits, and waking the other thread. */
#include <unistd.h>

#include "record/output/output_internal.h"

void pfx_output_wake(const struct pfx_output *out)
{
	const uint64_t one = 1;

	/* The write cannot fail: the eventfd's counter is far from its maximum. */
	if (write(out->setup.notify_fd, &one, sizeof(one)) < 0)
		return;
}

bool pfx_output_limit(struct pfx_output *out, uint64_t bytes)
{
	const struct pfx_output_owner *owner = out->setup.owner;

	if (!out->setup.max_size || bytes < out->setup.max_size)
		return false;
	if (out->is_over)
		return true;
	owner->reached_limit(owner->context, bytes);
	out->is_over = true;
	__atomic_store_n(&out->ends, true, __ATOMIC_RELEASE);
	pfx_output_wake(out);
	return true;
}

bool pfx_output_wants_switch(const struct pfx_output *out, uint64_t bytes)
{
	uint64_t most = out->setup.switch_bytes;

	return most && bytes >= most && !pfx_rings_overwrite(out->setup.rings);
}

void pfx_output_add_stats(struct pfx_output *out, struct pfx_queue *queue)
{
	uint64_t full, high;

	pfx_queue_stats(queue, &full, &high);
	out->nr_full += full;
	out->high += high;
}

void pfx_output_switched(struct pfx_output *out)
{
	__atomic_store_n(&out->switching, false, __ATOMIC_RELEASE);
}
