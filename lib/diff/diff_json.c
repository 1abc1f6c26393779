/* SPDX-License-Identifier: MIT */
/* A comparison as one JSON object: Documentation/diff-schema.json. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff_text_internal.h"
#include "diff/tree.h"
#include "out/json_parts.h"

#define SCHEMA "pfx.diff/1"

static const char *const state_names[] = {
	[PFX_DIFF_IN_BOTH] = "both",
	[PFX_DIFF_NEW] = "new",
	[PFX_DIFF_VANISHED] = "vanished",
	[PFX_DIFF_RENAMED] = "renamed",
};

static void add_double(struct pfx_str *to, const char *name, double number)
{
	pfx_json_add_name(to, name);
	if (isfinite(number))
		pfx_str_addf(to, "%.9g", number);
	else
		pfx_str_add(to, "null");
}

static void add_bool(struct pfx_str *to, const char *name, bool is)
{
	pfx_json_add_name(to, name);
	pfx_str_add(to, is ? "true" : "false");
}

static void add_sides(const struct pfx_diff_look *look, struct pfx_str *to)
{
	uint32_t side;

	pfx_json_add_name(to, "sides");
	pfx_str_addc(to, '[');
	for (side = 0; side < pfx_diff_options(look->how.diff)->nr_sides; side++) {
		pfx_json_add_comma(to, side);
		pfx_str_addc(to, '{');
		pfx_json_add_text(to, "name", look->names[side]);
		pfx_json_add_number(to, "runs", pfx_diff_nr_runs(look->how.diff, side));
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
}

/* --- rows --- */

static void add_texts(const struct pfx_diff_options *options, const char *const *texts,
		      const char *name, struct pfx_str *to)
{
	uint32_t i;

	pfx_json_add_name(to, name);
	pfx_str_addc(to, '{');
	for (i = 0; i < options->nr_keys; i++)
		pfx_json_add_text(to, pfx_diff_keys[options->keys[i]].name, texts[i]);
	pfx_str_addc(to, '}');
}

static void add_value(const struct pfx_diff_measure *how, const struct pfx_diff_value *value,
		      uint32_t side, struct pfx_str *to)
{
	pfx_json_add_number(to, "period", value->period);
	pfx_json_add_number(to, "samples", value->samples);
	add_double(to, "weight", pfx_diff_weight(how, value, side));
}

static void add_row_side(const struct pfx_diff_look *look, const struct pfx_diff_measure *how,
			 const struct pfx_diff_row *row, uint32_t side, struct pfx_str *to)
{
	const struct pfx_diff_interval *interval;
	double result;

	pfx_json_add_comma(to, side);
	pfx_str_addc(to, '{');
	add_value(how, &row->values[side], side, to);
	if (side) {
		add_double(to, "delta", pfx_diff_delta(how, row, side));
		if (pfx_diff_result(how, row, side, &result))
			add_double(to, "result", result);
	}
	interval =
		side && look->noise ? pfx_diff_interval(look->noise, how->event, row, side) : NULL;
	if (interval && interval->is_known) {
		add_double(to, "noise", interval->half);
		add_bool(to, "within_noise", interval->is_within);
	}
	pfx_str_addc(to, '}');
}

static void add_row(const struct pfx_diff_look *look, const struct pfx_diff_measure *how,
		    const struct pfx_diff_row *row, struct pfx_str *to)
{
	const struct pfx_diff_options *options = pfx_diff_options(how->diff);
	uint32_t side;

	pfx_str_addc(to, '{');
	add_texts(options, row->texts, "keys", to);
	if (row->by_other_build)
		add_texts(options, row->old_texts, "old_keys", to);
	pfx_json_add_text(to, "state", state_names[row->state]);
	if (row->is_inlined)
		add_bool(to, "inlined", true);
	pfx_json_add_name(to, "sides");
	pfx_str_addc(to, '[');
	for (side = 0; side < options->nr_sides; side++)
		add_row_side(look, how, row, side, to);
	pfx_str_add(to, "]}");
}

static void add_totals(const struct pfx_diff_measure *how, struct pfx_str *to)
{
	uint32_t side;

	pfx_json_add_name(to, "totals");
	pfx_str_addc(to, '[');
	for (side = 0; side < pfx_diff_options(how->diff)->nr_sides; side++) {
		pfx_json_add_comma(to, side);
		pfx_str_addc(to, '{');
		add_value(how, &how->event->totals[side], side, to);
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
}

/* --- subtrees --- */

static void add_subtree(const struct pfx_diff_measure *how, const struct pfx_diff_subtree *subtree,
			uint32_t side, struct pfx_str *to)
{
	const struct pfx_diff_row *row = subtree->row;

	pfx_str_addc(to, '{');
	pfx_json_add_name(to, "path");
	pfx_diff_path_json(how->diff, row, to);
	pfx_json_add_text(to, "state", state_names[row->state]);
	pfx_json_add_number(to, "side", side);
	add_double(to, "change", subtree->change);
	if (subtree->half > 0)
		add_double(to, "noise", subtree->half);
	add_double(to, "old", pfx_diff_weight(how, &row->values[0], 0));
	add_double(to, "new", pfx_diff_weight(how, &row->values[side], side));
	pfx_str_addc(to, '}');
}

/* What explains the change of an event, side by side. */
static void add_subtrees(const struct pfx_diff_look *look, const struct pfx_diff_event *event,
			 struct pfx_str *to)
{
	struct pfx_diff_measure how = look->how;
	struct pfx_diff_subtrees subtrees;
	uint32_t i, side, nr = 0;

	how.diff = look->tree;
	how.event = NULL;
	for (i = 0; i < pfx_diff_nr_events(look->tree) && !how.event; i++)
		if (!strcmp(pfx_diff_event_at(look->tree, i)->name, event->name))
			how.event = pfx_diff_event_at(look->tree, i);
	pfx_json_add_name(to, "subtrees");
	pfx_str_addc(to, '[');
	for (side = 1; how.event && side < pfx_diff_options(look->tree)->nr_sides; side++) {
		pfx_diff_explain(&how, look->tree_noise, side, look->least, &subtrees);
		for (i = 0; i < subtrees.nr; i++) {
			pfx_json_add_comma(to, nr++);
			add_subtree(&how, &subtrees.at[i], side, to);
		}
		pfx_diff_subtrees_fini(&subtrees);
	}
	pfx_str_addc(to, ']');
}

static void add_event(const struct pfx_diff_look *look, const struct pfx_diff_event *event,
		      struct pfx_str *to)
{
	struct pfx_diff_measure how = look->how;
	const struct pfx_diff_row **rows;
	uint32_t i, nr = 0;

	how.event = event;
	rows = pfx_diff_sorted(&how, look->order);
	pfx_str_addc(to, '{');
	pfx_json_add_text(to, "name", event->name);
	add_totals(&how, to);
	pfx_json_add_name(to, "rows");
	pfx_str_addc(to, '[');
	for (i = 0; i < event->nr_rows; i++) {
		if (!pfx_diff_is_shown(look, event, rows[i]))
			continue;
		pfx_json_add_comma(to, nr++);
		add_row(look, &how, rows[i], to);
	}
	pfx_str_addc(to, ']');
	if (look->tree)
		add_subtrees(look, event, to);
	pfx_str_addc(to, '}');
	free(rows);
}

/* --- amounts and rules --- */

static void add_amount_side(const struct pfx_diff_look *look, const struct pfx_diff_amount *amount,
			    uint32_t side, struct pfx_str *to)
{
	const struct pfx_moments *value = &amount->sides[side];
	double half;

	pfx_json_add_comma(to, side);
	pfx_str_addc(to, '{');
	pfx_json_add_number(to, "runs", (uint64_t)value->n);
	if (value->n > 0)
		add_double(to, "mean", value->mean);
	if (side &&
	    pfx_diff_amount_interval(look->amounts, amount, side, PFX_DIFF_CONFIDENCE, &half)) {
		add_double(to, "noise", half);
		add_bool(to, "within_noise", pfx_diff_amount_within(look, amount, side));
	}
	pfx_str_addc(to, '}');
}

static void add_amounts(const struct pfx_diff_look *look, struct pfx_str *to)
{
	uint32_t i, side, nr = look->amounts ? pfx_diff_nr_amounts(look->amounts) : 0;
	const struct pfx_diff_amount *amount;

	pfx_json_add_name(to, "amounts");
	pfx_str_addc(to, '[');
	for (i = 0; i < nr; i++) {
		amount = pfx_diff_amount_at(look->amounts, i);
		pfx_json_add_comma(to, i);
		pfx_str_addc(to, '{');
		pfx_json_add_text(to, "name", amount->name);
		pfx_json_add_text(to, "unit", amount->unit);
		pfx_json_add_name(to, "sides");
		pfx_str_addc(to, '[');
		for (side = 0; side < pfx_diff_options(look->how.diff)->nr_sides; side++)
			add_amount_side(look, amount, side, to);
		pfx_str_add(to, "]}");
	}
	pfx_str_addc(to, ']');
}

static void add_case(const struct pfx_diff_case *of, struct pfx_str *to)
{
	pfx_json_add_text(to, "event", of->event);
	pfx_json_add_text(to, "name", of->name);
	pfx_json_add_number(to, "side", of->side);
	pfx_json_add_number(to, "rows", of->nr_rows);
	add_double(to, "old", of->old);
	add_double(to, "new", of->new);
	add_double(to, "change", of->change);
}

/* What is over the limit, but does not count. */
static void add_other_case(const char *name, const struct pfx_diff_case *of, struct pfx_str *to)
{
	if (!of->nr_rows)
		return;
	pfx_json_add_name(to, name);
	pfx_str_addc(to, '{');
	add_case(of, to);
	pfx_str_addc(to, '}');
}

static void add_rule(const struct pfx_diff_rule *rule, const struct pfx_diff_verdict *verdict,
		     struct pfx_str *to)
{
	pfx_str_addc(to, '{');
	pfx_json_add_text(to, "rule", rule->text);
	add_bool(to, "broken", verdict->is_broken);
	if (rule->has_pattern)
		pfx_json_add_number(to, "matches", verdict->nr_matching);
	if (verdict->min_share > 0)
		add_double(to, "min_share", verdict->min_share);
	if (verdict->is_broken) {
		add_case(&verdict->worst, to);
		add_bool(to, "noise_is_known", !verdict->noise_is_unknown);
	}
	add_other_case("within_noise", &verdict->within, to);
	add_other_case("below_min_share", &verdict->small, to);
	pfx_str_addc(to, '}');
}

void pfx_diff_json(const struct pfx_diff *diff, const struct pfx_diff_look *look,
		   struct pfx_str *to)
{
	static const char *const computes[] = {"delta", "delta-abs", "ratio", "wdiff", "cycles"};
	uint32_t i, nr = 0;

	pfx_str_addc(to, '{');
	pfx_json_add_text(to, "schema", SCHEMA);
	pfx_json_add_text(to, "weight", pfx_diff_weight_names[look->how.weight]);
	pfx_json_add_text(to, "compute", computes[look->how.compute]);
	add_sides(look, to);
	if (look->noise) {
		add_double(to, "confidence", PFX_DIFF_CONFIDENCE);
		add_bool(to, "noise_between_runs", pfx_diff_noise_between_runs(look->noise, 1));
	}
	pfx_json_add_name(to, "events");
	pfx_str_addc(to, '[');
	for (i = 0; i < pfx_diff_nr_events(diff); i++) {
		if (!pfx_diff_has_samples(diff, pfx_diff_event_at(diff, i)))
			continue;
		pfx_json_add_comma(to, nr++);
		add_event(look, pfx_diff_event_at(diff, i), to);
	}
	pfx_str_addc(to, ']');
	add_amounts(look, to);
	pfx_json_add_name(to, "rules");
	pfx_str_addc(to, '[');
	for (i = 0; i < look->nr_rules; i++) {
		pfx_json_add_comma(to, i);
		add_rule(&look->rules[i], &look->verdicts[i], to);
	}
	pfx_str_add(to, "]}\n");
}
