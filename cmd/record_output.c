/* SPDX-License-Identifier: MIT */
/*
 * The output of a recording. While it records, everything here but _start() and _stop() runs on the
 * queue's thread, which may be held up by the disk or by the reader of a pipe as long as the queue
 * has room. The rings are not known here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/record_internal.h"

#define NICE         (-20)
#define MEMORY_SHARE 16 /* the part of the machine's memory that the queue may take */

/* Write, then count what was written: when the disk is full that may be a part. */
static int put(struct pfx_recorder *rec, const uint8_t *data, size_t size, struct pfx_error *err)
{
	uint64_t written = pfx_writer_bytes(rec->writer);
	int rc = pfx_writer_append(rec->writer, data, size, err);

	written = pfx_writer_bytes(rec->writer) - written;
	pfx_tally_take(&rec->tally, data, UINT64_MAX, 0, written);
	return rc;
}

static int put_packed(struct pfx_recorder *rec, const uint8_t *data, size_t size,
		      struct pfx_error *err)
{
	struct pfx_buffer *packed = &rec->out.packed;
	int rc;

	pfx_buffer_clear(packed);
	rc = pfx_pack_bytes(rec->out.pack, data, size, packed, err);
	if (rc >= 0)
		rc = pfx_writer_append(rec->writer, packed->at, packed->len, err);
	if (rc >= 0)
		pfx_tally_take(&rec->tally, data, UINT64_MAX, 0, size);
	return rc;
}

int pfx_record_put(struct pfx_recorder *rec, struct pfx_buffer *records, struct pfx_error *err)
{
	int rc = put(rec, records->at, records->len, err);

	pfx_buffer_clear(records);
	return rc;
}

void pfx_record_output_wake(const struct pfx_recorder *rec)
{
	const uint64_t one = 1;

	/* It cannot fail: the counter of wakes is far from full. */
	if (write(rec->out.notify_fd, &one, sizeof(one)) < 0)
		return;
}

void pfx_record_output_heed(const struct pfx_recorder *rec, const struct pfx_wake *wake)
{
	uint64_t wakes;

	/* It cannot fail either, once the descriptor is ready. */
	if (!(wake->fds & 1u << PFX_RECORD_WAKE_OUTPUT) ||
	    read(rec->out.notify_fd, &wakes, sizeof(wakes)) < 0)
		return;
}

static void end_recording(struct pfx_recorder *rec)
{
	__atomic_store_n(&rec->out.ends, true, __ATOMIC_RELEASE);
	pfx_record_output_wake(rec);
}

bool pfx_record_output_limit(struct pfx_recorder *rec, uint64_t bytes)
{
	uint64_t most = rec->options->output_side.max_size;

	if (!most || bytes < most)
		return false;
	if (rec->out.is_over)
		return true;
	if (!rec->options->quiet)
		fprintf(stderr,
			"[ pfx record: pfx size limit reached (%llu KB), stopping session ]\n",
			(unsigned long long)bytes >> 10);
	rec->out.is_over = true;
	end_recording(rec);
	return true;
}

/* What the sizes say once more was written. */
static int check_sizes(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;
	uint64_t bytes = pfx_writer_offset(rec->writer);

	if (pfx_record_output_limit(rec, bytes))
		return 0;
	/* Rings that keep the newest records are asked at the other end (record_overwrite.c). */
	if (!o->switch_bytes || bytes < o->switch_bytes || pfx_rings_overwrite(&rec->rings))
		return 0;
	return pfx_record_switch(rec, err);
}

static int write_out(struct pfx_recorder *rec, const uint8_t *data, size_t size,
		     struct pfx_error *err)
{
	int rc;

	if (rec->out.is_over)
		return 0;
	if (rec->out.offcpu) {
		pfx_buffer_clear(&rec->out.passed);
		pfx_offcpu_take(rec->out.offcpu, data, size, &rec->out.passed);
		data = rec->out.passed.at;
		size = rec->out.passed.len;
		if (!size)
			return 0;
	}
	rc = rec->out.pack ? put_packed(rec, data, size, err) : put(rec, data, size, err);
	return rc < 0 ? rc : check_sizes(rec, err);
}

static int answer(struct pfx_recorder *rec, size_t request, struct pfx_error *err)
{
	int rc = 0;

	if (request == PFX_RECORD_ASK_PAUSE)
		return rec->out.is_over ? 0 : pfx_record_offcpu_pause(rec, err);
	if (request == PFX_RECORD_ASK_ROUND)
		return rec->out.is_over ? 0 : pfx_record_offcpu_round(rec, err);
	if (request >= PFX_RECORD_ASK_AUX) {
		rc = rec->out.is_over ? 0 : pfx_record_aux_answer(rec, request, err);
		return rc < 0 || rec->out.is_over ? rc : check_sizes(rec, err);
	}
	if (request == PFX_RECORD_ASK_SWITCH && !rec->out.is_over)
		rc = pfx_record_switch(rec, err);
	__atomic_store_n(&rec->out.switching, false, __ATOMIC_RELEASE);
	return rc;
}

static int work(void *context, const uint8_t *data, size_t size, struct pfx_error *err)
{
	struct pfx_recorder *rec = context;
	int rc = data ? write_out(rec, data, size, err) : answer(rec, size, err);

	if (rc < 0)
		pfx_record_output_wake(rec);
	return rc;
}

int pfx_record_output_pack(struct pfx_recorder *rec, struct pfx_error *err)
{
	int level = rec->options->output_side.level;
	int rc = level ? pfx_pack_new(&rec->out.pack, level, err) : 0;

	if (rec->out.pack)
		pfx_pack_describe(rec->out.pack, &rec->meta->env);
	return rc;
}

/* Writing is little work but must not come late: it gets the best ordinary priority, if that is
 * allowed. Compression is much work and gets none. */
static void hurry(const struct pfx_recorder *rec)
{
	if (!rec->options->output_side.level)
		setpriority(PRIO_PROCESS, 0, NICE);
}

int pfx_record_output_start(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;
	uint64_t share = rec->perm.mem_bytes / MEMORY_SHARE;
	int rc;

	rec->out.notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rec->out.notify_fd < 0)
		return pfx_error_sys(err, errno, "cannot start the thread that writes");
	rc = pfx_watch_fd(&rec->watch, rec->out.notify_fd, PFX_RECORD_WAKE_OUTPUT, err);
	if (rc < 0)
		return rc;
	pfx_record_offcpu_start(rec);
	hurry(rec);
	share = share < PFX_QUEUE_BYTES ? share : PFX_QUEUE_BYTES;
	if (o->aio)
		share = share / PFX_RECORD_AIO_MAX * o->aio;
	if (rec->options->verbose)
		pfx_print_note("record", "up to %llu MiB may wait for the output",
			       (unsigned long long)share >> 20);
	if (o->threads)
		return pfx_record_lanes_start(rec, share, err);
	return pfx_queue_new(&rec->out.queue, share, work, rec, err);
}

struct pfx_queue *pfx_record_queue_of(const struct pfx_recorder *rec, size_t ring)
{
	size_t nr = rec->out.nr_lanes;

	return nr ? rec->out.lanes[ring < nr ? ring : nr - 1].queue : rec->out.queue;
}

struct pfx_queue *pfx_record_offcpu_queue(const struct pfx_recorder *rec)
{
	return pfx_record_queue_of(rec, rec->rings.list.nr - 1);
}

int pfx_record_output_stop(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc;

	if (rec->out.lanes)
		return pfx_record_lanes_stop(rec, err);
	if (rec->out.queue)
		pfx_queue_stats(rec->out.queue, &rec->out.queue_full, &rec->out.queue_high);
	rc = pfx_queue_finish(rec->out.queue, err);
	rec->out.queue = NULL;
	return rc;
}

static void add_pack(const struct pfx_pack *pack, struct pfx_record_totals *ret)
{
	ret->original += pack ? pfx_pack_original(pack) : 0;
	ret->packed += pack ? pfx_pack_packed(pack) : 0;
}

void pfx_record_output_totals(const struct pfx_recorder *rec, struct pfx_record_totals *ret)
{
	size_t i;

	*ret = (struct pfx_record_totals){.bytes = pfx_writer_bytes(rec->writer)};
	add_pack(rec->out.pack, ret);
	for (i = 0; i < rec->out.nr_lanes; i++) {
		ret->bytes += rec->out.lanes[i].bytes;
		add_pack(rec->out.lanes[i].pack, ret);
	}
}

void pfx_record_output_fini(struct pfx_recorder *rec)
{
	size_t i;

	pfx_record_output_stop(rec, NULL);
	pfx_record_lanes_fini(rec);
	if (rec->out.notify_fd > 0)
		close(rec->out.notify_fd);
	pfx_pack_free(rec->out.pack);
	pfx_offcpu_free(rec->out.offcpu);
	pfx_buffer_fini(&rec->out.passed);
	pfx_buffer_fini(&rec->out.packed);
	free(rec->out.places);
	free(rec->out.collected);
	for (i = 0; i < rec->out.names.nr; i++)
		free(rec->out.names.at[i]);
	pfx_vec_free(&rec->out.names);
	pfx_carry_fini(&rec->out.carry);
}
