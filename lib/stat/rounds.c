/* SPDX-License-Identifier: MIT */
/*
 * Reads the records of counts: the configuration, the thread map, the counts, the ends of rounds.
 */
#include "stat/rounds.h"

#include <stdlib.h>
#include <string.h>

#define THREAD_SIZE 24 /* of an entry of THREAD_MAP: u64 pid, char comm[16] */

/* Tags of STAT_CONFIG. */
enum { TAG_BY, TAG_INTERVAL, TAG_SCALE, TAG_CACHE_LEVEL };

static void take_config(struct pfx_stat_rounds *r, const struct pfx_stat_config *config)
{
	uint64_t i, value;

	for (i = 0; i + 1 < config->entries.nr; i += 2) {
		value = pfx_word(&config->entries, i + 1);
		switch (pfx_word(&config->entries, i)) {
		case TAG_BY:
			r->by = (uint32_t)value;
			break;
		case TAG_INTERVAL:
			r->interval_ms = value;
			break;
		case TAG_SCALE:
			r->no_scale = !value;
			break;
		case TAG_CACHE_LEVEL:
			r->cache_level = (unsigned)value;
			break;
		}
	}
}

static void take_threads(struct pfx_stat_rounds *r, const struct pfx_thread_map *map, bool swap)
{
	const uint8_t *at;
	uint64_t i;

	for (i = 0; i < map->nr && (i + 1) * THREAD_SIZE <= map->entries.size; i++) {
		struct pfx_stat_thread thread = {0};

		at = map->entries.at + THREAD_SIZE * i;
		thread.tid = (int)pfx_load64(at, swap);
		memcpy(thread.comm, at + 8, sizeof(thread.comm) - 1);
		pfx_vec_push(&r->threads, thread);
	}
}

static uint64_t key_of(uint64_t event, uint32_t cpu, uint32_t thread)
{
	return event << 48 ^ (uint64_t)(cpu & 0xffffff) << 24 ^ (thread & 0xffffff);
}

static void take_count(struct pfx_stat_rounds *r, const struct pfx_meta *meta,
		       const struct pfx_stat *said)
{
	const struct pfx_event *event = pfx_meta_find_id(meta, said->id);
	struct pfx_stat_source *source;
	uint64_t *place;

	if (!event)
		return;
	place = pfx_hash_add(&r->by_key, key_of(event->idx, said->cpu, said->thread), NULL);
	if (!*place) {
		source = pfx_vec_add(&r->sources);
		*source = (struct pfx_stat_source){
			.event = event->idx, .cpu = (int)said->cpu, .thread = said->thread};
		*place = r->sources.nr;
	}
	source = &r->sources.at[*place - 1];
	source->now = (struct pfx_count){said->val, said->ena, said->run};
	if (!source->is_fresh)
		pfx_vec_push(&r->fresh, (uint32_t)(*place - 1));
	source->is_fresh = true;
}

int pfx_stat_rounds_take(struct pfx_stat_rounds *r, const struct pfx_meta *meta,
			 const struct pfx_record *rec, struct pfx_stat_round *ret,
			 struct pfx_error *err)
{
	struct pfx_body body;
	int rc;

	if (rec->type != PFX_RECORD_STAT_CONFIG && rec->type != PFX_RECORD_STAT &&
	    rec->type != PFX_RECORD_STAT_ROUND && rec->type != PFX_RECORD_THREAD_MAP)
		return 0;
	rc = pfx_record_decode(rec, NULL, &body, err);
	if (rc < 0)
		return rc;
	if (rec->type == PFX_RECORD_STAT_CONFIG)
		take_config(r, &body.stat_config);
	else if (rec->type == PFX_RECORD_THREAD_MAP)
		take_threads(r, &body.thread_map, body.swap);
	else if (rec->type == PFX_RECORD_STAT)
		take_count(r, meta, &body.stat);
	else
		*ret = body.stat_round;
	return rec->type == PFX_RECORD_STAT_ROUND;
}

struct pfx_count pfx_stat_source_count(const struct pfx_stat_source *source)
{
	return (struct pfx_count){source->now.value - source->last.value,
				  source->now.enabled - source->last.enabled,
				  source->now.running - source->last.running};
}

const struct pfx_stat_thread *pfx_stat_source_thread(const struct pfx_stat_rounds *r,
						     const struct pfx_stat_source *source)
{
	return source->thread < r->threads.nr ? &r->threads.at[source->thread] : NULL;
}

static int by_place(const void *a, const void *b, void *sources)
{
	const struct pfx_stat_source *all = sources;
	const struct pfx_stat_source *x = &all[*(const uint32_t *)a];
	const struct pfx_stat_source *y = &all[*(const uint32_t *)b];

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

void pfx_stat_rounds_sort(struct pfx_stat_rounds *r)
{
	if (r->fresh.nr)
		qsort_r(r->fresh.at, r->fresh.nr, sizeof(*r->fresh.at), by_place, r->sources.at);
}

void pfx_stat_rounds_end(struct pfx_stat_rounds *r)
{
	struct pfx_stat_source *source;
	size_t i;

	for (i = 0; i < r->fresh.nr; i++) {
		source = &r->sources.at[r->fresh.at[i]];
		source->last = source->now;
		source->is_fresh = false;
	}
	r->fresh.nr = 0;
}

void pfx_stat_rounds_fini(struct pfx_stat_rounds *r)
{
	pfx_vec_free(&r->sources);
	pfx_vec_free(&r->fresh);
	pfx_vec_free(&r->threads);
	pfx_hash_fini(&r->by_key);
}
