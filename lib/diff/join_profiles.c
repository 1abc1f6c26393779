/* SPDX-License-Identifier: MIT */
/*
 * Adds the new profile to a maker, and then the old one: what the new one has under the same key is
 * found again. A key is a name and how many with this name there were before in the same profile.
 */
#include "diff/join_profiles.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "diff/names/build_names.h"
#include "diff/names/match_programs.h"
#include "view/profile/make_profile.h"

/* Indexes in the joined profile by key. */
struct known {
	struct pfx_intern keys;
	PFX_VEC(uint32_t) ids; /* by key: the index plus 1 */
	struct pfx_intern names;
	PFX_VEC(uint32_t) counts[2]; /* by name and side: how many had it */
};

enum side { NEW, OLD };

/* Indexes in the joined profile, by those in one of the two. */
struct maps {
	const struct pfx_profile *from;
	uint32_t *processes, *threads, *tasks, *dsos, *functions, *frames, *nodes, *stacks;
};

struct joining {
	struct maps maps[2];
	struct pfx_profile_maker *maker;
	struct known processes, threads, dsos, functions;
	struct pfx_intern names; /* of libraries and functions */
	struct pfx_hash renamed; /* by old library: the new one, as names */
	struct pfx_str text;
	uint8_t *matched;                       /* by function of the new profile */
	const struct pfx_diff_renames *renames; /* NULL: none */
};

static uint32_t *new_map(uint32_t nr)
{
	return pfx_calloc(nr + 1ul, sizeof(uint32_t));
}

/* --- keys --- */

static void known_fini(struct known *known)
{
	pfx_intern_fini(&known->keys);
	pfx_intern_fini(&known->names);
	pfx_vec_free(&known->ids);
	pfx_vec_free(&known->counts[NEW]);
	pfx_vec_free(&known->counts[OLD]);
}

/* Where the index of the next one with the name in joining->text is. */
static uint32_t *known_next(struct joining *joining, struct known *known, enum side side)
{
	struct pfx_str *text = &joining->text;
	uint32_t name = pfx_intern_add(&known->names, text->at, text->len);
	uint32_t nth = (*pfx_vec_slot(&known->counts[side], name))++;

	pfx_str_addn(text, (const char *)&nth, sizeof(nth));
	return pfx_vec_slot(&known->ids, pfx_intern_add(&known->keys, text->at, text->len));
}

static struct pfx_str *start_key(struct joining *joining, uint32_t group)
{
	pfx_str_clear(&joining->text);
	pfx_str_addn(&joining->text, (const char *)&group, sizeof(group));
	return &joining->text;
}

/* --- events and tasks --- */

static void add_events(struct joining *joining)
{
	const struct pfx_profile *from;
	enum side side;
	uint32_t i;

	for (side = NEW; side <= OLD; side++)
		for (from = joining->maps[side].from, i = 0; i < from->nr_events; i++)
			pfx_profile_add_event(joining->maker, &from->events[i]);
	pfx_profile_add_lost(joining->maker, joining->maps[NEW].from->nr_lost);
}

static void add_processes(struct joining *joining, enum side side)
{
	struct maps *maps = &joining->maps[side];
	uint32_t i, *id;

	for (i = 0; i < maps->from->nr_processes; i++) {
		pfx_str_add(start_key(joining, 0), maps->from->processes[i].comm);
		id = known_next(joining, &joining->processes, side);
		if (!*id)
			*id = 1 +
			      pfx_profile_add_process(joining->maker, &maps->from->processes[i]);
		maps->processes[i] = *id - 1;
	}
}

static void add_threads(struct joining *joining, enum side side)
{
	struct maps *maps = &joining->maps[side];
	const struct pfx_profile *from = maps->from;
	struct pfx_profile_thread thread;
	uint32_t i, *id;

	for (i = 0; i < from->nr_threads; i++) {
		thread = from->threads[i];
		thread.process = maps->processes[thread.process];
		pfx_str_add(start_key(joining, thread.process), thread.comm);
		id = known_next(joining, &joining->threads, side);
		if (!*id)
			*id = 1 + pfx_profile_add_thread(joining->maker, &thread);
		maps->threads[i] = *id - 1;
	}
	for (i = 0; i < from->nr_tasks; i++)
		maps->tasks[i] =
			pfx_profile_add_task(joining->maker, maps->threads[from->tasks[i].thread],
					     from->comms[from->tasks[i].comm]);
}

/* --- code --- */

/* The sampled functions, as pfx diff has them. */
static void add_programs(struct joining *joining, enum side side, struct pfx_intern *names,
			 struct pfx_programs *programs)
{
	const struct pfx_profile *from = joining->maps[side].from;
	const struct pfx_profile_function *function;
	const struct pfx_profile_frame *frame;
	uint32_t i, library;

	for (i = 0; i < from->nr_stacks; i++) {
		frame = &from->frames[from->stack_own[i]];
		function = &from->functions[frame->function];
		library = pfx_intern_str(names, frame->dso == PFX_NO_ID
							? "[unknown]"
							: from->dsos[frame->dso].short_name);
		pfx_programs_add(
			programs, library,
			pfx_intern_str(names, function->is_named ? function->name : "[unresolved]"),
			side == NEW ? PFX_PROGRAM_NEW : PFX_PROGRAM_OLD);
	}
}

/* Names of old libraries that have another name now: joining->names and ->renamed. */
static void match_programs(struct joining *joining)
{
	struct pfx_programs programs = {.functions = {0}};

	add_programs(joining, NEW, &joining->names, &programs);
	add_programs(joining, OLD, &joining->names, &programs);
	pfx_programs_match(&programs, &joining->renamed);
	pfx_programs_fini(&programs);
}

static const char *name_now(struct joining *joining, enum side side, const char *name)
{
	const uint64_t *now = side == NEW ? NULL
					  : pfx_hash_get(&joining->renamed,
							 pfx_intern_str(&joining->names, name));

	return now ? pfx_intern_get(&joining->names, (uint32_t)*now) : name;
}

static void add_dsos(struct joining *joining, enum side side)
{
	struct maps *maps = &joining->maps[side];
	struct pfx_profile_dso dso;
	uint32_t i, *id;

	for (i = 0; i < maps->from->nr_dsos; i++) {
		dso = maps->from->dsos[i];
		pfx_build_library_name(name_now(joining, side, dso.short_name),
				       start_key(joining, 0));
		id = known_next(joining, &joining->dsos, side);
		/* Ids of the old session would be taken for those of the new one. */
		if (side == OLD)
			dso.session_dso = PFX_NO_ID;
		if (!*id)
			*id = 1 + pfx_profile_add_dso(joining->maker, &dso);
		maps->dsos[i] = *id - 1;
	}
}

static uint32_t joined_dso(const struct maps *maps, uint32_t dso)
{
	return dso == PFX_NO_ID ? PFX_NO_ID : maps->dsos[dso];
}

static const struct pfx_profile_dso *dso_of(const struct pfx_profile *from, uint32_t dso)
{
	return dso == PFX_NO_ID ? NULL : &from->dsos[dso];
}

/* The name that a function has in the new profile. */
static const char *function_name(const struct joining *joining, enum side side,
				 const struct pfx_profile_function *function)
{
	return side == OLD && joining->renames && function->is_named
		       ? pfx_diff_renamed(joining->renames, function->name)
		       : function->name;
}

/* An address is the same code only in the same build. */
static void function_key(struct joining *joining, enum side side, uint32_t i)
{
	const struct maps *maps = &joining->maps[side];
	const struct pfx_profile_function *function = &maps->from->functions[i];
	const struct pfx_profile_dso *dso = dso_of(maps->from, function->dso);
	struct pfx_str *text = start_key(joining, joined_dso(maps, function->dso));

	pfx_str_addc(text, function->is_inlined ? 'i' : 'f');
	pfx_str_add(text, function_name(joining, side, function));
	if (!function->is_named && dso)
		pfx_str_addn(text, (const char *)dso->build_id, dso->build_id_size);
}

static uint32_t add_function(struct joining *joining, enum side side, uint32_t i)
{
	struct pfx_profile_function function = joining->maps[side].from->functions[i];

	function.dso = joined_dso(&joining->maps[side], function.dso);
	if (side == OLD)
		function.start = function.end = 0;
	return pfx_profile_add_function(joining->maker, &function);
}

static void add_new_functions(struct joining *joining)
{
	struct maps *maps = &joining->maps[NEW];
	uint32_t i;

	for (i = 0; i < maps->from->nr_functions; i++) {
		maps->functions[i] = add_function(joining, NEW, i);
		function_key(joining, NEW, i);
		*known_next(joining, &joining->functions, NEW) = 1 + maps->functions[i];
	}
}

/* The old functions with equal names: 1 plus the index; 0: none. */
static void match_names(struct joining *joining)
{
	struct maps *maps = &joining->maps[OLD];
	uint32_t i;

	for (i = 0; i < maps->from->nr_functions; i++) {
		function_key(joining, OLD, i);
		maps->functions[i] = *known_next(joining, &joining->functions, OLD);
		if (maps->functions[i])
			joining->matched[maps->functions[i] - 1] = 1;
	}
}

static uint32_t build_key(struct joining *joining, struct pfx_intern *keys, enum side side,
			  uint32_t i)
{
	const struct maps *maps = &joining->maps[side];
	const struct pfx_profile_function *function = &maps->from->functions[i];
	struct pfx_str *text = start_key(joining, joined_dso(maps, function->dso));

	pfx_build_function_name(function_name(joining, side, function), text);
	return pfx_intern_add(keys, text->at, text->len);
}

/* By name without what differs from build to build; best one that no equal name took. */
static void match_builds(struct joining *joining)
{
	struct maps *new = &joining->maps[NEW], *old = &joining->maps[OLD];
	struct pfx_intern keys = {0};
	PFX_VEC(uint32_t) best = {0}; /* by key: 1 plus the new function */
	uint32_t i, *at;

	for (i = 0; i < new->from->nr_functions; i++) {
		if (!new->from->functions[i].is_named)
			continue;
		at = pfx_vec_slot(&best, build_key(joining, &keys, NEW, i));
		if (!*at || (joining->matched[*at - 1] && !joining->matched[i]))
			*at = 1 + i;
	}
	for (i = 0; i < old->from->nr_functions; i++) {
		if (!old->functions[i] && old->from->functions[i].is_named) {
			at = pfx_vec_slot(&best, build_key(joining, &keys, OLD, i));
			old->functions[i] = *at ? 1 + new->functions[*at - 1] : 0;
		}
		old->functions[i] =
			old->functions[i] ? old->functions[i] - 1 : add_function(joining, OLD, i);
	}
	pfx_vec_free(&best);
	pfx_intern_fini(&keys);
}

static void add_functions(struct joining *joining)
{
	joining->matched = pfx_calloc(joining->maps[NEW].from->nr_functions + 1ul, 1);
	add_new_functions(joining);
	match_names(joining);
	match_builds(joining);
	free(joining->matched);
}

static void add_stacks(struct joining *joining, enum side side)
{
	struct maps *maps = &joining->maps[side];
	const struct pfx_profile *from = maps->from;
	struct pfx_profile_frame frame;
	uint32_t i;

	for (i = 0; i < from->nr_frames; i++) {
		frame = from->frames[i];
		frame.function = maps->functions[frame.function];
		frame.dso = joined_dso(maps, frame.dso);
		maps->frames[i] = pfx_profile_add_frame(joining->maker, &frame);
	}
	for (i = 1; i < from->nodes.nr; i++)
		maps->nodes[i] =
			pfx_profile_add_node(joining->maker, maps->nodes[from->nodes.parent[i]],
					     maps->frames[from->nodes.frame[i]]);
	for (i = 0; i < from->nr_stacks; i++)
		maps->stacks[i] = pfx_profile_add_stack(
			joining->maker, maps->nodes[from->stack_node[i]],
			maps->frames[from->stack_own[i]], from->stack_level[i]);
}

/* --- samples --- */

static uint64_t time_of(const struct joining *joining, enum side side, uint32_t row)
{
	const struct pfx_profile *from = joining->maps[side].from;

	if (!from->row_time)
		return 0;
	return from->row_time[row] - from->first_time + joining->maps[NEW].from->first_time;
}

static void add_sample(struct joining *joining, enum side side, uint32_t row)
{
	const struct maps *maps = &joining->maps[side];
	const struct pfx_profile *from = maps->from;
	struct pfx_profile_sample sample = {
		.time = time_of(joining, side, row),
		.period = from->row_period[row],
		.event = from->row_event[row] +
			 (side == OLD ? joining->maps[NEW].from->nr_events : 0),
		.task = maps->tasks[from->row_task[row]],
		.cpu = from->cpus[from->row_cpu[row]],
		.stack = maps->stacks[from->row_stack[row]],
		.count = pfx_profile_count(from, row),
	};

	pfx_profile_pass(from, row);
	pfx_profile_add_sample(joining->maker, &sample);
}

/* In order of time. */
static void add_samples(struct joining *joining)
{
	uint32_t nr[2] = {joining->maps[NEW].from->nr_rows, joining->maps[OLD].from->nr_rows};
	uint32_t at[2] = {0};
	enum side side;

	while (at[NEW] < nr[NEW] || at[OLD] < nr[OLD]) {
		side = at[OLD] == nr[OLD] ||
				       (at[NEW] < nr[NEW] && time_of(joining, NEW, at[NEW]) <=
								     time_of(joining, OLD, at[OLD]))
			       ? NEW
			       : OLD;
		add_sample(joining, side, at[side]++);
	}
}

/* --- both --- */

static void maps_init(struct maps *maps, const struct pfx_profile *from)
{
	*maps = (struct maps){
		.from = from,
		.processes = new_map(from->nr_processes),
		.threads = new_map(from->nr_threads),
		.tasks = new_map(from->nr_tasks),
		.dsos = new_map(from->nr_dsos),
		.functions = new_map(from->nr_functions),
		.frames = new_map(from->nr_frames),
		.nodes = new_map(from->nodes.nr),
		.stacks = new_map(from->nr_stacks),
	};
}

static void maps_fini(struct maps *maps)
{
	free(maps->processes);
	free(maps->threads);
	free(maps->tasks);
	free(maps->dsos);
	free(maps->functions);
	free(maps->frames);
	free(maps->nodes);
	free(maps->stacks);
}

static bool are_kin(const char *a, const char *b)
{
	struct pfx_str one = {0}, other = {0};
	bool are;

	pfx_build_event_name(a, &one);
	pfx_build_event_name(b, &other);
	are = !strcmp(pfx_str_get(&one), pfx_str_get(&other));
	pfx_str_fini(&one);
	pfx_str_fini(&other);
	return are;
}

static uint32_t find_event(const struct pfx_profile *in, const char *name)
{
	uint32_t i;

	for (i = 0; i < in->nr_events; i++)
		if (!strcmp(in->events[i].name, name))
			return i;
	return PFX_NO_ID;
}

/* The event of the old profile: that with its name, else one that differs in precision alone and
 * that the new profile does not have. */
static uint32_t match_event(const char *name, const struct pfx_profile *new,
			    const struct pfx_profile *old)
{
	uint32_t found = *name ? find_event(old, name) : PFX_NO_ID, i;

	for (i = 0; *name && found == PFX_NO_ID && i < old->nr_events; i++)
		if (*old->events[i].name && are_kin(name, old->events[i].name) &&
		    find_event(new, old->events[i].name) == PFX_NO_ID)
			found = i;
	return found;
}

static void match_events(struct pfx_joined *joined, const struct pfx_profile *new,
			 const struct pfx_profile *old)
{
	uint32_t i, found;

	joined->nr_new_events = new->nr_events;
	joined->old_of = new_map(new->nr_events);
	for (i = 0; i < new->nr_events; i++) {
		found = match_event(new->events[i].name, new, old);
		joined->old_of[i] = found == PFX_NO_ID ? PFX_NO_ID : new->nr_events + found;
	}
}

void pfx_profiles_join(struct pfx_joined *ret, const struct pfx_profile *new,
		       const struct pfx_profile *old, const struct pfx_diff_renames *renames)
{
	struct joining joining = {
		.renames = renames,
		.maker = pfx_profile_maker_new(new->frames_by, new->row_time != NULL)};
	enum side side;

	if (new->row_pages || old->row_pages)
		pfx_profile_maker_page(joining.maker);
	maps_init(&joining.maps[NEW], new);
	maps_init(&joining.maps[OLD], old);
	match_programs(&joining);
	add_events(&joining);
	for (side = NEW; side <= OLD; side++) {
		add_processes(&joining, side);
		add_threads(&joining, side);
		add_dsos(&joining, side);
	}
	add_functions(&joining);
	add_stacks(&joining, NEW);
	add_stacks(&joining, OLD);
	add_samples(&joining);
	match_events(ret, new, old);
	ret->profile = pfx_profile_maker_finish(joining.maker);
	maps_fini(&joining.maps[NEW]);
	maps_fini(&joining.maps[OLD]);
	known_fini(&joining.processes);
	known_fini(&joining.threads);
	known_fini(&joining.dsos);
	known_fini(&joining.functions);
	pfx_intern_fini(&joining.names);
	pfx_hash_fini(&joining.renamed);
	pfx_str_fini(&joining.text);
}

void pfx_joined_fini(struct pfx_joined *joined)
{
	pfx_profile_free(joined->profile);
	free(joined->old_of);
	*joined = (struct pfx_joined){0};
}
