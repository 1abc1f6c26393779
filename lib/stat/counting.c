/* SPDX-License-Identifier: MIT */
/*
 * A run: fork the stopped workload, open the counters, start it, wait, read; once or several times.
 * During a run, wakeups come only from intervals, signals and descriptors of the observer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "stat/counting_internal.h"
#include "sys/host/clock_now.h"
#include "sys/host/proc.h"

#define MS            1000000ull
#define LOOK_ALIVE_MS 100 /* interval of checking whether watched threads are alive */

void pfx_stat_switch(struct pfx_stat_runner *run, bool on)
{
	size_t i;

	for (i = 0; i < run->counters.list.nr; i++)
		if (run->counters.list.at[i].leader == i)
			pfx_counter_switch(&run->counters.list.at[i], on);
	for (i = 0; i < run->latency.counters.list.nr; i++)
		pfx_counter_switch(&run->latency.counters.list.at[i], on);
	run->is_on = on;
	pfx_stat_tell(run, "%s", on ? "Events enabled" : "Events disabled");
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

static void usage_now(double *ret_user, double *ret_system)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	*ret_user = seconds(&usage.ru_utime);
	*ret_system = seconds(&usage.ru_stime);
}

/* --- the target --- */

static int all_threads(struct pfx_stat_runner *run, struct pfx_error *err)
{
	struct pfx_list pids = {0};
	char word[16];
	size_t i;
	int rc = pfx_proc_pids(NULL, &pids, err);

	/* Threads that ended meanwhile are omitted. */
	for (i = 0; i < pids.nr; i++) {
		snprintf(word, sizeof(word), "%d", pids.at[i]);
		pfx_target_pids(&run->target, word, NULL, NULL);
	}
	pfx_list_fini(&pids);
	return rc;
}

static int find_target(struct pfx_stat_runner *run, struct pfx_error *err)
{
	const struct pfx_stat_plan *o = run->options;
	bool tasks = o->pids || o->tids;
	int rc = 0;

	run->is_system_wide = !tasks && (o->all_cpus || o->cpus) && !o->per_thread;
	run->target.system_wide = run->is_system_wide;
	rc = pfx_target_cpus(&run->target, run->is_system_wide ? o->cpus : NULL, NULL, err);
	if (rc < 0 || run->is_system_wide)
		return rc;
	pfx_target_per_thread(&run->target);
	if (o->pids)
		rc = pfx_target_pids(&run->target, o->pids, NULL, err);
	if (rc >= 0 && o->tids)
		rc = pfx_target_tids(&run->target, o->tids, NULL, err);
	if (rc >= 0 && o->per_thread && !tasks)
		rc = all_threads(run, err);
	run->target.is_attached = tasks || o->per_thread;
	return rc;
}

static int fork_command(struct pfx_stat_runner *run, struct pfx_error *err)
{
	struct pfx_workload_setup setup = {.signals = &run->signals};
	int rc;

	if (!run->command)
		return 0;
	rc = pfx_workload_fork(&run->workload, run->path, run->command, &setup, err);
	if (rc < 0 || run->is_system_wide || run->target.is_attached)
		return rc;
	run->target.threads.nr = 0;
	pfx_target_add(&run->target, run->workload.pid, run->workload.pid, PFX_WORKLOAD_COMM);
	return 0;
}

/* --- one run --- */

static void ask_to_end(struct pfx_stat_runner *run, int sig)
{
	if (run->workload.pid > 0 && !run->workload.is_reaped)
		kill(run->workload.pid, sig);
}

static bool target_lives(const struct pfx_stat_runner *run)
{
	char path[64];
	size_t i;

	for (i = 0; i < run->target.threads.nr; i++) {
		snprintf(path, sizeof(path), "/proc/%d", run->target.threads.at[i].tid);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

static bool is_over(struct pfx_stat_runner *run)
{
	if (run->command)
		return pfx_workload_wait(&run->workload, true);
	if (run->stop_signal || run->stops || run->timed_out)
		return true;
	return run->target.is_attached && !target_lives(run);
}

/* A key in the terminal also reaches the workload; a signal to this process only is forwarded. */
static void take_signal(struct pfx_stat_runner *run, const struct pfx_wake *wake)
{
	if (!wake->signal || wake->signal == SIGCHLD)
		return;
	run->stop_signal = wake->signal;
	run->stops = true;
	if (wake->is_sent)
		ask_to_end(run, wake->signal);
}

/* The wait time in ms: to the next interval, the end of the delay, the timeout. */
struct deadlines {
	uint64_t interval, delay, timeout; /* ns; 0: none */
};

static void nearer(uint64_t deadline, uint64_t now, int *ms)
{
	uint64_t left;

	if (!deadline)
		return;
	left = deadline > now ? (deadline - now + MS - 1) / MS : 0;
	if (left > INT32_MAX)
		left = INT32_MAX;
	if (*ms < 0 || (int)left < *ms)
		*ms = (int)left;
}

static int wait_ms(const struct pfx_stat_runner *run, const struct deadlines *d)
{
	bool looks = (run->target.is_attached && !run->command) || run->latency.sums.nr;
	int ms = looks ? LOOK_ALIVE_MS : -1;
	uint64_t now = pfx_clock_monotonic();

	nearer(d->interval, now, &ms);
	nearer(d->delay, now, &ms);
	nearer(d->timeout, now, &ms);
	return ms;
}

static bool has_all_intervals(const struct pfx_stat_runner *run)
{
	return run->options->interval_count && run->nr_intervals >= run->options->interval_count;
}

static void end_interval(struct pfx_stat_runner *run, uint64_t now)
{
	usage_now(&run->user_s, &run->system_s);
	run->user_s -= run->user_before;
	run->system_s -= run->system_before;
	pfx_stat_counts_read(run, now - run->last_ns, false);
	run->last_ns = now;
	pfx_stat_record_round(run, false, now - run->start_ns);
	run->observer->interval(run->observer->context, now - run->start_ns);
	pfx_stat_reset(&run->stat);
	run->nr_intervals++;
	/* The workload continues, but there is no more output. */
	if (has_all_intervals(run) && !run->command)
		run->timed_out = true;
}

static void look_at_clock(struct pfx_stat_runner *run, struct deadlines *d)
{
	uint64_t now = pfx_clock_monotonic();

	pfx_latency_drain(&run->latency);
	if (d->delay && now >= d->delay) {
		d->delay = 0;
		pfx_stat_switch(run, true);
		run->start_ns = run->last_ns = now;
	}
	if (d->interval && now >= d->interval) {
		end_interval(run, now);
		d->interval =
			has_all_intervals(run) ? 0 : d->interval + run->options->interval_ms * MS;
		/* Late: the next intervals are whole ones again. */
		if (d->interval && d->interval <= now)
			d->interval = now + run->options->interval_ms * MS;
	}
	if (d->timeout && now >= d->timeout) {
		d->timeout = 0;
		run->timed_out = true;
		ask_to_end(run, SIGTERM);
	}
}

static int wait_for_end(struct pfx_stat_runner *run, struct pfx_error *err)
{
	const struct pfx_stat_plan *o = run->options;
	struct deadlines d = {
		.interval = o->interval_ms ? run->start_ns + o->interval_ms * MS : 0,
		.delay = o->delay_ms > 0 ? run->start_ns + (uint64_t)o->delay_ms * MS : 0,
		.timeout = o->timeout_ms ? run->start_ns + o->timeout_ms * MS : 0,
	};
	struct pfx_wake wake;
	int rc = 0;

	while (rc >= 0 && !is_over(run)) {
		rc = pfx_watch_wait(&run->watch, wait_ms(run, &d), &wake, err);
		if (rc < 0)
			break;
		take_signal(run, &wake);
		if (wake.fds)
			run->observer->heard(run->observer->context);
		if (run->stops && run->command && !run->stop_signal)
			ask_to_end(run, SIGTERM);
		look_at_clock(run, &d);
	}
	return rc;
}

/* Waits for the command of --pre or --post; signals are forwarded to it. */
static int wait_for_shell(struct pfx_stat_runner *run, struct pfx_workload *shell,
			  struct pfx_error *err)
{
	struct pfx_wake wake;
	int rc = 0;

	while (rc >= 0 && !pfx_workload_wait(shell, true)) {
		rc = pfx_watch_wait(&run->watch, -1, &wake, err);
		if (rc < 0 || !wake.signal || wake.signal == SIGCHLD)
			continue;
		run->stop_signal = wake.signal;
		run->stops = true;
		if (wake.is_sent)
			kill(shell->pid, wake.signal);
	}
	return rc;
}

static int run_shell(struct pfx_stat_runner *run, const char *command, struct pfx_error *err)
{
	struct pfx_workload_setup setup = {.signals = &run->signals};
	char *words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
	struct pfx_workload shell;
	char shown[256];
	int rc;

	if (!command)
		return 0;
	rc = pfx_workload_fork(&shell, "/bin/sh", words, &setup, err);
	if (rc < 0)
		return rc;
	rc = pfx_workload_go(&shell, "/bin/sh", err);
	if (rc >= 0)
		rc = wait_for_shell(run, &shell, err);
	if (rc >= 0 && shell.status != 0)
		rc = pfx_error_set(err, ECHILD, "'%s' failed",
				   pfx_escape(shown, sizeof(shown), command));
	pfx_workload_fini(&shell);
	return rc;
}

static int let_go(struct pfx_stat_runner *run, struct pfx_error *err)
{
	int rc = 0;

	if (run->options->delay_ms != 0) {
		pfx_stat_tell(run, "Events disabled");
	} else {
		rc = pfx_counters_enable(&run->counters, err);
		if (rc >= 0)
			rc = pfx_counters_enable(&run->latency.counters, err);
	}
	usage_now(&run->user_before, &run->system_before);
	run->start_ns = run->last_ns = pfx_clock_monotonic();
	run->timed_out = false;
	run->nr_intervals = 0;
	run->started = (int64_t)time(NULL);
	if (rc >= 0 && run->command)
		rc = pfx_workload_go(&run->workload, run->path, err);
	return rc;
}

/* Reports that counting is endless. */
static void say_waiting(const struct pfx_stat_runner *run)
{
	const struct pfx_stat_plan *o = run->options;

	if (!run->command && !o->timeout_ms && !o->interval_count)
		run->observer->waits(run->observer->context);
}

/* A copy of the target per thread and CPU, so that inherited counts of children are included. */
static int copy_target(struct pfx_stat_runner *run, struct pfx_error *err)
{
	struct pfx_target *to = &run->latency.target;
	const struct pfx_target *from = &run->target;
	size_t i;
	int rc;

	to->system_wide = from->system_wide;
	to->is_attached = from->is_attached;
	rc = pfx_target_cpus(to, run->is_system_wide ? run->options->cpus : NULL, NULL, err);
	for (i = 0; i < from->threads.nr; i++)
		pfx_vec_push(&to->threads, from->threads.at[i]);
	return rc;
}

static int open_latency(struct pfx_stat_runner *run, struct pfx_error *err)
{
	struct pfx_latency *latency = &run->latency;
	size_t i;
	int rc;

	if (!latency->sums.nr)
		return 0;
	latency->counters.counts_only = true;
	rc = copy_target(run, err);
	if (rc >= 0)
		rc = pfx_latency_open(latency, err);
	for (i = 0; i < latency->sums.nr; i++)
		if (latency->counters.list.at[i].is_unsupported && latency->sums.at[i].known <= 0)
			run->stat.events.at[latency->sums.at[i].row].is_supported = false;
	return rc;
}

static int begin_run(struct pfx_stat_runner *run, bool is_first, struct pfx_error *err)
{
	int rc = run_shell(run, run->options->pre, err);

	if (rc < 0)
		return rc;
	if (run->options->sync)
		sync();
	rc = fork_command(run, err);
	if (rc >= 0 && is_first)
		rc = pfx_stat_events(run, err);
	if (rc >= 0 && is_first)
		rc = pfx_counters_attach(&run->counters, &run->target, NULL, err);
	else if (rc >= 0)
		rc = pfx_counters_open(&run->counters, &run->target, err);
	if (rc >= 0)
		rc = open_latency(run, err);
	if (rc < 0)
		return rc;
	pfx_stat_counts_restart(run);
	if (is_first) {
		if (run->observer->opened)
			run->observer->opened(run->observer->context);
		rc = pfx_stat_counts_prepare(run, err);
		if (rc >= 0)
			rc = pfx_stat_record_begin(run, err);
	}
	if (rc >= 0)
		rc = let_go(run, err);
	if (rc >= 0 && is_first)
		say_waiting(run);
	return rc;
}

static void end_run(struct pfx_stat_runner *run)
{
	uint64_t now = pfx_clock_monotonic();

	pfx_counters_disable(&run->counters);
	pfx_counters_disable(&run->latency.counters);
	usage_now(&run->user_s, &run->system_s);
	run->user_s -= run->user_before;
	run->system_s -= run->system_before;
	pfx_vec_push(&run->run_seconds, (double)(now - run->start_ns) * 1e-9);
	if (run->options->interval_ms) {
		if (!has_all_intervals(run))
			end_interval(run, now);
		if (run->options->summary)
			pfx_stat_counts_read(run, now - run->start_ns, true);
	} else {
		pfx_stat_counts_read(run, now - run->start_ns, false);
		pfx_stat_record_round(run, true, now - run->start_ns);
	}
}

/* Reports the signal that ended the workload, unless it was sent from here. */
static void say_signal(const struct pfx_stat_runner *run)
{
	int status = run->workload.status;
	bool is_ours = run->timed_out || (run->stops && !run->stop_signal);

	if (!is_ours && run->command && run->workload.is_reaped && WIFSIGNALED(status))
		pfx_stat_tell(run, "%s: %s", run->command[0], strsignal(WTERMSIG(status)));
}

static int run_once(struct pfx_stat_runner *run, bool is_first, struct pfx_error *err)
{
	int rc = begin_run(run, is_first, err);

	if (rc >= 0)
		rc = wait_for_end(run, err);
	if (rc < 0)
		return rc;
	end_run(run);
	say_signal(run);
	pfx_counters_close(&run->counters);
	pfx_latency_close(&run->latency);
	return run_shell(run, run->options->post, err);
}

int pfx_stat_run(struct pfx_stat_runner *run, struct pfx_error *err)
{
	const struct pfx_stat_plan *o = run->options;
	bool is_good;
	int64_t i;
	int rc;

	rc = run->command ? pfx_workload_find(run->command[0], &run->path, err) : 0;
	if (rc >= 0)
		rc = find_target(run, err);
	if (rc >= 0)
		rc = pfx_stat_choose_events(run, err);
	if (rc < 0)
		return rc;
	pfx_signals_take(&run->signals, 0);
	rc = pfx_watch_init(&run->watch, &run->signals.taken, err);
	if (rc >= 0)
		rc = run->observer->ready(run->observer->context, err);
	for (i = 0; rc >= 0 && !run->stops && (i < o->repeat || o->repeat == 0); i++) {
		run->workload = (struct pfx_workload){0};
		rc = run_once(run, i == 0, err);
		if (o->repeat == 0 && rc >= 0) {
			run->observer->counted(run->observer->context);
			pfx_stat_reset(&run->stat);
			run->run_seconds.nr = 0;
		}
	}
	is_good = rc >= 0;
	if (is_good)
		rc = pfx_stat_record_end(run, err);
	pfx_stat_smi_end(run);
	pfx_signals_let_through(&run->signals);
	if (is_good && o->repeat != 0 && (!o->interval_ms || o->summary))
		run->observer->counted(run->observer->context);
	return rc;
}

void pfx_stat_runner_fini(struct pfx_stat_runner *run)
{
	pfx_stat_smi_end(run);
	pfx_workload_fini(&run->workload);
	pfx_watch_fini(&run->watch);
	pfx_counters_fini(&run->counters);
	pfx_latency_fini(&run->latency);
	pfx_target_fini(&run->target);
	pfx_stat_fini(&run->stat);
	pfx_writer_free(run->writer);
	pfx_meta_free(run->meta);
	pfx_meta_free(run->host);
	pfx_vec_free(&run->last);
	pfx_vec_free(&run->totals);
	pfx_vec_free(&run->tools);
	pfx_vec_free(&run->run_seconds);
	free(run->path);
}
