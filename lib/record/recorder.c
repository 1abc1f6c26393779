/* SPDX-License-Identifier: MIT */
/* Creates, runs and ends a recorder; the other recorder_*.c files have the parts. */
#include "record/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/let_signals.h"
#include "record/plan/probes.h"
#include "record/recorder_internal.h"

/* How long a process may take to end after its events. */
#define EXIT_MS 200

int pfx_recorder_new_on(struct pfx_recorder **ret, const struct pfx_record_machine *machine,
			struct pfx_recorder_options *options,
			const struct pfx_recorder_observer *observer, struct pfx_error *err)
{
	struct pfx_recorder *rec = pfx_calloc(1, sizeof(*rec));
	int rc = pfx_probes_resolve(&options->events, err);

	rec->plan.options = options;
	rec->plan.observer = observer;
	rec->source.machine = machine;
	rec->file.plan = &rec->plan;
	rec->file.source = &rec->source;
	rec->file.workload = &rec->loop.workload;
	rec->file.reserve_fd = -1;
	rec->out.notify_fd = -1;
	rec->file.nr_wakes = &rec->loop.drain.nr_wakes;
	if (rc >= 0 && !options->dry_run)
		rc = pfx_probes_follow(options, &rec->probes, observer, err);
	if (rc >= 0)
		rc = pfx_record_arrange_trace(options, err);
	if (rc < 0) {
		pfx_recorder_free(rec);
		rec = NULL;
	}
	*ret = rec;
	return rc;
}

int pfx_recorder_new(struct pfx_recorder **ret, struct pfx_recorder_options *options,
		     const struct pfx_recorder_observer *observer, struct pfx_error *err)
{
	return pfx_recorder_new_on(ret, &pfx_record_kernel, options, observer, err);
}

enum pfx_recorder_blame pfx_recorder_blame(const struct pfx_recorder *rec)
{
	return rec->plan.blame;
}

/* --- the end --- */

static void report_failed(struct pfx_recorder *rec, const struct pfx_error *err)
{
	PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_FAILED, .err = err);
	rec->loop.outcome.failed = true;
}

static void finish(struct pfx_recorder *rec)
{
	struct pfx_recorder_outcome *outcome = &rec->loop.outcome;
	struct pfx_error err = {0};
	bool is_gone;
	int rc = pfx_record_file_finish(&rec->file, !outcome->failed, &is_gone, &err);

	outcome->is_gone |= is_gone;
	if (rc < 0 && !outcome->failed)
		report_failed(rec, &err);
}

/* The workload that a signal to the recorder ends, too; 0: none. */
static volatile sig_atomic_t workload_to_end;

/* As wait_for_workload() does after a second signal. */
static void end_both(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (workload_to_end && info->si_code <= 0)
		kill(workload_to_end, SIGTERM);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Data at the end of a stream may also have to wait for the reader: a signal ends that. */
static void finish_stream(struct pfx_recorder *rec)
{
	const struct sigaction action = {.sa_sigaction = end_both, .sa_flags = SA_SIGINFO};
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction old[sizeof(ends) / sizeof(ends[0])];
	sigset_t before;
	size_t i;

	if (rec->plan.options->command && !rec->loop.workload.is_reaped)
		workload_to_end = rec->loop.workload.pid;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaction(ends[i], &action, &old[i]);
	pfx_let_signals_end(&before);
	finish(rec);
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaction(ends[i], &old[i], NULL);
	workload_to_end = 0;
}

void pfx_recorder_stop(struct pfx_recorder *rec)
{
	struct pfx_recorder_outcome *outcome = &rec->loop.outcome;
	bool has_file = rec->file.sink.writer;
	struct pfx_error err = {0};

	if (has_file && !outcome->reader_gone) {
		if (rec->plan.place.is_pipe)
			finish_stream(rec);
		else
			finish(rec);
	}
	PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_STOPPED,
			    .number = rec->loop.drain.nr_wakes);
	if (!has_file || !rec->plan.options->out.timestamp_filename || outcome->is_gone)
		return;
	if (pfx_record_file_name(&rec->file, &err) < 0) {
		report_failed(rec, &err);
		outcome->is_gone = true;
	}
}

void pfx_recorder_result(const struct pfx_recorder *rec, struct pfx_recorder_result *ret)
{
	const struct pfx_sink *sink = &rec->file.sink;
	struct pfx_output_totals totals = {0};

	*ret = (struct pfx_recorder_result){
		.path = rec->plan.place.path,
		.has_file = sink->writer,
		.is_gone = rec->loop.outcome.is_gone,
		.is_packed = sink->pack,
		.nr_samples = sink->nr_samples + sink->tally.nr_samples,
		.nr_lost = sink->tally.nr_lost,
		.nr_throttled = sink->tally.nr_throttled,
		.nr_bad = sink->tally.nr_bad,
		.nr_user_chains = sink->tally.nr_user_chains,
		.nr_lone_chains = sink->tally.nr_lone_chains,
	};
	if (ret->has_file)
		pfx_output_totals(rec->out.to, sink, &totals);
	ret->bytes = totals.bytes;
	ret->original = totals.original;
	ret->packed = totals.packed;
	pfx_output_stats(rec->out.to, &ret->nr_full, &ret->high);
}

/* A signal to the recorder alone ends its workload; a lost output does not, nor the end of all
 * its events: a set-user-ID program runs on without them. */
static bool is_to_end_workload(const struct pfx_recorder_outcome *outcome)
{
	if (outcome->from_terminal || (outcome->runs_unseen && !outcome->stop_signal))
		return false;
	return outcome->stop_signal || (!outcome->failed && !outcome->reader_gone);
}

/* Wait for a workload that outlives the recording: it was sent the stop signal, or runs to its end.
 * A second signal ends the waiting. */
static int wait_for_workload(struct pfx_recorder *rec)
{
	int timeout = rec->loop.outcome.runs_unseen ? EXIT_MS : -1;
	struct pfx_error err;
	struct pfx_wake wake;

	if (is_to_end_workload(&rec->loop.outcome))
		kill(rec->loop.workload.pid, SIGTERM);
	pfx_watch_signals_only(&rec->loop.watch);
	rec->source.machine->unmap(&rec->source.rings);
	rec->source.machine->close(&rec->source.counters);
	while (!pfx_workload_wait(&rec->loop.workload, true)) {
		if (pfx_watch_wait(&rec->loop.watch, timeout, &wake, &err) < 0)
			break;
		if (timeout >= 0 && !wake.signal) {
			PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_RUNS_ON,
					    .name = rec->plan.options->command[0]);
			timeout = -1;
		}
		if (wake.signal == SIGINT || wake.signal == SIGTERM || wake.signal == SIGHUP) {
			if (wake.is_sent)
				kill(rec->loop.workload.pid, SIGTERM);
			return wake.signal;
		}
	}
	return 0;
}

void pfx_recorder_wait(struct pfx_recorder *rec, struct pfx_recorder_end *ret)
{
	const struct pfx_recorder_outcome *outcome = &rec->loop.outcome;
	const struct pfx_workload *workload = &rec->loop.workload;

	*ret = (struct pfx_recorder_end){
		.failed = outcome->failed,
		.reader_gone = outcome->reader_gone,
	};
	if (!rec->plan.options->command) {
		ret->signal = outcome->stop_signal;
		return;
	}
	if (!workload->is_reaped)
		ret->signal = wait_for_workload(rec);
	ret->has_status = true;
	ret->status = workload->status;
}

void pfx_recorder_free(struct pfx_recorder *rec)
{
	if (!rec)
		return;
	pfx_rescue_stop(&rec->loop.rescue);
	pfx_workload_fini(&rec->loop.workload);
	pfx_recorder_output_fini(rec);
	pfx_drain_fini(&rec->loop.drain);
	pfx_control_channel_close(&rec->loop.control.channel);
	pfx_watch_fini(&rec->loop.watch);
	pfx_recorder_trigger_fini(rec);
	pfx_record_file_fini(&rec->file);
	pfx_record_source_fini(&rec->source);
	pfx_record_plan_fini(&rec->plan);
	pfx_probes_fini(&rec->probes);
	free(rec->loop.trace.asked);
	free(rec->loop.command_path);
	free(rec);
}
