/* SPDX-License-Identifier: MIT */
/*
 * Reads samples as ids: of the place, the call chain, the thread and its name. When all are read,
 * symbols are looked up once for each distinct chain: see place_frames.c. Filters by process,
 * thread and name are applied here, so that a profile of one process is small.
 */
#include "view/read_profile.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "code/read_costs.h"
#include "read/chain_queue.h"
#include "unwind/pointer_chain.h"
#include "view/place_frames_internal.h"
#include "view/profile/make_profile.h"

/* A combination of two ids in order of appearance; most first ids have one second id. */
struct pairs {
	PFX_VEC(uint64_t) at;    /* first << 32 | second */
	PFX_VEC(uint32_t) first; /* by first id: its first pair, plus 1 */
	struct pfx_hash others;
};

struct exec {
	uint32_t thread;
	uint64_t time;
	char *comm;
};

/* Samples of a stack with its first event. */
struct uses {
	uint64_t nr;
	uint32_t event;
};

/* A sample in the queue; its stack is known when its chain is. */
struct queued {
	struct pfx_profile_sample row;
	uint32_t place;
};

struct reading {
	struct pfx_profile_reading asked;
	struct pfx_chain_queue *queue; /* NULL: samples are counted at once */
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_profile_maker *maker;
	struct pairs stacks;        /* chain and place; */
	struct pairs bare;          /* place and 0, without a chain */
	struct pairs tasks;         /* thread and name */
	PFX_VEC(struct uses) uses;  /* by pair of `stacks`: for the ends of chains */
	struct pairs other_uses;    /* stack and another event than the first one; */
	PFX_VEC(uint64_t) other_nr; /* samples of each of these */
	PFX_VEC(uint64_t) ends;     /* of threads, by id */
	PFX_VEC(struct exec) execs;
	PFX_VEC(struct pfx_profile_marker) losses;
	PFX_VEC(struct pfx_stack_sum) rejected; /* by event */
};

static uint32_t pair_id(struct pairs *pairs, uint32_t a, uint32_t b)
{
	uint64_t pair = (uint64_t)a << 32 | b, *other;
	uint32_t *first = pfx_vec_slot(&pairs->first, a);
	bool is_new;

	if (*first && pairs->at.at[*first - 1] == pair)
		return *first - 1;
	if (*first) {
		other = pfx_hash_add(&pairs->others, pair, &is_new);
		if (!is_new)
			return (uint32_t)*other;
		*other = pairs->at.nr;
	} else {
		*first = (uint32_t)pairs->at.nr + 1;
	}
	pfx_vec_push(&pairs->at, pair);
	return (uint32_t)pairs->at.nr - 1;
}

static void pairs_fini(struct pairs *pairs)
{
	pfx_vec_free(&pairs->at);
	pfx_vec_free(&pairs->first);
	pfx_hash_fini(&pairs->others);
}

/* --- while reading --- */

static void count_use(struct reading *reading, uint32_t stack, uint32_t event)
{
	struct uses *uses = pfx_vec_slot(&reading->uses, stack);

	if (!uses->nr)
		uses->event = event;
	if (uses->event == event)
		uses->nr++;
	else
		++*pfx_vec_slot(&reading->other_nr, pair_id(&reading->other_uses, stack, event));
}

/* Stacks with a chain have even numbers, others odd ones. */
static uint32_t stack_id(struct reading *reading, uint32_t chain, const struct queued *entry)
{
	uint32_t stack;

	if (!chain)
		return pair_id(&reading->bare, entry->place, 0) * 2 + 1;
	stack = pair_id(&reading->stacks, chain, entry->place);
	count_use(reading, stack, entry->row.event);
	return stack * 2;
}

/* In the thread of the queue: stacks and rows are its own while samples are read. */
static void take_queued(void *context, void *entries, const uint32_t *chains, uint32_t nr)
{
	struct reading *reading = context;
	struct queued *entry = entries;
	uint32_t i;

	for (i = 0; i < nr; i++, entry++) {
		entry->row.stack = stack_id(reading, chains[i], entry);
		pfx_profile_add_sample(reading->maker, &entry->row);
	}
}

static bool has_chain(const struct reading *reading, const struct pfx_sample *sample)
{
	if (reading->asked.no_chains)
		return false;
	return sample->chain.nr || sample->stack.size ||
	       (reading->asked.hists && sample->branch.nr &&
		pfx_hists_options(reading->asked.hists)->branch_history);
}

/* Returns the sample's chain, which is looked up once for the hists and for the profile. */
static uint32_t count_in_hists(struct reading *reading, const struct pfx_event *event,
			       const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct pfx_chain_found found = {0};
	struct pfx_hist_known known = {0};
	uint32_t chain;

	if (has_chain(reading, sample))
		pfx_resolve_frames(reading->resolver, thread, sample, &found);
	chain = pfx_chain_of(reading->resolver, &found);
	known.chain = &chain;
	pfx_hists_add_known(reading->asked.hists, event, sample, thread, &known);
	return chain;
}

static void reject(struct reading *reading, const struct pfx_event *event,
		   const struct pfx_sample *sample)
{
	struct pfx_stack_sum *sum = pfx_vec_slot(&reading->rejected, event->idx);

	sum->samples++;
	sum->period += sample->period;
}

static void take_sample(void *context, const struct pfx_event *event,
			const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct reading *reading = context;
	const struct pfx_filter *filter = reading->asked.filter;
	struct queued entry = {
		.row.time = sample->time,
		.row.period = sample->period,
		.row.event = event->idx,
		.row.cpu = sample->cpu,
	};
	struct pfx_chain_found found = {0};
	uint32_t chain;

	if (reading->asked.hists)
		chain = count_in_hists(reading, event, sample, thread);
	if (!pfx_filter_thread(filter, thread) || !pfx_filter_comm(filter, thread->comm->text)) {
		reject(reading, event, sample);
		return;
	}
	entry.place = pfx_resolve_id(reading->resolver, thread, sample->cpumode, sample->ip);
	if (!reading->asked.hists && has_chain(reading, sample))
		pfx_resolve_frames(reading->resolver, thread, sample, &found);
	entry.row.task = pair_id(&reading->tasks, thread->id, thread->comm->id);
	if (reading->asked.take)
		reading->asked.take(reading->asked.take_context, event, sample, thread);
	if (reading->asked.self_costs)
		pfx_costs_take_self(reading->asked.self_costs, event, sample, thread);
	if (reading->queue) {
		pfx_chain_queue_put(reading->queue, &entry, &found);
		return;
	}
	if (!reading->asked.hists)
		chain = pfx_chain_of(reading->resolver, &found);
	take_queued(reading, &entry, &chain, 1);
	if (reading->asked.costs)
		pfx_costs_take(reading->asked.costs, event, sample, thread);
}

static void take_exec(struct reading *reading, const struct pfx_record *rec,
		      const struct pfx_comm *comm)
{
	const struct pfx_thread *thread =
		pfx_session_thread(reading->session, comm->pid, comm->tid);

	if (pfx_filter_comm(reading->asked.filter, comm->comm))
		pfx_vec_push(&reading->execs,
			     ((struct exec){thread->id, rec->time, pfx_strdup(comm->comm)}));
}

static void take_loss(struct reading *reading, const struct pfx_record *rec, uint64_t nr)
{
	pfx_vec_push(&reading->losses, ((struct pfx_profile_marker){.kind = PFX_MARKER_LOST,
								    .task = PFX_NO_ID,
								    .time = rec->time,
								    .value = nr}));
}

static void take_record(void *context, const struct pfx_record *rec)
{
	struct reading *reading = context;
	const struct pfx_thread *thread;
	struct pfx_body body;

	if (reading->asked.running && reading->asked.hists)
		pfx_hists_set_parallelism(reading->asked.hists,
					  pfx_running_take(reading->asked.running, rec));
	if (rec->type != PFX_RECORD_COMM && rec->type != PFX_RECORD_EXIT &&
	    rec->type != PFX_RECORD_LOST && rec->type != PFX_RECORD_LOST_SAMPLES)
		return;
	if (pfx_record_decode(rec, rec->event ? &rec->event->attr : NULL, &body, NULL))
		return;
	if (rec->type == PFX_RECORD_COMM && rec->misc & PFX_MISC_COMM_EXEC) {
		take_exec(reading, rec, &body.comm);
	} else if (rec->type == PFX_RECORD_EXIT) {
		thread = pfx_session_thread(reading->session, body.task.pid, body.task.tid);
		*pfx_vec_slot(&reading->ends, thread->id) = body.task.time;
	} else if (rec->type == PFX_RECORD_LOST) {
		take_loss(reading, rec, body.lost.lost);
	} else if (rec->type == PFX_RECORD_LOST_SAMPLES) {
		take_loss(reading, rec, body.lost_samples);
	}
}

/* --- afterwards: threads --- */

struct threads {
	struct reading *reading;
	uint32_t *ids;             /* index in the profile by id of the session, plus 1 */
	struct pfx_hash processes; /* pid -> index in the profile */
	struct pfx_hash leaders;   /* pid -> its first thread */
};

static void find_leaders(struct threads *threads)
{
	struct pfx_session *session = threads->reading->session;
	uint32_t nr = pfx_session_nr_threads(session), i;
	struct pfx_thread *thread;

	threads->ids = pfx_calloc(nr + 1ul, sizeof(*threads->ids));
	for (i = 0; i < nr; i++) {
		thread = pfx_session_thread_at(session, i);
		if (thread->pid == thread->tid)
			*pfx_hash_add(&threads->leaders, thread->pid, NULL) = i;
	}
}

static uint32_t process_of(struct threads *threads, const struct pfx_thread *thread)
{
	struct reading *reading = threads->reading;
	const uint64_t *leader = pfx_hash_get(&threads->leaders, thread->pid);
	bool is_new;
	uint64_t *at = pfx_hash_add(&threads->processes, thread->pid, &is_new);
	struct pfx_profile_process process = {.pid = thread->pid};

	if (!is_new)
		return (uint32_t)*at;
	if (leader)
		thread = pfx_session_thread_at(reading->session, (uint32_t)*leader);
	process.comm = thread->comm->text;
	*at = pfx_profile_add_process(reading->maker, &process);
	return (uint32_t)*at;
}

static uint32_t thread_of(struct threads *threads, uint32_t id)
{
	struct reading *reading = threads->reading;
	const struct pfx_thread *thread = pfx_session_thread_at(reading->session, id);
	struct pfx_profile_thread own = {
		.tid = thread->tid,
		.comm = thread->comm->text,
		.start = thread->start_time,
	};

	if (threads->ids[id])
		return threads->ids[id] - 1;
	if (id < reading->ends.nr)
		own.end = reading->ends.at[id];
	own.process = process_of(threads, thread);
	threads->ids[id] = pfx_profile_add_thread(reading->maker, &own) + 1;
	return threads->ids[id] - 1;
}

/* Programs of threads without samples are left out: filters may have dropped them. */
static void add_markers(struct threads *threads)
{
	struct reading *reading = threads->reading;
	struct pfx_profile_marker marker = {.kind = PFX_MARKER_EXEC};
	const struct exec *exec;
	size_t i = 0, k = 0;

	while (i < reading->execs.nr || k < reading->losses.nr) {
		exec = i < reading->execs.nr ? &reading->execs.at[i] : NULL;
		if (!exec || (k < reading->losses.nr && reading->losses.at[k].time < exec->time)) {
			pfx_profile_add_marker(reading->maker, &reading->losses.at[k++]);
			continue;
		}
		i++;
		if (!threads->ids[exec->thread])
			continue;
		marker.time = exec->time;
		marker.task = pfx_profile_add_task(reading->maker, thread_of(threads, exec->thread),
						   exec->comm);
		pfx_profile_add_marker(reading->maker, &marker);
	}
}

/* Returns the tasks of the profile by pair; the caller frees them. */
static uint32_t *add_tasks(struct reading *reading)
{
	struct threads threads = {.reading = reading};
	uint32_t *ids = pfx_malloc((reading->tasks.at.nr + 1) * sizeof(*ids));
	const struct pfx_comm_ref *comm;
	uint64_t pair;
	size_t i;

	find_leaders(&threads);
	for (i = 0; i < reading->tasks.at.nr; i++) {
		pair = reading->tasks.at.at[i];
		comm = pfx_session_comm_at(reading->session, (uint32_t)pair);
		ids[i] = pfx_profile_add_task(
			reading->maker, thread_of(&threads, (uint32_t)(pair >> 32)), comm->text);
	}
	add_markers(&threads);
	free(threads.ids);
	pfx_hash_fini(&threads.processes);
	pfx_hash_fini(&threads.leaders);
	return ids;
}

/* --- afterwards: events and stacks --- */

static void add_events(struct reading *reading, const struct pfx_record_counts *counts)
{
	const struct pfx_meta *meta = pfx_session_meta(reading->session);
	const struct pfx_session_stats *stats = pfx_session_stats(reading->session);
	struct pfx_profile_event event;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		event = (struct pfx_profile_event){
			.name = meta->events[i]->name,
			.leader = meta->events[i]->leader,
			.nr_members = meta->events[i]->nr_members,
		};
		if (i < reading->rejected.nr) {
			event.nr_rejected = reading->rejected.at[i].samples;
			event.rejected_period = reading->rejected.at[i].period;
		}
		pfx_record_counts_event(counts, i, &event.nr_lost);
		pfx_profile_add_event(reading->maker, &event);
	}
	pfx_profile_add_lost(reading->maker, stats->nr_lost + stats->nr_lost_samples);
}

/* Looks up everything at once, so that slow work is done on several threads. */
static void prepare(struct reading *reading)
{
	const struct pairs *stacks = &reading->stacks, *bare = &reading->bare;
	size_t nr = stacks->at.nr + bare->at.nr, i;
	uint32_t *places = pfx_malloc((nr + 1) * sizeof(*places));
	uint32_t *chains = pfx_malloc((nr + 1) * sizeof(*chains));
	bool lines = reading->asked.frames_by != PFX_FRAMES_BY_FUNCTION;
	struct pfx_prepare wanted = {places, chains, (uint32_t)nr, (uint32_t)stacks->at.nr,
				     lines,  lines};

	for (i = 0; i < stacks->at.nr; i++) {
		chains[i] = (uint32_t)(stacks->at.at[i] >> 32);
		places[i] = (uint32_t)stacks->at.at[i];
	}
	for (i = 0; i < bare->at.nr; i++)
		places[stacks->at.nr + i] = (uint32_t)(bare->at.at[i] >> 32);
	pfx_resolver_prepare(reading->resolver, &wanted);
	free(places);
	free(chains);
}

static void count_end(struct reading *reading, size_t stack, const struct uses *uses)
{
	const struct pfx_meta *meta = pfx_session_meta(reading->session);
	const struct pfx_attr *attr = &meta->events[uses->event]->attr;
	uint32_t chain = (uint32_t)(reading->stacks.at.at[stack] >> 32);

	if (pfx_pointer_chain_recorded(attr))
		pfx_pointer_chain_count(reading->resolver, attr, chain, uses->nr);
}

/* Call chains that do not reach the start of their thread are counted by the resolver. */
static void count_chain_ends(struct reading *reading)
{
	const struct pairs *others = &reading->other_uses;
	size_t i;

	for (i = 0; i < reading->uses.nr; i++)
		count_end(reading, i, &reading->uses.at[i]);
	for (i = 0; i < others->at.nr; i++)
		count_end(reading, others->at.at[i] >> 32,
			  &(struct uses){reading->other_nr.at[i], (uint32_t)others->at.at[i]});
}

/* Returns the stacks of the profile by stack_id(); the caller frees them. */
static uint32_t *add_stacks(struct reading *reading)
{
	const struct pairs *stacks = &reading->stacks, *bare = &reading->bare;
	size_t nr = stacks->at.nr > bare->at.nr ? stacks->at.nr : bare->at.nr, i;
	uint32_t *ids = pfx_calloc(2 * nr + 2, sizeof(*ids));
	struct pfx_place_frames *frames =
		pfx_place_frames_new(reading->resolver, reading->maker, reading->asked.frames_by,
				     reading->asked.function_lines, reading->asked.join_broken);

	for (i = 0; i < stacks->at.nr; i++)
		pfx_place_frames_want(frames, (uint32_t)(stacks->at.at[i] >> 32));
	pfx_place_frames_add_chains(frames);
	for (i = 0; i < stacks->at.nr; i++)
		ids[2 * i] = pfx_place_frames_stack(frames, (uint32_t)(stacks->at.at[i] >> 32),
						    (uint32_t)stacks->at.at[i]);
	for (i = 0; i < bare->at.nr; i++)
		ids[2 * i + 1] =
			pfx_place_frames_stack(frames, 0, (uint32_t)(bare->at.at[i] >> 32));
	if (reading->asked.offer_broken)
		pfx_place_frames_offer_broken(frames);
	pfx_place_frames_free(frames);
	return ids;
}

static struct pfx_profile *finish(struct reading *reading, const struct pfx_record_counts *counts)
{
	uint32_t *tasks, *stacks;

	pfx_session_update(reading->session);
	prepare(reading);
	count_chain_ends(reading);
	tasks = add_tasks(reading);
	stacks = add_stacks(reading);
	pfx_profile_map_samples(reading->maker, stacks, tasks);
	add_events(reading, counts);
	free(tasks);
	free(stacks);
	return pfx_profile_maker_finish(reading->maker);
}

static void reading_fini(struct reading *reading)
{
	size_t i;

	for (i = 0; i < reading->execs.nr; i++)
		free(reading->execs.at[i].comm);
	pfx_vec_free(&reading->execs);
	pfx_vec_free(&reading->losses);
	pfx_vec_free(&reading->ends);
	pairs_fini(&reading->stacks);
	pairs_fini(&reading->bare);
	pairs_fini(&reading->tasks);
	pairs_fini(&reading->other_uses);
	pfx_vec_free(&reading->rejected);
	pfx_vec_free(&reading->uses);
	pfx_vec_free(&reading->other_nr);
}

/* Costs and hists need the ids of chains at once. */
static int read_samples(struct reading *reading, const struct pfx_samples_reading *samples,
			struct pfx_error *err)
{
	int rc;

	if (reading->asked.costs || reading->asked.hists)
		return pfx_samples_read(samples, err);
	reading->queue =
		pfx_chain_queue_new(reading->resolver, sizeof(struct queued), take_queued, reading);
	rc = pfx_samples_read(samples, err);
	pfx_chain_queue_settle(reading->queue);
	pfx_chain_queue_free(reading->queue);
	return rc;
}

int pfx_profile_read(const struct pfx_profile_reading *asked, struct pfx_profile **ret,
		     struct pfx_error *err)
{
	static const struct pfx_filter all;
	struct pfx_record_counts counts = {0};
	struct reading reading = {
		.asked = *asked,
		.session = pfx_recording_session(asked->recording),
		.resolver = pfx_recording_resolver(asked->recording),
		.maker = pfx_profile_maker_new(asked->frames_by, asked->keep_times),
	};
	struct pfx_samples_reading samples = {
		.recording = asked->recording,
		.batch = !asked->no_chains,
		.times = asked->times,
		.event_switch = asked->event_switch,
		.counts = asked->counts ? asked->counts : &counts,
		.take = take_sample,
		.other = take_record,
		.context = &reading,
		.step = asked->step,
		.step_context = asked->step_context,
	};
	int rc;

	if (asked->page)
		pfx_profile_maker_page(reading.maker);
	if (!asked->filter)
		reading.asked.filter = &all;
	samples.filter = reading.asked.filter;
	rc = read_samples(&reading, &samples, err);
	if (rc < 0)
		pfx_profile_maker_free(reading.maker);
	else
		*ret = finish(&reading, samples.counts);
	pfx_record_counts_fini(&counts);
	reading_fini(&reading);
	return rc;
}
