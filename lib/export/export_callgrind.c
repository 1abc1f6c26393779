/* SPDX-License-Identifier: MIT */
/*
 * The format of callgrind: for each function its own cost by source line, and the cost of its
 * calls, callees included. Costs are the number of samples and the sum of periods of each event. An
 * inlined function is written like a called one. Of recursive calls only the outermost is counted,
 * so that no cost exceeds the total.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/groups.h"
#include "base/hash.h"
#include "export/export_internal.h"
#include "export/samples/export_frames.h"

struct call {
	uint32_t caller, callee; /* a frame; a function */
	uint32_t id;
};

/* A call on the way from the root to a node. */
struct active {
	uint64_t key;
	uint32_t end;
};

/* Costs of one event; owners without cost have none. */
struct cost {
	uint32_t owner;  /* a frame, or the number of frames and the id of a call */
	uint32_t column; /* in columns */
	uint64_t samples, period;
};

struct callgrind {
	const struct pfx_selection *selection;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_str *to; /* out->text */
	uint32_t *columns, nr_columns;
	PFX_VEC(struct call) calls;
	struct pfx_hash call_at;   /* caller and callee to the id of the call */
	uint32_t *call_of;         /* by node: the id of the call that it adds to, plus 1 */
	struct pfx_hash nr_active; /* functions of both to the number of active calls */
	PFX_VEC(struct active) active;
	struct cost *sums; /* by owner, of one event */
	PFX_VEC(uint32_t) summed;
	PFX_VEC(struct cost) costs;
	struct pfx_groups by_owner, by_function; /* costs; frames */
	const char **files;                      /* by function */
	struct pfx_intern objects, sources;
	uint8_t *is_used, *is_named; /* by function: it has costs or calls; the name was written */
};

/* --- calls --- */

static uint32_t id_of_call(struct callgrind *c, uint32_t caller, uint32_t callee)
{
	bool is_new;
	uint64_t *at = pfx_hash_add(&c->call_at, (uint64_t)caller << 32 | callee, &is_new);

	if (is_new) {
		*at = c->calls.nr;
		pfx_vec_push(&c->calls, ((struct call){caller, callee, (uint32_t)*at}));
	}
	return (uint32_t)*at;
}

/* Leave the calls that do not contain the node. */
static void leave(struct callgrind *c, uint32_t node)
{
	while (c->active.nr && c->active.at[c->active.nr - 1].end <= node)
		--*pfx_hash_get(&c->nr_active, c->active.at[--c->active.nr].key);
}

static void find_calls(struct callgrind *c)
{
	const struct pfx_nodes *nodes = &c->selection->nodes;
	uint32_t i, caller, callee;
	uint64_t key, *nr;

	c->call_of = pfx_calloc(nodes->nr, sizeof(*c->call_of));
	for (i = 1; i < nodes->nr; i++) {
		leave(c, i);
		if (!nodes->parent[i])
			continue;
		caller = nodes->frame[nodes->parent[i]];
		callee = c->profile->frames[nodes->frame[i]].function;
		key = (uint64_t)c->profile->frames[caller].function << 32 | callee;
		nr = pfx_hash_add(&c->nr_active, key, NULL);
		if (!(*nr)++)
			c->call_of[i] = id_of_call(c, caller, callee) + 1;
		pfx_vec_push(&c->active, ((struct active){key, nodes->end[i]}));
	}
}

/* --- costs --- */

static void add_to_sum(struct callgrind *c, uint32_t owner, uint32_t row)
{
	struct cost *sum = &c->sums[owner];

	if (!sum->samples)
		pfx_vec_push(&c->summed, owner);
	sum->samples += pfx_profile_count(c->profile, row);
	sum->period += c->profile->row_period[row];
}

static void sum_row(struct callgrind *c, uint32_t row)
{
	const struct pfx_nodes *nodes = &c->selection->nodes;
	uint32_t node = pfx_selection_node(c->selection, row);

	if (node)
		add_to_sum(c, nodes->frame[node], row);
	for (; node; node = nodes->parent[node])
		if (c->call_of[node])
			add_to_sum(c, c->profile->nr_frames + c->call_of[node] - 1, row);
}

static void take_sums(struct callgrind *c, uint32_t column)
{
	uint32_t nr_frames = c->profile->nr_frames, owner, frame;
	struct cost *sum;
	size_t i;

	for (i = 0; i < c->summed.nr; i++) {
		owner = c->summed.at[i];
		sum = &c->sums[owner];
		pfx_vec_push(&c->costs, ((struct cost){owner, column, sum->samples, sum->period}));
		*sum = (struct cost){0};
		frame = owner < nr_frames ? owner : c->calls.at[owner - nr_frames].caller;
		c->is_used[c->profile->frames[frame].function] = 1;
	}
	c->summed.nr = 0;
}

static uint32_t column_of_row(const void *context, uint32_t i)
{
	const struct pfx_selection *selection = context;

	return pfx_selection_column(selection, selection->profile->row_event[selection->rows[i]]);
}

static uint32_t owner_of_cost(const void *context, uint32_t i)
{
	const struct callgrind *c = context;

	return c->costs.at[i].owner;
}

/* Event by event: thousands of events, each with few functions, do not need memory for all pairs.
 */
static void sum_costs(struct callgrind *c)
{
	uint32_t nr_owners = c->profile->nr_frames + (uint32_t)c->calls.nr, i, k;
	struct pfx_groups rows;

	c->sums = pfx_calloc(nr_owners + 1ul, sizeof(*c->sums));
	pfx_groups_make(&rows, c->selection->nr_rows, c->selection->nr_events, column_of_row,
			c->selection);
	for (i = 0; i < c->nr_columns; i++) {
		for (k = rows.first[c->columns[i]]; k < rows.first[c->columns[i] + 1]; k++)
			sum_row(c, c->selection->rows[rows.at[k]]);
		take_sums(c, i);
	}
	pfx_groups_fini(&rows);
	pfx_groups_make(&c->by_owner, (uint32_t)c->costs.nr, nr_owners, owner_of_cost, c);
}

static int by_caller(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

static uint32_t function_of_frame(const void *context, uint32_t i)
{
	const struct callgrind *c = context;

	return c->profile->frames[i].function;
}

/* Frames by function; calls by frame. */
static void sort_frames(struct callgrind *c)
{
	pfx_groups_make(&c->by_function, c->profile->nr_frames, c->profile->nr_functions,
			function_of_frame, c);
	if (c->calls.nr)
		qsort(c->calls.at, c->calls.nr, sizeof(*c->calls.at), by_caller);
}

/* --- names: "(id) name" where an id is first used, then "(id)" --- */

static void add_text(struct callgrind *c, const char *key, struct pfx_intern *texts,
		     const char *text)
{
	uint32_t known = texts->nr, id = pfx_intern_str(texts, text);

	pfx_str_addf(c->to, "%s=(%u)", key, id + 1);
	if (texts->nr != known) {
		pfx_str_addc(c->to, ' ');
		pfx_str_add_foreign(c->to, text);
	}
	pfx_str_addc(c->to, '\n');
}

static void add_function(struct callgrind *c, const char *const keys[3], uint32_t id)
{
	const struct pfx_profile_function *function = &c->profile->functions[id];

	add_text(c, keys[0], &c->objects,
		 function->dso == PFX_NO_ID ? "???" : c->profile->dsos[function->dso].name);
	add_text(c, keys[1], &c->sources, c->files[id] ? c->files[id] : "???");
	pfx_str_addf(c->to, "%s=(%u)", keys[2], id + 1);
	if (!c->is_named[id]) {
		pfx_str_addc(c->to, ' ');
		pfx_str_add_foreign(c->to, function->name);
		c->is_named[id] = 1;
	}
	pfx_str_addc(c->to, '\n');
}

/* --- the file --- */

/* Values that are 0 are left out at the end of a line. */
static void add_value(struct callgrind *c, uint32_t *at, uint32_t value, uint64_t number)
{
	if (!number)
		return;
	for (; *at < value; ++*at)
		pfx_str_add(c->to, " 0");
	pfx_str_addc(c->to, ' ');
	pfx_str_u64(c->to, number, 0);
	++*at;
}

static void add_costs(struct callgrind *c, uint32_t line, uint32_t owner)
{
	const struct cost *cost;
	uint32_t i, at = 0;

	pfx_str_u64(c->to, line, 0);
	for (i = c->by_owner.first[owner]; i < c->by_owner.first[owner + 1]; i++) {
		cost = &c->costs.at[c->by_owner.at[i]];
		add_value(c, &at, 2 * cost->column, cost->samples);
		add_value(c, &at, 2 * cost->column + 1, cost->period);
	}
	pfx_str_addc(c->to, '\n');
}

/* The samples of all events. */
static uint64_t nr_samples(const struct callgrind *c, uint32_t owner)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = c->by_owner.first[owner]; i < c->by_owner.first[owner + 1]; i++)
		nr += c->costs.at[c->by_owner.at[i]].samples;
	return nr;
}

/* The line of a function's first frame, for calls to it. */
static uint32_t line_of(const struct callgrind *c, uint32_t function)
{
	return c->profile->frames[c->by_function.at[c->by_function.first[function]]].line;
}

static void add_call_to(struct callgrind *c, const struct call *call)
{
	static const char *const keys[] = {"cob", "cfi", "cfn"};
	uint32_t owner = c->profile->nr_frames + call->id;
	uint64_t nr = nr_samples(c, owner);

	if (!nr)
		return;
	add_function(c, keys, call->callee);
	pfx_str_addf(c->to, "calls=%" PRIu64 " %u\n", nr, line_of(c, call->callee));
	add_costs(c, c->profile->frames[call->caller].line, owner);
}

static void add_frame(struct callgrind *c, uint32_t frame)
{
	size_t i = pfx_bisect(k, c->calls.nr, c->calls.at[k].caller < frame);

	if (nr_samples(c, frame))
		add_costs(c, c->profile->frames[frame].line, frame);
	for (; i < c->calls.nr && c->calls.at[i].caller == frame; i++)
		add_call_to(c, &c->calls.at[i]);
}

static void add_functions(struct callgrind *c)
{
	static const char *const keys[] = {"ob", "fl", "fn"};
	const struct pfx_groups *frames = &c->by_function;
	uint32_t i, k;

	for (i = 0; i < c->profile->nr_functions; i++) {
		if (!c->is_used[i])
			continue;
		pfx_str_addc(c->to, '\n');
		add_function(c, keys, i);
		for (k = frames->first[i]; k < frames->first[i + 1] && !pfx_export_flush(c->out);
		     k++)
			add_frame(c, frames->at[k]);
	}
}

static const char *name_of_column(const struct callgrind *c, uint32_t column)
{
	return c->profile->events[c->selection->events[column]].name;
}

/* A word for an event: letters, digits and underscores. */
static void add_word(struct pfx_str *to, const char *name)
{
	for (; *name; name++)
		pfx_str_addc(to, ((*name | 0x20) >= 'a' && (*name | 0x20) <= 'z') ||
						 (*name >= '0' && *name <= '9')
					 ? *name
					 : '_');
}

/* The word for a column's samples or periods. */
static void add_event_word(struct callgrind *c, uint32_t column, bool is_samples)
{
	add_word(c->to, name_of_column(c, column));
	if (is_samples)
		pfx_str_add(c->to, "_samples");
}

static void add_event(struct callgrind *c, uint32_t column, bool is_samples)
{
	pfx_str_add(c->to, "event: ");
	add_event_word(c, column, is_samples);
	pfx_str_add(c->to, " : ");
	pfx_str_add_foreign(c->to, name_of_column(c, column));
	pfx_str_add(c->to, is_samples ? ", samples\n" : "\n");
}

static void add_events(struct callgrind *c)
{
	uint32_t i;

	for (i = 0; i < c->nr_columns; i++) {
		add_event(c, c->columns[i], true);
		add_event(c, c->columns[i], false);
	}
	pfx_str_add(c->to, "events:");
	for (i = 0; i < c->nr_columns; i++) {
		pfx_str_addc(c->to, ' ');
		add_event_word(c, c->columns[i], true);
		pfx_str_addc(c->to, ' ');
		add_event_word(c, c->columns[i], false);
	}
	pfx_str_addc(c->to, '\n');
}

static void add_sums(struct callgrind *c, const char *key)
{
	uint32_t i;

	pfx_str_add(c->to, key);
	for (i = 0; i < c->nr_columns; i++)
		pfx_str_addf(c->to, " %" PRIu64 " %" PRIu64,
			     c->selection->total_samples[c->columns[i]],
			     c->selection->total_period[c->columns[i]]);
	pfx_str_addc(c->to, '\n');
}

static void add_head(struct callgrind *c, const struct pfx_env *env)
{
	struct pfx_str command = {0};

	pfx_str_add(c->to, "# callgrind format\nversion: 1\ncreator: pfx\n");
	if (env->cmdline.nr) {
		pfx_export_add_words(&command, &env->cmdline, 0);
		pfx_str_add(c->to, "cmd: ");
		pfx_str_add_foreign(c->to, pfx_str_get(&command));
		pfx_str_addc(c->to, '\n');
	}
	pfx_str_fini(&command);
	pfx_str_add(c->to, "positions: line\n");
	add_events(c);
	add_sums(c, "summary:");
}

static void callgrind_fini(struct callgrind *c)
{
	pfx_vec_free(&c->calls);
	pfx_vec_free(&c->active);
	pfx_vec_free(&c->summed);
	pfx_vec_free(&c->costs);
	pfx_hash_fini(&c->call_at);
	pfx_hash_fini(&c->nr_active);
	pfx_groups_fini(&c->by_owner);
	pfx_groups_fini(&c->by_function);
	pfx_intern_fini(&c->objects);
	pfx_intern_fini(&c->sources);
	free(c->columns);
	free(c->call_of);
	free(c->sums);
	free(c->files);
	free(c->is_used);
	free(c->is_named);
}

void pfx_export_callgrind(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct callgrind c = {
		.selection = in->selection,
		.profile = in->selection->profile,
		.out = out,
		.to = &out->text,
	};

	c.nr_columns = pfx_export_columns(in->selection, &c.columns);
	c.is_used = pfx_calloc(c.profile->nr_functions + 1ul, 1);
	c.is_named = pfx_calloc(c.profile->nr_functions + 1ul, 1);
	c.files = pfx_export_files(c.profile);
	find_calls(&c);
	sum_costs(&c);
	sort_frames(&c);
	add_head(&c, &in->meta->env);
	add_functions(&c);
	add_sums(&c, "\ntotals:");
	callgrind_fini(&c);
}
