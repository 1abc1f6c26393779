/* SPDX-License-Identifier: MIT */
/*
 * The identity of each sample: the texts of its keys. Those of the code are made once for each
 * distinct stack, those of threads once for each thread and name; a sample looks up a pair.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff_internal.h"

struct naming {
	struct pfx_diff *diff;
	const struct pfx_profile *profile;
	const struct pfx_filter *filter;
	uint32_t *code, *tasks; /* ids of identities with these keys only; PFX_NO_ID: dropped */
	struct pfx_intern parts;
	struct pfx_hash pairs; /* code part and task part -> identity plus 1 */
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

static const char *function_name(const struct pfx_profile *profile, uint32_t id)
{
	const struct pfx_profile_function *function = &profile->functions[id];

	return function->is_named ? function->name : "[unresolved]";
}

static const char *dso_name(const struct naming *naming, uint32_t dso, bool is_long)
{
	if (dso == PFX_NO_ID)
		return "[unknown]";
	return is_long ? naming->profile->dsos[dso].name : naming->profile->dsos[dso].short_name;
}

/* --- the code of a stack --- */

static uint32_t chain_id(struct naming *naming, uint32_t node)
{
	const struct pfx_profile *profile = naming->profile;
	const struct pfx_nodes *nodes = &profile->nodes;
	PFX_VEC(uint32_t) path = {0};
	uint32_t id;
	size_t i;

	for (; node; node = nodes->parent[node])
		pfx_vec_push(&path, node);
	pfx_str_clear(&naming->text);
	for (i = path.nr; i-- > 0;)
		pfx_str_addf(
			&naming->text, "%s%s", naming->text.len ? ";" : "",
			function_name(profile, pfx_profile_node_function(profile, path.at[i])));
	pfx_vec_free(&path);
	id = text_id(naming, pfx_str_get(&naming->text));
	return id;
}

static uint32_t line_id(struct naming *naming, const struct pfx_profile_frame *frame,
			bool with_line)
{
	const char *slash;

	if (!frame->file)
		return text_id(naming, function_name(naming->profile, frame->function));
	slash = strrchr(frame->file, '/');
	pfx_str_clear(&naming->text);
	pfx_str_add(&naming->text, slash ? slash + 1 : frame->file);
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

static void name_stack(struct naming *naming, uint32_t stack, struct pfx_diff_identity *ret)
{
	const struct pfx_profile *profile = naming->profile;
	struct pfx_diff *diff = naming->diff;
	uint32_t node = profile->stack_node[stack];
	uint32_t at = diff->options.inlines && node ? profile->nodes.frame[node]
						    : profile->stack_own[stack];
	const struct pfx_profile_frame *frame = &profile->frames[at];

	if (has_key(diff, PFX_DIFF_DSO))
		ret->texts[PFX_DIFF_DSO] =
			text_id(naming, dso_name(naming, frame->dso, diff->options.long_dsos));
	if (has_key(diff, PFX_DIFF_SYM))
		ret->texts[PFX_DIFF_SYM] = text_id(naming, function_name(profile, frame->function));
	if (has_key(diff, PFX_DIFF_LINE))
		ret->texts[PFX_DIFF_LINE] = line_id(naming, frame, true);
	if (has_key(diff, PFX_DIFF_FILE))
		ret->texts[PFX_DIFF_FILE] = line_id(naming, frame, false);
	if (has_key(diff, PFX_DIFF_CHAIN))
		ret->texts[PFX_DIFF_CHAIN] = chain_id(naming, node);
	naming->code[stack] = code_passes(naming, frame)
				      ? pfx_intern_add(&naming->parts, ret, sizeof(*ret))
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

static void name_task(struct naming *naming, uint32_t id, struct pfx_diff_identity *ret)
{
	const struct pfx_profile *profile = naming->profile;
	const struct pfx_profile_task *task = &profile->tasks[id];
	const struct pfx_profile_thread *thread = &profile->threads[task->thread];
	struct pfx_diff *diff = naming->diff;
	char number[16];

	if (has_key(diff, PFX_DIFF_COMM))
		ret->texts[PFX_DIFF_COMM] = text_id(naming, profile->comms[task->comm]);
	snprintf(number, sizeof(number), "%7u:", thread->tid);
	pfx_str_clear(&naming->text);
	pfx_str_addf(&naming->text, "%s%s", number, thread->comm);
	if (has_key(diff, PFX_DIFF_THREAD))
		ret->texts[PFX_DIFF_THREAD] = text_id(naming, pfx_str_get(&naming->text));
	snprintf(number, sizeof(number), "%d", (int)profile->processes[thread->process].pid);
	if (has_key(diff, PFX_DIFF_PROCESS))
		ret->texts[PFX_DIFF_PROCESS] = text_id(naming, number);
	naming->tasks[id] = task_passes(naming, task)
				    ? pfx_intern_add(&naming->parts, ret, sizeof(*ret))
				    : PFX_NO_ID;
}

/* --- samples --- */

static uint32_t cpu_id(struct naming *naming, uint32_t row)
{
	char number[16];

	snprintf(number, sizeof(number), "%.3d",
		 (int)naming->profile->cpus[naming->profile->row_cpu[row]]);
	return text_id(naming, number);
}

/* The identity of both parts. */
static uint32_t join(struct naming *naming, uint32_t code, uint32_t task, uint32_t row)
{
	const struct pfx_diff_identity *a = (const void *)pfx_intern_get(&naming->parts, code);
	const struct pfx_diff_identity *b = (const void *)pfx_intern_get(&naming->parts, task);
	struct pfx_diff *diff = naming->diff;
	struct pfx_diff_identity both;
	uint32_t i, id, nr = diff->identities.nr;
	uint32_t stack = naming->profile->row_stack[row];

	for (i = 0; i < PFX_DIFF_NR_KEYS; i++)
		both.texts[i] = a->texts[i] ? a->texts[i] : b->texts[i];
	if (naming->by_cpu)
		both.texts[PFX_DIFF_CPU] = cpu_id(naming, row);
	id = pfx_intern_add(&diff->identities, &both, sizeof(both));
	if (id < nr)
		return id;
	*pfx_vec_slot(&diff->levels, id) = naming->profile->stack_level[stack];
	return id;
}

static uint32_t row_id(struct naming *naming, uint32_t row)
{
	uint32_t code = naming->code[naming->profile->row_stack[row]];
	uint32_t task = naming->tasks[naming->profile->row_task[row]];
	uint64_t *at;

	if (code == PFX_NO_ID || task == PFX_NO_ID)
		return PFX_NO_ID;
	if (naming->by_cpu)
		return join(naming, code, task, row);
	at = pfx_hash_add(&naming->pairs, (uint64_t)code << 32 | task, NULL);
	if (!*at)
		*at = join(naming, code, task, row) + 1ull;
	return (uint32_t)(*at - 1);
}

void pfx_diff_identify(struct pfx_diff *diff, struct pfx_diff_run *run)
{
	const struct pfx_profile *profile = run->profile;
	struct naming naming = {
		.diff = diff,
		.profile = profile,
		.filter = diff->options.filter,
		.code = pfx_malloc((profile->nr_stacks + 1ul) * sizeof(uint32_t)),
		.tasks = pfx_malloc((profile->nr_tasks + 1ul) * sizeof(uint32_t)),
		.by_cpu = has_key(diff, PFX_DIFF_CPU),
	};
	uint32_t i;

	for (i = 0; i < profile->nr_stacks; i++)
		name_stack(&naming, i, &(struct pfx_diff_identity){0});
	for (i = 0; i < profile->nr_tasks; i++)
		name_task(&naming, i, &(struct pfx_diff_identity){0});
	run->rows = pfx_malloc((profile->nr_rows + 1ul) * sizeof(*run->rows));
	for (i = 0; i < profile->nr_rows; i++)
		run->rows[i] = row_id(&naming, i);
	free(naming.code);
	free(naming.tasks);
	pfx_intern_fini(&naming.parts);
	pfx_hash_fini(&naming.pairs);
	pfx_str_fini(&naming.text);
}
