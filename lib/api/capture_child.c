/* SPDX-License-Identifier: MIT */
/* The child process of a capture: the recorder with the options of the caller, and what it reports
 * to its parent. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/capture_internal.h"
#include "api/capture_pump.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/guard.h"
#include "base/io.h"
#include "base/ns.h"
#include "base/str.h"
#include "event/sampling.h"
#include "file/pack/pack.h"
#include "pmu/pfm.h"
#include "pmu/sysfs/machine.h"
#include "record/plan/area_size.h"
#include "record/plan/event_filter.h"
#include "record/plan/reg_words.h"
#include "record/plan/stack_words.h"
#include "record/recorder.h"
#include "record/sink/offcpu.h"
#include "sys/host/perm.h"

struct child {
	struct pfx_recorder_options options;
	struct pfx_recorder *recorder;
	struct pfx_pmu_machine machine;
	struct pfx_capture_report report;
	struct pfx_capture_pump pump; /* of a stream */
	char output[32], control[32];
	int fd, answer_fd; /* to the parent */
};

/* If the parent is gone, watch_caller() ends the recording. */
static void report(const struct child *child)
{
	pfx_write_full(child->fd, &child->report, sizeof(child->report));
}

static void on_news(void *context, const struct pfx_recorder_news *news)
{
	struct child *child = context;

	if (news->tag == PFX_RECORDER_FAILED && !child->report.rc) {
		child->report.rc = -news->err->code;
		child->report.err = *news->err;
	} else if (news->tag == PFX_RECORDER_EVENT_UNKNOWN) {
		pfx_write_full(child->answer_fd, PFX_CAPTURE_NO_EVENT, 1);
	}
}

static int set_branches(struct child *child, const char *kinds, struct pfx_error *err)
{
	char word[64], shown[128];
	const char *bad;
	size_t len;

	if (pfx_branch_filter_parse(kinds, strlen(kinds), &child->options.branch_type, &bad, &len))
		return 0;
	snprintf(word, sizeof(word), "%.*s", (int)len, bad);
	pfx_error_set(err, EINVAL, "'%s' is not a kind of branch",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "kinds are %s", pfx_branch_filter_words());
	return -EINVAL;
}

/* The filter and the cgroup of every event; the default event gets the cgroup, too. */
static int set_bounds(struct child *child, const struct pfx_capture_options *o,
		      struct pfx_error *err)
{
	struct pfx_recorder_options *options = &child->options;
	const char *tracepoints = o->filter ? "'filter'" : "'exclude_recorder'";
	struct pfx_recorder_bound *bound;
	size_t i;
	int rc = 0;

	if ((o->filter || o->exclude_recorder) && !options->events.specs.nr)
		return pfx_error_set(err, EINVAL, "%s needs tracepoints in 'events'", tracepoints);
	if (o->filter || o->exclude_recorder)
		rc = pfx_event_filter_check(&options->events, 0, tracepoints, err);
	for (i = 0; rc >= 0 && (i < options->events.specs.nr || !i); i++) {
		bound = pfx_vec_add(&options->bounds);
		*bound = (struct pfx_recorder_bound){.has_cgroup = o->cgroup != NULL};
		if (o->cgroup)
			bound->cgroup = pfx_strdup(o->cgroup);
		if (o->filter)
			rc = pfx_event_filter_add(&bound->filter, &options->events.specs.at[i],
						  o->filter, err);
		bound->excludes_self = o->exclude_recorder;
		if (rc >= 0 && o->exclude_recorder)
			pfx_event_filter_exclude(&bound->filter, (uint64_t)getpid());
	}
	return rc < 0 ? rc : 0;
}

static int set_clock(struct child *child, const struct pfx_capture_options *o,
		     struct pfx_error *err)
{
	struct timespec res;

	if (!o->has_clock)
		return 0;
	if (clock_getres(o->clock, &res) < 0)
		return pfx_error_set(err, EINVAL, "this system has no clock %d", o->clock);
	child->options.use_clockid = true;
	child->options.clockid = o->clock;
	child->options.clock_res_ns = pfx_ns_of(&res);
	return 0;
}

/* What is one member there and here. */
static void set_contents(struct pfx_recorder_options *options, const struct pfx_capture_options *o)
{
	options->one_group = o->one_group;
	options->all_user = o->all_user;
	options->all_kernel = o->all_kernel;
	options->phys_data = o->physical_addresses;
	options->weight = o->weights;
	options->transaction = o->transactions;
	options->switch_events = o->switches || o->latency;
	options->identifier = o->sample_identifiers;
	options->sample_cpu = o->sample_cpus;
	options->period_field = o->sample_periods;
	options->period_said = o->sample_periods || o->no_periods;
	options->timestamp_said = o->no_times;
	options->namespaces = o->namespaces;
	options->all_cgroups = o->cgroups;
	options->out.overwrite = o->overwrite;
	options->out.tail_synthesize = o->overwrite || o->running_tasks_last;
	options->trace.snapshot = o->trace_snapshots;
	options->trace.snapshot |= o->trace_snapshot != 0 || o->trace_at_end;
	options->trace.snapshot_at_end = o->trace_at_end;
	options->trace.snapshot_bytes = o->trace_snapshot;
	options->trace.sample_bytes = o->trace_in_sample;
	options->user_callchains = o->user_callers;
	options->kernel_callchains = o->kernel_callers;
	options->data_mmap = o->data_mappings;
	options->data_page_size = options->code_page_size = o->page_sizes;
	options->stat = o->thread_counts;
	options->per_thread = o->per_thread;
	options->no_samples = o->no_samples;
	options->raw = o->raw;
	options->mem_info = o->data_sources;
	options->running_time = o->running_times;
	options->no_bpf_event = o->no_bpf;
	options->buildid_mmap = o->build_ids_in_mappings;
	options->no_buildid = o->no_build_ids || o->build_ids_in_mappings;
	options->strict_freq = o->strict_freq;
	/* mappings that follow the samples do not say which binaries have them */
	options->buildid_all = o->all_build_ids || options->out.tail_synthesize;
	options->no_copies = !o->keep_binaries;
}

static int set_area(const char *name, uint64_t bytes, uint64_t *ret, struct pfx_error *err)
{
	if (!bytes || pfx_area_size(bytes, ret))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is too large: %llu bytes", name,
		      (unsigned long long)bytes);
	pfx_error_hint(err, "2 GiB are the maximum; 0: as much as is allowed");
	return -EINVAL;
}

static int set_sizes(struct pfx_recorder_options *options, const struct pfx_capture_options *o,
		     struct pfx_error *err)
{
	int rc = set_area("buffer_bytes", o->buffer_bytes, &options->ring_bytes, err);

	if (!rc)
		rc = set_area("trace_bytes", o->trace_bytes, &options->trace.bytes, err);
	if (!rc && (o->compression < 0 || o->compression > PFX_PACK_LEVEL_MAX))
		rc = pfx_error_set(err, EINVAL, "'compression' is from 1 to %d, 0: none; not %d",
				   PFX_PACK_LEVEL_MAX, o->compression);
	return rc;
}

/* Several files have no build IDs. */
static int set_output(struct child *child, const struct pfx_capture_options *o,
		      struct pfx_error *err)
{
	struct pfx_recorder_options *options = &child->options;
	struct pfx_recorder_output_options *out = &options->out;

	out->timestamp_boundary = true;
	out->delayed = o->is_disabled;
	out->level = o->compression;
	out->max_size = o->max_size;
	out->path = o->output ? o->output : child->output;
	out->control = child->control;
	out->kcore = o->kcore;
	out->shares = o->write_shares;
	out->no_buffering = o->no_buffering;
	out->synth_threads = o->running_threads;
	out->map_timeout_ms = o->running_map_ms;
	out->no_synth_cgroups = o->no_running_cgroups;
	out->no_synth_tasks = o->no_running_tasks;
	out->no_synth_maps = o->no_running_tasks || o->no_running_maps;
	out->on_full_stop = o->stop_when_full;
	out->flush_bytes = o->flush_bytes;
	out->priority = o->priority;
	out->off_cpu = o->off_cpu;
	out->thresh_ms = o->off_cpu_ms ? o->off_cpu_ms : PFX_OFFCPU_THRESH_DEFAULT_MS;
	out->switch_bytes = o->switch_bytes;
	out->switch_ms = o->switch_ms;
	out->switch_max_files = o->switch_max_files;
	out->switch_on_signal = o->switch_on_snapshot || o->switch_events;
	out->switches = out->switch_bytes || out->switch_ms || out->switch_on_signal;
	out->timestamp_filename = out->switches;
	options->no_buildid |= out->switches;
	options->no_copies |= out->switches;
	if (o->switch_max_files && !out->switches)
		return pfx_error_set(err, EINVAL, "'switch_max_files' is for several files");
	if (out->switches && !o->output)
		return pfx_error_set(err, EINVAL, "several files need a name: 'output' is NULL");
	return o->switch_events ? pfx_events_parse(&out->switch_events, o->switch_events, NULL, err)
				: 0;
}

static int set_regs(struct child *child, const struct pfx_capture_options *o, struct pfx_error *err)
{
	struct pfx_recorder_options *options = &child->options;
	int rc = 0;

	if (o->user_regs)
		rc = pfx_reg_words_parse(*o->user_regs ? o->user_regs : NULL, false,
					 &options->user_regs, err);
	if (!rc && o->intr_regs)
		rc = pfx_reg_words_parse(*o->intr_regs ? o->intr_regs : NULL, true,
					 &options->intr_regs, err);
	return rc;
}

static int check_together(const struct pfx_capture_options *o, struct pfx_error *err)
{
	if ((o->freq || o->max_freq) && o->period)
		return pfx_error_set(err, EINVAL, "'freq' and 'period' exclude each other");
	if (o->freq && o->max_freq)
		return pfx_error_set(err, EINVAL, "'freq' and 'max_freq' exclude each other");
	if (o->all_user && o->all_kernel)
		return pfx_error_set(err, EINVAL, "'all_user' and 'all_kernel' exclude each other");
	if (o->sample_periods && o->no_periods)
		return pfx_error_set(err, EINVAL,
				     "'sample_periods' and 'no_periods' exclude each other");
	if (o->latency && (o->all_cpus || o->cpus))
		return pfx_error_set(err, EINVAL,
				     "'latency' is about one program, not about the whole system");
	if (o->write_shares > PFX_RECORDER_SHARES_MAX)
		return pfx_error_set(err, EINVAL, "'write_shares' is larger than %d",
				     PFX_RECORDER_SHARES_MAX);
	if (o->trace_in_sample > PFX_AUX_SAMPLE_MAX)
		return pfx_error_set(err, EINVAL, "'trace_in_sample' is larger than %u bytes",
				     PFX_AUX_SAMPLE_MAX);
	if (o->flush_bytes >= INT_MAX)
		return pfx_error_set(err, EINVAL, "'flush_bytes' is too large");
	if (o->priority > (uint64_t)sched_get_priority_max(SCHED_FIFO))
		return pfx_error_set(err, EINVAL, "'priority' is larger than %d",
				     sched_get_priority_max(SCHED_FIFO));
	return 0;
}

static int set_events(struct child *child, const struct pfx_capture_options *o,
		      struct pfx_error *err)
{
	int rc = 0;

	pfx_pmu_machine_cpu(&child->machine, NULL);
	if (o->events)
		rc = pfx_events_parse(&child->options.events, o->events, &child->machine.roots,
				      err);
	if (!rc && o->pfm_events)
		rc = pfx_pfm_parse(&child->options.events, o->pfm_events, err);
	if (!rc && o->call_graph)
		rc = pfx_stack_words_parse(o->call_graph, NULL, &child->options.callgraph, err);
	if (!rc && (o->branches || o->branch_filter))
		rc = set_branches(child, o->branch_filter ? o->branch_filter : "any", err);
	if (!rc && (o->filter || o->cgroup || o->exclude_recorder))
		rc = set_bounds(child, o, err);
	return rc;
}

static int set_options(struct child *child, const struct pfx_capture_setup *start,
		       struct pfx_error *err)
{
	static char name[] = "libpfx", *argv[] = {name, NULL};
	const struct pfx_capture_options *o = &start->options;
	struct pfx_recorder_options *options = &child->options;
	struct pfx_perm perm;
	int rc;

	options->command = (char **)o->command;
	options->argv = o->command ? (char **)o->command : argv;
	while (options->argv[options->argc])
		options->argc++;
	options->all_cpus = o->all_cpus;
	options->pids = o->pids;
	options->tids = o->tids;
	options->user = o->user;
	options->cpus = o->cpus;
	options->freq = o->freq;
	if (o->max_freq) {
		pfx_perm_read(&perm, NULL);
		options->freq = perm.max_rate;
	}
	options->period = o->period;
	options->data = o->data_addresses;
	options->no_inherit = options->inherit_said = o->no_inherit;
	options->timestamp = !o->no_times;
	snprintf(child->output, sizeof(child->output), "/proc/self/fd/%d", child->pump.fd);
	snprintf(child->control, sizeof(child->control), "fd:%d,%d", start->control_fd,
		 start->answer_fd);
	set_contents(options, o);
	rc = check_together(o, err);
	if (!rc)
		rc = set_sizes(options, o, err);
	if (!rc)
		rc = set_output(child, o, err);
	if (!rc)
		rc = set_regs(child, o, err);
	if (!rc)
		rc = pfx_capture_take_words(options, o, err);
	if (!rc)
		rc = set_events(child, o, err);
	return rc ? rc : set_clock(child, o, err);
}

static void finish(struct child *child)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end end;

	/* Nobody answers any more, also while records wait for their reader. */
	close(child->answer_fd);
	pfx_recorder_stop(child->recorder);
	pfx_recorder_result(child->recorder, &result);
	pfx_recorder_wait(child->recorder, &end);
	pfx_recorder_free(child->recorder); /* the reader sees the end of the stream */
	pfx_capture_pump_wait(&child->pump);
	child->report.result = (struct pfx_capture_result){
		.nr_samples = result.nr_samples,
		.nr_lost = result.nr_lost,
		.bytes = result.bytes,
		.has_status = end.has_status,
		.status = end.status,
	};
	report(child);
}

/* Ends the recording with the caller: its end of the socket of commands is closed then. (The signal
 * of prctl() for this comes when the thread ends that has forked, not the process.) */
static void *watch_caller(void *context)
{
	struct pollfd fd = {.fd = *(const int *)context, .events = POLLRDHUP};

	pfx_guard_block_signals(NULL);
	while (poll(&fd, 1, -1) < 0 && errno == EINTR)
		;
	kill(getpid(), SIGTERM);
	return NULL;
}

/* As exec() leaves them: the caller's handlers are of no use to a recorder, what it ignores stays
 * ignored in the workload, too. The caller has blocked all signals for the fork. */
static void reset_signals(void)
{
	struct sigaction def = {.sa_handler = SIG_DFL}, now;
	sigset_t none;
	int sig;

	for (sig = 1; sig <= SIGRTMAX; sig++)
		if (sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(sig, &def, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Standard streams that the caller has closed stay closed for the workload, but no file of the
 * recorder gets their numbers. */
static void hold_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			return;
}

static void become_child(const struct pfx_capture_setup *start)
{
	static int control_fd;
	pthread_t watch;

	reset_signals();
	pfx_guard_install();
	hold_streams();
	control_fd = start->control_fd;
	if (getppid() != start->parent || pthread_create(&watch, NULL, watch_caller, &control_fd))
		_exit(1);
	pthread_detach(watch);
}

void pfx_capture_child(const struct pfx_capture_setup *start)
{
	static struct child child;
	const struct pfx_recorder_observer observer = {on_news, &child};
	struct pfx_error *err = &child.report.err;

	become_child(start);
	child.fd = start->report_fd;
	child.answer_fd = start->answer_fd;
	child.report.rc = pfx_capture_pump_start(
		&child.pump, start->options.output ? -1 : start->output_fd, start->control_fd, err);
	if (!child.report.rc)
		child.report.rc = set_options(&child, start, err);
	if (!child.report.rc)
		child.report.rc = pfx_recorder_new(&child.recorder, &child.options, &observer, err);
	if (!child.report.rc)
		child.report.rc = pfx_recorder_start(child.recorder, err);
	report(&child);
	if (child.report.rc < 0)
		_exit(1);
	pfx_capture_pump_started(&child.pump);
	pfx_recorder_run(child.recorder);
	finish(&child);
	_exit(0);
}
