/* SPDX-License-Identifier: MIT */
/*
 * The output of a recording. While it records, everything here runs on the queue's thread, which
 * may be held up by the disk or by the reader of a pipe as long as the queue has room. The rings
 * are not known here.
 */
#include <errno.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd/record_internal.h"

#define REFRESH_MS   1000
#define MEMORY_SHARE 16 /* the part of the machine's memory that the queue may take */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int refresh(struct pfx_recorder *rec, struct pfx_error *err)
{
	uint64_t now = now_ns();

	if (now - rec->refreshed_ns < REFRESH_MS * 1000000ull)
		return 0;
	rec->refreshed_ns = now;
	return pfx_writer_refresh(rec->writer, err);
}

/* Write, then count what was written: when the disk is full that may be a part. */
static int put(struct pfx_recorder *rec, const uint8_t *data, size_t size, struct pfx_error *err)
{
	uint64_t written = pfx_writer_bytes(rec->writer);
	int rc = pfx_writer_append(rec->writer, data, size, err);

	written = pfx_writer_bytes(rec->writer) - written;
	pfx_tally_take(&rec->tally, data, UINT64_MAX, 0, written);
	return rc;
}

int pfx_record_put(struct pfx_recorder *rec, struct pfx_buffer *records, struct pfx_error *err)
{
	int rc = put(rec, records->at, records->len, err);

	pfx_buffer_clear(records);
	return rc;
}

static void wake_up(const struct pfx_recorder *rec)
{
	const uint64_t one = 1;

	/* It cannot fail: the counter of wakes is far from full. */
	if (write(rec->notify_fd, &one, sizeof(one)) < 0)
		return;
}

static int work(void *context, const uint8_t *data, size_t size, struct pfx_error *err)
{
	struct pfx_recorder *rec = context;
	int rc = data ? put(rec, data, size, err) : 0;

	if (rc >= 0)
		rc = refresh(rec, err);
	if (rc < 0)
		wake_up(rec);
	return rc;
}

int pfx_record_output_start(struct pfx_recorder *rec, struct pfx_error *err)
{
	uint64_t share = rec->perm.mem_bytes / MEMORY_SHARE;
	int rc;

	rec->notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rec->notify_fd < 0)
		return pfx_error_sys(err, errno, "cannot start the thread that writes");
	rc = pfx_watch_fd(&rec->watch, rec->notify_fd, PFX_RECORD_WAKE_OUTPUT, err);
	if (rc < 0)
		return rc;
	rec->refreshed_ns = now_ns();
	return pfx_queue_new(&rec->queue, share < PFX_QUEUE_BYTES ? share : PFX_QUEUE_BYTES, work,
			     rec, err);
}

int pfx_record_output_stop(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc;

	if (rec->queue)
		pfx_queue_stats(rec->queue, &rec->queue_full, &rec->queue_high);
	rc = pfx_queue_finish(rec->queue, err);
	rec->queue = NULL;
	return rc;
}
