/* SPDX-License-Identifier: MIT */
/*
 * Shows where and how long tasks slept. A sched_switch has the call chain of the sleep, a later
 * sched_stat_* of the same task its length. The switch is written in place of the sched_stat_*,
 * with the latter's time and period; sched_switch and sched_process_exit samples are dropped. The
 * exit of a task ends the search.
 */
#include <stdlib.h>
#include <string.h>

#include "event/sample.h"
#include "rewrite/inject_internal.h"
#include "trace/format.h"

#define STAT_START "sched:sched_stat_"

enum kind { OTHER, SWITCH, EXIT, STAT };

/* The last sched_switch away from a task. */
struct away {
	uint8_t *bytes;
	uint16_t size;
};

struct pfx_inject_sched {
	struct pfx_trace *trace;
	bool tried;
	PFX_VEC(struct away) tasks;
	struct pfx_hash by_tid; /* tid -> index in tasks */
	struct pfx_hash kinds;  /* attr.config -> enum kind */
};

struct pfx_inject_sched *pfx_inject_sched_new(void)
{
	return pfx_calloc(1, sizeof(struct pfx_inject_sched));
}

void pfx_inject_sched_free(struct pfx_inject_sched *sched)
{
	size_t i;

	if (!sched)
		return;
	for (i = 0; i < sched->tasks.nr; i++)
		free(sched->tasks.at[i].bytes);
	pfx_vec_free(&sched->tasks);
	pfx_hash_fini(&sched->by_tid);
	pfx_hash_fini(&sched->kinds);
	pfx_trace_free(sched->trace);
	free(sched);
}

/* Called at the first sample, when all tracepoint formats were read. */
static void open_trace(struct pfx_inject *inject)
{
	const struct pfx_env_blob *blob = &inject->meta->env.tracing_data;

	if (inject->sched->tried)
		return;
	inject->sched->tried = true;
	if (blob->size)
		pfx_trace_open(&inject->sched->trace, blob->at, blob->size,
			       &inject->result.no_formats);
}

static enum kind kind_of_name(const char *name)
{
	if (!name)
		return OTHER;
	if (!strcmp(name, "sched:sched_switch"))
		return SWITCH;
	if (!strcmp(name, "sched:sched_process_exit"))
		return EXIT;
	return strncmp(name, STAT_START, strlen(STAT_START)) ? OTHER : STAT;
}

static enum kind kind_of(struct pfx_inject *inject, const struct pfx_event *event)
{
	struct pfx_inject_sched *sched = inject->sched;
	uint64_t *slot;
	bool is_new;

	if (!event || event->attr.type != PFX_TYPE_TRACEPOINT)
		return OTHER;
	open_trace(inject);
	if (!sched->trace)
		return OTHER;
	slot = pfx_hash_add(&sched->kinds, event->attr.config, &is_new);
	if (is_new)
		*slot = kind_of_name(pfx_trace_event_name(sched->trace, event->attr.config));
	return (enum kind) * slot;
}

static void keep_switch(struct pfx_inject_sched *sched, const struct pfx_record *rec, uint32_t tid)
{
	bool is_new;
	uint64_t *slot = pfx_hash_add(&sched->by_tid, tid, &is_new);
	struct away *away;

	if (is_new) {
		*slot = sched->tasks.nr;
		pfx_vec_push(&sched->tasks, (struct away){0});
	}
	away = &sched->tasks.at[*slot];
	free(away->bytes);
	away->bytes = pfx_malloc(rec->size);
	away->size = rec->size;
	memcpy(away->bytes, rec->bytes, rec->size);
}

static void forget(struct pfx_inject_sched *sched, uint32_t tid)
{
	const uint64_t *slot = pfx_hash_get(&sched->by_tid, tid);

	if (!slot)
		return;
	free(sched->tasks.at[*slot].bytes);
	sched->tasks.at[*slot] = (struct away){0};
}

static const struct away *find_switch(struct pfx_inject_sched *sched, uint64_t tid)
{
	const uint64_t *slot = pfx_hash_get(&sched->by_tid, tid);

	return slot && sched->tasks.at[*slot].bytes ? &sched->tasks.at[*slot] : NULL;
}

/* Overwrites the word of a sample that bit @bit of sample_type adds. */
static void patch(struct pfx_buffer *sample, uint64_t type, uint64_t bit, uint64_t value)
{
	static const uint64_t order[] = {
		PFX_SAMPLE_IDENTIFIER, PFX_SAMPLE_IP,   PFX_SAMPLE_TID,
		PFX_SAMPLE_TIME,       PFX_SAMPLE_ADDR, PFX_SAMPLE_ID,
		PFX_SAMPLE_STREAM_ID,  PFX_SAMPLE_CPU,  PFX_SAMPLE_PERIOD,
	};
	size_t at = PFX_RECORD_HEADER_SIZE, i;

	if (!(type & bit))
		return;
	for (i = 0; order[i] != bit; i++)
		at += type & order[i] ? 8 : 0;
	if (at + 8 <= sample->len)
		pfx_buffer_patch64(sample, at, value);
}

/* Writes the switch with the time and period of the sched_stat_*. */
static int put_switch(struct pfx_inject *inject, const struct away *away,
		      const struct pfx_sample *stat, struct pfx_error *err)
{
	struct pfx_buffer bytes = {.swap = inject->meta->swap};
	struct pfx_record rec;
	int rc;

	pfx_buffer_bytes(&bytes, away->bytes, away->size);
	patch(&bytes, stat->type, PFX_SAMPLE_TIME, stat->time);
	patch(&bytes, stat->type, PFX_SAMPLE_PERIOD, stat->period);
	pfx_record_init(&rec, bytes.at, inject->meta->swap, 0);
	pfx_meta_identify(inject->meta, &rec);
	rc = pfx_inject_take(inject, &rec, err);
	pfx_buffer_fini(&bytes);
	inject->result.nr_sleeps++;
	return rc;
}

static int take_stat(struct pfx_inject *inject, const struct pfx_record *rec,
		     const struct pfx_sample *sample, struct pfx_error *err)
{
	const struct pfx_trace_ask ask = {rec->event->attr.config, "pid"};
	const struct away *away;
	uint64_t pid;
	int rc = 0;

	if (!pfx_trace_number(inject->sched->trace, &ask, sample->raw.at, sample->raw.size, &pid))
		return PFX_INJECT_DROP;
	away = find_switch(inject->sched, (uint32_t)pid);
	if (away)
		rc = put_switch(inject, away, sample, err);
	return rc < 0 ? rc : PFX_INJECT_DROP;
}

int pfx_inject_sched_take(struct pfx_inject *inject, const struct pfx_record *rec,
			  struct pfx_error *err)
{
	struct pfx_sample sample;
	enum kind kind = rec->type == PFX_RECORD_SAMPLE ? kind_of(inject, rec->event) : OTHER;

	if (kind == OTHER)
		return PFX_INJECT_KEEP;
	if (!pfx_sample_decode(rec, &rec->event->attr, &sample))
		return PFX_INJECT_DROP;
	if (kind == STAT)
		return take_stat(inject, rec, &sample, err);
	if (kind == SWITCH)
		keep_switch(inject->sched, rec, sample.tid);
	else
		forget(inject->sched, sample.tid);
	return PFX_INJECT_DROP;
}
