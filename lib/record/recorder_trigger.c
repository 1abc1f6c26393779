/* SPDX-License-Identifier: MIT */
/*
 * Events that are not recorded, but switch the output each time they occur, anywhere on the
 * machine. Their own ring buffers are only checked for samples.
 */
#include <string.h>
#include <unistd.h>

#include "record/recorder_internal.h"

static void add(struct pfx_counters *set, const struct pfx_event_spec *spec)
{
	struct pfx_counter *counter = pfx_counters_add(set, &spec->attr, spec->name);
	struct pfx_attr *attr = &counter->attr;

	attr->sample_type = PFX_SAMPLE_IDENTIFIER;
	attr->read_format = PFX_FORMAT_ID;
	attr->flags |= PFX_ATTR_SAMPLE_ID_ALL | PFX_ATTR_WATERMARK;
	attr->wakeup = 1;
	if (spec->has_freq)
		attr->flags |= PFX_ATTR_FREQ;
	else if (!spec->has_period)
		attr->sample_period = 1;
}

static int watch(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_rings *rings = &rec->loop.trigger.rings;
	size_t i;
	int rc = 0;

	for (i = 0; i < rings->list.nr && rc >= 0; i++)
		rc = pfx_watch_fd(&rec->loop.watch, rings->list.at[i].fd, PFX_RECORDER_WAKE_TRIGGER,
				  err);
	return rc;
}

int pfx_recorder_trigger_open(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_event_list *events = &rec->plan.options->out.switch_events;
	struct pfx_recorder_trigger *trigger = &rec->loop.trigger;
	size_t i;
	int rc;

	if (!events->specs.nr)
		return 0;
	trigger->target.system_wide = true;
	rc = pfx_target_cpus(&trigger->target, NULL, NULL, err);
	for (i = 0; i < events->specs.nr; i++)
		add(&trigger->counters, &events->specs.at[i]);
	if (rc >= 0)
		rc = pfx_counters_open(&trigger->counters, &trigger->target, err);
	if (rc >= 0)
		rc = pfx_rings_map(&trigger->rings, &trigger->counters,
				   (size_t)sysconf(_SC_PAGESIZE), err);
	return rc < 0 ? rc : watch(rec, err);
}

/* Empty the ring buffer; whether it contained a sample. */
static bool holds_sample(struct pfx_ring *ring)
{
	const uint64_t mask = ring->size - 1;
	struct {
		uint32_t type;
		uint16_t misc, size;
	} header;
	bool found = false;

	pfx_ring_snapshot(ring);
	/* Records are aligned to 8 bytes, so a header never wraps. */
	for (; ring->tail < ring->head && !found; ring->tail += header.size) {
		memcpy(&header, ring->data + (ring->tail & mask), sizeof(header));
		if (header.size < sizeof(header))
			break;
		found = header.type == PFX_RECORD_SAMPLE;
	}
	pfx_ring_release(ring);
	return found;
}

bool pfx_recorder_trigger_fired(struct pfx_recorder *rec)
{
	struct pfx_rings *rings = &rec->loop.trigger.rings;
	bool fired = false;
	size_t i;

	for (i = 0; i < rings->list.nr; i++)
		fired |= holds_sample(&rings->list.at[i]);
	return fired;
}

void pfx_recorder_trigger_fini(struct pfx_recorder *rec)
{
	pfx_rings_unmap(&rec->loop.trigger.rings);
	pfx_counters_fini(&rec->loop.trigger.counters);
	pfx_target_fini(&rec->loop.trigger.target);
}
