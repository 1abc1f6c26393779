/* SPDX-License-Identifier: MIT */
/* The counters of a live profile, and its passes over the ring buffers. */
#include "live/live.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "live/live_internal.h"
#include "record/plan/event_filter.h"

#define LOG_BYTES (64u << 20)
#define LOG_NS    (30ull * 1000 * 1000 * 1000)

/* --- new, free --- */

static const int32_t clock_of_records = CLOCK_MONOTONIC;

/* What differs from a recording: times by a clock that can be read, and of every event. */
static void set_clock(struct pfx_recorder_options *o)
{
	o->use_clockid = true;
	o->clockid = clock_of_records;
	o->clock_res_ns = 1;
	o->timestamp = o->timestamp_said = true;
}

int pfx_live_new_on(struct pfx_live **ret, const struct pfx_record_machine *machine,
		    const struct pfx_live_options *options, struct pfx_error *err)
{
	struct pfx_live *live = pfx_calloc(1, sizeof(*live));
	int rc;

	live->options = *options;
	live->plan.options = options->record;
	live->plan.observer = options->observer;
	live->source.machine = machine;
	live->log.max_bytes = options->log_bytes ? options->log_bytes : LOG_BYTES;
	live->log.max_ns = options->log_ns ? options->log_ns : LOG_NS;
	set_clock(options->record);
	rc = pfx_probes_resolve(&options->record->events, err);
	if (rc >= 0)
		rc = pfx_probes_follow(options->record, &live->probes, options->observer, err);
	if (rc >= 0)
		rc = pfx_record_arrange_trace(options->record, err);
	if (rc < 0) {
		pfx_live_free(live);
		live = NULL;
	}
	*ret = live;
	return rc < 0 ? rc : 0;
}

int pfx_live_new(struct pfx_live **ret, const struct pfx_live_options *options,
		 struct pfx_error *err)
{
	return pfx_live_new_on(ret, &pfx_record_kernel, options, err);
}

void pfx_live_free(struct pfx_live *live)
{
	if (!live)
		return;
	pfx_live_end_world(live);
	pfx_live_merge_fini(&live->merge);
	pfx_live_log_fini(&live->log);
	pfx_live_memo_fini(&live->memo);
	pfx_buffer_fini(&live->kernel);
	pfx_hash_fini(&live->jit.sizes);
	pfx_watch_fini(&live->watch);
	pfx_record_source_fini(&live->source);
	pfx_record_plan_fini(&live->plan);
	pfx_probes_fini(&live->probes);
	pfx_meta_free(live->meta);
	pfx_vec_free(&live->sinks);
	free(live);
}

enum pfx_recorder_blame pfx_live_blame(const struct pfx_live *live)
{
	return live->plan.blame;
}

/* --- start --- */

/* Without permission for the whole system: what the user runs now, and what that starts. */
static void choose_own(struct pfx_live *live)
{
	struct pfx_recorder_options *o = live->options.record;

	if (o->pids || o->tids || o->user || o->cpus || o->all_cpus ||
	    live->plan.perm.may_profile || live->plan.perm.paranoid < 1)
		return;
	snprintf(live->user, sizeof(live->user), "%u", (unsigned)geteuid());
	o->user = live->user;
	live->own_only = true;
}

/* The user did not ask for these processes, and has none that could be shown. */
static int explain_own(const struct pfx_live *live, int rc, struct pfx_error *err)
{
	if (rc != -ESRCH)
		return rc;
	pfx_error_set(err, ESRCH,
		      "no permission for the whole system (kernel.perf_event_paranoid is %d), and "
		      "you run no other process",
		      live->plan.perm.paranoid);
	pfx_error_hint(err, "sudo sysctl kernel.perf_event_paranoid=-1, or running pfx as root, "
			    "shows all");
	return rc;
}

/* Processes of the user that hide their memory, such as agents with keys, cannot be attached: what
 * is left is shown. Reading their maps needs the same permission. */
static void drop_hidden(struct pfx_target *target)
{
	char path[64], line[512];
	size_t i, nr = 0;

	for (i = 0; i < target->threads.nr; i++) {
		snprintf(path, sizeof(path), "/proc/%d/maps", (int)target->threads.at[i].tid);
		if (pfx_read_line(path, line, sizeof(line)) >= 0)
			target->threads.at[nr++] = target->threads.at[i];
	}
	target->threads.nr = nr;
	target->has_user = false;
}

static int plan(struct pfx_live *live, struct pfx_error *err)
{
	int rc;

	pfx_perm_read(&live->plan.perm, NULL);
	choose_own(live);
	rc = pfx_record_plan_target(&live->plan, err);
	if (rc < 0 && live->own_only)
		return explain_own(live, rc, err);
	if (rc >= 0 && live->own_only)
		drop_hidden(&live->plan.target);
	if (rc >= 0)
		rc = pfx_record_plan_events(&live->plan, &live->source.counters, err);
	if (rc >= 0 && live->plan.trace.kind)
		return pfx_error_set(err, EINVAL,
				     "'%s' writes a trace, which is not shown live: record it with "
				     "'pfx record'",
				     live->plan.trace.pmu);
	return rc;
}

static int open_all(struct pfx_live *live, struct pfx_error *err)
{
	int rc = pfx_record_open(&live->plan, &live->source, err);

	if (rc < 0)
		pfx_event_filter_explain(&live->source.counters, err);
	else
		rc = pfx_record_describe(&live->plan, &live->source.counters, &live->meta, err);
	if (rc < 0)
		return rc;
	pfx_signals_take(&live->signals, SIGUSR2);
	rc = pfx_watch_init(&live->watch, &live->signals.taken, err);
	if (rc >= 0)
		rc = pfx_watch_rings(&live->watch, &live->source.rings, &live->source.counters,
				     err);
	return rc;
}

static uint64_t now(const struct pfx_live *live)
{
	return live->source.machine->now(&clock_of_records);
}

/* Records of what happens while tasks are read come after them. */
static int read_all(struct pfx_live *live, struct pfx_error *err)
{
	struct pfx_buffer tasks = {0};
	int rc;

	pfx_live_read_kernel(live, &live->kernel);
	rc = pfx_live_read_tasks(live, &tasks, err);
	if (rc >= 0)
		pfx_live_begin_world(live, &tasks);
	pfx_buffer_fini(&tasks);
	return rc;
}

/* Only if the user asked for it: reading costs little, but what is shown costs more. */
static void set_priority(const struct pfx_live *live)
{
	struct sched_param param = {.sched_priority = (int)live->options.record->out.priority};

	if (param.sched_priority &&
	    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) < 0)
		PFX_RECORDER_NOTIFY(live->plan.observer, PFX_RECORDER_NO_PRIORITY, .code = errno);
}

int pfx_live_start(struct pfx_live *live, struct pfx_error *err)
{
	int rc = plan(live, err);

	if (rc >= 0)
		rc = open_all(live, err);
	if (rc < 0)
		return rc;
	live->merge.rings = &live->source.rings;
	live->merge.meta = live->meta;
	pfx_record_notify_opened(&live->plan, &live->source, live->meta);
	rc = pfx_record_exclude_self(live->options.record, &live->source.counters, err);
	if (rc >= 0)
		rc = live->source.machine->enable(&live->source.counters, err);
	if (rc >= 0)
		rc = read_all(live, err);
	live->complete = live->ready = now(live);
	set_priority(live);
	return rc < 0 ? rc : 0;
}

void pfx_live_add_sink(struct pfx_live *live, const struct pfx_live_sink *sink)
{
	pfx_vec_push(&live->sinks, *sink);
	live->memo.needs_cpu |= sink->needs_cpu;
	pfx_live_memo_void(&live->memo);
	sink->begin(sink->context, &live->world);
}

/* --- while it runs --- */

#define WAKE_INPUT 0 /* index for pfx_watch_fd() */

int pfx_live_watch_terminal(struct pfx_live *live, int fd, struct pfx_error *err)
{
	pfx_watch_unblock(&live->watch, SIGWINCH);
	return pfx_watch_fd(&live->watch, fd, WAKE_INPUT, err);
}

void pfx_live_forget_terminal(struct pfx_live *live, int fd)
{
	pfx_watch_forget(&live->watch, fd);
}

int pfx_live_wait(struct pfx_live *live, int timeout_ms, struct pfx_live_wake *ret,
		  struct pfx_error *err)
{
	struct pfx_wake wake;
	int rc = pfx_watch_wait(&live->watch, timeout_ms, &wake, err);

	*ret = (struct pfx_live_wake){0};
	if (rc < 0)
		return rc;
	ret->signal = wake.signal == SIGCHLD ? 0 : wake.signal;
	ret->ended = wake.ended;
	ret->input = wake.fds >> WAKE_INPUT & 1 || wake.interrupted;
	return 0;
}

void pfx_live_take(struct pfx_live *live)
{
	uint64_t limit = live->complete;

	if (live->is_paused)
		return;
	live->complete = now(live);
	pfx_live_merge_pass(&live->merge, limit, pfx_live_take_record, live);
	pfx_live_tidy(live);
}

void pfx_live_refresh(struct pfx_live *live, bool zero)
{
	if (live->is_paused)
		return;
	if (pfx_live_has_new_code(live))
		pfx_live_renew_world(live);
	pfx_live_age(live, zero);
	pfx_live_drop_held(live);
}

void pfx_live_hold(struct pfx_live *live, bool held)
{
	live->is_held = held;
}

/* All records are complete then. */
static void stop(struct pfx_live *live)
{
	live->source.machine->disable(&live->source.counters);
	live->complete = now(live);
	pfx_live_merge_pass(&live->merge, live->complete, pfx_live_take_record, live);
	pfx_live_empty_batch(live);
}

/* What began meanwhile has left no records. */
static int go_on(struct pfx_live *live, struct pfx_error *err)
{
	struct pfx_buffer tasks = {0};
	int rc = live->source.machine->enable(&live->source.counters, err);

	if (rc >= 0)
		rc = pfx_live_read_tasks(live, &tasks, err);
	if (rc >= 0)
		pfx_live_add_tasks(live, &tasks);
	pfx_buffer_fini(&tasks);
	return rc < 0 ? rc : 0;
}

int pfx_live_pause(struct pfx_live *live, bool paused, struct pfx_error *err)
{
	int rc = 0;

	if (paused && !live->is_paused)
		stop(live);
	else if (!paused && live->is_paused)
		rc = go_on(live, err);
	if (rc >= 0)
		live->is_paused = paused;
	return rc;
}

void pfx_live_hide(struct pfx_live *live, bool kernel, bool user)
{
	live->options.hide_kernel = kernel;
	live->options.hide_user = user;
	pfx_live_memo_void(&live->memo);
}

/* --- queries --- */

const struct pfx_live_counts *pfx_live_counts(const struct pfx_live *live)
{
	return &live->counts;
}

const struct pfx_live_world *pfx_live_world(const struct pfx_live *live)
{
	return &live->world;
}

size_t pfx_live_nr_rings(const struct pfx_live *live)
{
	return live->source.rings.list.nr;
}

bool pfx_live_is_own_only(const struct pfx_live *live)
{
	return live->own_only;
}

int pfx_live_paranoid(const struct pfx_live *live)
{
	return live->plan.perm.paranoid;
}
