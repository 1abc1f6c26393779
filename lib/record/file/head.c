/* SPDX-License-Identifier: MIT */
/*
 * The first records of each file: data that do not fit into the attrs, and the tasks that are
 * already running, from /proc. The first file is written by this thread, later files by the writing
 * thread.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "file/writer/open_wait.h"
#include "record/file/record_file.h"
#include "record/file/reserve.h"
#include "sys/host/kcore.h"
#include "sys/host/proc.h"
#include "sys/synth/synth.h"

#define FEATURES_ROOM   (256u << 10)
#define SHARE_PROCESSES 16 /* minimum number of processes per thread */
#define SHARES_MAX      64
#define SHARES_DEFAULT  4  /* if there are as many CPUs */
#define DEPTH_MAX       64 /* of nested child processes */

static void put_ids(const struct pfx_record_file *file, struct pfx_buffer *to)
{
	PFX_VEC(struct pfx_synth_id) ids = {0};
	size_t i, j, ring;

	for (i = 0; i < file->source->counters.list.nr; i++) {
		const struct pfx_counter *counter = &file->source->counters.list.at[i];

		for (j = 0; j < counter->fds.nr; j++) {
			struct pfx_synth_id *id = pfx_vec_add(&ids);

			for (ring = 0; ring + 1 < file->source->rings.list.nr; ring++)
				if (pfx_ring_takes(&file->source->rings.list.at[ring],
						   &counter->fds.at[j]))
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

/* EVENT_UPDATE records: units, the CPUs of a PMU, and in a stream the names. A file has the names
 * in EVENT_DESC, before the records. */
static void put_updates(const struct pfx_record_file *file, struct pfx_buffer *to)
{
	const struct pfx_event_list *events = &file->plan->options->events;
	uint32_t i;

	for (i = 0; i < file->meta->nr_events; i++) {
		struct pfx_list cpus = {0};

		if (i < events->specs.nr && events->specs.at[i].cpus)
			pfx_list_parse(events->specs.at[i].cpus, &cpus);
		pfx_synth_event_update(file->meta->events[i], &cpus, file->plan->place.is_pipe, to);
		pfx_list_fini(&cpus);
	}
}

static void put_kernel(const struct pfx_record_file *file, const struct pfx_synth_options *synth,
		       struct pfx_buffer *to)
{
	struct pfx_error why = {0};

	if (!pfx_record_wants_kernel(&file->source->counters))
		return;
	if (pfx_synth_kernel(synth, to, &why) < 0)
		PFX_RECORDER_NOTIFY(file->plan->observer, PFX_RECORDER_NO_KERNEL_SYMBOLS,
				    .err = &why);
	pfx_synth_modules(synth, to, NULL);
}

/* The processes that one thread reads. */
struct share {
	const struct pfx_synth_options *synth;
	const int *pids;
	size_t nr;
	struct pfx_buffer to;
	pthread_t thread;
	bool has_thread;
};

static void *read_share(void *arg)
{
	struct share *share = arg;
	size_t i;

	for (i = 0; i < share->nr; i++)
		pfx_synth_process(share->synth, (uint32_t)share->pids[i], &share->to, NULL);
	return NULL;
}

/* Read processes from the start of @pids, one share per thread, in the order of the list. Returns
 * the number of processes. */
static size_t read_shares(struct share *shares, size_t nr_of_shares, const int *pids, size_t nr)
{
	size_t i, at = 0;

	for (i = 0; i < nr_of_shares; i++) {
		struct share *share = &shares[i];

		share->pids = pids + at;
		share->nr = nr - at < SHARE_PROCESSES ? nr - at : SHARE_PROCESSES;
		at += share->nr;
		/* This thread reads the last share, and each share whose thread could not be
		 * started. */
		share->has_thread = i + 1 < nr_of_shares && share->nr &&
				    pthread_create(&share->thread, NULL, read_share, share) == 0;
		if (!share->has_thread)
			read_share(share);
	}
	for (i = 0; i < nr_of_shares; i++)
		if (shares[i].has_thread)
			pthread_join(shares[i].thread, NULL);
	return at;
}

/* The number of threads that read /proc. */
static size_t nr_shares(const struct pfx_record_file *file)
{
	uint64_t wanted = file->plan->options->out.synth_threads;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (wanted)
		return wanted < SHARES_MAX ? (size_t)wanted : SHARES_MAX;
	if (cpus < 1)
		return 1;
	return cpus < SHARES_DEFAULT ? (size_t)cpus : SHARES_DEFAULT;
}

/* All processes, written in batches to bound the memory. */
static int put_all(struct pfx_record_file *file, const struct pfx_synth_options *synth,
		   struct pfx_buffer *to, struct pfx_error *err)
{
	size_t nr = nr_shares(file), at = 0, i;
	struct share *shares = pfx_calloc(nr, sizeof(*shares));
	struct pfx_list pids = {0};
	int rc = pfx_proc_pids(NULL, &pids, err);

	for (i = 0; i < nr; i++)
		shares[i].synth = synth;
	if (rc >= 0)
		rc = pfx_sink_put(&file->sink, to, err);
	while (at < pids.nr && rc >= 0) {
		at += read_shares(shares, nr, pids.at + at, pids.nr - at);
		for (i = 0; i < nr && rc >= 0; i++)
			rc = pfx_sink_put(&file->sink, &shares[i].to, err);
	}
	for (i = 0; i < nr; i++)
		pfx_buffer_fini(&shares[i].to);
	free(shares);
	pfx_list_fini(&pids);
	return rc;
}

/* Each process once, even if several of its threads are targets. */
static void put_tasks(struct pfx_record_file *file, const struct pfx_synth_options *synth,
		      struct pfx_buffer *to)
{
	const struct pfx_target *target = &file->plan->target;
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

/* The command as it is running now, and its descendants. */
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

/* The child before its exec has the maps of the recorder and a provisional name. */
static void put_command(const struct pfx_record_file *file, const struct pfx_attr *attr,
			struct pfx_buffer *to)
{
	struct pfx_body body = {
		.type = PFX_RECORD_COMM,
		.comm = {.pid = (uint32_t)file->workload->pid,
			 .tid = (uint32_t)file->workload->pid,
			 .comm = PFX_WORKLOAD_COMM},
	};

	pfx_record_encode(&body, attr, to);
}

static bool any_has(const struct pfx_record_file *file, uint64_t flag)
{
	uint32_t i;

	for (i = 0; i < file->meta->nr_events; i++)
		if (file->meta->events[i]->attr.flags & flag)
			return true;
	return false;
}

static struct pfx_synth_options synth_options(struct pfx_record_file *file)
{
	return (struct pfx_synth_options){
		.attr = &file->meta->events[0]->attr,
		.mmap_data = any_has(file, PFX_ATTR_MMAP_DATA),
		.namespaces = file->plan->options->namespaces,
		.forks = file->plan->is_system_wide,
		.no_maps = file->plan->options->out.no_synth_maps,
		.build_id = file->plan->options->buildid_mmap ? pfx_map_ids_find : NULL,
		.build_id_context = &file->map_ids,
		.timeout_ms = (unsigned)file->plan->options->out.map_timeout_ms,
	};
}

/* What is running now: the kernel, cgroups, BPF programs, processes. @with_command: the workload is
 * already running. */
static int put_running(struct pfx_record_file *file, bool with_command, struct pfx_buffer *to,
		       struct pfx_error *err)
{
	struct pfx_synth_options synth = synth_options(file);
	int rc = 0;

	put_kernel(file, &synth, to);
	if (file->plan->options->all_cgroups && !file->plan->options->out.no_synth_cgroups)
		pfx_synth_cgroups(&synth, to);
	pfx_synth_bpf(&synth, file->meta, to);
	if (file->plan->options->out.no_synth_tasks)
		return 0;
	if (file->plan->is_system_wide)
		rc = put_all(file, &synth, to, err);
	else if (file->plan->target.is_attached)
		put_tasks(file, &synth, to);
	if (file->plan->options->command && with_command && !file->plan->is_system_wide)
		put_descendants(&synth, (uint32_t)file->workload->pid, 0, to);
	return rc;
}

int pfx_record_file_put_tail(struct pfx_record_file *file, struct pfx_error *err)
{
	struct pfx_buffer to = {0};
	int rc;

	if (!file->plan->options->out.tail_synthesize)
		return 0;
	rc = put_running(file, !file->workload->is_reaped, &to, err);
	if (rc >= 0)
		rc = pfx_sink_put(&file->sink, &to, err);
	pfx_buffer_fini(&to);
	return rc;
}

/* Whether /proc still shows the maps of a thread; a zombie has none. */
static bool runs(uint32_t tid)
{
	char path[32], line[512];
	const char *name_end;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	if (pfx_read_line(path, line, sizeof(line)) < 0)
		return false;
	name_end = strrchr(line, ')');
	return name_end && !strchr("ZX", name_end[1] ? name_end[2] : '\0');
}

/* Copy the records of ended threads from the previous file; running threads were read from
 * /proc. */
static int put_gone(struct pfx_record_file *file, struct pfx_error *err)
{
	struct pfx_buffer to = {0};
	int rc;

	pfx_carry_switch(&file->sink.carry, runs, &to);
	file->sink.tally.carry = NULL;
	rc = pfx_sink_put(&file->sink, &to, err);
	file->sink.tally.carry = &file->sink.carry;
	pfx_buffer_fini(&to);
	return rc;
}

static int write_head(struct pfx_record_file *file, bool again, struct pfx_error *err)
{
	struct pfx_record_head {
		uint32_t type;
		uint16_t misc, size;
	} finished = {PFX_RECORD_FINISHED_INIT, 0, sizeof(finished)};
	struct pfx_buffer to = {0};
	int rc = 0;

	pfx_synth_time_conv(file->source->rings.list.at[0].page, &to);
	put_ids(file, &to);
	rc = pfx_record_trace_describe(file->plan, file->source, &to, err);
	if (rc < 0)
		goto out;
	put_updates(file, &to);
	pfx_synth_target(&file->plan->target, &to);
	if (!file->plan->options->out.tail_synthesize)
		rc = put_running(file, again, &to, err);
	if (rc >= 0 && again && file->sink.tally.carry)
		rc = put_gone(file, err);
	if (file->plan->options->command && !again)
		put_command(file, &file->meta->events[0]->attr, &to);
	pfx_buffer_bytes(&to, &finished, sizeof(finished));
	if (rc >= 0)
		rc = pfx_sink_put(&file->sink, &to, err);
out:
	pfx_buffer_fini(&to);
	return rc;
}

/* Copy the kernel's code into the directory, for decoders of traces. */
static int keep_kernel(const struct pfx_record_file *file, struct pfx_error *err)
{
	char *dir, *part, shown[256];
	int rc;

	if (!file->plan->options->out.kcore)
		return 0;
	dir = pfx_strfmt("%s/kcore_dir", file->plan->place.path);
	part = pfx_strfmt("%s.part", dir);
	rc = pfx_kcore_copy(NULL, part, err);
	/* Rename only when complete: the recorder may be killed before. */
	if (rc >= 0 && rename(part, dir) < 0) {
		rc = pfx_error_sys(err, errno, "cannot write '%s'",
				   pfx_escape(shown, sizeof(shown), dir));
		pfx_kcore_remove(part);
	}
	free(part);
	free(dir);
	return rc;
}

static void report_wait(void *context, const char *path)
{
	const struct pfx_record_plan *plan = context;

	PFX_RECORDER_NOTIFY(plan->observer, PFX_RECORDER_OUTPUT_WAITS, .name = path);
}

int pfx_record_file_begin(struct pfx_record_file *file, bool again, struct pfx_error *err)
{
	const struct pfx_open_wait wait = {report_wait, (void *)(uintptr_t)file->plan};
	bool wants_hits = !file->plan->options->no_buildid;
	int rc;

	rc = pfx_writer_open_wait(
		&file->sink.writer, file->plan->place.path,
		file->plan->options->out.threads || file->plan->options->out.kcore, &wait, err);
	if (rc < 0)
		return rc;
	if (file->plan->options->out.threads) {
		file->meta->env.dir_version = 1;
		pfx_env_set(&file->meta->env, PFX_FEAT_DIR_FORMAT);
	}
	pfx_record_trace_begin_file(file);
	rc = pfx_writer_begin(file->sink.writer, file->meta, err);
	if (rc >= 0)
		rc = keep_kernel(file, err);
	if (rc < 0)
		return rc;
	if (!pfx_writer_is_pipe(file->sink.writer))
		file->reserve_fd = pfx_reserve(file->plan->place.path,
					       FEATURES_ROOM + file->meta->env.tracing_data.size);
	pfx_tally_init(&file->sink.tally, file->meta, wants_hits);
	if (file->plan->options->out.switches && !file->plan->options->out.no_synth_tasks)
		file->sink.tally.carry = &file->sink.carry;
	return write_head(file, again, err);
}
