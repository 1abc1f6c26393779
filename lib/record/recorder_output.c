/* SPDX-License-Identifier: MIT */
/* Starts the output of a recording, and handles requests of its threads: see
 * record/output/output.h. */
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record/recorder_internal.h"

#define NICE         (-20)
#define READER_MS    1000 /* a stream's reader that reads nothing for so long is stuck */
#define MEMORY_SHARE 16   /* fraction of the machine's memory for the queues */

void pfx_recorder_output_heed(const struct pfx_recorder *rec, const struct pfx_wake *wake)
{
	uint64_t wakes;

	/* The read cannot fail when the descriptor is ready. */
	if (!(wake->fds & 1u << PFX_RECORDER_WAKE_OUTPUT) ||
	    read(rec->out.notify_fd, &wakes, sizeof(wakes)) < 0)
		return;
}

/* --- what the output needs of us, on its threads --- */

static int next_file(void *context, struct pfx_error *err)
{
	struct pfx_recorder *rec = context;

	return pfx_record_file_next(&rec->file, err);
}

static int answer(void *context, size_t request, struct pfx_error *err)
{
	struct pfx_recorder *rec = context;

	return pfx_record_trace_write(&rec->file, request - PFX_OUTPUT_ASK_OWN, err);
}

static void reached_limit(void *context, uint64_t bytes)
{
	const struct pfx_recorder *rec = context;

	PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_SIZE_REACHED, .number = bytes);
}

/* A pending stop signal that was not handled yet; 0: none. */
static int pending_stop(void)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t set;
	size_t i;

	if (sigpending(&set) < 0)
		return 0;
	for (i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		if (sigismember(&set, stops[i]))
			return stops[i];
	return 0;
}

/*
 * The reader of the stream does not read. The first signal ends the recording, and the rest is
 * written; the second one ends that wait. If the queue is full, the loop blocks before it can
 * handle the first one.
 */
static void wait_for_reader(void *context, unsigned waited_ms)
{
	struct pfx_recorder *rec = context;
	int sig = pending_stop();

	if (waited_ms == READER_MS && rec->loop.outcome.is_ending)
		PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_READER_SLOW);
	if (!sig || (!rec->loop.outcome.is_ending && waited_ms < READER_MS))
		return;
	PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_REST_DROPPED);
	if (rec->plan.options->command && !rec->loop.workload.is_reaped &&
	    !rec->loop.outcome.from_terminal)
		kill(rec->loop.workload.pid, SIGTERM);
	pfx_signals_raise(sig);
}

/* --- begin and end --- */

int pfx_recorder_output_pack(struct pfx_recorder *rec, struct pfx_error *err)
{
	int level = rec->plan.options->out.level;
	int rc = level ? pfx_pack_new(&rec->file.sink.pack, level, err) : 0;

	if (rec->file.sink.pack)
		pfx_pack_describe(rec->file.sink.pack, &rec->file.meta->env);
	return rc;
}

/* Writing needs little CPU time but must not be delayed: it gets the highest ordinary priority, if
 * permitted. Compression needs much CPU time and keeps its priority. */
static void hurry(const struct pfx_recorder *rec)
{
	if (!rec->plan.options->out.level)
		setpriority(PRIO_PROCESS, 0, NICE);
}

/* The memory limit of the queues. */
static size_t memory_of(const struct pfx_recorder *rec)
{
	uint64_t share = rec->plan.perm.mem_bytes / MEMORY_SHARE;
	uint64_t shares = rec->plan.options->out.shares;

	share = share < PFX_QUEUE_BYTES ? share : PFX_QUEUE_BYTES;
	if (shares)
		share = share / PFX_RECORDER_SHARES_MAX * shares;
	PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_MEMORY, .number = share);
	return share;
}

static int start_threads(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_recorder_output_options *o = &rec->plan.options->out;
	const struct pfx_output_setup setup = {
		.owner = &rec->out.owner,
		.sink = &rec->file.sink,
		.rings = &rec->source.rings,
		.memory = memory_of(rec),
		.max_size = o->max_size,
		.switch_bytes = o->switch_bytes,
		.places = o->threads,
		.dir = rec->plan.place.path,
		.level = o->level,
		.notify_fd = rec->out.notify_fd,
	};
	int rc;

	rec->out.owner = (struct pfx_output_owner){
		.next_file = next_file,
		.answer = answer,
		.reached_limit = reached_limit,
		.wait = rec->plan.place.is_pipe ? wait_for_reader : NULL,
		.context = rec,
	};
	rc = pfx_output_new(&rec->out.to, &setup, err);
	rec->file.out = rec->out.to;
	return rc;
}

int pfx_recorder_output_start(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc;

	rec->out.notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rec->out.notify_fd < 0)
		return pfx_error_sys(err, errno, "cannot start the thread that writes");
	rc = pfx_watch_fd(&rec->loop.watch, rec->out.notify_fd, PFX_RECORDER_WAKE_OUTPUT, err);
	if (rc < 0)
		return rc;
	pfx_record_file_start_offcpu(&rec->file);
	hurry(rec);
	return start_threads(rec, err);
}

void pfx_recorder_output_fini(struct pfx_recorder *rec)
{
	pfx_output_free(rec->out.to);
	if (rec->out.notify_fd >= 0)
		close(rec->out.notify_fd);
}
