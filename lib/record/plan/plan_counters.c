/* SPDX-License-Identifier: MIT */
/* Opens the counters and maps the ring buffers, as large as the permission allows. */
#include <errno.h>
#include <unistd.h>

#include "record/plan/plan.h"

#define WATERMARK_SHARE 4 /* fraction of the ring buffer that wakes the reader */

/* When the kernel wakes the recorder: at each record, or at the watermark. */
static void set_wakes(const struct pfx_recorder_output_options *o, size_t bytes,
		      struct pfx_counters *counters)
{
	uint64_t flush = o->flush_bytes, most = bytes / WATERMARK_SHARE;

	pfx_counters_watermark(counters, (uint32_t)(flush && flush < most ? flush : most));
	if (o->no_buffering)
		pfx_counters_wake_always(counters);
}

/* Map the AUX areas beside the ring buffers; nothing to do without a tracing event. */
static int map_areas(const struct pfx_record_plan *plan, struct pfx_record_source *source,
		     bool *ret_too_large, struct pfx_error *err)
{
	int rc;

	*ret_too_large = false;
	if (!plan->trace.kind)
		return 0;
	rc = pfx_aux_map(&source->areas, &source->rings, &source->counters, plan->trace.bytes,
			 plan->trace.keeps_newest, err);
	*ret_too_large = rc == -EPERM || rc == -ENOMEM;
	return rc;
}

/* *@ret_too_large: the counters were opened, but ring buffers of this size are not allowed. */
static int open_with(struct pfx_record_plan *plan, struct pfx_record_source *source,
		     bool *ret_too_large, struct pfx_error *err)
{
	const struct pfx_record_machine *machine = source->machine;
	int rc;

	*ret_too_large = false;
	set_wakes(&plan->options->out, source->ring_bytes, &source->counters);
	rc = machine->attach(&source->counters, &plan->target, NULL, err);
	if (rc < 0)
		return rc;
	rc = machine->map(&source->rings, &source->counters, source->ring_bytes, err);
	*ret_too_large = rc == -EPERM || rc == -ENOMEM;
	if (rc >= 0) {
		rc = map_areas(plan, source, ret_too_large, err);
		if (rc < 0)
			machine->unmap(&source->rings);
	}
	if (rc < 0)
		machine->close(&source->counters);
	return rc;
}

/* Try smaller AUX areas, then smaller ring buffers; false if the user chose the sizes or they are
 * minimal. */
static bool take_less(struct pfx_record_plan *plan, struct pfx_record_source *source)
{
	if (pfx_record_trace_shrink(plan, &source->counters))
		return true;
	if (plan->options->ring_bytes || source->ring_bytes <= (size_t)sysconf(_SC_PAGESIZE))
		return false;
	source->ring_bytes /= 2;
	return true;
}

static bool has_map_ids(const struct pfx_counters *counters)
{
	size_t i;

	for (i = 0; i < counters->list.nr; i++)
		if (counters->list.at[i].attr.flags & PFX_ATTR_BUILD_ID)
			return true;
	return false;
}

/* If the user did not choose the size, it is reduced until mmap() succeeds. The watermark is in the
 * attr, so the counters are opened again each time. */
int pfx_record_open(struct pfx_record_plan *plan, struct pfx_record_source *source,
		    struct pfx_error *err)
{
	uint32_t nr_rings = (uint32_t)pfx_target_rings(&plan->target);
	bool too_large;
	int rc;

	source->ring_bytes = plan->options->ring_bytes;
	if (!source->ring_bytes)
		source->ring_bytes = pfx_record_trace_ring_bytes(
			plan, pfx_perm_ring_bytes(&plan->perm, nr_rings));
	rc = open_with(plan, source, &too_large, err);
	while (rc < 0 && too_large && take_less(plan, source))
		rc = open_with(plan, source, &too_large, err);
	if (rc >= 0 && plan->options->buildid_mmap && !has_map_ids(&source->counters))
		rc = pfx_error_set(err, ENOTSUP,
				   "this kernel puts no build ids into the records of maps (Linux "
				   "5.12 does): leave --buildid-mmap out");
	return rc;
}

void pfx_record_notify_opened(const struct pfx_record_plan *plan,
			      const struct pfx_record_source *source, const struct pfx_meta *meta)
{
	const struct pfx_recorder_opened opened = {
		.counters = &source->counters,
		.meta = meta,
		.ring_bytes = source->ring_bytes,
		.nr_rings = source->rings.list.nr,
		.area_bytes = plan->trace.kind ? plan->trace.bytes : 0,
		.nr_areas = source->areas.list.nr,
		.paranoid = plan->perm.paranoid,
	};

	PFX_RECORDER_NOTIFY(plan->observer, PFX_RECORDER_OPENED, .opened = &opened);
}
