/* SPDX-License-Identifier: MIT */
/* Rules checked against a comparison. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diff/rules.h"

#define NS_PER_MS 1e6

/* --- rows --- */

static enum pfx_diff_footing weight_of(const struct pfx_diff_gate *gate,
				       const struct pfx_diff_rule *rule)
{
	switch (rule->unit) {
	case PFX_DIFF_BY_POINTS:
		return PFX_DIFF_SHARE;
	case PFX_DIFF_BY_MS:
		return PFX_DIFF_CPU_TIME;
	case PFX_DIFF_BY_SAMPLES:
		return PFX_DIFF_SAMPLES;
	default:
		return gate->weight;
	}
}

static const struct pfx_diff_noise *noise_of(struct pfx_diff_gate *gate, bool is_total,
					     enum pfx_diff_footing weight)
{
	const struct pfx_diff *diff = is_total ? gate->total : gate->self;
	struct pfx_diff_noise **at = &gate->noise[is_total][weight];

	if (!*at && pfx_diff_options(diff)->noise)
		*at = pfx_diff_noise_new(diff, weight, PFX_DIFF_CONFIDENCE);
	return *at;
}

/* The name of the function, which patterns are for; else the first key. */
static const char *name_of(const struct pfx_diff *diff, const struct pfx_diff_row *row)
{
	const struct pfx_diff_options *options = pfx_diff_options(diff);
	uint32_t i;

	for (i = 0; i < options->nr_keys; i++)
		if (options->keys[i] == PFX_DIFF_SYM)
			return row->texts[i];
	return row->texts[0];
}

static bool is_over(const struct pfx_diff_rule *rule, double change)
{
	return rule->is_less ? change < rule->limit : change > rule->limit;
}

/* How much it changed, in the unit of the rule. */
static double change_of(const struct pfx_diff_rule *rule, double old, double new)
{
	if (rule->unit != PFX_DIFF_BY_PERCENT)
		return new - old;
	return old > 0 ? 100 * (new - old) / old : new > 0 ? INFINITY : 0;
}

struct checking {
	struct pfx_diff_gate *gate;
	const struct pfx_diff_rule *rule;
	const struct pfx_diff *diff;
	const struct pfx_diff_noise *noise;
	struct pfx_diff_measure how;
	struct pfx_diff_verdict *ret;
};

static bool is_about(const struct checking *checking, const struct pfx_diff_row *row)
{
	return !checking->rule->has_pattern ||
	       !regexec(&checking->rule->pattern, name_of(checking->diff, row), 0, NULL, 0);
}

static bool has_enough_samples(const struct checking *checking, const struct pfx_diff_row *row,
			       uint32_t side)
{
	return row->values[0].samples >= checking->gate->min_samples ||
	       row->values[side].samples >= checking->gate->min_samples;
}

static bool is_beyond_noise(const struct checking *checking, const struct pfx_diff_row *row,
			    uint32_t side)
{
	const struct pfx_diff_interval *interval;

	if (checking->gate->ignore_noise || !checking->noise)
		return true;
	interval = pfx_diff_interval(checking->noise, checking->how.event, row, side);
	return !interval->is_known || !interval->is_within;
}

static void check_row(const struct checking *checking, const struct pfx_diff_row *row,
		      uint32_t side)
{
	double old = pfx_diff_weight(&checking->how, &row->values[0], 0);
	double new = pfx_diff_weight(&checking->how, &row->values[side], side);
	double change = change_of(checking->rule, old, new);
	struct pfx_diff_verdict *ret = checking->ret;
	bool is_worse;

	if (!is_about(checking, row))
		return;
	ret->nr_matching++;
	if (!has_enough_samples(checking, row, side))
		return;
	ret->nr_countable++;
	if (!is_over(checking->rule, change) || !is_beyond_noise(checking, row, side))
		return;
	ret->nr_rows++;
	/* Of those that have no old weight, the largest. */
	is_worse = isinf(change) && isinf(ret->change) ? new > ret->new
		   : checking->rule->is_less           ? change < ret->change
						       : change > ret->change;
	if (ret->is_broken && !is_worse)
		return;
	ret->is_broken = true;
	ret->row = row;
	ret->name = name_of(checking->diff, row);
	ret->event = checking->how.event->name;
	ret->side = side;
	ret->old = old;
	ret->new = new;
	ret->change = change;
}

static int check_rows(struct pfx_diff_gate *gate, const struct pfx_diff_rule *rule,
		      struct pfx_diff_verdict *ret)
{
	bool is_total = rule->subject == PFX_DIFF_RULE_TOTAL;
	struct checking checking = {.gate = gate,
				    .rule = rule,
				    .diff = is_total ? gate->total : gate->self,
				    .ret = ret};
	uint32_t i, k, side;

	checking.how.diff = checking.diff;
	checking.how.weight = weight_of(gate, rule);
	if (!gate->ignore_noise)
		checking.noise = noise_of(gate, is_total, checking.how.weight);
	for (i = 0; i < pfx_diff_nr_events(checking.diff); i++) {
		checking.how.event = pfx_diff_event_at(checking.diff, i);
		for (k = 0; k < checking.how.event->nr_rows; k++)
			for (side = 1; side < pfx_diff_options(checking.diff)->nr_sides; side++)
				if (checking.how.event->is_in_side[side])
					check_row(&checking, &checking.how.event->rows[k], side);
	}
	return 0;
}

/* --- amounts --- */

static void check_side(const struct pfx_diff_gate *gate, const struct pfx_diff_rule *rule,
		       const struct pfx_diff_amount *amount, uint32_t side,
		       struct pfx_diff_verdict *ret)
{
	double unit = rule->unit == PFX_DIFF_BY_MS ? NS_PER_MS : 1;
	double old = amount->sides[0].mean / unit, new = amount->sides[side].mean / unit, half;
	double change = change_of(rule, old, new);
	bool is_known =
		pfx_diff_amount_interval(gate->amounts, amount, side, PFX_DIFF_CONFIDENCE, &half);
	bool is_noise = is_known && !gate->ignore_noise && fabs(new - old) * unit <= half;

	if (ret->amount && (!is_over(rule, change) || is_noise))
		return;
	ret->amount = amount;
	ret->name = amount->name;
	ret->side = side;
	ret->old = old;
	ret->new = new;
	ret->change = change;
	ret->noise_is_unknown = !is_known;
	ret->is_broken |= is_over(rule, change) && !is_noise;
	ret->nr_rows = ret->is_broken;
}

static int check_amount(const struct pfx_diff_gate *gate, const struct pfx_diff_rule *rule,
			struct pfx_diff_verdict *ret, struct pfx_error *err)
{
	const struct pfx_diff_amount *amount =
		gate->amounts ? pfx_diff_amount_named(gate->amounts, rule->name) : NULL;
	uint32_t side, nr_sides = pfx_diff_options(gate->self)->nr_sides;
	char shown[128], name[128];

	for (side = 1; amount && side < nr_sides; side++)
		if (amount->sides[0].n > 0 && amount->sides[side].n > 0)
			check_side(gate, rule, amount, side, ret);
	if (ret->amount)
		return 0;
	pfx_error_set(err, EINVAL, "rule '%s': the files have no '%s' on both sides",
		      pfx_escape(shown, sizeof(shown), rule->text),
		      pfx_escape(name, sizeof(name), rule->name));
	pfx_error_hint(err, "a rule is about self, total, total-time, an event of both recordings, "
			    "or a count of both files of 'pfx stat record'");
	return -EINVAL;
}

int pfx_diff_rule_check(struct pfx_diff_gate *gate, const struct pfx_diff_rule *rule,
			struct pfx_diff_verdict *ret, struct pfx_error *err)
{
	char shown[128];

	*ret = (struct pfx_diff_verdict){0};
	if (rule->subject == PFX_DIFF_RULE_AMOUNT)
		return check_amount(gate, rule, ret, err);
	if (pfx_diff_nr_events(gate->self))
		return check_rows(gate, rule, ret);
	return pfx_error_set(err, EINVAL, "rule '%s': the files have no samples",
			     pfx_escape(shown, sizeof(shown), rule->text));
}

const char *pfx_diff_verdict_idle(const struct pfx_diff_rule *rule,
				  const struct pfx_diff_verdict *verdict)
{
	if (rule->subject == PFX_DIFF_RULE_AMOUNT || verdict->nr_countable)
		return NULL;
	if (verdict->nr_matching)
		return "no function that it is about has enough samples";
	return rule->has_pattern ? "no function matches its pattern" : NULL;
}

void pfx_diff_gate_fini(struct pfx_diff_gate *gate)
{
	unsigned i;

	for (i = 0; i < PFX_DIFF_NR_WEIGHTS; i++) {
		pfx_diff_noise_free(gate->noise[0][i]);
		pfx_diff_noise_free(gate->noise[1][i]);
	}
}

/* --- text --- */

static void add_number(double number, bool with_sign, struct pfx_str *to)
{
	const char *sign = with_sign && number >= 0 ? "+" : "";

	if (fabs(number) >= 1e6)
		pfx_str_addf(to, "%s%.0f", sign, number);
	else
		pfx_str_addf(to, "%s%.2f", sign, number);
}

static void add_change(const struct pfx_diff_rule *rule, const struct pfx_diff_verdict *verdict,
		       struct pfx_str *to)
{
	static const char *const units[] = {"%", " points", " ms", " samples", ""};

	if (isinf(verdict->change)) {
		pfx_str_add(to, "new");
		return;
	}
	add_number(verdict->change, true, to);
	pfx_str_add(to, units[rule->unit]);
}

void pfx_diff_verdict_text(const struct pfx_diff_rule *rule, const struct pfx_diff_verdict *verdict,
			   struct pfx_str *to)
{
	pfx_str_add_foreign(to, verdict->name);
	pfx_str_addc(to, ' ');
	add_change(rule, verdict, to);
	pfx_str_add(to, " (");
	add_number(verdict->old, false, to);
	pfx_str_add(to, " -> ");
	add_number(verdict->new, false, to);
	pfx_str_addc(to, ')');
	if (verdict->nr_rows > 1)
		pfx_str_addf(to, ", and %u more", verdict->nr_rows - 1);
	if (verdict->noise_is_unknown)
		pfx_str_add(to, "; one run a side: it may be noise");
}
