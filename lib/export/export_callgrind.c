/* SPDX-License-Identifier: MIT */
/*
 * The format of callgrind: for each function its own cost by source line, and the cost of its
 * calls, callees included. Costs are the number of samples and the sum of periods of each event. An
 * inlined function is one that is called. Of recursive calls only the outermost is counted, so that
 * no cost exceeds the total.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "export/export_internal.h"

struct call {
	uint32_t caller, callee; /* a frame; a function */
	uint32_t at;             /* in costs of calls, counted in calls */
};

/* A call on the way from the root to a node. */
struct active {
	uint64_t key;
	uint32_t end;
};

struct callgrind {
	const struct pfx_selection *selection;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_str *to;                       /* out->text */
	uint32_t *columns, nr_columns, nr_values; /* values: two for each column */
	uint64_t *self;                           /* by frame */
	uint64_t *inclusive;                      /* by value, then node */
	PFX_VEC(struct call) calls;
	PFX_VEC(uint64_t) call_costs;
	struct pfx_hash call_at;   /* caller and callee to the call */
	struct pfx_hash nr_active; /* functions of both to the number of active calls */
	PFX_VEC(struct active) active;
	uint32_t *frames, *first_frame; /* frames by function; where those of one begin */
	const char **files;             /* by function */
	struct pfx_intern objects, sources;
	uint8_t *is_named; /* by function: the name was written */
};

static enum pfx_measure measure_of(uint32_t value)
{
	return value % 2 ? PFX_MEASURE_PERIOD : PFX_MEASURE_SAMPLES;
}

/* --- costs --- */

static void sum_costs(struct callgrind *c)
{
	const struct pfx_selection *selection = c->selection;
	const struct pfx_nodes *nodes = &selection->nodes;
	const uint64_t *weights;
	uint32_t value, i, frame;

	c->self = pfx_calloc((size_t)c->profile->nr_frames * c->nr_values + 1, sizeof(*c->self));
	c->inclusive = pfx_calloc((size_t)nodes->nr * c->nr_values + 1, sizeof(*c->inclusive));
	for (value = 0; value < c->nr_values; value++) {
		weights =
			pfx_selection_weights(selection, c->columns[value / 2], measure_of(value));
		pfx_selection_sum(selection, weights, c->inclusive + (size_t)value * nodes->nr);
		for (i = 0; i < selection->nr_stacks; i++) {
			if (!selection->stack_node[i])
				continue;
			frame = nodes->frame[selection->stack_node[i]];
			c->self[(size_t)frame * c->nr_values + value] += weights[i];
		}
	}
}

static void add_call(struct callgrind *c, uint32_t node, uint32_t caller, uint32_t callee)
{
	bool is_new;
	uint64_t *at = pfx_hash_add(&c->call_at, (uint64_t)caller << 32 | callee, &is_new);
	uint64_t *costs;
	uint32_t value;

	if (is_new) {
		*at = c->calls.nr;
		pfx_vec_push(&c->calls, ((struct call){caller, callee, (uint32_t)*at}));
		pfx_vec_slot(&c->call_costs, c->calls.nr * c->nr_values - 1);
	}
	costs = c->call_costs.at + *at * c->nr_values;
	for (value = 0; value < c->nr_values; value++)
		costs[value] += c->inclusive[(size_t)value * c->selection->nodes.nr + node];
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

	for (i = 1; i < nodes->nr; i++) {
		leave(c, i);
		if (!nodes->parent[i])
			continue;
		caller = nodes->frame[nodes->parent[i]];
		callee = c->profile->frames[nodes->frame[i]].function;
		key = (uint64_t)c->profile->frames[caller].function << 32 | callee;
		nr = pfx_hash_add(&c->nr_active, key, NULL);
		if (!(*nr)++)
			add_call(c, i, caller, callee);
		pfx_vec_push(&c->active, ((struct active){key, nodes->end[i]}));
	}
}

static int by_caller(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Frames by function, by counting; calls by frame. */
static void sort_costs(struct callgrind *c)
{
	const struct pfx_profile *profile = c->profile;
	uint32_t i, *next = pfx_calloc(profile->nr_functions + 2ul, sizeof(*next));

	c->frames = pfx_malloc((profile->nr_frames + 1ul) * sizeof(*c->frames));
	c->files = pfx_calloc(profile->nr_functions + 1ul, sizeof(*c->files));
	for (i = 0; i < profile->nr_frames; i++)
		next[profile->frames[i].function + 1]++;
	for (i = 0; i < profile->nr_functions; i++)
		next[i + 1] += next[i];
	c->first_frame = pfx_malloc((profile->nr_functions + 1ul) * sizeof(*next));
	memcpy(c->first_frame, next, (profile->nr_functions + 1ul) * sizeof(*next));
	for (i = 0; i < profile->nr_frames; i++) {
		c->frames[next[profile->frames[i].function]++] = i;
		if (!c->files[profile->frames[i].function])
			c->files[profile->frames[i].function] = profile->frames[i].file;
	}
	free(next);
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

static void add_costs(struct callgrind *c, uint32_t line, const uint64_t *costs)
{
	uint32_t value;

	pfx_str_addf(c->to, "%u", line);
	for (value = 0; value < c->nr_values; value++)
		pfx_str_addf(c->to, " %" PRIu64, costs[value]);
	pfx_str_addc(c->to, '\n');
}

static bool has_cost(const struct callgrind *c, uint32_t frame)
{
	uint32_t value;

	for (value = 0; value < c->nr_values; value++)
		if (c->self[(size_t)frame * c->nr_values + value])
			return true;
	return false;
}

/* The line of a function's first frame, for calls to it. */
static uint32_t line_of(const struct callgrind *c, uint32_t function)
{
	return c->profile->frames[c->frames[c->first_frame[function]]].line;
}

static void add_call_to(struct callgrind *c, const struct call *call)
{
	static const char *const keys[] = {"cob", "cfi", "cfn"};
	const uint64_t *costs = c->call_costs.at + (size_t)call->at * c->nr_values;
	uint64_t nr = 0;
	uint32_t value;

	for (value = 0; value < c->nr_values; value += 2)
		nr += costs[value];
	if (!nr)
		return;
	add_function(c, keys, call->callee);
	pfx_str_addf(c->to, "calls=%" PRIu64 " %u\n", nr, line_of(c, call->callee));
	add_costs(c, c->profile->frames[call->caller].line, costs);
}

static const struct call *calls_of(const struct callgrind *c, uint32_t frame)
{
	size_t low = 0, high = c->calls.nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (c->calls.at[mid].caller < frame)
			low = mid + 1;
		else
			high = mid;
	}
	return c->calls.at + low;
}

static void add_frame(struct callgrind *c, uint32_t frame)
{
	const struct call *call = calls_of(c, frame), *end = c->calls.at + c->calls.nr;

	if (has_cost(c, frame))
		add_costs(c, c->profile->frames[frame].line,
			  c->self + (size_t)frame * c->nr_values);
	for (; call < end && call->caller == frame; call++)
		add_call_to(c, call);
}

/* Whether the selection has costs or calls of a function. */
static bool is_used(const struct callgrind *c, uint32_t function)
{
	const struct call *call;
	uint32_t k, frame;

	for (k = c->first_frame[function]; k < c->first_frame[function + 1]; k++) {
		frame = c->frames[k];
		call = calls_of(c, frame);
		if (has_cost(c, frame) ||
		    (call < c->calls.at + c->calls.nr && call->caller == frame))
			return true;
	}
	return false;
}

static void add_functions(struct callgrind *c)
{
	static const char *const keys[] = {"ob", "fl", "fn"};
	uint32_t i, k;

	for (i = 0; i < c->profile->nr_functions && !pfx_export_flush(c->out); i++) {
		if (!is_used(c, i))
			continue;
		pfx_str_addc(c->to, '\n');
		add_function(c, keys, i);
		for (k = c->first_frame[i]; k < c->first_frame[i + 1]; k++)
			add_frame(c, c->frames[k]);
	}
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

static void add_events(struct callgrind *c)
{
	struct pfx_str words = {0};
	const char *name;
	uint32_t value;

	for (value = 0; value < c->nr_values; value++) {
		name = c->profile->events[c->selection->events[c->columns[value / 2]]].name;
		pfx_str_clear(&words);
		add_word(&words, name);
		if (!(value % 2))
			pfx_str_add(&words, "_samples");
		pfx_str_addf(c->to, "event: %s : ", pfx_str_get(&words));
		pfx_str_add_foreign(c->to, name);
		pfx_str_add(c->to, value % 2 ? "\n" : ", samples\n");
	}
	pfx_str_add(c->to, "events:");
	for (value = 0; value < c->nr_values; value++) {
		pfx_str_addc(c->to, ' ');
		add_word(c->to,
			 c->profile->events[c->selection->events[c->columns[value / 2]]].name);
		if (!(value % 2))
			pfx_str_add(c->to, "_samples");
	}
	pfx_str_addc(c->to, '\n');
	pfx_str_fini(&words);
}

static void add_sums(struct callgrind *c, const char *key)
{
	uint32_t value;

	pfx_str_add(c->to, key);
	for (value = 0; value < c->nr_values; value++)
		pfx_str_addf(c->to, " %" PRIu64,
			     pfx_selection_total(c->selection, c->columns[value / 2],
						 measure_of(value)));
	pfx_str_addc(c->to, '\n');
}

static void add_head(struct callgrind *c, const struct pfx_env *env)
{
	uint32_t i;

	pfx_str_add(c->to, "# callgrind format\nversion: 1\ncreator: pfx\n");
	for (i = 0; i < env->cmdline.nr; i++) {
		pfx_str_add(c->to, i ? " " : "cmd: ");
		pfx_str_add_foreign(c->to, env->cmdline.at[i]);
	}
	pfx_str_add(c->to, i ? "\npositions: line\n" : "positions: line\n");
	add_events(c);
	add_sums(c, "summary:");
}

static void callgrind_fini(struct callgrind *c)
{
	pfx_vec_free(&c->calls);
	pfx_vec_free(&c->call_costs);
	pfx_vec_free(&c->active);
	pfx_hash_fini(&c->call_at);
	pfx_hash_fini(&c->nr_active);
	pfx_intern_fini(&c->objects);
	pfx_intern_fini(&c->sources);
	free(c->columns);
	free(c->self);
	free(c->inclusive);
	free(c->frames);
	free(c->first_frame);
	free(c->files);
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
	c.nr_values = 2 * c.nr_columns;
	c.is_named = pfx_calloc(c.profile->nr_functions + 1ul, 1);
	sum_costs(&c);
	find_calls(&c);
	sort_costs(&c);
	add_head(&c, &in->meta->env);
	add_functions(&c);
	add_sums(&c, "\ntotals:");
	callgrind_fini(&c);
}
