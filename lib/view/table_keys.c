/* SPDX-License-Identifier: MIT */
/*
 * Rows with several keys are made group by group: a group is a combination of those keys that a
 * sample's thread and CPU have. The chosen samples are sorted by group, and those of a group are
 * walked as one tree, in the order of its nodes: a list has the nodes from the root to the one that
 * is reached, with what was counted below each. A node below another with the same keys does not
 * count again.
 */
#include "view/table_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/groups.h"
#include "base/hash.h"
#include "base/str.h"
#include "event/meta.h"
#include "view/view_by_internal.h"

/* Ids of combinations: of what is known of a task, of a CPU, or of a frame. */
struct part {
	unsigned nr, slot[PFX_TABLE_NR_KEYS]; /* its keys: where they are among all */
	enum pfx_table_key key[PFX_TABLE_NR_KEYS];
	struct pfx_hash pairs[PFX_TABLE_NR_KEYS];
	uint32_t nr_pairs[PFX_TABLE_NR_KEYS];
	PFX_VEC(uint32_t) ids; /* nr for each combination */
	uint32_t nr_ids;
	uint32_t *of; /* by task, CPU or frame: its combination */
};

struct making {
	const struct pfx_selection *selection;
	const struct pfx_profile *profile;
	struct pfx_table *table;
	struct part tasks, cpus, codes;
	struct pfx_hash numbers[2]; /* of threads and processes: the first with a number */
	struct pfx_intern files;    /* without folders, as in text reports */
	PFX_VEC(uint32_t) first;    /* by file: a frame with it, plus 1 */
	uint32_t *first_dso;
	struct pfx_hash lines;
	uint32_t nr_columns;
	uint32_t *columns;        /* by event of the profile */
	PFX_VEC(uint64_t) groups; /* task << 32 | cpu */
	struct pfx_groups rows;   /* the chosen rows of the profile, by group */
	PFX_VEC(uint32_t) ids;
	PFX_VEC(struct pfx_table_value) values;
	uint32_t nr_rows;
};

enum pfx_view_by pfx_table_key_by(enum pfx_table_key key)
{
	static const enum pfx_view_by bys[PFX_TABLE_NR_KEYS] = {
		[PFX_TABLE_BY_COMM] = PFX_VIEW_COMM,
		[PFX_TABLE_BY_THREAD] = PFX_VIEW_THREAD,
		[PFX_TABLE_BY_PROCESS] = PFX_VIEW_PROCESS,
		[PFX_TABLE_BY_CPU] = PFX_VIEW_CPU,
		[PFX_TABLE_BY_SOCKET] = PFX_VIEW_NR_BYS,
		[PFX_TABLE_BY_DSO] = PFX_VIEW_DSO,
		[PFX_TABLE_BY_FUNCTION] = PFX_VIEW_FUNCTION,
		[PFX_TABLE_BY_LINE] = PFX_VIEW_LINE,
		[PFX_TABLE_BY_FILE] = PFX_VIEW_NR_BYS,
	};

	return bys[key];
}

bool pfx_table_keys_find(const struct pfx_table_keys *keys, enum pfx_table_key key, unsigned *ret)
{
	unsigned k;

	for (k = 0; k < keys->nr; k++) {
		if (keys->at[k] != key)
			continue;
		if (ret)
			*ret = k;
		return true;
	}
	return false;
}

/* --- the keys of tasks, CPUs and frames --- */

/* The first thread or process with the number of this one. */
static uint32_t first_with(struct pfx_hash *numbers, uint32_t number, uint32_t id)
{
	bool is_new;
	uint64_t *at = pfx_hash_add(numbers, number, &is_new);

	if (is_new)
		*at = id;
	return (uint32_t)*at;
}

/* The first frame with the file, or the file and line, of this one. */
static uint32_t first_frame(struct making *making, uint32_t frame, bool line)
{
	const struct pfx_profile_frame *at = &making->profile->frames[frame];
	uint32_t file = PFX_NO_ID, number = at->function, *first;
	uint64_t *same;
	bool is_new;

	if (at->file) {
		file = pfx_intern_str(&making->files, pfx_file_name(at->file));
		number = at->line;
		first = pfx_vec_slot(&making->first, file);
		*first = *first ? *first : frame + 1;
	}
	if (!line)
		return at->file ? making->first.at[file] - 1 : PFX_NO_ID;
	/* Frames without a line are those of their function. */
	same = pfx_hash_add(&making->lines, (uint64_t)file << 32 | number, &is_new);
	if (is_new)
		*same = frame;
	return (uint32_t)*same;
}

static uint32_t task_id(struct making *making, enum pfx_table_key key, uint32_t id)
{
	const struct pfx_profile *profile = making->profile;
	uint32_t thread = profile->tasks[id].thread, process = profile->threads[thread].process;

	switch (key) {
	case PFX_TABLE_BY_COMM:
		return profile->tasks[id].comm;
	case PFX_TABLE_BY_THREAD:
		return first_with(&making->numbers[0], profile->threads[thread].tid, thread);
	default:
		return first_with(&making->numbers[1], profile->processes[process].pid, process);
	}
}

static uint32_t cpu_id(struct making *making, enum pfx_table_key key, uint32_t id)
{
	return key == PFX_TABLE_BY_SOCKET ? making->table->sockets[id] : id;
}

static uint32_t frame_id(struct making *making, enum pfx_table_key key, uint32_t id)
{
	uint32_t dso;

	switch (key) {
	case PFX_TABLE_BY_FUNCTION:
		return making->profile->frames[id].function;
	case PFX_TABLE_BY_DSO:
		dso = making->profile->frames[id].dso;
		return dso == PFX_NO_ID ? dso : making->first_dso[dso];
	default:
		return first_frame(making, id, key == PFX_TABLE_BY_LINE);
	}
}

/* The combination of ids, in order of appearance. */
static uint32_t combine(struct part *part, const uint32_t ids[])
{
	uint32_t at = 0;
	bool is_new = false;
	uint64_t *value;
	unsigned i;

	for (i = 0; i < part->nr; i++) {
		value = pfx_hash_add(&part->pairs[i], (uint64_t)at << 32 | ids[i], &is_new);
		if (is_new)
			*value = part->nr_pairs[i]++;
		at = (uint32_t)*value;
	}
	if (is_new || !part->nr_ids) {
		for (i = 0; i < part->nr; i++)
			pfx_vec_push(&part->ids, ids[i]);
		part->nr_ids++;
	}
	return at;
}

static void make_part(struct making *making, struct part *part, uint32_t nr,
		      uint32_t (*id_of)(struct making *, enum pfx_table_key, uint32_t))
{
	uint32_t ids[PFX_TABLE_NR_KEYS], i;
	unsigned k;

	part->of = pfx_malloc((nr + 1ul) * sizeof(*part->of));
	for (i = 0; i < nr; i++) {
		for (k = 0; k < part->nr; k++)
			ids[k] = id_of(making, part->key[k], i);
		part->of[i] = combine(part, ids);
	}
}

static void part_fini(struct part *part)
{
	unsigned k;

	for (k = 0; k < part->nr; k++)
		pfx_hash_fini(&part->pairs[k]);
	pfx_vec_free(&part->ids);
	free(part->of);
}

static void find_sockets(struct making *making, const struct pfx_meta *meta)
{
	const struct pfx_env_topology *topology = meta ? &meta->env.topology : NULL;
	const struct pfx_profile *profile = making->profile;
	uint32_t *sockets = pfx_malloc((profile->nr_cpus + 1ul) * sizeof(*sockets)), i;

	for (i = 0; i < profile->nr_cpus; i++)
		sockets[i] = topology && profile->cpus[i] < topology->nr_cpus
				     ? topology->cpus[profile->cpus[i]].socket_id
				     : PFX_NO_ID;
	making->table->sockets = sockets;
}

static void make_parts(struct making *making)
{
	const struct pfx_table_keys *keys = &making->table->keys;
	struct part *part;
	unsigned k;

	for (k = 0; k < keys->nr; k++) {
		part = pfx_table_key_is_code(keys->at[k]) ? &making->codes
		       : keys->at[k] == PFX_TABLE_BY_CPU || keys->at[k] == PFX_TABLE_BY_SOCKET
			       ? &making->cpus
			       : &making->tasks;
		part->slot[part->nr] = k;
		part->key[part->nr++] = keys->at[k];
	}
	make_part(making, &making->tasks, making->profile->nr_tasks, task_id);
	make_part(making, &making->cpus, making->profile->nr_cpus, cpu_id);
	make_part(making, &making->codes, making->profile->nr_frames, frame_id);
}

/* --- groups --- */

static uint32_t group_of_row(const void *group_of, uint32_t i)
{
	return ((const uint32_t *)group_of)[i];
}

static void make_groups(struct making *making)
{
	const struct pfx_selection *selection = making->selection;
	const struct pfx_profile *profile = making->profile;
	uint32_t *group_of = pfx_malloc((selection->nr_rows + 1ul) * sizeof(*group_of)), i, row;
	struct pfx_hash groups = {0};
	uint64_t key, *at;
	bool is_new;

	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		pfx_profile_pass(profile, row);
		key = (uint64_t)making->tasks.of[profile->row_task[row]] << 32 |
		      making->cpus.of[profile->row_cpu[row]];
		at = pfx_hash_add(&groups, key, &is_new);
		if (is_new) {
			*at = making->groups.nr;
			pfx_vec_push(&making->groups, key);
		}
		group_of[i] = (uint32_t)*at;
	}
	pfx_groups_make(&making->rows, selection->nr_rows, (uint32_t)making->groups.nr,
			group_of_row, group_of);
	for (i = 0; i < selection->nr_rows; i++)
		making->rows.at[i] = selection->rows[making->rows.at[i]];
	pfx_hash_fini(&groups);
	free(group_of);
}

/* --- rows --- */

static void put_ids(const struct part *part, uint32_t id, uint32_t *ret)
{
	unsigned k;

	for (k = 0; k < part->nr; k++)
		ret[part->slot[k]] = part->ids.at[(size_t)id * part->nr + k];
}

static uint32_t add_row(struct making *making, uint64_t group, uint32_t code)
{
	unsigned nr = making->table->keys.nr;
	uint32_t *ids;

	pfx_vec_reserve(&making->ids, making->ids.nr + nr);
	ids = making->ids.at + making->ids.nr;
	making->ids.nr += nr;
	put_ids(&making->tasks, (uint32_t)(group >> 32), ids);
	put_ids(&making->cpus, (uint32_t)group, ids);
	put_ids(&making->codes, code, ids);
	pfx_vec_slot(&making->values, (making->nr_rows + 1ul) * making->nr_columns);
	return making->nr_rows++;
}

static struct pfx_table_value *value_at(struct making *making, uint32_t row, uint32_t column)
{
	return &making->values.at[(uint64_t)row * making->nr_columns + column];
}

/* Without keys of code, a group is a row. */
static void take_group(struct making *making, uint32_t group)
{
	const struct pfx_profile *profile = making->profile;
	uint32_t to = add_row(making, making->groups.at[group], 0), i, row;
	struct pfx_table_value *value;

	for (i = making->rows.first[group]; i < making->rows.first[group + 1]; i++) {
		row = making->rows.at[i];
		pfx_profile_pass(profile, row);
		value = value_at(making, to, making->columns[profile->row_event[row]]);
		value->self += profile->row_period[row];
		value->total += profile->row_period[row];
		value->samples += pfx_profile_count(profile, row);
	}
}

/* --- rows of code --- */

struct reached {
	uint32_t node, code;
	bool counts; /* it is the outermost with its code */
};

struct walk {
	struct making *making;
	uint64_t group;
	/* Of the group's samples, by stack of the selection. */
	PFX_VEC(uint32_t) stacks;
	uint32_t *is_used;               /* by stack: the group, plus 1 */
	uint64_t *periods, *samples;     /* by stack, then by column */
	uint32_t *row_of, *row_group;    /* by code: its row, and the group of that, plus 1 */
	uint32_t *nr_reached;            /* by code: how often it is among the reached */
	PFX_VEC(struct reached) reached; /* from the root down */
	PFX_VEC(uint64_t) sums;          /* of each, by column */
	PFX_VEC(uint32_t) above;         /* nodes that are to be reached */
	uint32_t number;                 /* of the group, plus 1 */
};

static uint32_t row_of(struct walk *walk, uint32_t code)
{
	if (walk->row_group[code] != walk->number) {
		walk->row_group[code] = walk->number;
		walk->row_of[code] = add_row(walk->making, walk->group, code);
	}
	return walk->row_of[code];
}

static void reach(struct walk *walk, uint32_t node)
{
	uint32_t code = walk->making->codes.of[walk->making->selection->nodes.frame[node]];
	size_t nr = walk->reached.nr;

	pfx_vec_push(&walk->reached, ((struct reached){node, code, walk->nr_reached[code]++ == 0}));
	pfx_vec_slot(&walk->sums, (nr + 1) * walk->making->nr_columns);
	memset(walk->sums.at + nr * walk->making->nr_columns, 0,
	       walk->making->nr_columns * sizeof(*walk->sums.at));
	row_of(walk, code);
}

/* Back to the caller. */
static void leave(struct walk *walk)
{
	uint32_t nr_columns = walk->making->nr_columns, column;
	struct reached last = walk->reached.at[--walk->reached.nr];
	uint64_t *sums = walk->sums.at + walk->reached.nr * nr_columns;

	walk->nr_reached[last.code]--;
	for (column = 0; column < nr_columns; column++) {
		if (walk->reached.nr)
			sums[(long)column - (long)nr_columns] += sums[column];
		if (last.counts)
			value_at(walk->making, row_of(walk, last.code), column)->total +=
				sums[column];
	}
}

static void go_to(struct walk *walk, uint32_t node)
{
	const struct pfx_nodes *nodes = &walk->making->selection->nodes;
	uint32_t last;

	while (walk->reached.nr) {
		last = walk->reached.at[walk->reached.nr - 1].node;
		if (last <= node && node < nodes->end[last])
			break;
		leave(walk);
	}
	last = walk->reached.nr ? walk->reached.at[walk->reached.nr - 1].node : 0;
	for (; node != last; node = nodes->parent[node])
		pfx_vec_push(&walk->above, node);
	while (walk->above.nr)
		reach(walk, walk->above.at[--walk->above.nr]);
}

static void take_stack(struct walk *walk, uint32_t stack)
{
	struct making *making = walk->making;
	uint32_t nr = making->nr_columns, column, own;
	struct pfx_table_value *value;
	uint64_t period;

	go_to(walk, making->selection->stack_node[stack]);
	own = making->codes.of[making->selection->stack_own[stack]];
	for (column = 0; column < nr; column++) {
		period = walk->periods[(uint64_t)stack * nr + column];
		value = value_at(making, row_of(walk, own), column);
		value->self += period;
		value->samples += walk->samples[(uint64_t)stack * nr + column];
		/* the own function may not be on the chain */
		if (!walk->nr_reached[own])
			value->total += period;
		if (walk->reached.nr)
			walk->sums.at[(walk->reached.nr - 1) * nr + column] += period;
	}
}

/* The weights of the group by stack. */
static void sum_stacks(struct walk *walk, uint32_t group)
{
	struct making *making = walk->making;
	const struct pfx_profile *profile = making->profile;
	uint32_t nr = making->nr_columns, i, row, stack;
	size_t at;

	for (i = making->rows.first[group]; i < making->rows.first[group + 1]; i++) {
		row = making->rows.at[i];
		pfx_profile_pass(profile, row);
		stack = making->selection->stack_at[profile->row_stack[row]];
		at = (size_t)stack * nr;
		if (walk->is_used[stack] != walk->number) {
			walk->is_used[stack] = walk->number;
			pfx_vec_push(&walk->stacks, stack);
			memset(walk->periods + at, 0, nr * sizeof(*walk->periods));
			memset(walk->samples + at, 0, nr * sizeof(*walk->samples));
		}
		at += making->columns[profile->row_event[row]];
		walk->periods[at] += profile->row_period[row];
		walk->samples[at] += pfx_profile_count(profile, row);
	}
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void walk_group(struct walk *walk, uint32_t group)
{
	size_t i;

	walk->number = group + 1;
	walk->group = walk->making->groups.at[group];
	walk->stacks.nr = 0;
	sum_stacks(walk, group);
	qsort(walk->stacks.at, walk->stacks.nr, sizeof(*walk->stacks.at), by_number);
	for (i = 0; i < walk->stacks.nr; i++)
		take_stack(walk, walk->stacks.at[i]);
	while (walk->reached.nr)
		leave(walk);
}

static void walk_groups(struct making *making)
{
	size_t nr = making->selection->nr_stacks + 1ul, nr_codes = making->codes.nr_ids + 1ul;
	struct walk walk = {
		.making = making,
		.is_used = pfx_calloc(nr, sizeof(uint32_t)),
		.periods = pfx_malloc(nr * making->nr_columns * sizeof(uint64_t)),
		.samples = pfx_malloc(nr * making->nr_columns * sizeof(uint64_t)),
		.row_of = pfx_calloc(nr_codes, sizeof(uint32_t)),
		.row_group = pfx_calloc(nr_codes, sizeof(uint32_t)),
		.nr_reached = pfx_calloc(nr_codes, sizeof(uint32_t)),
	};
	uint32_t group;

	for (group = 0; group < making->groups.nr; group++)
		walk_group(&walk, group);
	pfx_vec_free(&walk.stacks);
	pfx_vec_free(&walk.reached);
	pfx_vec_free(&walk.sums);
	pfx_vec_free(&walk.above);
	free(walk.is_used);
	free(walk.periods);
	free(walk.samples);
	free(walk.row_of);
	free(walk.row_group);
	free(walk.nr_reached);
}

/* --- the table --- */

static void take_rows(struct making *making)
{
	struct pfx_table *table = making->table;
	uint32_t i;

	table->nr_rows = making->nr_rows;
	table->values = making->values.at;
	table->ids = making->ids.at;
	table->rows = pfx_malloc((making->nr_rows + 1ul) * sizeof(*table->rows));
	for (i = 0; i < making->nr_rows; i++)
		table->rows[i] = (struct pfx_table_row){i, value_at(making, i, 0)};
}

static void making_fini(struct making *making)
{
	part_fini(&making->tasks);
	part_fini(&making->cpus);
	part_fini(&making->codes);
	pfx_hash_fini(&making->numbers[0]);
	pfx_hash_fini(&making->numbers[1]);
	pfx_intern_fini(&making->files);
	pfx_vec_free(&making->first);
	free(making->first_dso);
	pfx_hash_fini(&making->lines);
	pfx_vec_free(&making->groups);
	free(making->columns);
	pfx_groups_fini(&making->rows);
}

void pfx_table_make_by_keys(struct pfx_table *ret, const struct pfx_selection *selection,
			    const struct pfx_table_keys *keys, const struct pfx_meta *meta)
{
	struct making making = {
		.selection = selection,
		.profile = selection->profile,
		.table = ret,
		.nr_columns = selection->nr_events,
	};
	uint32_t i;

	*ret = (struct pfx_table){
		.by = PFX_VIEW_NR_BYS,
		.nr_columns = selection->nr_events,
		.keys = *keys,
		.profile = selection->profile,
	};
	making.columns = pfx_calloc(selection->profile->nr_events + 1ul, sizeof(*making.columns));
	for (i = 0; i < selection->nr_events; i++)
		making.columns[selection->events[i]] = i;
	making.first_dso = pfx_view_first_dsos(making.profile);
	find_sockets(&making, meta);
	make_parts(&making);
	make_groups(&making);
	if (making.codes.nr)
		walk_groups(&making);
	for (i = 0; i < making.groups.nr && !making.codes.nr; i++)
		take_group(&making, i);
	take_rows(&making);
	making_fini(&making);
}

/* --- the samples of a row --- */

/* Whether the thread, process, name or CPU with an id is that of a row. */
static bool is_same(const struct pfx_table *table, enum pfx_table_key key, uint32_t id,
		    uint32_t wanted)
{
	const struct pfx_profile *profile = table->profile;

	switch (key) {
	case PFX_TABLE_BY_THREAD:
		return profile->threads[id].tid == profile->threads[wanted].tid;
	case PFX_TABLE_BY_PROCESS:
		return profile->processes[id].pid == profile->processes[wanted].pid;
	case PFX_TABLE_BY_SOCKET:
		return table->sockets[id] == wanted;
	default:
		return id == wanted;
	}
}

void pfx_table_narrow(const struct pfx_table *table, uint32_t id, struct pfx_view_filter *filter)
{
	enum pfx_table_key key;
	enum pfx_view_by by;
	uint32_t nr, at;
	unsigned k;

	for (k = 0; k < table->keys.nr; k++) {
		key = table->keys.at[k];
		if (pfx_table_key_is_code(key))
			continue;
		by = key == PFX_TABLE_BY_SOCKET ? PFX_VIEW_CPU : pfx_table_key_by(key);
		nr = pfx_view_nr_ids(table->profile, by);
		for (at = 0; at < nr; at++)
			if (!is_same(table, key, at, pfx_table_id(table, id, k)))
				pfx_view_filter_remove(filter, by, at);
	}
}
