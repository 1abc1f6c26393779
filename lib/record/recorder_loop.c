/* SPDX-License-Identifier: MIT */
/*
 * The loop from the first sample to the last: wait, empty all ring buffers into the queue, mark the
 * round, and check the conditions to stop. It does no work per sample, allocates nothing, and does
 * not wait for the output: record/output/ writes the data, on its own threads.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "record/recorder_internal.h"

/* Interval for emptying ring buffers below their watermark: their content is lost if the recorder
 * is killed, unless there is a rescue process. */
#define LOOK_MS        100
#define LOOK_RESCUE_MS 1000
/* The first intervals are shorter, each twice the one before: the binaries of a container that the
 * command starts, and soon ends, are only found while its processes live. */
#define LOOK_FIRST_MS 10
#define REALTIME      1 /* priority of the thread that empties the ring buffers */

/* One pass over the ring buffers. */
static int drain(struct pfx_recorder *rec, uint64_t *ret_bytes, struct pfx_error *err)
{
	struct pfx_output *out = rec->out.to;
	bool has_rounds = pfx_output_has_rounds(out) && !rec->plan.options->out.tail_synthesize;
	int rc;

	*ret_bytes = pfx_drain_pass(&rec->loop.drain);
	rc = pfx_recorder_trace_pass(rec, err);
	if (rc < 0)
		return rc;
	/* The off-CPU stage orders by round: announce rounds that write no FINISHED_ROUND. With
	 * tail_synthesize the file has no rounds, because the running tasks are written after the
	 * samples to which they apply. */
	if (rec->plan.options->out.off_cpu && !has_rounds)
		rc = pfx_output_ask_offcpu(out, PFX_OUTPUT_ASK_ROUND, err);
	if (rc < 0)
		return rc;
	if (*ret_bytes && has_rounds)
		pfx_drain_put_round(&rec->loop.drain);
	return pfx_output_flush(out, err);
}

/* True if the recording is to stop. */
static bool heed(struct pfx_recorder *rec, const struct pfx_wake *wake)
{
	switch (wake->signal) {
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
		rec->loop.outcome.stop_signal = wake->signal;
		rec->loop.outcome.from_terminal = !wake->is_sent;
		return true;
	case SIGCHLD:
		return rec->plan.options->command && pfx_workload_wait(&rec->loop.workload, true);
	default:
		rec->loop.outcome.runs_unseen = wake->ended && !rec->plan.target.is_attached;
		return wake->ended;
	}
}

static void stop_on_full(struct pfx_recorder *rec)
{
	if (rec->plan.options->out.on_full_stop && rec->plan.options->command &&
	    !rec->loop.workload.is_reaped)
		kill(rec->loop.workload.pid, SIGTERM);
}

/* A closed pipe is not an error: the exit code is the workload's. */
static void cannot_write(struct pfx_recorder *rec, int rc, struct pfx_error *err)
{
	if (rc == -EPIPE && rec->plan.place.is_pipe) {
		rec->loop.outcome.reader_gone = true;
		PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_READER_GONE);
		stop_on_full(rec);
		return;
	}
	PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_FAILED, .err = err);
	rec->loop.outcome.is_gone = rc == -ESTALE;
	rec->loop.outcome.failed = true;
	stop_on_full(rec);
}

static int drain_all(struct pfx_recorder *rec, struct pfx_error *err)
{
	uint64_t bytes;
	int rc;

	do
		rc = drain(rec, &bytes, err);
	while (rc >= 0 && bytes);
	return rc < 0 ? rc : pfx_drain_collect(&rec->loop.drain, err);
}

/*
 * The thread that empties the ring buffers needs little CPU time, but must run in time even on an
 * overloaded machine: it gets the lowest real-time priority, or the user's choice. Without
 * permission its priority is unchanged. The writing threads exist already and keep their priority.
 */
static void hurry(const struct pfx_recorder *rec)
{
	int wanted = (int)rec->plan.options->out.priority;
	struct sched_param param = {.sched_priority = wanted ? wanted : REALTIME};

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) < 0 && wanted)
		PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_NO_PRIORITY, .code = errno);
}

/* Return to the ordinary priority: the rest of the work may take long. */
static void calm_down(void)
{
	struct sched_param param = {0};

	sched_setscheduler(0, SCHED_OTHER, &param);
}

/* The wakeups of threads that sleep now will not be recorded. */
static void tell_pause(struct pfx_recorder *rec)
{
	rec->loop.control.went_off = false;
	if (!rec->plan.options->out.off_cpu)
		return;
	pfx_recorder_mark_off(rec);
	pfx_output_ask_offcpu(rec->out.to, PFX_OUTPUT_ASK_PAUSE, NULL);
}

static int look_ms(const struct pfx_recorder *rec, int last)
{
	int most = pfx_rescue_is_on(&rec->loop.rescue) ? LOOK_RESCUE_MS : LOOK_MS;

	if (!last)
		return LOOK_FIRST_MS;
	return 2 * last < most ? 2 * last : most;
}

static int run(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_wake wake = {0};
	uint64_t bytes;
	bool stop = false;
	int rc = 0, look = 0;

	while (!stop && rc >= 0) {
		look = look_ms(rec, look);
		rc = pfx_watch_wait(&rec->loop.watch, pfx_recorder_control_timeout(rec, look),
				    &wake, err);
		if (rc < 0)
			break;
		pfx_recorder_output_heed(rec, &wake);
		if (wake.signal == SIGCHLD)
			pfx_rescue_heed(&rec->loop.rescue);
		stop = heed(rec, &wake);
		stop |= pfx_recorder_control_tick(rec, &wake);
		if (stop)
			rec->source.machine->disable(&rec->source.counters);
		rc = drain(rec, &bytes, err);
		if (rec->loop.control.went_off)
			tell_pause(rec);
	}
	pfx_recorder_trace_set_off(rec, true);
	rec->source.machine->disable(&rec->source.counters);
	pfx_recorder_mark_off(rec);
	/* Read the records between the last pass and the stop. */
	if (rc >= 0)
		rc = drain_all(rec, err);
	return rc < 0 ? rc : pfx_recorder_trace_last(rec, err);
}

void pfx_recorder_run(struct pfx_recorder *rec)
{
	struct pfx_error err = {0};
	int rc, written;

	hurry(rec);
	pfx_drain_init(&rec->loop.drain, rec->out.to, &rec->source.rings,
		       rec->plan.options->out.affinity, rec->plan.options->buildid_mmap);
	rc = run(rec, &err);
	calm_down();
	rec->loop.outcome.is_ending = true;
	written = pfx_output_stop(rec->out.to, rc < 0 ? NULL : &err);
	pfx_rescue_stop(&rec->loop.rescue);

	rc = rc < 0 ? rc : written;
	if (rc < 0)
		cannot_write(rec, rc, &err);
}
