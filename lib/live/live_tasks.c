/* SPDX-License-Identifier: MIT */
/* The running tasks as records: from /proc, and of a session. */
#include <stdio.h>
#include <string.h>

#include "live/live_internal.h"
#include "sys/host/proc.h"
#include "sys/synth/synth.h"

static struct pfx_synth_options synth_options(const struct pfx_live *live)
{
	const struct pfx_recorder_options *o = live->options.record;

	return (struct pfx_synth_options){
		.attr = &live->meta->events[0]->attr,
		.namespaces = o->namespaces,
		.no_maps = o->out.no_synth_maps,
		.timeout_ms = (unsigned)o->out.map_timeout_ms,
	};
}

void pfx_live_read_kernel(struct pfx_live *live, struct pfx_buffer *to)
{
	struct pfx_synth_options synth = synth_options(live);
	struct pfx_error why = {0};

	pfx_synth_time_conv(live->source.rings.list.at[0].page, to);
	if (pfx_record_wants_kernel(&live->source.counters)) {
		if (pfx_synth_kernel(&synth, to, &why) < 0)
			PFX_RECORDER_NOTIFY(live->plan.observer, PFX_RECORDER_NO_KERNEL_SYMBOLS,
					    .err = &why);
		pfx_synth_modules(&synth, to, NULL);
	}
	if (live->options.record->all_cgroups)
		pfx_synth_cgroups(&synth, to);
	pfx_synth_bpf(&synth, live->meta, to);
}

static int read_all(const struct pfx_synth_options *synth, struct pfx_buffer *to,
		    struct pfx_error *err)
{
	struct pfx_list pids = {0};
	int rc = pfx_proc_pids(NULL, &pids, err);
	size_t i;

	for (i = 0; rc >= 0 && i < pids.nr; i++)
		pfx_synth_process(synth, (uint32_t)pids.at[i], to, NULL);
	pfx_list_fini(&pids);
	return rc < 0 ? rc : 0;
}

int pfx_live_read_tasks(struct pfx_live *live, struct pfx_buffer *to, struct pfx_error *err)
{
	const struct pfx_target *target = &live->plan.target;
	struct pfx_synth_options synth = synth_options(live);
	pid_t last = 0;
	size_t i;

	if (live->options.record->out.no_synth_tasks)
		return 0;
	if (live->plan.is_system_wide)
		return read_all(&synth, to, err);
	for (i = 0; i < target->threads.nr; i++) {
		if (target->threads.at[i].pid != last)
			pfx_synth_process(&synth, (uint32_t)target->threads.at[i].pid, to, NULL);
		last = target->threads.at[i].pid;
	}
	return 0;
}

/* --- of a session --- */

static void dump_maps(struct pfx_session *session, struct pfx_thread *thread,
		      const struct pfx_attr *attr, struct pfx_buffer *to)
{
	const struct pfx_map *map;
	struct pfx_body body;
	uint32_t i;

	for (i = 0; (map = pfx_session_map_at(session, thread, i)); i++) {
		body = (struct pfx_body){
			.type = PFX_RECORD_MMAP2,
			.misc = PFX_MODE_USER,
			.mmap = {.pid = thread->pid,
				 .tid = thread->pid,
				 .addr = map->start,
				 .len = map->end - map->start,
				 .pgoff = map->pgoff,
				 .maj = map->maj,
				 .min = map->min,
				 .ino = map->ino,
				 .ino_generation = map->ino_generation,
				 .prot = map->prot,
				 .flags = map->flags,
				 .filename = map->dso->name},
		};
		pfx_record_encode(&body, attr, to);
	}
}

/* A thread that has no name yet is called by its number. */
static bool has_name(const struct pfx_thread *thread)
{
	char number[16];

	snprintf(number, sizeof(number), ":%d", (int)thread->tid);
	return strcmp(number, thread->comm->text) != 0;
}

static void dump_namespaces(const struct pfx_thread *thread, const struct pfx_attr *attr,
			    struct pfx_buffer *to)
{
	struct pfx_body body = {
		.type = PFX_RECORD_NAMESPACES,
		.namespaces = {.pid = thread->pid,
			       .tid = thread->tid,
			       .links = {.at = (const uint8_t *)thread->ns,
					 .nr = 2ull * thread->nr_ns}},
	};

	if (thread->nr_ns)
		pfx_record_encode(&body, attr, to);
}

static void dump_thread(struct pfx_session *session, struct pfx_thread *thread,
			const struct pfx_attr *attr, struct pfx_buffer *to)
{
	struct pfx_body body = {
		.type = PFX_RECORD_COMM,
		.comm = {.pid = thread->pid, .tid = thread->tid, .comm = thread->comm->text},
	};

	if (has_name(thread))
		pfx_record_encode(&body, attr, to);
	dump_namespaces(thread, attr, to);
	if (thread->pid == thread->tid)
		dump_maps(session, thread, attr, to);
}

void pfx_live_dump_tasks(struct pfx_session *session, const struct pfx_attr *attr,
			 struct pfx_buffer *to)
{
	uint32_t nr = pfx_session_nr_threads(session), i;
	struct pfx_thread *thread;

	for (i = 0; i < nr; i++) {
		thread = pfx_session_thread_at(session, i);
		if (!thread->exited && thread->tid && thread->pid != (uint32_t)-1)
			dump_thread(session, thread, attr, to);
	}
}

void pfx_live_apply(struct pfx_session *session, const struct pfx_meta *meta,
		    const struct pfx_buffer *records)
{
	struct pfx_record rec;
	size_t at;

	for (at = 0; at < records->len; at += rec.size) {
		pfx_record_init(&rec, records->at + at, false, 0);
		pfx_meta_identify(meta, &rec);
		pfx_session_apply(session, &rec);
	}
}
