/* SPDX-License-Identifier: MIT */
/*
 * Builds the model of a function: decodes it, finds its jumps and lines, and adds the counts of its
 * instructions. A sample belongs to the instruction that covers its address.
 */
#include "code/code.h"

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "code/code_internal.h"

void pfx_code_free(struct pfx_code *code)
{
	if (!code)
		return;
	free(code->insns);
	free(code->costs);
	free(code->weights);
	free(code->data);
	free(code->memory);
	free(code->lines);
	free(code->inlined);
	free(code->blocks);
	pfx_arena_clear(&code->arena);
	free(code);
}

static void begin(struct pfx_code_build *build)
{
	build->begin = pfx_place_begin(build->function->place);
	build->shift = pfx_place_address(build->resolver, &build->begin) - build->begin.addr;
}

static const struct pfx_cost *dense_costs(struct pfx_code *code, const struct pfx_cost_list *list)
{
	struct pfx_cost *costs = pfx_arena_array(&code->arena, struct pfx_cost, code->nr_events);
	uint32_t i;

	for (i = 0; i < list->nr; i++)
		costs[list->at[i].event] = list->at[i].cost;
	return costs;
}

static void add_costs(struct pfx_code_build *build)
{
	struct pfx_code *code = build->code;
	struct pfx_cost_entry entry;
	uint32_t at = 0, i;

	code->costs =
		pfx_calloc((size_t)code->nr_insns * code->nr_events + 1, sizeof(*code->costs));
	while (pfx_costs_next(build->costs, build->function, &at, &entry)) {
		i = pfx_code_find(code, entry.place->addr + build->shift);
		if (i != PFX_CODE_NONE)
			pfx_cost_add(&code->costs[(size_t)i * code->nr_events + entry.event],
				     &entry.cost);
	}
}

/* Entries of one place and event follow each other. */
static void add_weights(struct pfx_code_build *build)
{
	const struct pfx_weight_table *table = pfx_costs_weights(build->costs);
	struct pfx_code *code = build->code;
	struct pfx_cost_entry entry, last = {0};
	const struct pfx_weights *weights;
	uint32_t at = 0, i;

	code->nr_weight_parts = pfx_weight_table_nr_parts(table);
	if (!code->nr_weight_parts)
		return;
	code->weights =
		pfx_calloc((size_t)code->nr_insns * code->nr_events + 1, sizeof(*code->weights));
	for (; pfx_costs_next(build->costs, build->function, &at, &entry); last = entry) {
		if (entry.place == last.place && entry.event == last.event)
			continue;
		i = pfx_code_find(code, entry.place->addr + build->shift);
		weights = pfx_weight_table_find(table, entry.event, entry.place->id);
		if (i != PFX_CODE_NONE && weights)
			pfx_weights_add(&code->weights[(size_t)i * code->nr_events + entry.event],
					weights);
	}
}

static void add_data(struct pfx_code_build *build)
{
	struct pfx_code *code = build->code;
	struct pfx_place place;
	uint32_t i;

	code->data = pfx_calloc((size_t)code->nr_insns + 1, sizeof(*code->data));
	for (i = 0; i < code->nr_insns; i++) {
		if (!pfx_code_has_samples(code, i))
			continue;
		place = pfx_code_place(build, code->insns[i].addr);
		code->data[i] = pfx_place_data(build->resolver, &place);
	}
}

static int check_size(const struct pfx_code *code, struct pfx_error *err)
{
	char name[256];

	if ((uint64_t)code->nr_insns * code->nr_events <= PFX_CODE_COSTS_MAX)
		return 0;
	return pfx_error_set(err, EFBIG,
			     "'%s' has %u instructions, too many to count %u events for each",
			     pfx_escape(name, sizeof(name), code->symbol->name), code->nr_insns,
			     code->nr_events);
}

/* The reason why the code is not available. */
static int refuse(const struct pfx_code_build *build, struct pfx_error *err)
{
	const struct pfx_dso *dso = build->function->dso;
	const char *hint, *reason = pfx_resolver_no_code(build->resolver, dso, &hint);
	char name[256];

	pfx_error_set(err, ENODATA, "the code of '%s' is not available: %s",
		      pfx_escape(name, sizeof(name), build->function->symbol->name),
		      reason ? reason : "its file was not found");
	if (hint)
		pfx_error_hint(err, "%s", hint);
	return -ENODATA;
}

int pfx_code_new(struct pfx_code **ret, struct pfx_resolver *resolver, struct pfx_costs *costs,
		 const struct pfx_code_function *function, const struct pfx_code_options *options,
		 struct pfx_error *err)
{
	struct pfx_code_build build = {
		.resolver = resolver, .costs = costs, .function = function, .options = options};
	struct pfx_code *code = pfx_calloc(1, sizeof(*code));
	const struct pfx_branch_run *runs;
	size_t nr_runs;
	int rc;

	build.code = code;
	code->dso = function->dso;
	code->symbol = function->symbol;
	code->nr_events = pfx_costs_nr_events(costs);
	code->totals = dense_costs(code, &function->costs);
	begin(&build);
	rc = pfx_resolver_was_changed(resolver, function->dso) ? -ENODATA
							       : pfx_code_decode(&build, err);
	code->insns = build.insns.at;
	code->nr_insns = (uint32_t)build.insns.nr;
	if (!rc)
		rc = check_size(code, err);
	if (rc < 0) {
		pfx_vec_free(&build.pages);
		pfx_vec_free(&build.values);
		pfx_code_free(code);
		return rc == -ENODATA ? refuse(&build, err) : rc;
	}
	add_costs(&build);
	add_weights(&build);
	pfx_code_add_memory(&build);
	if (options->with_data)
		add_data(&build);
	pfx_code_find_jumps(&build);
	pfx_code_find_blocks(&build);
	nr_runs = pfx_costs_runs(costs, function, &runs);
	if (nr_runs)
		pfx_code_add_runs(&build, runs, nr_runs);
	pfx_code_name_operands(&build);
	if (!options->no_lines) {
		pfx_code_find_lines(&build);
		pfx_code_cost_lines(&build);
	}
	pfx_intern_fini(&build.line_keys);
	pfx_vec_free(&build.pages);
	pfx_vec_free(&build.values);
	*ret = code;
	return 0;
}
