/* SPDX-License-Identifier: MIT */
/*
 * The identities of each sample: the texts of its keys. Those of the code are made once for each
 * distinct stack, those of threads once for each thread and name; a sample looks up a pair. It has
 * one identity, or one for each function of its chain.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff_internal.h"
#include "diff/names/build_names.h"
#include "out/folded_names.h"

struct naming {
	struct pfx_diff *diff;
	struct pfx_diff_run *run;
	const struct pfx_profile *profile;
	const struct pfx_filter *filter;
	uint32_t *code;             /* by stack: its list of parts; PFX_NO_ID: dropped */
	struct pfx_intern parts;    /* identities with keys of the code only */
	struct pfx_intern tasks;    /* with keys of threads and CPUs only */
	struct pfx_intern lists;    /* ids of parts */
	struct pfx_hash task_parts; /* task and CPU -> its part */
	struct pfx_hash pairs;      /* list of parts and part of the task -> list of identities */
	PFX_VEC(uint32_t) list;     /* that is being made */
	PFX_VEC(uint32_t) last_stacks; /* by part: the last stack that has it, plus 1 */
	PFX_VEC(uint32_t) frame_parts; /* by frame: its part plus 2 */
	PFX_VEC(char) levels;          /* by part */
	PFX_VEC(bool) inlined;         /* by part */
	PFX_VEC(uint32_t) functions;   /* by part: one that it is */
	uint32_t *paths;               /* by node: the text of PFX_DIFF_PATH; NULL: not requested */
	uint32_t *chains;              /* the same of PFX_DIFF_CHAIN */
	struct pfx_str text;
	bool by_cpu;
};

static bool has_key(const struct pfx_diff *diff, enum pfx_diff_key key)
{
	uint32_t i;

	for (i = 0; i < diff->options.nr_keys; i++)
		if (diff->options.keys[i] == key)
			return true;
	return false;
}

static uint32_t text_id(struct naming *naming, const char *text)
{
	return pfx_intern_str(&naming->diff->texts, text ? text : "");
}

/* The name of a function; of the old side, the one that it got later. */
static const char *function_name(const struct naming *naming, uint32_t id)
{
	const struct pfx_profile_function *function = &naming->profile->functions[id];
	const char *name = function->is_named ? function->name : "[unresolved]";

	return naming->run->side || !naming->diff->options.renames
		       ? name
		       : pfx_diff_renamed(naming->diff->options.renames, name);
}

static const char *dso_name(const struct naming *naming, uint32_t dso, bool is_long)
{
	if (dso == PFX_NO_ID)
		return "[unknown]";
	return is_long ? naming->profile->dsos[dso].name : naming->profile->dsos[dso].short_name;
}

/* --- the code of a stack --- */

static uint32_t line_id(struct naming *naming, const struct pfx_profile_frame *frame,
			bool with_line)
{
	if (!frame->file)
		return text_id(naming, function_name(naming, frame->function));
	pfx_str_clear(&naming->text);
	pfx_str_add(&naming->text, pfx_file_name(frame->file));
	if (with_line)
		pfx_str_addf(&naming->text, ":%u", frame->line);
	return text_id(naming, pfx_str_get(&naming->text));
}

/* perf accepts the file name and the path of a binary. */
static bool dso_passes(const struct naming *naming, uint32_t dso)
{
	const struct pfx_names *names = &naming->filter->dsos;

	return !names->given || pfx_names_has(names, dso_name(naming, dso, false)) ||
	       pfx_names_has(names, dso_name(naming, dso, true));
}

static bool code_passes(const struct naming *naming, const struct pfx_profile_frame *frame)
{
	const struct pfx_filter *filter = naming->filter;
	const struct pfx_profile_function *function = &naming->profile->functions[frame->function];

	if (!filter)
		return true;
	if (filter->symbols.given &&
	    (!function->is_named || !pfx_names_has(&filter->symbols, function->name)))
		return false;
	return dso_passes(naming, frame->dso);
}

/* The keys of a frame, which are part of the identity. False: the filter drops it. */
static bool name_frame(struct naming *naming, const struct pfx_profile_frame *frame,
		       struct pfx_diff_identity *ret)
{
	struct pfx_diff *diff = naming->diff;

	if (!code_passes(naming, frame))
		return false;
	if (has_key(diff, PFX_DIFF_DSO))
		ret->texts[PFX_DIFF_DSO] =
			text_id(naming, dso_name(naming, frame->dso, diff->options.long_dsos));
	if (has_key(diff, PFX_DIFF_SYM))
		ret->texts[PFX_DIFF_SYM] = text_id(naming, function_name(naming, frame->function));
	if (has_key(diff, PFX_DIFF_LINE))
		ret->texts[PFX_DIFF_LINE] = line_id(naming, frame, true);
	if (has_key(diff, PFX_DIFF_FILE))
		ret->texts[PFX_DIFF_FILE] = line_id(naming, frame, false);
	return true;
}

/* The part of a frame; its identity may have a key already. PFX_NO_ID: the filter drops it. */
static uint32_t part_of(struct naming *naming, const struct pfx_profile_frame *frame,
			struct pfx_diff_identity *identity, char level)
{
	uint32_t part;

	if (!name_frame(naming, frame, identity))
		return PFX_NO_ID;
	part = pfx_intern_add(&naming->parts, identity, sizeof(*identity));
	if (part >= naming->levels.nr) {
		*pfx_vec_slot(&naming->levels, part) = level;
		*pfx_vec_slot(&naming->inlined, part) =
			naming->profile->functions[frame->function].is_inlined;
		*pfx_vec_slot(&naming->functions, part) = frame->function;
	}
	return part;
}

/* Append a part to the list of a stack, unless it is in it already. */
static void add_part(struct naming *naming, uint32_t stack, uint32_t part)
{
	uint32_t *last;

	if (part == PFX_NO_ID)
		return;
	last = pfx_vec_slot(&naming->last_stacks, part);
	if (*last != stack + 1)
		pfx_vec_push(&naming->list, part);
	*last = stack + 1;
}

static void add_callers(struct naming *naming, uint32_t stack)
{
	const struct pfx_profile *profile = naming->profile;
	uint32_t node = profile->stack_node[stack], frame, *at;

	for (; node; node = profile->nodes.parent[node]) {
		frame = profile->nodes.frame[node];
		at = pfx_vec_slot(&naming->frame_parts, frame); /* plus 2: 0 is unknown */
		if (!*at)
			*at = part_of(naming, &profile->frames[frame],
				      &(struct pfx_diff_identity){0},
				      profile->functions[profile->frames[frame].function].level) +
			      2;
		add_part(naming, stack, *at - 2);
	}
}

/* For each node the text "PARENT;NAME", where PARENT is the number of the caller's text, in hex, 0
 * for a root: linear in the number of nodes, whatever the depth. @of_builds: names without what
 * differs from build to build. The caller frees the ids. */
static uint32_t *name_nodes(struct naming *naming, bool of_builds)
{
	const struct pfx_profile *profile = naming->profile;
	uint32_t i, *texts = pfx_calloc(profile->nodes.nr + 1ul, sizeof(*texts));

	for (i = 1; i < profile->nodes.nr; i++) {
		const char *name = function_name(naming, pfx_profile_node_function(profile, i));

		pfx_str_clear(&naming->text);
		pfx_str_addf(&naming->text, "%x;", texts[profile->nodes.parent[i]]);
		if (of_builds)
			pfx_build_function_name(name, &naming->text);
		else
			pfx_str_add(&naming->text, name);
		texts[i] = text_id(naming, pfx_str_get(&naming->text));
	}
	return texts;
}

uint32_t pfx_diff_path_parent(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 16);
}

void pfx_diff_each_name(const struct pfx_diff *diff, uint32_t text, pfx_diff_name_fn add,
			struct pfx_str *to)
{
	PFX_VEC(const char *) names = {0};
	const char *at;
	size_t i;

	for (; text; text = pfx_diff_path_parent(at)) {
		at = pfx_intern_get(&diff->texts, text);
		pfx_vec_push(&names, strchr(at, ';') + 1);
	}
	for (i = names.nr; i-- > 0;)
		add(names.at[i], i == 0, to);
	pfx_vec_free(&names);
}

static void add_folded(const char *name, bool is_last, struct pfx_str *to)
{
	pfx_folded_add_name(to, name);
	pfx_str_add(to, is_last ? "" : ";");
}

void pfx_diff_add_path(const struct pfx_diff *diff, uint32_t text, struct pfx_str *to)
{
	pfx_diff_each_name(diff, text, add_folded, to);
}

static void add_paths(struct naming *naming, uint32_t stack)
{
	const struct pfx_profile *profile = naming->profile;
	struct pfx_diff_identity identity = {0};
	uint32_t node = profile->stack_node[stack];

	for (; node; node = profile->nodes.parent[node]) {
		identity.texts[PFX_DIFF_PATH] = naming->paths[node];
		add_part(naming, stack,
			 part_of(naming, &profile->frames[profile->nodes.frame[node]], &identity,
				 profile->stack_level[stack]));
	}
}

/* The sampled frame, and with an inclusive comparison its callers. */
static void name_frames(struct naming *naming, uint32_t stack)
{
	const struct pfx_profile *profile = naming->profile;
	struct pfx_diff_identity identity = {0};
	uint32_t node = profile->stack_node[stack];
	bool by_node = (naming->diff->options.inlines || naming->diff->options.inclusive) && node;
	uint32_t at = by_node ? profile->nodes.frame[node] : profile->stack_own[stack];

	if (has_key(naming->diff, PFX_DIFF_CHAIN))
		identity.texts[PFX_DIFF_CHAIN] = naming->chains[node];
	add_part(naming, stack,
		 part_of(naming, &profile->frames[at], &identity, profile->stack_level[stack]));
	if (naming->diff->options.inclusive)
		add_callers(naming, stack);
}

static void name_stack(struct naming *naming, uint32_t stack)
{
	naming->list.nr = 0;
	if (naming->paths)
		add_paths(naming, stack);
	else
		name_frames(naming, stack);
	naming->code[stack] = naming->list.nr ? pfx_intern_add(&naming->lists, naming->list.at,
							       naming->list.nr * sizeof(uint32_t))
					      : PFX_NO_ID;
}

/* --- threads --- */

static bool task_passes(const struct naming *naming, const struct pfx_profile_task *task)
{
	const struct pfx_profile_thread *thread = &naming->profile->threads[task->thread];
	const struct pfx_filter *filter = naming->filter;

	if (!filter)
		return true;
	if (filter->comms.given &&
	    !pfx_names_has(&filter->comms, naming->profile->comms[task->comm]))
		return false;
	if (filter->pids.given &&
	    !pfx_ids_has(&filter->pids, naming->profile->processes[thread->process].pid))
		return false;
	return !filter->tids.given || pfx_ids_has(&filter->tids, thread->tid);
}

/* The part of a thread, under one of its names, on a CPU; PFX_NO_ID: the filter drops it. */
static uint32_t name_task(struct naming *naming, uint32_t id, uint32_t cpu)
{
	const struct pfx_profile *profile = naming->profile;
	const struct pfx_profile_task *task = &profile->tasks[id];
	const struct pfx_profile_thread *thread = &profile->threads[task->thread];
	struct pfx_diff *diff = naming->diff;
	struct pfx_diff_identity identity = {0};
	char number[16];

	if (!task_passes(naming, task))
		return PFX_NO_ID;
	if (has_key(diff, PFX_DIFF_COMM))
		identity.texts[PFX_DIFF_COMM] = text_id(naming, profile->comms[task->comm]);
	snprintf(number, sizeof(number), "%7u:", thread->tid);
	pfx_str_clear(&naming->text);
	pfx_str_addf(&naming->text, "%s%s", number, thread->comm);
	if (has_key(diff, PFX_DIFF_THREAD))
		identity.texts[PFX_DIFF_THREAD] = text_id(naming, pfx_str_get(&naming->text));
	snprintf(number, sizeof(number), "%d", (int)profile->processes[thread->process].pid);
	if (has_key(diff, PFX_DIFF_PROCESS))
		identity.texts[PFX_DIFF_PROCESS] = text_id(naming, number);
	snprintf(number, sizeof(number), "%.3d", (int)profile->cpus[cpu]);
	if (naming->by_cpu)
		identity.texts[PFX_DIFF_CPU] = text_id(naming, number);
	return pfx_intern_add(&naming->tasks, &identity, sizeof(identity));
}

static uint32_t task_id(struct naming *naming, uint32_t row)
{
	uint32_t cpu = naming->by_cpu ? naming->profile->row_cpu[row] : 0;
	uint32_t task = naming->profile->row_task[row];
	bool is_new;
	uint64_t *at = pfx_hash_add(&naming->task_parts, (uint64_t)task << 32 | cpu, &is_new);

	if (is_new)
		*at = name_task(naming, task, cpu);
	return (uint32_t)*at;
}

/* --- samples --- */

/* The identity of both parts. */
static uint32_t join(struct naming *naming, uint32_t part, uint32_t task)
{
	const struct pfx_diff_identity *a = (const void *)pfx_intern_get(&naming->parts, part);
	const struct pfx_diff_identity *b = (const void *)pfx_intern_get(&naming->tasks, task);
	struct pfx_diff *diff = naming->diff;
	struct pfx_diff_example *example;
	struct pfx_diff_identity both;
	uint32_t i, id, nr = diff->identities.nr;

	for (i = 0; i < PFX_DIFF_NR_KEYS; i++)
		both.texts[i] = a->texts[i] ? a->texts[i] : b->texts[i];
	id = pfx_intern_add(&diff->identities, &both, sizeof(both));
	if (id == nr) {
		*pfx_vec_slot(&diff->levels, id) = naming->levels.at[part];
		*pfx_vec_slot(&diff->inlined, id) = true;
	}
	diff->inlined.at[id] &= naming->inlined.at[part];
	example = pfx_vec_slot(&diff->examples[naming->run->side != 0], id);
	if (!example->run)
		*example = (struct pfx_diff_example){(uint32_t)diff->runs.nr,
						     naming->functions.at[part]};
	return id;
}

static uint32_t make_list(struct naming *naming, uint32_t code, uint32_t task)
{
	const uint32_t *parts = (const void *)pfx_intern_get(&naming->lists, code);
	size_t nr = naming->lists.entries[code].len / sizeof(*parts), i;
	struct pfx_diff_run *run = naming->run;

	for (i = 0; i < nr; i++)
		pfx_vec_push(&run->ids, join(naming, parts[i], task));
	pfx_vec_push(&run->lists, (uint32_t)run->ids.nr);
	return (uint32_t)run->lists.nr - 2;
}

static uint32_t row_list(struct naming *naming, uint32_t row)
{
	uint32_t code = naming->code[naming->profile->row_stack[row]];
	uint32_t task = task_id(naming, row);
	uint64_t *at;
	bool is_new;

	if (code == PFX_NO_ID || task == PFX_NO_ID)
		return PFX_NO_ID;
	at = pfx_hash_add(&naming->pairs, (uint64_t)code << 32 | task, &is_new);
	if (is_new)
		*at = make_list(naming, code, task);
	return (uint32_t)*at;
}

void pfx_diff_identify(struct pfx_diff *diff, struct pfx_diff_run *run)
{
	const struct pfx_profile *profile = run->profile;
	struct naming naming = {
		.diff = diff,
		.run = run,
		.profile = profile,
		.filter = diff->options.filter,
		.code = pfx_malloc((profile->nr_stacks + 1ul) * sizeof(uint32_t)),
		.by_cpu = has_key(diff, PFX_DIFF_CPU),
	};
	uint32_t i;

	if (has_key(diff, PFX_DIFF_PATH))
		naming.paths = name_nodes(&naming, true);
	if (has_key(diff, PFX_DIFF_CHAIN))
		naming.chains = name_nodes(&naming, false);
	for (i = 0; i < profile->nr_stacks; i++)
		name_stack(&naming, i);
	pfx_vec_push(&run->lists, 0);
	run->rows = pfx_malloc((profile->nr_rows + 1ul) * sizeof(*run->rows));
	for (i = 0; i < profile->nr_rows; i++)
		run->rows[i] = row_list(&naming, i);
	free(naming.code);
	pfx_vec_free(&naming.list);
	pfx_vec_free(&naming.last_stacks);
	pfx_vec_free(&naming.frame_parts);
	pfx_vec_free(&naming.levels);
	pfx_vec_free(&naming.inlined);
	pfx_vec_free(&naming.functions);
	free(naming.paths);
	free(naming.chains);
	pfx_intern_fini(&naming.parts);
	pfx_intern_fini(&naming.tasks);
	pfx_intern_fini(&naming.lists);
	pfx_hash_fini(&naming.task_parts);
	pfx_hash_fini(&naming.pairs);
	pfx_str_fini(&naming.text);
}
