/* SPDX-License-Identifier: MIT */
/*
 * From the first sample to the last: wait, empty all rings into the writer, mark the round, keep
 * the header fresh, and notice why it is time to stop. Nothing here is done per sample but what the
 * tally does; records go from the ring to the file in as few pieces as they lie in.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "cmd/commands.h"
#include "cmd/record_internal.h"

#define REFRESH_MS 1000

struct head {
	uint32_t type;
	uint16_t misc, size;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int pfx_record_put(struct pfx_recorder *rec, struct pfx_buffer *records, struct pfx_error *err)
{
	int rc;

	pfx_tally_take(&rec->tally, records->at, UINT64_MAX, 0, records->len);
	rc = pfx_writer_append(rec->writer, records->at, records->len, err);
	pfx_buffer_clear(records);
	return rc;
}

/* Write, then count what was written: when the disk is full that may be a part. */
static int drain_ring(struct pfx_recorder *rec, struct pfx_ring *ring, uint64_t *bytes,
		      struct pfx_error *err)
{
	uint64_t waiting = pfx_ring_snapshot(ring), written = pfx_writer_bytes(rec->writer);
	struct iovec iov[2];
	int nr = pfx_ring_pieces(ring, iov), rc;

	if (nr == 0)
		return 0;
	rc = pfx_writer_appendv(rec->writer, iov, nr, err);
	written = pfx_writer_bytes(rec->writer) - written;
	pfx_tally_take(&rec->tally, ring->data, ring->size - 1, ring->tail, ring->tail + written);
	pfx_ring_release(ring);
	*bytes += waiting;
	return rc;
}

/* Every ring is emptied in every pass: readers rely on it when they put records in order. */
int pfx_record_drain(struct pfx_recorder *rec, uint64_t *ret_bytes, struct pfx_error *err)
{
	const struct head round = {PFX_RECORD_FINISHED_ROUND, 0, sizeof(round)};
	size_t i;
	int rc = 0;

	*ret_bytes = 0;
	for (i = 0; i < rec->rings.list.nr && rc >= 0; i++)
		rc = drain_ring(rec, &rec->rings.list.at[i], ret_bytes, err);
	if (rc < 0 || *ret_bytes == 0)
		return rc;
	rec->nr_wakes++;
	return pfx_writer_append(rec->writer, &round, sizeof(round), err);
}

static int refresh(struct pfx_recorder *rec, struct pfx_error *err)
{
	uint64_t now = now_ns();

	if (now - rec->refreshed_ns < REFRESH_MS * 1000000ull)
		return 0;
	rec->refreshed_ns = now;
	return pfx_writer_refresh(rec->writer, err);
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

/* A reader that went away is no failure of ours: the workload's result counts. */
static int cannot_write(struct pfx_recorder *rec, int rc, struct pfx_error *err)
{
	if (rc == -EPIPE && rec->is_pipe) {
		rec->reader_gone = true;
		if (!rec->options->quiet)
			pfx_print_note("record", "the reader of the pipe has gone: recording ends");
		return 0;
	}
	pfx_print_error("record", err);
	rec->failed = true;
	return 0;
}

int pfx_record_loop(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_wake wake = {0};
	uint64_t bytes;
	bool stop = false;
	int rc = 0;

	rec->refreshed_ns = now_ns();
	while (!stop && rc >= 0) {
		rc = pfx_watch_wait(&rec->watch, REFRESH_MS, &wake, err);
		if (rc < 0)
			break;
		stop = heed(rec, &wake);
		if (stop)
			pfx_counters_disable(&rec->counters);
		rc = pfx_record_drain(rec, &bytes, err);
		if (rc >= 0)
			rc = refresh(rec, err);
	}
	pfx_counters_disable(&rec->counters);
	/* What came between the last look and the stop. */
	while (rc >= 0) {
		rc = pfx_record_drain(rec, &bytes, err);
		if (rc >= 0 && bytes == 0)
			break;
	}
	return rc < 0 ? cannot_write(rec, rc, err) : 0;
}
