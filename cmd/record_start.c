/* SPDX-License-Identifier: MIT */
/*
 * Everything before the first sample, in an order that leaves the disk alone until nothing is
 * likely to fail: find the command, hold it back, open and map the counters, and only then open the
 * output and write what runs already.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/commands.h"
#include "cmd/record_internal.h"
#include "event/names.h"
#include "sys/synth.h"

#define WATERMARK_SHARE 4 /* the ring's part that wakes us */
#define FEATURES_ROOM   (256u << 10)
#define SYNTH_CHUNK     (1u << 20)
#define DEPTH_MAX       64 /* of processes that started one another */

/* A device or named pipe is written as a stream too. */
static bool is_stream(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int choose_output(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct stat st;

	rec->output = rec->options->output;
	if (!rec->output)
		rec->output = fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode)
				      ? "-"
				      : PFX_RECORD_DEFAULT_OUTPUT;
	rec->is_stdout = strcmp(rec->output, "-") == 0;
	rec->is_pipe = rec->is_stdout || is_stream(rec->output);
	if (rec->is_pipe && rec->options->output_side.threads)
		return pfx_error_set(
			err, EINVAL,
			"--threads writes a directory, not a stream: name one with -o");
	if (rec->is_pipe && rec->options->output_side.timestamp_filename)
		return pfx_error_set(
			err, EINVAL,
			"a stream cannot be named after the time: name a file with -o");
	if (!rec->is_stdout || !isatty(STDOUT_FILENO))
		return 0;
	pfx_error_set(err, EINVAL, "a recording is no text: it is not written to a terminal");
	pfx_error_hint(err, "send it through a pipe or into a file, or leave '-o -' out");
	return -EINVAL;
}

/* --- the command --- */

static int block_signals(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct sigaction def = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &rec->old_mask);
	/* An ignored signal would never arrive; a shell starts background jobs with SIGINT so. */
	sigaction(SIGINT, &def, &rec->old_int);
	sigaction(SIGCHLD, &def, &rec->old_chld);
	sigaction(SIGPIPE, &ignore, &rec->old_pipe);
	rec->has_signals = true;
	return pfx_watch_init(&rec->watch, &set, err);
}

static int fork_command(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_workload_setup setup = {
		.mask = &rec->old_mask,
		.stdout_to_stderr = rec->is_stdout,
		.restore_int = rec->old_int,
		.restore_chld = rec->old_chld,
		.restore_pipe = rec->old_pipe,
		.has_restore = true,
	};
	int rc;

	if (!rec->command)
		return 0;
	rc = pfx_workload_fork(&rec->workload, rec->path, rec->command, &setup, err);
	if (rc >= 0 && !rec->is_system_wide && !rec->target.is_attached)
		pfx_target_add(&rec->target, rec->workload.pid, rec->workload.pid,
			       PFX_WORKLOAD_COMM);
	return rc;
}

/* --- counters and rings --- */

/* When the kernel wakes us: at each record, or when enough is in a ring. */
static void set_wakes(struct pfx_recorder *rec, size_t bytes)
{
	uint64_t flush = rec->options->output_side.flush_bytes, most = bytes / WATERMARK_SHARE;

	pfx_counters_watermark(&rec->counters, (uint32_t)(flush && flush < most ? flush : most));
	if (rec->options->output_side.no_buffering)
		pfx_counters_wake_always(&rec->counters);
}

/* *@ret_too_large: the counters could be opened, but not with rings of this size. */
static int open_with(struct pfx_recorder *rec, size_t bytes, bool *ret_too_large,
		     struct pfx_error *err)
{
	int rc;

	*ret_too_large = false;
	set_wakes(rec, bytes);
	rc = pfx_counters_open(&rec->counters, &rec->target, err);
	if (rc < 0)
		return rc;
	rc = pfx_rings_map(&rec->rings, &rec->counters, bytes, err);
	*ret_too_large = rc == -EPERM || rc == -ENOMEM;
	if (rc < 0)
		pfx_counters_close(&rec->counters);
	return rc;
}

/* Rings as large as we may; when the user did not choose, smaller ones until they fit. The
 * watermark is a part of the attr, so the counters are opened again each time. */
static int open_counters(struct pfx_recorder *rec, struct pfx_error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	bool chosen = rec->options->ring_bytes != 0, too_large;
	int rc;

	rec->ring_bytes = rec->options->ring_bytes;
	if (!chosen)
		rec->ring_bytes =
			pfx_perm_ring_bytes(&rec->perm, (uint32_t)pfx_target_rings(&rec->target));
	rc = open_with(rec, rec->ring_bytes, &too_large, err);
	while (rc < 0 && too_large && !chosen && rec->ring_bytes > page) {
		rec->ring_bytes /= 2;
		rc = open_with(rec, rec->ring_bytes, &too_large, err);
	}
	return rc;
}

/* The events as the kernel took them, what it lacks, and the rings. */
static void say_details(const struct pfx_recorder *rec)
{
	const char *const *gap = pfx_counter_gaps();
	struct pfx_str text = {0};
	unsigned i;

	for (i = 0; i < rec->meta->nr_events; i++) {
		const struct pfx_event *event = rec->meta->events[i];

		pfx_str_clear(&text);
		pfx_attr_text(&event->attr, &text);
		pfx_print_note("record", "event '%s' on %u counters: %s", event->name,
			       event->nr_ids, pfx_str_get(&text));
	}
	for (i = 0; gap[i]; i++)
		if (rec->counters.gaps >> i & 1)
			pfx_print_note("record", "this kernel has no %s", gap[i]);
	pfx_print_note("record", "rings of %zu KiB on %zu CPUs", rec->ring_bytes >> 10,
		       rec->rings.list.nr);
	pfx_str_fini(&text);
}

static void say_what_was_opened(const struct pfx_recorder *rec)
{
	const struct pfx_counters *set = &rec->counters;

	if (rec->options->quiet)
		return;
	if (set->fell_to_clock && set->fell_to_user)
		pfx_print_note("record", "no cycle counter here and no permission for the kernel: "
					 "sampling cpu-clock in user space");
	else if (set->fell_to_clock)
		pfx_print_note("record", "no cycle counter here: sampling cpu-clock instead");
	else if (set->fell_to_user)
		pfx_print_note("record",
			       "no permission for the kernel: sampling user space only "
			       "(kernel.perf_event_paranoid is %d)",
			       rec->perm.paranoid);
	if (set->nr_vanished)
		pfx_print_note("record", "%u threads ended before they could be attached",
			       set->nr_vanished);
	if (set->nr_offline)
		pfx_print_note("record", "%u counters are missing: their CPU went offline",
			       set->nr_offline);
	if (rec->options->callgraph.defer && set->gaps & 1)
		pfx_print_note("record",
			       "this kernel does not defer call chains (Linux 6.19 does): "
			       "taking them at once");
	if (rec->options->verbose)
		say_details(rec);
}

/* --- the head of the file --- */

static void put_ids(const struct pfx_recorder *rec, struct pfx_buffer *to)
{
	PFX_VEC(struct pfx_synth_id) ids = {0};
	size_t i, j, ring;

	for (i = 0; i < rec->counters.list.nr; i++) {
		const struct pfx_counter *counter = &rec->counters.list.at[i];

		for (j = 0; j < counter->fds.nr; j++) {
			struct pfx_synth_id *id = pfx_vec_add(&ids);

			for (ring = 0; ring + 1 < rec->rings.list.nr; ring++)
				if (pfx_ring_takes(&rec->rings.list.at[ring], &counter->fds.at[j]))
					break;
			id->id = counter->fds.at[j].id;
			id->idx = ring;
			id->cpu = counter->fds.at[j].cpu;
			id->tid = counter->fds.at[j].tid;
		}
	}
	pfx_synth_id_index(ids.at, ids.nr, to);
	pfx_vec_free(&ids);
}

/* What the attrs do not say: units, the CPUs of a PMU, and names. A finished file has the names in
 * a feature too, but a recorder that is killed writes no features. */
static void put_updates(const struct pfx_recorder *rec, struct pfx_buffer *to)
{
	const struct pfx_event_list *events = &rec->options->events;
	uint32_t i;

	for (i = 0; i < rec->meta->nr_events; i++) {
		struct pfx_list cpus = {0};

		if (i < events->specs.nr && events->specs.at[i].cpus)
			pfx_list_parse(events->specs.at[i].cpus, &cpus);
		pfx_synth_event_update(rec->meta->events[i], &cpus, true, to);
		pfx_list_fini(&cpus);
	}
}

static void put_target(const struct pfx_recorder *rec, struct pfx_buffer *to)
{
	size_t nr = rec->target.threads.nr, i;
	int32_t *tids = pfx_calloc(nr + 1, sizeof(*tids));

	tids[0] = -1;
	for (i = 0; i < nr; i++)
		tids[i] = rec->target.threads.at[i].tid;
	pfx_synth_thread_map(NULL, tids, nr ? nr : 1, to);
	pfx_synth_cpu_map(rec->target.per_thread ? NULL : &rec->target.cpus, to);
	free(tids);
}

static int put_kernel(struct pfx_recorder *rec, const struct pfx_synth_options *synth,
		      struct pfx_buffer *to)
{
	struct pfx_error why = {0};
	bool wants_kernel = false;
	size_t i;

	for (i = 0; i < rec->counters.list.nr; i++)
		wants_kernel |= !(rec->counters.list.at[i].attr.flags & PFX_ATTR_EXCLUDE_KERNEL);
	if (!wants_kernel)
		return 0;
	if (pfx_synth_kernel(synth, to, &why) < 0 && !rec->options->quiet)
		pfx_print_note("record", "%s%s%s", why.text, why.hint[0] ? "; " : "", why.hint);
	pfx_synth_modules(synth, to, NULL);
	return 0;
}

/* All processes, written away in pieces so that a full machine does not fill our memory. */
static int put_all(struct pfx_recorder *rec, const struct pfx_synth_options *synth,
		   struct pfx_buffer *to, struct pfx_error *err)
{
	struct pfx_list pids = {0};
	int rc = pfx_synth_pids(NULL, &pids, err);
	size_t i;

	for (i = 0; i < pids.nr && rc >= 0; i++) {
		pfx_synth_process(synth, (uint32_t)pids.at[i], to, NULL);
		if (to->len >= SYNTH_CHUNK)
			rc = pfx_record_put(rec, to, err);
	}
	pfx_list_fini(&pids);
	return rc;
}

/* A process once, however many of its threads are targets; a thread of another process alone. */
static void put_tasks(struct pfx_recorder *rec, const struct pfx_synth_options *synth,
		      struct pfx_buffer *to)
{
	const struct pfx_target *target = &rec->target;
	pid_t last = 0;
	size_t i;

	for (i = 0; i < target->threads.nr; i++) {
		const struct pfx_target_thread *thread = &target->threads.at[i];

		if (thread->pid == last)
			continue;
		last = thread->pid;
		pfx_synth_process(synth, (uint32_t)thread->pid, to, NULL);
	}
}

/* The command as it runs by now, and what it started. */
static void put_descendants(const struct pfx_synth_options *synth, uint32_t pid, unsigned depth,
			    struct pfx_buffer *to)
{
	char path[64], word[16];
	FILE *f;

	if (pfx_synth_process(synth, pid, to, NULL) < 0 || depth == DEPTH_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/children", pid, pid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%15s", word) == 1)
		put_descendants(synth, (uint32_t)strtoul(word, NULL, 10), depth + 1, to);
	if (f)
		fclose(f);
}

/* The child that waits for its exec has our maps and a name that stands for it. */
static void put_command(const struct pfx_recorder *rec, const struct pfx_attr *attr,
			struct pfx_buffer *to)
{
	struct pfx_body body = {
		.type = PFX_RECORD_COMM,
		.comm = {.pid = (uint32_t)rec->workload.pid,
			 .tid = (uint32_t)rec->workload.pid,
			 .comm = PFX_WORKLOAD_COMM},
	};

	pfx_record_encode(&body, attr, to);
}

static bool any_has(const struct pfx_recorder *rec, uint64_t flag)
{
	uint32_t i;

	for (i = 0; i < rec->meta->nr_events; i++)
		if (rec->meta->events[i]->attr.flags & flag)
			return true;
	return false;
}

static int write_head(struct pfx_recorder *rec, bool again, struct pfx_error *err)
{
	struct pfx_synth_options synth = {
		.attr = &rec->meta->events[0]->attr,
		.mmap_data = any_has(rec, PFX_ATTR_MMAP_DATA),
		.namespaces = rec->options->namespaces,
		.forks = rec->is_system_wide,
		.no_maps = rec->options->output_side.no_synth_maps,
		.timeout_ms = (unsigned)rec->options->output_side.map_timeout_ms,
	};
	bool wants_tasks = !rec->options->output_side.no_synth_tasks;
	struct pfx_record_head {
		uint32_t type;
		uint16_t misc, size;
	} finished = {PFX_RECORD_FINISHED_INIT, 0, sizeof(finished)};
	struct pfx_buffer to = {0};
	int rc = 0;

	pfx_synth_time_conv(rec->rings.list.at[0].page, &to);
	put_ids(rec, &to);
	put_kernel(rec, &synth, &to);
	put_updates(rec, &to);
	put_target(rec, &to);
	if (rec->options->all_cgroups)
		pfx_synth_cgroups(&synth, &to);
	if (rec->is_system_wide)
		pfx_synth_bpf(&synth, &to);
	if (rec->is_system_wide && wants_tasks)
		rc = put_all(rec, &synth, &to, err);
	else if (rec->target.is_attached && wants_tasks)
		put_tasks(rec, &synth, &to);
	if (rec->command && again && !rec->is_system_wide && wants_tasks)
		put_descendants(&synth, (uint32_t)rec->workload.pid, 0, &to);
	else if (rec->command && !again)
		put_command(rec, synth.attr, &to);
	pfx_buffer_bytes(&to, &finished, sizeof(finished));
	if (rc >= 0)
		rc = pfx_record_put(rec, &to, err);
	pfx_buffer_fini(&to);
	return rc;
}

/* --- the start itself --- */

/* The command could not be started after all: the file that was there before comes back. */
static void undo_output(struct pfx_recorder *rec, const struct stat *before)
{
	char *old = pfx_strfmt("%s.old", rec->output);
	struct stat st;

	pfx_record_output_stop(rec, NULL);
	pfx_writer_free(rec->writer);
	rec->writer = NULL;
	if (!rec->is_pipe) {
		if (before->st_ino && stat(old, &st) == 0 && st.st_ino == before->st_ino &&
		    st.st_dev == before->st_dev)
			rename(old, rec->output);
		else
			unlink(rec->output);
	}
	free(old);
}

/* Keep room for the features on the output's disk, in a file without a name: when the disk is full,
 * closing it makes room for them. Without such files (NFS) there is none. */
static void reserve(struct pfx_recorder *rec)
{
	const char *slash = strrchr(rec->output, '/');
	char *dir;

	if (pfx_writer_is_pipe(rec->writer))
		return;
	dir = slash ? pfx_strndup(rec->output, (size_t)(slash - rec->output) + 1) : pfx_strdup(".");
	rec->reserve_fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (rec->reserve_fd >= 0 &&
	    fallocate(rec->reserve_fd, 0, 0,
		      (off_t)(FEATURES_ROOM + rec->meta->env.tracing_data.size)) < 0)
		pfx_record_unreserve(rec);
	free(dir);
}

void pfx_record_unreserve(struct pfx_recorder *rec)
{
	if (rec->reserve_fd > 0)
		close(rec->reserve_fd);
	rec->reserve_fd = 0;
}

int pfx_record_begin_file(struct pfx_recorder *rec, bool again, struct pfx_error *err)
{
	bool wants_hits = !rec->options->no_buildid;
	int rc;

	if (rec->options->output_side.threads)
		rc = pfx_writer_open_dir(&rec->writer, rec->output, err);
	else
		rc = pfx_writer_open(&rec->writer, rec->output, err);
	if (rc < 0)
		return rc;
	if (rec->options->output_side.threads) {
		rec->meta->env.dir_version = 1;
		pfx_env_set(&rec->meta->env, PFX_FEAT_DIR_FORMAT);
	}
	rc = pfx_writer_begin(rec->writer, rec->meta, err);
	if (rc < 0)
		return rc;
	reserve(rec);
	pfx_tally_init(&rec->tally, rec->meta, wants_hits);
	return write_head(rec, again, err);
}

static int let_go(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = rec->options->output_side.delayed ? 0 : pfx_counters_enable(&rec->counters, err);

	pfx_record_control_start(rec);
	if (rc >= 0 && rec->command)
		rc = pfx_workload_go(&rec->workload, rec->path, err);
	return rc;
}

static int prepare(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = choose_output(rec, err);

	pfx_perm_read(&rec->perm, NULL);
	if (rc >= 0 && rec->command)
		rc = pfx_workload_find(rec->command[0], &rec->path, err);
	if (rc >= 0)
		rc = pfx_record_target(rec, err);
	if (rc >= 0)
		rc = pfx_record_events(rec, err);
	return rc;
}

int pfx_record_start(struct pfx_recorder *rec, int argc, char **argv, struct pfx_error *err)
{
	struct stat before = {0};
	int rc = prepare(rec, err);

	if (rc < 0 || rec->options->dry_run)
		return rc;
	rc = block_signals(rec, err);
	if (rc >= 0)
		rc = fork_command(rec, err);
	if (rc >= 0)
		rc = open_counters(rec, err);
	if (rc < 0)
		pfx_record_explain_filter(rec, err);
	if (rc >= 0)
		rc = pfx_record_control_open(rec, err);
	if (rc >= 0)
		rc = pfx_watch_rings(&rec->watch, &rec->rings, &rec->counters, err);
	if (rc >= 0)
		rc = pfx_record_describe(rec, argc, argv, err);
	if (rc >= 0)
		rc = pfx_record_output_pack(rec, err);
	if (rc < 0)
		return rc;
	say_what_was_opened(rec);
	if (stat(rec->output, &before) < 0)
		before.st_ino = 0;
	rc = pfx_record_begin_file(rec, false, err);
	if (rc >= 0)
		rc = pfx_record_output_start(rec, err);
	if (rc >= 0)
		rc = pfx_record_exclude_self(rec, err);
	if (rc >= 0)
		rc = let_go(rec, err);
	if (rc < 0 && rec->writer)
		undo_output(rec, &before);
	return rc;
}

void pfx_recorder_fini(struct pfx_recorder *rec)
{
	pfx_workload_fini(&rec->workload);
	pfx_record_output_fini(rec);
	pfx_record_control_fini(rec);
	pfx_watch_fini(&rec->watch);
	pfx_rings_unmap(&rec->rings);
	pfx_counters_fini(&rec->counters);
	pfx_target_fini(&rec->target);
	pfx_record_unreserve(rec);
	pfx_writer_free(rec->writer);
	pfx_tally_fini(&rec->tally);
	pfx_meta_free(rec->meta);
	pfx_buffer_fini(&rec->scratch);
	free(rec->path);
	free(rec->keep_dir);
}
