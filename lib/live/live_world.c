/* SPDX-License-Identifier: MIT */
/*
 * From records to counted samples: the session, the resolver, and making both anew. The past is the
 * state of the tasks before the oldest record of the log, so that past and log together give the
 * present.
 */
#include <stdlib.h>
#include <string.h>

#include "live/live_internal.h"

/* Above what lives when a world begins; some 100 MiB altogether. */
#define THREADS_MAX 20000
#define PLACES_MAX  300000
#define CHAINS_MAX  500000
#define PAST_MAX    20000 /* threads of the past, besides */

#define KERNEL_MAX (4u << 20) /* bytes of records about the kernel */

#define IDLE_NO  1
#define IDLE_YES 2

/* --- functions in which a CPU waits for work --- */

static bool is_idle_name(const char *name)
{
	static const char *const names[] = {
		"acpi_idle_do_entry",
		"acpi_processor_ffh_cstate_enter",
		"acpi_safe_halt",
		"arch_cpu_idle",
		"cpu_idle",
		"cpu_idle_poll",
		"cpu_startup_entry",
		"cpuidle_enter_state",
		"default_idle",
		"default_idle_call",
		"do_idle",
		"enter_idle",
		"exit_idle",
		"idle_cpu",
		"intel_idle",
		"intel_idle_ibrs",
		"intel_idle_irq",
		"io_idle",
		"mwait_idle",
		"mwait_idle_with_hints",
		"mwait_idle_with_hints.constprop.0",
		"native_safe_halt",
		"poll_idle",
		"ppc64_runlatch_off",
		"pseries_dedicated_idle_sleep",
		"psw_idle",
		"psw_idle_exit",
		"pv_native_safe_halt",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool is_idle(struct pfx_live *live, const struct pfx_sample *sample,
		    struct pfx_thread *thread)
{
	struct pfx_resolver *resolver = live->world.resolver;
	const struct pfx_symbol *sym;
	uint8_t *answer;
	uint32_t id;

	if (sample->cpumode != PFX_MODE_KERNEL || live->options.show_idle)
		return false;
	id = pfx_resolve_id(resolver, thread, sample->cpumode, sample->ip);
	answer = pfx_vec_slot(&live->idle, id);
	if (!*answer) {
		sym = pfx_place_symbol(resolver, pfx_resolver_place_at(resolver, id));
		*answer = sym && is_idle_name(sym->name) ? IDLE_YES : IDLE_NO;
	}
	return *answer == IDLE_YES;
}

/* --- samples --- */

static void count_sample(struct pfx_live *live, const struct pfx_sample *sample)
{
	struct pfx_live_counts *counts = &live->counts;

	if (live->replays)
		return;
	counts->nr_samples++;
	counts->nr_kernel += sample->cpumode == PFX_MODE_KERNEL;
	counts->nr_user += sample->cpumode == PFX_MODE_USER;
	counts->nr_guest +=
		sample->cpumode == PFX_MODE_GUEST_KERNEL || sample->cpumode == PFX_MODE_GUEST_USER;
	counts->nr_exact += (sample->misc & PFX_MISC_EXACT_IP) != 0;
}

static bool is_hidden(const struct pfx_live *live, const struct pfx_sample *sample)
{
	return (live->options.hide_kernel && sample->cpumode == PFX_MODE_KERNEL) ||
	       (live->options.hide_user && sample->cpumode == PFX_MODE_USER);
}

bool pfx_live_drops(struct pfx_live *live, const struct pfx_sample *sample,
		    struct pfx_thread *thread)
{
	return is_hidden(live, sample) || is_idle(live, sample, thread);
}

/* @entry: for samples like this one; NULL: none. */
static void hand_out(struct pfx_live *live, const struct pfx_event *event,
		     const struct pfx_sample *sample, struct pfx_thread *thread,
		     struct pfx_live_memo_entry *entry)
{
	uint32_t like;
	size_t i;

	if (live->options.event_switch &&
	    !pfx_event_switch_takes(live->options.event_switch, event))
		return;
	for (i = 0; i < live->sinks.nr; i++) {
		like = live->sinks.at[i].take(live->sinks.at[i].context, event, sample, thread);
		if (entry)
			entry->likes[i] = like;
	}
}

/* Count a sample like an earlier one; false: there is none. */
static bool take_again(struct pfx_live *live, const struct pfx_event *event,
		       const struct pfx_sample *sample)
{
	const struct pfx_live_memo_entry *entry =
		pfx_live_memo_find(&live->memo, live->world.session, event, sample);
	const struct pfx_live_sink *sink;
	size_t i;

	for (i = 0; entry && !entry->is_dropped && i < live->sinks.nr; i++)
		if (entry->likes[i] == PFX_LIVE_UNLIKE)
			return false;
	for (i = 0; entry && !entry->is_dropped && i < live->sinks.nr; i++) {
		sink = &live->sinks.at[i];
		if (entry->likes[i] != PFX_LIVE_NONE)
			sink->again(sink->context, event, entry->likes[i], sample->period);
	}
	return entry != NULL;
}

static struct pfx_live_memo_entry *remember(struct pfx_live *live, const struct pfx_event *event,
					    const struct pfx_sample *sample,
					    const struct pfx_thread *thread)
{
	const struct pfx_event_switch *sw = live->options.event_switch;

	if (live->sinks.nr > PFX_LIVE_MEMO_SINKS || (sw && (sw->on || sw->off)))
		return NULL;
	return pfx_live_memo_put(&live->memo, live->world.session, event, sample, thread);
}

static void take_parts(struct pfx_live *live, const struct pfx_event *event,
		       struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct pfx_sample_part *parts;
	uint32_t nr, i;

	nr = pfx_session_split_sample(live->world.session, event, sample, &parts);
	for (i = 0; i < nr; i++) {
		sample->id = parts[i].id;
		sample->period = parts[i].period;
		hand_out(live, parts[i].event, sample, thread, NULL);
	}
}

static void take_sample(struct pfx_live *live, const struct pfx_event *event,
			struct pfx_sample *sample)
{
	struct pfx_live_memo_entry *entry;
	struct pfx_thread *thread;

	count_sample(live, sample);
	if (take_again(live, event, sample))
		return;
	thread = pfx_session_thread(live->world.session, sample->pid, sample->tid);
	entry = remember(live, event, sample, thread);
	if (pfx_live_drops(live, sample, thread)) {
		if (entry)
			entry->is_dropped = true;
	} else if (pfx_session_splits(event)) {
		take_parts(live, event, sample, thread);
	} else {
		hand_out(live, event, sample, thread, entry);
	}
}

void pfx_live_empty_batch(struct pfx_live *live)
{
	struct pfx_stack_wait *waits;
	uint32_t nr, i;

	if (!live->batch)
		return;
	nr = pfx_stack_batch_walk(live->batch, &waits);
	for (i = 0; i < nr; i++)
		take_sample(live, waits[i].rec.event, &waits[i].sample);
	pfx_stack_batch_empty(live->batch);
}

/* True: the sample waits for others with stack dumps. */
static bool waits(struct pfx_live *live, const struct pfx_record *rec)
{
	const struct pfx_sample *sample;

	if (!(rec->event->attr.sample_type & PFX_SAMPLE_STACK_USER))
		return false;
	if (!live->batch)
		live->batch = pfx_stack_batch_new(live->world.resolver);
	if (!pfx_stack_batch_put(live->batch, rec, true, &sample)) {
		pfx_live_empty_batch(live);
		if (!pfx_stack_batch_put(live->batch, rec, true, &sample))
			return false;
	}
	if (!is_hidden(live, sample))
		pfx_stack_batch_want(live->batch, pfx_session_thread(live->world.session,
								     sample->pid, sample->tid));
	return true;
}

static void apply_sample(struct pfx_live *live, const struct pfx_record *rec)
{
	uint64_t from = live->replays ? live->replay_from : live->ready;

	if (!rec->event || (rec->time != PFX_NO_TIME && rec->time < from))
		return;
	pfx_resolver_follow(live->world.resolver, rec);
	if (waits(live, rec))
		return;
	if (pfx_sample_decode_next(rec, &rec->event->attr, &live->last, &live->sample))
		take_sample(live, rec->event, &live->sample);
	else
		live->counts.nr_bad += !live->replays;
}

/* --- other records --- */

static void count_record(struct pfx_live *live, const struct pfx_record *rec)
{
	const struct pfx_attr *attr = rec->event ? &rec->event->attr : NULL;
	struct pfx_body body;

	if (rec->type == PFX_RECORD_THROTTLE)
		live->counts.nr_throttled++;
	if ((rec->type != PFX_RECORD_LOST && rec->type != PFX_RECORD_LOST_SAMPLES) ||
	    pfx_record_decode(rec, attr, &body, NULL) < 0)
		return;
	live->counts.nr_lost += rec->type == PFX_RECORD_LOST ? body.lost.lost : body.lost_samples;
}

static void apply_other(struct pfx_live *live, const struct pfx_record *rec)
{
	pfx_live_empty_batch(live);
	if (!live->replays)
		count_record(live, rec);
	pfx_resolver_follow(live->world.resolver, rec);
	pfx_session_apply(live->world.session, rec);
	pfx_live_memo_change(&live->memo);
}

void pfx_live_take_record(void *context, struct pfx_record *rec)
{
	struct pfx_live *live = context;

	rec->bytes = pfx_live_log_add(&live->log, rec);
	if (rec->type == PFX_RECORD_SAMPLE)
		apply_sample(live, rec);
	else
		apply_other(live, rec);
}

/* --- ages --- */

static void age_sinks(struct pfx_live *live, bool zero)
{
	size_t i;

	pfx_live_empty_batch(live);
	pfx_live_memo_void(&live->memo);
	for (i = 0; i < live->sinks.nr; i++)
		live->sinks.at[i].age(live->sinks.at[i].context, zero);
}

/* A refresh is a record of the log, so that samples that are counted again have their age. Readers
 * of a snapshot skip it: the records are in order. */
void pfx_live_age(struct pfx_live *live, bool zero)
{
	const struct {
		uint32_t type;
		uint16_t misc, size;
	} mark = {PFX_RECORD_FINISHED_ROUND, zero, sizeof(mark)};
	struct pfx_record rec;

	age_sinks(live, zero);
	pfx_record_init(&rec, &mark, false, 0);
	pfx_live_log_add(&live->log, &rec);
}

/* --- the past --- */

static bool is_of_kernel(const struct pfx_record *rec)
{
	bool is_map = rec->type == PFX_RECORD_MMAP || rec->type == PFX_RECORD_MMAP2;

	return rec->type == PFX_RECORD_KSYMBOL || rec->type == PFX_RECORD_BPF_EVENT ||
	       rec->type == PFX_RECORD_CGROUP || rec->type == PFX_RECORD_TEXT_POKE ||
	       (is_map && pfx_record_cpumode(rec) == PFX_MODE_KERNEL);
}

static void take_gone(void *context, const uint8_t *bytes, size_t size)
{
	struct pfx_live *live = context;
	struct pfx_record rec;

	pfx_record_init(&rec, bytes, false, 0);
	pfx_meta_identify(live->meta, &rec);
	if (!is_of_kernel(&rec))
		pfx_session_apply(live->past, &rec);
	else if (live->kernel.len + size <= KERNEL_MAX)
		pfx_buffer_bytes(&live->kernel, bytes, size);
}

/* The past made anew, of its living tasks. */
static void shrink_past(struct pfx_live *live)
{
	struct pfx_buffer tasks = {0};

	pfx_live_dump_tasks(live->past, &live->meta->events[0]->attr, &tasks);
	pfx_session_free(live->past);
	live->past = pfx_session_new(live->meta);
	pfx_live_apply(live->past, live->meta, &tasks);
	pfx_buffer_fini(&tasks);
}

/* --- worlds --- */

static void follow(struct pfx_live *live, const struct pfx_buffer *records)
{
	struct pfx_record rec;
	size_t at;

	for (at = 0; at < records->len; at += rec.size) {
		pfx_record_init(&rec, records->at + at, false, 0);
		pfx_meta_identify(live->meta, &rec);
		rec.time = PFX_NO_TIME;
		pfx_resolver_follow(live->world.resolver, &rec);
		pfx_session_apply(live->world.session, &rec);
	}
}

/* perf's name of the kernel that runs. */
static void name_kernel(struct pfx_session *session)
{
	uint32_t i, nr = pfx_session_nr_dsos(session);
	struct pfx_dso *dso;

	for (i = 0; i < nr; i++) {
		dso = pfx_session_dso_at(session, i);
		if (dso->kind == PFX_DSO_KERNEL && !strcmp(dso->short_name, "[kernel.kallsyms]"))
			dso->short_name = "[kernel]";
	}
}

static void new_world(struct pfx_live *live, const struct pfx_buffer *tasks)
{
	struct pfx_live_world *world = &live->world;
	size_t i;

	world->meta = live->meta;
	world->session = pfx_session_new(live->meta);
	world->resolver = pfx_resolver_new(world->session, &live->options.resolve);
	follow(live, &live->kernel);
	name_kernel(world->session);
	follow(live, tasks);
	live->counts.nr_worlds++;
	live->limit = (struct pfx_live_sizes){
		.threads = pfx_session_nr_threads(world->session) + THREADS_MAX,
		.places = PLACES_MAX,
		.chains = CHAINS_MAX,
	};
	for (i = 0; i < live->sinks.nr; i++)
		live->sinks.at[i].begin(live->sinks.at[i].context, world);
}

void pfx_live_begin_world(struct pfx_live *live, const struct pfx_buffer *tasks)
{
	live->past = pfx_session_new(live->meta);
	pfx_live_apply(live->past, live->meta, tasks);
	new_world(live, tasks);
}

void pfx_live_add_tasks(struct pfx_live *live, const struct pfx_buffer *tasks)
{
	pfx_live_apply(live->past, live->meta, tasks);
	follow(live, tasks);
	pfx_live_memo_void(&live->memo);
}

static void free_world(struct pfx_live_world *world)
{
	pfx_resolver_free(world->resolver);
	pfx_session_free(world->session);
}

/* What refers to the world. */
static void forget(struct pfx_live *live)
{
	pfx_stack_batch_free(live->batch);
	live->batch = NULL;
	pfx_vec_free(&live->idle);
	pfx_live_memo_void(&live->memo);
	memset(&live->last, 0, sizeof(live->last));
}

static void take_kept(void *context, const uint8_t *bytes, size_t size)
{
	struct pfx_live *live = context;
	struct pfx_record rec;

	(void)size;
	pfx_record_init(&rec, bytes, false, 0);
	pfx_meta_identify(live->meta, &rec);
	if (rec.type == PFX_RECORD_FINISHED_ROUND)
		age_sinks(live, rec.misc);
	else if (rec.type == PFX_RECORD_SAMPLE)
		apply_sample(live, &rec);
	else
		apply_other(live, &rec);
}

/* Sinks may use the old world until the new one begins. */
void pfx_live_renew_world(struct pfx_live *live)
{
	struct pfx_live_world old = live->world;
	struct pfx_buffer tasks = {0};

	pfx_live_dump_tasks(live->past, &live->meta->events[0]->attr, &tasks);
	forget(live);
	new_world(live, &tasks);
	if (live->is_held && !live->held.session)
		live->held = old;
	else
		free_world(&old);
	pfx_alloc_trim();
	pfx_buffer_fini(&tasks);
	live->replays = true;
	live->replay_from = live->ready;
	pfx_live_log_each(&live->log, take_kept, live);
	pfx_live_empty_batch(live);
	live->replays = false;
}

/* What lives now needs no less room in the next world. */
static void raise_limits(struct pfx_live *live)
{
	uint32_t threads = pfx_session_nr_threads(live->world.session) + THREADS_MAX / 2;
	uint32_t places = pfx_resolver_nr_places(live->world.resolver) + PLACES_MAX / 2;
	uint32_t chains = pfx_resolver_nr_chains(live->world.resolver) + CHAINS_MAX / 2;

	if (live->limit.threads < threads)
		live->limit.threads = threads;
	if (live->limit.places < places)
		live->limit.places = places;
	if (live->limit.chains < chains)
		live->limit.chains = chains;
}

void pfx_live_tidy(struct pfx_live *live)
{
	pfx_live_empty_batch(live);
	pfx_live_log_trim(&live->log, live->complete, take_gone, live);
	if (pfx_session_nr_threads(live->past) > live->limit.threads + PAST_MAX)
		shrink_past(live);
	if (pfx_session_nr_threads(live->world.session) <= live->limit.threads &&
	    pfx_resolver_nr_places(live->world.resolver) <= live->limit.places &&
	    pfx_resolver_nr_chains(live->world.resolver) <= live->limit.chains)
		return;
	pfx_live_renew_world(live);
	raise_limits(live);
}

void pfx_live_drop_held(struct pfx_live *live)
{
	if (live->is_held || !live->held.session)
		return;
	free_world(&live->held);
	live->held = (struct pfx_live_world){0};
}

void pfx_live_end_world(struct pfx_live *live)
{
	forget(live);
	live->is_held = false;
	pfx_live_drop_held(live);
	free_world(&live->world);
	pfx_session_free(live->past);
	live->past = NULL;
}
