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

/* Whether a row is one for rules in percent. */
static bool has_enough_share(const struct checking *checking, const struct pfx_diff_row *row,
			     uint32_t side)
{
	struct pfx_diff_measure how = checking->how;
	double least = checking->ret->min_share;

	how.weight = PFX_DIFF_SHARE;
	return pfx_diff_weight(&how, &row->values[0], 0) >= least ||
	       pfx_diff_weight(&how, &row->values[side], side) >= least;
}

static bool is_worse(const struct pfx_diff_rule *rule, const struct pfx_diff_case *a,
		     const struct pfx_diff_case *than)
{
	/* Of those that have no old weight, the largest. */
	if (isinf(a->change) && isinf(than->change))
		return a->new > than->new;
	return rule->is_less ? a->change < than->change : a->change > than->change;
}

static void add_case(const struct pfx_diff_rule *rule, const struct pfx_diff_case *of,
		     struct pfx_diff_case *to)
{
	uint32_t nr = to->nr_rows + 1;

	if (nr == 1 || is_worse(rule, of, to))
		*to = *of;
	to->nr_rows = nr;
}

static void check_row(const struct checking *checking, const struct pfx_diff_row *row,
		      uint32_t side)
{
	struct pfx_diff_case of = {
		.row = row,
		.name = name_of(checking->diff, row),
		.event = checking->how.event->name,
		.side = side,
		.old = pfx_diff_weight(&checking->how, &row->values[0], 0),
		.new = pfx_diff_weight(&checking->how, &row->values[side], side),
	};
	struct pfx_diff_verdict *ret = checking->ret;
	bool is_small;

	if (!is_about(checking, row))
		return;
	ret->nr_matching++;
	if (!has_enough_samples(checking, row, side))
		return;
	is_small = !has_enough_share(checking, row, side);
	ret->nr_countable += !is_small;
	of.change = change_of(checking->rule, of.old, of.new);
	if (!is_over(checking->rule, of.change))
		return;
	if (!is_beyond_noise(checking, row, side)) {
		if (!is_small)
			add_case(checking->rule, &of, &ret->within);
		return;
	}
	add_case(checking->rule, &of, is_small ? &ret->small : &ret->worst);
	ret->is_broken |= !is_small;
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
	checking.how.weight = ret->weight = weight_of(gate, rule);
	ret->min_share = rule->unit == PFX_DIFF_BY_PERCENT ? gate->min_share : 0;
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
	struct pfx_diff_case of = {.amount = amount,
				   .name = amount->name,
				   .side = side,
				   .old = old,
				   .new = new,
				   .change = change};

	if (!is_over(rule, change))
		return;
	add_case(rule, &of, is_noise ? &ret->within : &ret->worst);
	if (is_noise)
		return;
	ret->noise_is_unknown = !is_known;
	ret->is_broken = true;
}

static int check_amount(const struct pfx_diff_gate *gate, const struct pfx_diff_rule *rule,
			struct pfx_diff_verdict *ret, struct pfx_error *err)
{
	const struct pfx_diff_amount *amount =
		gate->amounts ? pfx_diff_amount_named(gate->amounts, rule->name) : NULL;
	uint32_t side, nr_sides = pfx_diff_options(gate->self)->nr_sides;
	char shown[128], name[128];
	bool is_on_both = false;

	for (side = 1; amount && side < nr_sides; side++) {
		if (amount->sides[0].n < 1 || amount->sides[side].n < 1)
			continue;
		check_side(gate, rule, amount, side, ret);
		is_on_both = true;
	}
	if (is_on_both)
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
		return "no function that it is about has enough samples (--min-samples, "
		       "--min-share)";
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

static void add_change(const struct pfx_diff_rule *rule, const struct pfx_diff_case *of,
		       struct pfx_str *to)
{
	static const char *const units[] = {"%", " points", " ms", " samples", ""};

	if (isinf(of->change)) {
		pfx_str_add(to, "new");
		return;
	}
	add_number(of->change, true, to);
	pfx_str_add(to, units[rule->unit]);
}

void pfx_diff_case_text(const struct pfx_diff_rule *rule, const struct pfx_diff_verdict *verdict,
			const struct pfx_diff_case *of, struct pfx_str *to)
{
	const bool is_share = of->row && verdict->weight == PFX_DIFF_SHARE;
	const char *percent = is_share ? "%" : "";

	pfx_str_add_foreign(to, of->name);
	pfx_str_addc(to, ' ');
	add_change(rule, of, to);
	pfx_str_add(to, " (");
	add_number(of->old, false, to);
	pfx_str_addf(to, "%s -> ", percent);
	add_number(of->new, false, to);
	pfx_str_add(to, percent);
	/* The change in the table is this one. */
	if (is_share && rule->unit == PFX_DIFF_BY_PERCENT) {
		pfx_str_add(to, ", ");
		add_number(of->new - of->old, true, to);
		pfx_str_add(to, " points");
	}
	pfx_str_addc(to, ')');
	if (of->nr_rows > 1)
		pfx_str_addf(to, ", and %u more", of->nr_rows - 1);
	if (of == &verdict->worst && verdict->noise_is_unknown)
		pfx_str_add(to, "; one run a side: it may be noise");
}

void pfx_diff_verdict_excuse(const struct pfx_diff_rule *rule,
			     const struct pfx_diff_verdict *verdict, struct pfx_str *to)
{
	if (verdict->is_broken)
		return;
	if (verdict->within.nr_rows) {
		pfx_str_add(to, "within noise: ");
		pfx_diff_case_text(rule, verdict, &verdict->within, to);
	}
	if (!verdict->small.nr_rows)
		return;
	pfx_str_addf(to, "%sbelow %g%% of all samples: ", to->len ? "; " : "", verdict->min_share);
	pfx_diff_case_text(rule, verdict, &verdict->small, to);
}
