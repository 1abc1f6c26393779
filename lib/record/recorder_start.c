/* SPDX-License-Identifier: MIT */
/*
 * Everything before the first sample, in an order that does not touch the output until most errors
 * are excluded: find the command, fork it and hold it before exec, open and map the counters, and
 * only then open the output and write the running tasks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/let_signals.h"
#include "base/str.h"
#include "record/plan/event_filter.h"
#include "record/recorder_internal.h"
#include "sys/host/kcore.h"

/* --- the command --- */

static int take_signals(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	pfx_signals_take(&rec->loop.signals, SIGUSR2);
	sigaction(SIGPIPE, &ignore, NULL);
	return pfx_watch_init(&rec->loop.watch, &rec->loop.signals.taken, err);
}

static int fork_command(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_workload_setup setup = {
		.signals = &rec->loop.signals,
		.stdout_to_stderr = rec->plan.place.is_stdout || rec->plan.place.shares_stdout,
	};
	int rc;

	if (!rec->plan.options->command)
		return 0;
	rc = pfx_workload_fork(&rec->loop.workload, rec->loop.command_path,
			       rec->plan.options->command, &setup, err);
	if (rc >= 0 && !rec->plan.is_system_wide && !rec->plan.target.is_attached)
		pfx_target_add(&rec->plan.target, rec->loop.workload.pid, rec->loop.workload.pid,
			       PFX_WORKLOAD_COMM);
	return rc;
}

/* --- the start itself --- */

static void undo_directory(struct pfx_recorder *rec)
{
	char *dir = pfx_strfmt("%s/kcore_dir", rec->plan.place.path);

	pfx_kcore_remove(dir);
	pfx_writer_discard(rec->file.sink.writer);
	free(dir);
}

/* The command could not be started: restore the previous file. */
static void undo_output(struct pfx_recorder *rec, const struct stat *before)
{
	char *old = pfx_strfmt("%s.old", rec->plan.place.path);
	struct stat st;

	pfx_rescue_stop(&rec->loop.rescue);
	pfx_output_stop(rec->out.to, NULL);
	if (rec->plan.options->out.kcore)
		undo_directory(rec);
	pfx_writer_free(rec->file.sink.writer);
	rec->file.sink.writer = NULL;
	if (!rec->plan.place.is_pipe && !rec->plan.options->out.kcore) {
		if (before->st_ino && stat(old, &st) == 0 && st.st_ino == before->st_ino &&
		    st.st_dev == before->st_dev)
			rename(old, rec->plan.place.path);
		else
			unlink(rec->plan.place.path);
	}
	free(old);
}

static int let_go(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = 0;

	if (!rec->plan.options->out.delayed)
		rc = rec->source.machine->enable(&rec->source.counters, err);
	/* Ignore earlier occurrences of the trigger events. */
	pfx_recorder_trigger_fired(rec);
	pfx_recorder_control_start(rec);
	if (rc >= 0 && rec->plan.options->command)
		rc = pfx_workload_go(&rec->loop.workload, rec->loop.command_path, err);
	return rc;
}

static int prepare(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = pfx_record_plan_output(&rec->plan, err);

	pfx_perm_read(&rec->plan.perm, NULL);
	if (rc >= 0 && rec->plan.options->command)
		rc = pfx_workload_find(rec->plan.options->command[0], &rec->loop.command_path, err);
	if (rc >= 0)
		rc = pfx_record_plan_target(&rec->plan, err);
	if (rc >= 0)
		rc = pfx_record_plan_events(&rec->plan, &rec->source.counters, err);
	return rc;
}

/* The reader of a stream may also be slow for the first bytes. */
static int begin_output(struct pfx_recorder *rec, struct pfx_error *err)
{
	sigset_t before;
	int rc;

	if (!rec->plan.place.is_pipe)
		return pfx_record_file_begin(&rec->file, false, err);
	pfx_let_signals_end(&before);
	rc = pfx_record_file_begin(&rec->file, false, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* Only for plain copies: otherwise stages of the recorder would have to run, or other files be
 * opened. */
static void start_rescue(struct pfx_recorder *rec)
{
	const struct pfx_recorder_output_options *o = &rec->plan.options->out;

	if (rec->plan.place.is_pipe || o->threads || o->off_cpu || o->switches ||
	    rec->plan.trace.kind || pfx_rings_overwrite(&rec->source.rings))
		return;
	rec->loop.rescue = (struct pfx_rescue){
		.writer = rec->file.sink.writer,
		.rings = &rec->source.rings,
		.out = &rec->out.to,
		.drain = &rec->loop.drain,
		.is_packed = o->level,
		.reserve_fd = &rec->file.reserve_fd,
		.has_rounds = !o->tail_synthesize,
	};
	pfx_rescue_start(&rec->loop.rescue);
}

/* Counters, ring buffers, and all other descriptors of the loop. */
static int open_sources(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = pfx_record_open(&rec->plan, &rec->source, err);

	if (rc < 0)
		pfx_event_filter_explain(&rec->source.counters, err);
	else
		pfx_recorder_trace_begin(rec);
	if (rc >= 0)
		rc = pfx_recorder_control_open(rec, err);
	if (rc >= 0)
		rc = pfx_watch_rings(&rec->loop.watch, &rec->source.rings, &rec->source.counters,
				     err);
	return rc < 0 ? rc : pfx_recorder_trigger_open(rec, err);
}

/* Open the output and begin to record. */
static int open_output(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct stat before = {0};
	int rc;

	if (stat(rec->plan.place.path, &before) < 0)
		before.st_ino = 0;
	rc = begin_output(rec, err);
	if (rc >= 0)
		start_rescue(rec);
	if (rc >= 0)
		rc = pfx_recorder_output_start(rec, err);
	if (rc >= 0)
		rc = pfx_record_exclude_self(rec->plan.options, &rec->source.counters, err);
	if (rc >= 0)
		rc = let_go(rec, err);
	if (rc < 0 && rec->file.sink.writer)
		undo_output(rec, &before);
	return rc;
}

int pfx_recorder_start(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = prepare(rec, err);

	if (rc < 0 || rec->plan.options->dry_run)
		return rc;
	rc = take_signals(rec, err);
	if (rc >= 0)
		rc = fork_command(rec, err);
	if (rc >= 0)
		rc = open_sources(rec, err);
	if (rc >= 0)
		rc = pfx_record_describe(&rec->plan, &rec->source.counters, &rec->file.meta, err);
	if (rc >= 0)
		rc = pfx_recorder_output_pack(rec, err);
	if (rc < 0)
		return rc;
	pfx_record_notify_opened(&rec->plan, &rec->source, rec->file.meta);
	rc = open_output(rec, err);
	if (rc >= 0 && !rec->plan.options->command)
		PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_WAITS);
	return rc;
}
