/* SPDX-License-Identifier: MIT */
/*
 * Writes the counts as records of a perf.data file, in addition to printing. Each count is the
 * total since the counter's start; a round ends each reading.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat/counting_internal.h"
#include "sys/host/host.h"
#include "sys/synth/synth.h"

static void describe_event(struct pfx_stat_runner *run, size_t i)
{
	const struct pfx_counter *counter = &run->counters.list.at[i];
	const struct pfx_stat_event *row = &run->stat.events.at[i];
	struct pfx_attr attr = counter->attr;
	struct pfx_event *event;
	size_t fd;

	attr.flags &= ~PFX_ATTR_ENABLE_ON_EXEC;
	event = pfx_meta_add_event(run->meta, &attr, row->name);
	event->leader = counter->leader;
	event->unit = *row->unit ? row->unit : NULL;
	event->scale = row->scale;
	for (fd = 0; fd < counter->fds.nr && !(fd && row->tool != PFX_STAT_COUNTER); fd++)
		pfx_meta_add_id(run->meta, event, counter->fds.at[fd].id);
}

static int describe(struct pfx_stat_runner *run, struct pfx_error *err)
{
	const char **words = pfx_calloc((size_t)run->argc + 2, sizeof(*words));
	struct pfx_host_options host = {.argc = run->argc + 1, .argv = words};
	size_t i;
	int rc;

	words[0] = "pfx";
	memcpy(words + 1, run->argv, (size_t)run->argc * sizeof(*words));
	run->meta = pfx_meta_new();
	run->meta->is_pipe = !strcmp(run->options->record_output, "-");
	for (i = 0; i < run->counters.list.nr; i++)
		describe_event(run, i);
	pfx_meta_update(run->meta);
	rc = pfx_host_describe(run->meta, &host, err);
	free(words);
	pfx_env_set(&run->meta->env, PFX_FEAT_EVENT_DESC);
	pfx_env_set(&run->meta->env, PFX_FEAT_STAT);
	return rc;
}

static void put_config(const struct pfx_stat_runner *run, struct pfx_buffer *to)
{
	const struct pfx_stat_plan *o = run->options;
	uint64_t by = run->by >= PFX_STAT_BY_CACHE ? PFX_STAT_BY_ALL : run->by;
	const uint64_t entries[] = {0, by, 1, o->interval_ms, 2, o->scale};
	struct pfx_body body = {
		.type = PFX_RECORD_STAT_CONFIG,
		.stat_config.entries = {(const uint8_t *)entries, 6, false},
	};

	pfx_record_encode(&body, NULL, to);
}

static int append(struct pfx_stat_runner *run, struct pfx_buffer *from, struct pfx_error *err)
{
	int rc = pfx_writer_append(run->writer, from->at, from->len, err);

	pfx_buffer_fini(from);
	return rc;
}

/* Values measured without a counter are written once, for the first CPU. */
static void put_update(const struct pfx_stat_runner *run, uint32_t i, struct pfx_buffer *to)
{
	const struct pfx_counter *counter = &run->counters.list.at[i];
	const struct pfx_event *event = run->meta->events[i];
	int first = counter->fds.nr ? counter->fds.at[0].cpu : -1;
	const struct pfx_list one = {&first, 1};
	const struct pfx_list *cpus = &counter->cpus;

	if (run->stat.events.at[i].tool != PFX_STAT_COUNTER && first >= 0)
		cpus = &one;
	if (event->nr_ids)
		pfx_synth_event_update(event, cpus, run->meta->is_pipe, to);
}

int pfx_stat_record_begin(struct pfx_stat_runner *run, struct pfx_error *err)
{
	struct pfx_buffer to = {0};
	uint32_t i;
	int rc;

	if (!run->options->is_record)
		return 0;
	rc = describe(run, err);
	if (rc >= 0)
		rc = run->observer->open_file(run->observer->context, &run->writer, err);
	if (rc >= 0)
		rc = pfx_writer_begin(run->writer, run->meta, err);
	if (rc < 0)
		return rc;
	for (i = 0; i < run->meta->nr_events; i++) {
		put_update(run, i, &to);
	}
	pfx_synth_target(&run->target, &to);
	put_config(run, &to);
	return append(run, &to, err);
}

static uint32_t thread_index(const struct pfx_stat_runner *run, int tid)
{
	uint32_t i;

	for (i = 0; i < run->target.threads.nr; i++)
		if (run->target.threads.at[i].tid == tid)
			return i;
	return 0;
}

/* Counts are printed even if the file cannot be written: its error is reported last. */
static void keep_going(struct pfx_stat_runner *run, struct pfx_buffer *from)
{
	if (run->write_error.code)
		pfx_buffer_fini(from);
	else
		append(run, from, &run->write_error);
}

void pfx_stat_record_count(struct pfx_stat_runner *run, size_t event, size_t fd,
			   const uint64_t count[3])
{
	const struct pfx_counter_fd *from = &run->counters.list.at[event].fds.at[fd];
	struct pfx_buffer to = {0};
	struct pfx_body body = {
		.type = PFX_RECORD_STAT,
		.stat =
			{
				.id = from->id,
				.cpu = (uint32_t)from->cpu,
				.thread = thread_index(run, from->tid),
				.val = count[0],
				.ena = count[1],
				.run = count[2],
			},
	};

	if (!run->writer)
		return;
	pfx_record_encode(&body, NULL, &to);
	keep_going(run, &to);
}

void pfx_stat_record_round(struct pfx_stat_runner *run, bool is_final, uint64_t at_ns)
{
	struct pfx_buffer to = {0};
	struct pfx_body body = {
		.type = PFX_RECORD_STAT_ROUND,
		.stat_round = {is_final, at_ns},
	};

	if (!run->writer)
		return;
	pfx_record_encode(&body, NULL, &to);
	keep_going(run, &to);
}

int pfx_stat_record_end(struct pfx_stat_runner *run, struct pfx_error *err)
{
	if (run->write_error.code) {
		*err = run->write_error;
		return -err->code;
	}
	return run->writer ? pfx_writer_end(run->writer, err) : 0;
}
