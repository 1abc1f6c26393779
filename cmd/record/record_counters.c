/* SPDX-License-Identifier: MIT */
/*
 * From what shall be counted to open counters and mapped rings, as large as the permission allows,
 * and what there is to say about them. The output is not known here.
 */
#include <errno.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/record/record_internal.h"
#include "event/names.h"

#define WATERMARK_SHARE 4 /* the ring's part that wakes us */

/* When the kernel wakes us: at each record, or when enough is in a ring. */
static void set_wakes(struct pfx_recorder *rec, size_t bytes)
{
	uint64_t flush = rec->options->output_side.flush_bytes, most = bytes / WATERMARK_SHARE;

	pfx_counters_watermark(&rec->counters, (uint32_t)(flush && flush < most ? flush : most));
	if (rec->options->output_side.no_buffering)
		pfx_counters_wake_always(&rec->counters);
}

/* *@ret_too_large: the counters could be opened, but not with rings of this size. */
static int open_with(struct pfx_recorder *rec, size_t bytes, bool *ret_too_large,
		     struct pfx_error *err)
{
	int rc;

	*ret_too_large = false;
	set_wakes(rec, bytes);
	rc = pfx_counters_attach(&rec->counters, &rec->target, NULL, err);
	if (rc < 0)
		return rc;
	rc = pfx_rings_map(&rec->rings, &rec->counters, bytes, err);
	*ret_too_large = rc == -EPERM || rc == -ENOMEM;
	if (rc >= 0) {
		rc = pfx_record_aux_map(rec, ret_too_large, err);
		if (rc < 0)
			pfx_rings_unmap(&rec->rings);
	}
	if (rc < 0)
		pfx_counters_close(&rec->counters);
	return rc;
}

/* Smaller areas, then smaller rings; false when the user chose them or they are the smallest. */
static bool take_less(struct pfx_recorder *rec)
{
	if (pfx_record_aux_shrink(rec))
		return true;
	if (rec->options->ring_bytes || rec->ring_bytes <= (size_t)sysconf(_SC_PAGESIZE))
		return false;
	rec->ring_bytes /= 2;
	return true;
}

static bool has_map_ids(const struct pfx_recorder *rec)
{
	size_t i;

	for (i = 0; i < rec->counters.list.nr; i++)
		if (rec->counters.list.at[i].attr.flags & PFX_ATTR_BUILD_ID)
			return true;
	return false;
}

/* Rings as large as we may; when the user did not choose, smaller ones until they fit. The
 * watermark is a part of the attr, so the counters are opened again each time. */
int pfx_record_open_counters(struct pfx_recorder *rec, struct pfx_error *err)
{
	bool chosen = rec->options->ring_bytes != 0, too_large;
	int rc;

	rec->ring_bytes = rec->options->ring_bytes;
	if (!chosen)
		rec->ring_bytes = pfx_record_aux_ring_bytes(
			rec,
			pfx_perm_ring_bytes(&rec->perm, (uint32_t)pfx_target_rings(&rec->target)));
	rc = open_with(rec, rec->ring_bytes, &too_large, err);
	while (rc < 0 && too_large && take_less(rec))
		rc = open_with(rec, rec->ring_bytes, &too_large, err);
	if (rc >= 0 && rec->options->buildid_mmap && !has_map_ids(rec))
		rc = pfx_error_set(err, ENOTSUP,
				   "this kernel puts no build ids into the records of maps (Linux "
				   "5.12 does): leave --buildid-mmap out");
	return rc;
}

/* The events as the kernel took them, what it lacks, and the rings. */
static void say_details(const struct pfx_recorder *rec)
{
	const char *const *gap = pfx_counter_gaps();
	struct pfx_str text = {0};
	unsigned i;

	for (i = 0; i < rec->meta->nr_events; i++) {
		const struct pfx_event *event = rec->meta->events[i];

		pfx_str_clear(&text);
		pfx_attr_text(&event->attr, &text);
		pfx_print_note("record", "event '%s' on %u counters: %s", event->name,
			       event->nr_ids, pfx_str_get(&text));
	}
	for (i = 0; gap[i]; i++)
		if (rec->counters.gaps >> i & 1)
			pfx_print_note("record", "this kernel has no %s", gap[i]);
	pfx_print_note("record", "rings of %zu KiB on %zu CPUs", rec->ring_bytes >> 10,
		       rec->rings.list.nr);
	if (rec->aux.kind)
		pfx_print_note("record", "AUX areas of %llu KiB on %zu of them",
			       (unsigned long long)rec->aux.bytes >> 10, rec->aux.areas.list.nr);
	pfx_str_fini(&text);
}

void pfx_record_say_opened(const struct pfx_recorder *rec)
{
	const struct pfx_counters *set = &rec->counters;

	if (rec->options->quiet)
		return;
	if (set->fell_to_clock && set->fell_to_user)
		pfx_print_note("record", "no cycle counter here and no permission for the kernel: "
					 "sampling cpu-clock in user space");
	else if (set->fell_to_clock)
		pfx_print_note("record", "no cycle counter here: sampling cpu-clock instead");
	else if (set->fell_to_user)
		pfx_print_note("record",
			       "no permission for the kernel: sampling user space only "
			       "(kernel.perf_event_paranoid is %d)",
			       rec->perm.paranoid);
	if (set->nr_vanished)
		pfx_print_note("record", "%u threads ended before they could be attached",
			       set->nr_vanished);
	if (set->nr_offline)
		pfx_print_note("record", "%u counters are missing: their CPU went offline",
			       set->nr_offline);
	if (rec->options->callgraph.defer && set->gaps & 1)
		pfx_print_note("record",
			       "this kernel does not defer call chains (Linux 6.19 does): "
			       "taking them at once");
	if (rec->options->verbose)
		say_details(rec);
}
