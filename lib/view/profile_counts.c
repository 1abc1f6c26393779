/* SPDX-License-Identifier: MIT */
/* A row for each distinct combination of ids. Numbers of samples are kept in parts, so that a
 * single sample is seen for a while. */
#include "view/profile_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "unwind/place_joiner.h"
#include "view/place_frames_internal.h"

#define PARTS 256 /* of a sample */
#define LEAST 16  /* parts of a row that is kept */

struct counted_key {
	uint32_t event, chain, place, thread, comm, cpu;
	uint64_t time; /* 0: not kept */
};

struct counted {
	struct counted_key key;
	uint64_t period, parts;
};

struct pfx_profile_counts {
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	enum pfx_profile_frames frames_by;
	bool keeps_times;
	PFX_VEC(struct counted) rows;
	struct pfx_id_table by_key;
	/* A profile does not distinguish the places of a function: after a while all are counted
	 * for the first one. */
	struct pfx_place_joiner *joined;
};

struct pfx_profile_counts *pfx_profile_counts_new(struct pfx_session *session,
						  struct pfx_resolver *resolver,
						  enum pfx_profile_frames frames_by)
{
	struct pfx_profile_counts *counts = pfx_calloc(1, sizeof(*counts));

	counts->session = session;
	counts->resolver = resolver;
	counts->frames_by = frames_by;
	counts->joined = pfx_place_joiner_new(resolver);
	return counts;
}

void pfx_profile_counts_keep_times(struct pfx_profile_counts *counts)
{
	counts->keeps_times = true;
}

void pfx_profile_counts_free(struct pfx_profile_counts *counts)
{
	if (!counts)
		return;
	pfx_vec_free(&counts->rows);
	pfx_id_table_fini(&counts->by_key);
	pfx_place_joiner_free(counts->joined);
	free(counts);
}

static uint64_t hash_of(const struct counted_key *key)
{
	return pfx_hash_u64(((uint64_t)key->place << 32 | key->chain) ^
			    pfx_hash_u64((uint64_t)key->thread << 32 | key->comm) ^
			    ((uint64_t)key->cpu << 40 | (uint64_t)key->event << 20)) ^
	       (key->time ? pfx_hash_u64(key->time) : 0);
}

static struct counted *row_of(struct pfx_profile_counts *counts, const struct counted_key *key)
{
	uint64_t hash = hash_of(key), probe = hash;
	struct counted *row;
	uint32_t id;

	while (pfx_id_table_next(&counts->by_key, hash, &probe, &id))
		if (!memcmp(&counts->rows.at[id].key, key, sizeof(*key)))
			return &counts->rows.at[id];
	pfx_id_table_add(&counts->by_key, hash, (uint32_t)counts->rows.nr);
	row = pfx_vec_add(&counts->rows);
	*row = (struct counted){.key = *key};
	return row;
}

static void count(struct counted *row, uint64_t period)
{
	row->period += period;
	row->parts += PARTS;
}

void pfx_profile_counts_add_to(struct pfx_profile_counts *counts, uint32_t row, uint64_t period)
{
	count(&counts->rows.at[row], period);
}

uint32_t pfx_profile_counts_add(struct pfx_profile_counts *counts, const struct pfx_event *event,
				const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct counted_key key = {
		.event = event->idx,
		.thread = thread->id,
		.comm = thread->comm->id,
		.cpu = sample->cpu,
		.time = counts->keeps_times ? sample->time : 0,
	};
	struct pfx_chain_found chain = {0};
	struct counted *row;

	key.place = pfx_resolve_id(counts->resolver, thread, sample->cpumode, sample->ip);
	if (sample->chain.nr || sample->stack.size)
		pfx_resolve_frames(counts->resolver, thread, sample, &chain);
	key.chain = pfx_chain_of(counts->resolver, &chain);
	row = row_of(counts, &key);
	count(row, sample->period);
	return (uint32_t)(row - counts->rows.at);
}

/* Rows become few: the addresses of a function are one from now on. What was too little at the last
 * time is dropped. */
void pfx_profile_counts_age(struct pfx_profile_counts *counts, unsigned part, unsigned whole)
{
	bool joins = counts->frames_by == PFX_FRAMES_BY_FUNCTION && !counts->keeps_times;
	struct counted *old = counts->rows.at, *from, *to;
	size_t nr = counts->rows.nr, i;

	memset(&counts->rows, 0, sizeof(counts->rows));
	pfx_id_table_fini(&counts->by_key);
	for (i = 0; i < nr; i++) {
		from = &old[i];
		if (from->parts < LEAST)
			continue;
		if (joins && !from->key.chain)
			from->key.place = pfx_join_place_of_dso(counts->joined, from->key.place);
		to = row_of(counts, &from->key);
		to->period += from->period / whole * part + from->period % whole * part / whole;
		to->parts += from->parts * part / whole;
	}
	free(old);
}

static uint32_t whole_samples(const struct counted *row)
{
	return (uint32_t)((row->parts + PARTS / 2) / PARTS);
}

void pfx_profile_counts_total(const struct pfx_profile_counts *counts, uint32_t event,
			      uint64_t *ret_samples, uint64_t *ret_period)
{
	const struct counted *row;
	size_t i;

	*ret_samples = *ret_period = 0;
	for (i = 0; i < counts->rows.nr; i++) {
		row = &counts->rows.at[i];
		if (row->key.event != event || !whole_samples(row))
			continue;
		*ret_samples += whole_samples(row);
		*ret_period += row->period;
	}
}

/* --- a profile --- */

struct making {
	struct pfx_profile_counts *counts;
	struct pfx_profile_maker *maker;
	struct pfx_place_frames *frames;
	struct pfx_hash processes, threads; /* pid, id of the session -> index in the profile */
};

static void prepare(const struct pfx_profile_counts *counts)
{
	bool lines = counts->frames_by != PFX_FRAMES_BY_FUNCTION;
	size_t nr = counts->rows.nr, i;
	uint32_t *places = pfx_malloc((nr + 1) * sizeof(*places));
	uint32_t *chains = pfx_malloc((nr + 1) * sizeof(*chains));
	struct pfx_prepare wanted = {places, chains, (uint32_t)nr, (uint32_t)nr, lines, lines};

	for (i = 0; i < nr; i++) {
		places[i] = counts->rows.at[i].key.place;
		chains[i] = counts->rows.at[i].key.chain;
	}
	pfx_resolver_prepare(counts->resolver, &wanted);
	free(places);
	free(chains);
}

static uint32_t process_of(struct making *making, const struct pfx_thread *thread)
{
	struct pfx_profile_process process = {.pid = thread->pid, .comm = thread->comm->text};
	bool is_new;
	uint64_t *at = pfx_hash_add(&making->processes, thread->pid, &is_new);

	if (is_new && thread->pid != (uint32_t)-1 && thread->pid != thread->tid)
		process.comm = pfx_session_thread(making->counts->session, thread->pid, thread->pid)
				       ->comm->text;
	if (is_new)
		*at = pfx_profile_add_process(making->maker, &process);
	return (uint32_t)*at;
}

static uint32_t thread_of(struct making *making, uint32_t id)
{
	const struct pfx_thread *thread = pfx_session_thread_at(making->counts->session, id);
	struct pfx_profile_thread own = {
		.tid = thread->tid,
		.comm = thread->comm->text,
		.start = thread->start_time,
	};
	bool is_new;
	uint64_t *at = pfx_hash_add(&making->threads, id, &is_new);

	if (is_new) {
		own.process = process_of(making, thread);
		*at = pfx_profile_add_thread(making->maker, &own);
	}
	return (uint32_t)*at;
}

static void add_events(struct making *making)
{
	const struct pfx_session *session = making->counts->session;
	const struct pfx_meta *meta = pfx_session_meta(session);
	const struct pfx_session_stats *stats = pfx_session_stats(session);
	struct pfx_profile_event event;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		event = (struct pfx_profile_event){
			.name = meta->events[i]->name,
			.leader = meta->events[i]->leader,
			.nr_members = meta->events[i]->nr_members,
		};
		pfx_profile_add_event(making->maker, &event);
	}
	pfx_profile_add_lost(making->maker, stats->nr_lost + stats->nr_lost_samples);
}

static void add_row(struct making *making, const struct counted *row)
{
	const struct pfx_comm_ref *comm =
		pfx_session_comm_at(making->counts->session, row->key.comm);
	uint32_t count = whole_samples(row);
	struct pfx_profile_sample sample = {
		.time = making->counts->keeps_times ? row->key.time : PFX_NO_TIME,
		.period = row->period,
		.event = row->key.event,
		.cpu = row->key.cpu,
		.count = count,
	};

	if (!count)
		return;
	sample.task =
		pfx_profile_add_task(making->maker, thread_of(making, row->key.thread), comm->text);
	sample.stack = pfx_place_frames_stack(making->frames, row->key.chain, row->key.place);
	pfx_profile_add_sample(making->maker, &sample);
}

struct pfx_profile *pfx_profile_counts_make(struct pfx_profile_counts *counts)
{
	struct making making = {.counts = counts};
	size_t i;

	prepare(counts);
	making.maker = pfx_profile_maker_new(counts->frames_by, counts->keeps_times);
	making.frames = pfx_place_frames_new(counts->resolver, making.maker, counts->frames_by,
					     false, false);
	for (i = 0; i < counts->rows.nr; i++)
		if (counts->rows.at[i].key.chain)
			pfx_place_frames_want(making.frames, counts->rows.at[i].key.chain);
	pfx_place_frames_add_chains(making.frames);
	add_events(&making);
	for (i = 0; i < counts->rows.nr; i++)
		add_row(&making, &counts->rows.at[i]);
	pfx_place_frames_offer_broken(making.frames);
	pfx_place_frames_free(making.frames);
	pfx_hash_fini(&making.processes);
	pfx_hash_fini(&making.threads);
	return pfx_profile_maker_finish(making.maker);
}
