/* SPDX-License-Identifier: MIT */
/*
 * An output into a directory: the records of each ring buffer go into a file of their own,
 * compressed and written by a thread of its own, optionally bound to CPUs near the ring buffer. The
 * sink writes the file `data` beside them: the header, the records from the start, and the off-CPU
 * samples (--off-cpu), which combine records of several ring buffers.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "record/output/output_internal.h"
#include "record/output/places.h"

struct lanes;

/* A ring buffer with its own file and thread. Used only by that thread while recording. */
struct lane {
	struct lanes *lanes;
	unsigned number;
	bool is_offcpu; /* reads the ring buffers of context switches; its samples go into `data` */
	struct pfx_queue *queue;
	int fd;
	struct pfx_pack *pack; /* NULL: not compressed */
	struct pfx_buffer packed;
	uint64_t bytes;
	cpu_set_t place; /* where the thread runs; empty: anywhere */
	bool is_placed;
};

struct lanes {
	struct pfx_output base;
	struct lane *at;
	size_t nr;
	pthread_mutex_t lock; /* protects the sink, base.is_over and the following members */
	pthread_cond_t switched;
	uint64_t bytes;       /* in the open files of all lanes */
	size_t nr_met;        /* lanes that wait for the others, to continue in another directory */
	uint64_t nr_switches; /* number of switches of the directory */
	bool has_failed;      /* a lane has failed: the others must not wait for it */
};

/* --- on the lane's thread --- */

/* A write failed: truncate the file to whole records. */
static void cut_off(struct lane *lane, const uint8_t *data)
{
	off_t end = lseek(lane->fd, 0, SEEK_CUR);
	uint64_t size = end > (off_t)lane->bytes ? (uint64_t)end - lane->bytes : 0, at = 0;
	uint16_t next;

	while (size - at >= PFX_RECORD_HEADER_SIZE) {
		memcpy(&next, data + at + 6, sizeof(next));
		if (next < PFX_RECORD_HEADER_SIZE || next > size - at)
			break;
		at += next;
	}
	lane->bytes += at;
	if (ftruncate(lane->fd, (off_t)lane->bytes) == 0)
		lseek(lane->fd, (off_t)lane->bytes, SEEK_SET);
}

/* Whether the file was not changed by others. @by_name: check its name too, not only its size. */
static int check_lane(const struct lane *lane, bool by_name, struct pfx_error *err)
{
	char *path = pfx_strfmt("%s/data.%u", lane->lanes->base.setup.dir, lane->number);
	int rc = pfx_output_check_size(lane->fd, path, lane->bytes, err);

	if (rc >= 0 && by_name)
		rc = pfx_output_check_name(lane->fd, path, err);
	free(path);
	return rc;
}

static int write_bytes(struct lane *lane, const uint8_t *data, size_t size, struct pfx_error *err)
{
	char shown[256];
	int rc = check_lane(lane, false, err);

	if (rc < 0)
		return rc;
	rc = pfx_write_full(lane->fd, data, size);
	if (rc < 0)
		cut_off(lane, data);
	if (rc < 0) {
		pfx_error_sys(err, -rc, "cannot write '%s/data.%u'",
			      pfx_escape(shown, sizeof(shown), lane->lanes->base.setup.dir),
			      lane->number);
		pfx_writer_hint(-rc, err);
		return rc;
	}
	lane->bytes += size;
	return 0;
}

static int put_packed(struct lane *lane, const uint8_t *data, size_t size, struct pfx_error *err)
{
	int rc;

	pfx_buffer_clear(&lane->packed);
	rc = pfx_pack_bytes(lane->pack, data, size, &lane->packed, err);
	return rc < 0 ? rc : write_bytes(lane, lane->packed.at, lane->packed.len, err);
}

/* Open the lane's file in the current directory. */
static int open_file(struct lane *lane, struct pfx_error *err)
{
	char *path = pfx_strfmt("%s/data.%u", lane->lanes->base.setup.dir, lane->number),
	     shown[256];
	int rc = 0;

	lane->fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	if (lane->fd < 0)
		rc = pfx_error_sys(err, errno, "cannot write '%s'",
				   pfx_escape(shown, sizeof(shown), path));
	free(path);
	return rc;
}

/* Check the limits after @size more bytes were written. */
static void check_sizes(struct lanes *lanes, uint64_t size)
{
	struct pfx_output *out = &lanes->base;
	uint64_t bytes;

	lanes->bytes += size;
	bytes = pfx_writer_offset(out->setup.sink->writer) + lanes->bytes;
	if (pfx_output_limit(out, bytes) || !pfx_output_wants_switch(out, bytes))
		return;
	__atomic_store_n(&out->full, true, __ATOMIC_RELEASE);
	pfx_output_wake(out);
}

/* All lanes share one tally. @written: bytes in the file, possibly compressed. */
static void count(struct lane *lane, const uint8_t *data, size_t size, uint64_t written)
{
	struct lanes *lanes = lane->lanes;

	pthread_mutex_lock(&lanes->lock);
	pfx_tally_take(&lanes->base.setup.sink->tally, data, UINT64_MAX, 0, size);
	check_sizes(lanes, written);
	pthread_mutex_unlock(&lanes->lock);
}

static bool is_over(struct lanes *lanes)
{
	bool over;

	pthread_mutex_lock(&lanes->lock);
	over = lanes->base.is_over;
	pthread_mutex_unlock(&lanes->lock);
	return over;
}

/* Off-CPU time from records of context switches, or a request about them if @data is NULL. */
static int make_offcpu(struct lane *lane, const uint8_t *data, size_t size, struct pfx_error *err)
{
	struct lanes *lanes = lane->lanes;
	struct pfx_sink *sink = lanes->base.setup.sink;
	int rc;

	pthread_mutex_lock(&lanes->lock);
	if (data)
		rc = pfx_sink_take_switches(sink, data, size, err);
	else if (size == PFX_OUTPUT_ASK_PAUSE)
		rc = pfx_sink_pause(sink, err);
	else
		rc = pfx_sink_end_round(sink, err);
	if (rc >= 0)
		check_sizes(lanes, 0);
	pthread_mutex_unlock(&lanes->lock);
	return rc;
}

static int write_out(struct lane *lane, const uint8_t *data, size_t size, struct pfx_error *err)
{
	uint64_t before = lane->bytes;
	int rc;

	if (is_over(lane->lanes))
		return 0;
	if (lane->is_offcpu)
		return make_offcpu(lane, data, size, err);
	rc = lane->pack ? put_packed(lane, data, size, err) : write_bytes(lane, data, size, err);
	if (rc >= 0)
		count(lane, data, size, lane->bytes - before);
	else if (!lane->pack)
		count(lane, data, lane->bytes - before, 0);
	return rc;
}

static void close_file(struct lane *lane)
{
	if (lane->fd >= 0)
		close(lane->fd);
	lane->fd = -1;
	lane->bytes = 0;
}

/* All lanes wait: end the directory and begin the next one. */
static int switch_all(struct lanes *lanes, struct pfx_error *err)
{
	const struct pfx_output_owner *owner = lanes->base.setup.owner;
	int rc = owner->next_file(owner->context, err);
	size_t i;

	for (i = 0; i < lanes->nr; i++)
		close_file(&lanes->at[i]);
	for (i = 0; i < lanes->nr && rc >= 0; i++) {
		rc = lanes->at[i].is_offcpu ? 0 : open_file(&lanes->at[i], err);
		if (rc >= 0 && lanes->at[i].pack)
			rc = pfx_pack_restart(lanes->at[i].pack, err);
	}
	lanes->bytes = 0;
	__atomic_store_n(&lanes->base.full, false, __ATOMIC_RELEASE);
	pfx_output_switched(&lanes->base);
	return rc;
}

/* Wait for all lanes; the last one switches the directory. */
static int meet(struct lanes *lanes, struct pfx_error *err)
{
	uint64_t before;
	int rc = 0;

	pthread_mutex_lock(&lanes->lock);
	before = lanes->nr_switches;
	if (++lanes->nr_met < lanes->nr) {
		while (lanes->nr_switches == before && !lanes->has_failed)
			pthread_cond_wait(&lanes->switched, &lanes->lock);
	} else {
		if (!lanes->base.is_over)
			rc = switch_all(lanes, err);
		lanes->nr_met = 0;
		lanes->nr_switches++;
		pthread_cond_broadcast(&lanes->switched);
	}
	pthread_mutex_unlock(&lanes->lock);
	return rc;
}

/* This lane has failed: the others must not wait for it. */
static void give_up(struct lanes *lanes)
{
	pthread_mutex_lock(&lanes->lock);
	lanes->has_failed = true;
	pthread_cond_broadcast(&lanes->switched);
	pthread_mutex_unlock(&lanes->lock);
	pfx_output_wake(&lanes->base);
}

static int work(void *context, const uint8_t *data, size_t size, struct pfx_error *err)
{
	struct lane *lane = context;
	int rc = 0;

	if (!lane->is_placed && CPU_COUNT(&lane->place))
		sched_setaffinity(0, sizeof(lane->place), &lane->place);
	lane->is_placed = true;
	if (data)
		rc = write_out(lane, data, size, err);
	else if (size == PFX_OUTPUT_ASK_SWITCH)
		rc = meet(lane->lanes, err);
	else if (lane->is_offcpu && !is_over(lane->lanes))
		rc = make_offcpu(lane, NULL, size, err);
	if (rc < 0)
		give_up(lane->lanes);
	return rc;
}

/* --- on the other thread --- */

static struct lanes *of(const struct pfx_output *out)
{
	return (struct lanes *)(uintptr_t)out;
}

/* The ring buffers of context switches share the last lane. */
static struct pfx_queue *queue_of(const struct pfx_output *out, size_t ring)
{
	const struct lanes *lanes = of(out);

	return lanes->at[ring < lanes->nr ? ring : lanes->nr - 1].queue;
}

static void ask_switch(struct pfx_output *out)
{
	struct lanes *lanes = of(out);
	size_t i;

	for (i = 0; i < lanes->nr; i++)
		pfx_queue_ask(lanes->at[i].queue, PFX_OUTPUT_ASK_SWITCH, NULL);
}

static int flush(struct pfx_output *out, struct pfx_error *err)
{
	struct lanes *lanes = of(out);
	size_t i;
	int rc = 0;

	for (i = 0; i < lanes->nr && rc >= 0; i++)
		rc = pfx_queue_flush(lanes->at[i].queue, err);
	return rc;
}

static int stop(struct pfx_output *out, struct pfx_error *err)
{
	struct lanes *lanes = of(out);
	size_t i;
	int rc = 0, one;

	for (i = 0; i < lanes->nr; i++) {
		struct lane *lane = &lanes->at[i];

		if (!lane->queue)
			continue;
		pfx_output_add_stats(out, lane->queue);
		one = pfx_queue_finish(&lane->queue, rc < 0 ? NULL : err);
		rc = rc < 0 ? rc : one;
	}
	return rc;
}

static void add_totals(const struct pfx_output *out, struct pfx_output_totals *totals)
{
	const struct lanes *lanes = of(out);
	size_t i;

	for (i = 0; i < lanes->nr; i++) {
		const struct lane *lane = &lanes->at[i];

		totals->bytes += lane->bytes;
		totals->original += lane->pack ? pfx_pack_original(lane->pack) : 0;
		totals->packed += lane->pack ? pfx_pack_packed(lane->pack) : 0;
	}
}

static int check(const struct pfx_output *out, struct pfx_error *err)
{
	const struct lanes *lanes = of(out);
	size_t i;
	int rc = 0;

	for (i = 0; i < lanes->nr && rc >= 0; i++)
		if (lanes->at[i].fd >= 0)
			rc = check_lane(&lanes->at[i], true, err);
	return rc;
}

static void free_lanes(struct pfx_output *out)
{
	struct lanes *lanes = of(out);
	size_t i;

	for (i = 0; i < lanes->nr; i++) {
		close_file(&lanes->at[i]);
		pfx_pack_free(lanes->at[i].pack);
		pfx_buffer_fini(&lanes->at[i].packed);
	}
	pthread_cond_destroy(&lanes->switched);
	pthread_mutex_destroy(&lanes->lock);
	free(lanes->at);
	free(lanes);
}

static const struct pfx_output_form lanes_form = {
	.queue_of = queue_of,
	.flush = flush,
	.ask_switch = ask_switch,
	.stop = stop,
	.add_totals = add_totals,
	.check = check,
	.free = free_lanes,
};

/* --- begin --- */

static int open_lane(struct lane *lane, size_t bytes, struct pfx_error *err)
{
	int level = lane->lanes->base.setup.level;
	int rc = lane->is_offcpu ? 0 : open_file(lane, err);

	if (rc >= 0 && level && !lane->is_offcpu)
		rc = pfx_pack_new(&lane->pack, level, err);
	return rc < 0 ? rc : pfx_queue_new(&lane->queue, bytes, work, lane, err);
}

/* The number of lanes; *@ret_apart: whether the last one is for context switches. */
static size_t nr_lanes(const struct pfx_rings *rings, bool *ret_apart)
{
	size_t i, apart = 0;

	for (i = 0; i < rings->list.nr; i++)
		apart += rings->list.at[i].is_apart;
	*ret_apart = apart > 0;
	return rings->list.nr - (apart ? apart - 1 : 0);
}

static struct lanes *new_lanes(const struct pfx_output_setup *setup)
{
	struct lanes *lanes = pfx_calloc(1, sizeof(*lanes));
	bool has_apart;
	size_t i;

	lanes->base = (struct pfx_output){.form = &lanes_form, .setup = *setup};
	pthread_mutex_init(&lanes->lock, NULL);
	pthread_cond_init(&lanes->switched, NULL);
	lanes->nr = nr_lanes(setup->rings, &has_apart);
	lanes->at = pfx_calloc(lanes->nr, sizeof(*lanes->at));
	for (i = 0; i < lanes->nr; i++) {
		struct lane *lane = &lanes->at[i];

		lane->lanes = lanes;
		lane->number = (unsigned)i;
		lane->fd = -1;
		lane->is_offcpu = has_apart && i == lanes->nr - 1;
		if (!lane->is_offcpu)
			pfx_places_of(setup->places, setup->rings->list.at[i].cpu, &lane->place);
	}
	return lanes;
}

int pfx_output_new_lanes(struct pfx_output **ret, const struct pfx_output_setup *setup,
			 struct pfx_error *err)
{
	struct lanes *lanes = new_lanes(setup);
	size_t i;
	int rc = 0;

	*ret = &lanes->base;
	for (i = 0; i < lanes->nr && rc >= 0; i++)
		rc = open_lane(&lanes->at[i], setup->memory / lanes->nr, err);
	return rc;
}
