/* SPDX-License-Identifier: MIT */
/*
 * From the first sample to the last: wait, empty all rings into the queue, mark the round, and
 * notice why it is time to stop. Nothing here is done per sample, allocates, or waits for the
 * output: what happens to the bytes stands in record_output.c, on a thread of its own.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/record_internal.h"

#define LOOK_MS  1000 /* rings below their watermark are emptied that often */
#define REALTIME 1    /* priority of the thread that empties the rings */

struct head {
	uint32_t type;
	uint16_t misc, size;
};

/* How many bytes from position @at on are whole records, up to @limit. Bytes that make no sense are
 * passed on as they are. */
static size_t whole_records(const struct pfx_ring *ring, uint64_t at, size_t limit)
{
	uint64_t mask = ring->size - 1;
	struct head head;
	size_t size = 0;

	for (;;) {
		memcpy(&head, ring->data + ((at + size) & mask), sizeof(head));
		if (head.size < sizeof(head) || head.size % 8)
			return limit;
		if (size + head.size > limit)
			return size;
		size += head.size;
	}
}

/* Out of the ring at once, whatever the disk does: the queue's thread writes. */
static void drain_ring(struct pfx_queue *queue, struct pfx_ring *ring, uint64_t *bytes)
{
	uint64_t waiting = pfx_ring_snapshot(ring), at = ring->tail;
	size_t size, room;
	uint8_t *to;

	while (at < ring->head) {
		size = ring->head - at;
		if (size > PFX_QUEUE_CHUNK)
			size = whole_records(ring, at, PFX_QUEUE_CHUNK);
		to = pfx_queue_room(queue, size, &room);
		pfx_ring_copy(ring, at, to, size);
		pfx_queue_put(queue, size);
		at += size;
	}
	if (waiting)
		pfx_ring_release(ring);
	*bytes += waiting;
}

/* Every ring is emptied in every pass: readers rely on it when they put records in order. */
static int drain(struct pfx_recorder *rec, uint64_t *ret_bytes, struct pfx_error *err)
{
	const struct head round = {PFX_RECORD_FINISHED_ROUND, 0, sizeof(round)};
	size_t i, room;
	int rc;

	*ret_bytes = 0;
	for (i = 0; i < rec->rings.list.nr; i++) {
		if (rec->out.places && CPU_COUNT(&rec->out.places[i]))
			sched_setaffinity(0, sizeof(rec->out.places[i]), &rec->out.places[i]);
		if (rec->rings.list.at[i].backward)
			continue;
		drain_ring(pfx_record_queue_of(rec, i), &rec->rings.list.at[i], ret_bytes);
	}
	rec->nr_wakes += *ret_bytes > 0;
	rc = pfx_record_aux_pass(rec, err);
	if (rc < 0)
		return rc;
	/* Who puts switches in order must know of rounds that no record tells of. */
	if (rec->out.offcpu && (rec->out.lanes || rec->options->output_side.tail_synthesize))
		rc = pfx_queue_ask(pfx_record_offcpu_queue(rec), PFX_RECORD_ASK_ROUND, err);
	if (rc < 0)
		return rc;
	/* Files of one ring each are in order by themselves: they have no rounds. */
	if (rec->out.lanes)
		return pfx_record_lanes_flush(rec, err);
	/* What runs is told behind its samples: it counts for all of them where there are no
	 * rounds. */
	if (*ret_bytes == 0 || rec->options->output_side.tail_synthesize)
		return pfx_queue_flush(rec->out.queue, err);
	memcpy(pfx_queue_room(rec->out.queue, sizeof(round), &room), &round, sizeof(round));
	pfx_queue_put(rec->out.queue, sizeof(round));
	return pfx_queue_flush(rec->out.queue, err);
}

/* True when it is time to stop. */
static bool heed(struct pfx_recorder *rec, const struct pfx_wake *wake)
{
	switch (wake->signal) {
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
		rec->stop_signal = wake->signal;
		rec->from_terminal = wake->sender == 0;
		return true;
	case SIGCHLD:
		return rec->command && pfx_workload_wait(&rec->workload, true);
	default:
		return wake->ended;
	}
}

static void stop_on_full(struct pfx_recorder *rec)
{
	if (rec->options->output_side.on_full_stop && rec->command && !rec->workload.is_reaped)
		kill(rec->workload.pid, SIGTERM);
}

/* A reader that went away has its reasons: the workload's result counts before that. */
static int cannot_write(struct pfx_recorder *rec, int rc, struct pfx_error *err)
{
	if (rc == -EPIPE && rec->is_pipe) {
		rec->reader_gone = true;
		if (!rec->options->quiet)
			pfx_print_note("record", "the reader of the pipe has gone: recording ends");
		stop_on_full(rec);
		return 0;
	}
	pfx_print_error("record", err);
	rec->failed = true;
	stop_on_full(rec);
	return 0;
}

static int drain_all(struct pfx_recorder *rec, struct pfx_error *err)
{
	uint64_t bytes;
	int rc;

	do
		rc = drain(rec, &bytes, err);
	while (rc >= 0 && bytes);
	return rc < 0 ? rc : pfx_record_collect(rec, err);
}

/*
 * The thread that empties the rings does little, but must not come late, not even on a machine with
 * more to do than it can: it gets the lowest real-time priority, or the one that the user wants.
 * Without the permission it stays as it is. The threads that write exist by now and keep theirs.
 */
static void hurry(const struct pfx_recorder *rec)
{
	int wanted = (int)rec->options->output_side.priority;
	struct sched_param param = {.sched_priority = wanted ? wanted : REALTIME};

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) < 0 && wanted)
		pfx_print_note("record", "no real-time priority: %s", strerror(errno));
}

/* Back to ordinary: the rest of the work may be much. */
static void calm_down(void)
{
	struct sched_param param = {0};

	sched_setscheduler(0, SCHED_OTHER, &param);
}

/* Where to go to empty each ring, if that is wanted. */
static void find_places(struct pfx_recorder *rec)
{
	const char *affinity = rec->options->output_side.affinity;
	size_t i;

	if (!affinity)
		return;
	rec->out.places = pfx_calloc(rec->rings.list.nr, sizeof(*rec->out.places));
	for (i = 0; i < rec->rings.list.nr; i++)
		pfx_record_place(affinity, rec->rings.list.at[i].cpu, &rec->out.places[i]);
}

/* Threads that sleep now are not seen to wake up. */
static void tell_pause(struct pfx_recorder *rec)
{
	rec->control.went_off = false;
	if (!rec->out.offcpu)
		return;
	pfx_record_offcpu_stop(rec);
	pfx_queue_ask(pfx_record_offcpu_queue(rec), PFX_RECORD_ASK_PAUSE, NULL);
}

static int run(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_wake wake = {0};
	uint64_t bytes;
	bool stop = false;
	int rc = 0;

	while (!stop && rc >= 0) {
		rc = pfx_watch_wait(&rec->watch, pfx_record_control_timeout(rec, LOOK_MS), &wake,
				    err);
		if (rc < 0)
			break;
		pfx_record_output_heed(rec, &wake);
		stop = heed(rec, &wake);
		stop |= pfx_record_control_tick(rec, &wake);
		if (stop)
			pfx_counters_disable(&rec->counters);
		rc = drain(rec, &bytes, err);
		if (rec->control.went_off)
			tell_pause(rec);
	}
	pfx_record_aux_set_off(rec, true);
	pfx_counters_disable(&rec->counters);
	pfx_record_offcpu_stop(rec);
	/* What came between the last look and the stop. */
	if (rc >= 0)
		rc = drain_all(rec, err);
	return rc < 0 ? rc : pfx_record_aux_last(rec, err);
}

int pfx_record_loop(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc, written;

	hurry(rec);
	find_places(rec);
	rc = run(rec, err);
	calm_down();
	written = pfx_record_output_stop(rec, rc < 0 ? NULL : err);

	rc = rc < 0 ? rc : written;
	return rc < 0 ? cannot_write(rec, rc, err) : 0;
}
