// SPDX-License-Identifier: MIT
/* Rules: their words, and what breaks them. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulated_pairs.h"

static void test_words(void **state)
{
	static const struct {
		const char *text;
		enum pfx_diff_subject subject;
		enum pfx_diff_unit unit;
		double limit;
		bool is_less, has_pattern;
	} good[] = {
		{"self > +5%", PFX_DIFF_RULE_SELF, PFX_DIFF_BY_PERCENT, 5, false, false},
		{" self:f.*>5 percent ", PFX_DIFF_RULE_SELF, PFX_DIFF_BY_PERCENT, 5, false, true},
		{"total:parse_.* > +2 points", PFX_DIFF_RULE_TOTAL, PFX_DIFF_BY_POINTS, 2, false,
		 true},
		{"total:std::less<int>(a) > 1 point", PFX_DIFF_RULE_TOTAL, PFX_DIFF_BY_POINTS, 1,
		 false, true},
		{"total-time > 1.5ms", PFX_DIFF_RULE_AMOUNT, PFX_DIFF_BY_MS, 1.5, false, false},
		{"instructions:u < -1%", PFX_DIFF_RULE_AMOUNT, PFX_DIFF_BY_PERCENT, -1, true,
		 false},
		{"selfish > 1e3", PFX_DIFF_RULE_AMOUNT, PFX_DIFF_BY_NUMBER, 1000, false, false},
		{"self > 10 samples", PFX_DIFF_RULE_SELF, PFX_DIFF_BY_SAMPLES, 10, false, false},
	};
	struct pfx_diff_rule rule;
	struct pfx_error err;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(pfx_diff_rule_parse(&rule, good[i].text, &err), 0);
		assert_int_equal(rule.subject, good[i].subject);
		assert_int_equal(rule.unit, good[i].unit);
		assert_float_equal(rule.limit, good[i].limit, 0);
		assert_int_equal(rule.is_less, good[i].is_less);
		assert_int_equal(rule.has_pattern, good[i].has_pattern);
		pfx_diff_rule_fini(&rule);
	}
}

/* The caret is below the first byte that cannot be read. */
static void test_refused(void **state)
{
	static const struct {
		const char *text, *why;
		size_t at;
	} bad[] = {
		{"self", "> or < is missing", 4},
		{"", "> or < is missing", 0},
		{" > 5%", "the name of what is compared is missing", 1},
		{"> 5%", "the name of what is compared is missing", 0},
		{"self > many", "a number is missing", 7},
		{"self >", "a number is missing", 6},
		{"self > +-5%", "a number is missing", 8},
		{"self > 5 apples", "the unit must be %, points, ms or samples", 9},
		{"self > 5", "a unit is missing: %, points, ms or samples", 8},
		{"self: > 5%", "a pattern is missing after the colon", 5},
		{"total:a(b > 5%", "Unmatched ( or \\(", 6},
		{"cycles > 5 points", "the unit of a count must be %", 11},
		{"cycles > 5 ms", "only total-time has the unit ms", 11},
		{"self > 1e999%", "the number is too large", 7},
	};
	struct pfx_diff_rule rule;
	struct pfx_error err;
	const char *caret;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(pfx_diff_rule_parse(&rule, bad[i].text, &err), -EINVAL);
		assert_non_null(strstr(err.text, bad[i].why));
		assert_null(rule.text);
		caret = strchr(err.hint, '^');
		assert_non_null(caret);
		assert_int_equal(caret - strchr(err.hint, '\n') - 1, bad[i].at);
	}
}

struct world {
	struct pfx_profile *profiles[2];
	struct pfx_diff *diff;
	struct pfx_diff_amounts *amounts;
	struct pfx_diff_gate gate;
};

static void world_make(struct world *world, double slower)
{
	const struct pfx_diff_options options = {
		.keys = {PFX_DIFF_SYM}, .nr_keys = 1, .nr_sides = 2, .noise = true};
	int i;

	world->diff = pfx_diff_new(&options);
	world->amounts = pfx_diff_amounts_new(2);
	for (i = 0; i < 2; i++) {
		world->profiles[i] = sim_profile(&(struct sim_run){
			.seed = 5 + (uint64_t)i, .nr_samples = 5000, .slower = i ? slower : 1});
		pfx_diff_add_run(world->diff, (uint32_t)i, world->profiles[i]);
	}
	pfx_diff_finish(world->diff);
	world->gate = (struct pfx_diff_gate){.self = world->diff, .amounts = world->amounts};
}

static void world_free(struct world *world)
{
	pfx_diff_gate_fini(&world->gate);
	pfx_diff_amounts_free(world->amounts);
	pfx_diff_free(world->diff);
	pfx_profile_free(world->profiles[0]);
	pfx_profile_free(world->profiles[1]);
}

static struct pfx_diff_verdict judge(struct world *world, const char *text, int code)
{
	struct pfx_diff_verdict verdict;
	struct pfx_diff_rule rule;
	struct pfx_error err;

	assert_int_equal(pfx_diff_rule_parse(&rule, text, &err), 0);
	assert_int_equal(pfx_diff_rule_check(&world->gate, &rule, &verdict, &err), code);
	pfx_diff_rule_fini(&rule);
	return verdict;
}

static void test_rows(void **state)
{
	struct world world;
	struct pfx_diff_verdict verdict;

	world_make(&world, 1.6);
	verdict = judge(&world, "self > +20%", 0);
	assert_true(verdict.is_broken);
	assert_string_equal(verdict.worst.name, "target");
	assert_int_equal(verdict.worst.nr_rows, 1);
	assert_true(verdict.worst.change > 20 && verdict.worst.change < 80);
	assert_true(judge(&world, "self:tar.* > +2 points", 0).is_broken);
	assert_false(judge(&world, "self:tar > +2 points", 0).is_broken);
	assert_false(judge(&world, "self > +500%", 0).is_broken);
	assert_true(judge(&world, "self > +100 samples", 0).is_broken);
	world.gate.ignore_noise = true;
	assert_true(judge(&world, "self > +20%", 0).worst.nr_rows > 1);
	world.gate.min_samples = 1000;
	assert_int_equal(judge(&world, "self > +20%", 0).worst.nr_rows, 1);
	world.gate.min_samples = 4000;
	assert_false(judge(&world, "self > +20%", 0).is_broken);
	judge(&world, "cycles > +20%", -EINVAL);
	world_free(&world);
}

static void test_amounts(void **state)
{
	static const double old[] = {100, 102, 98}, new[] = {110, 111, 109};
	const struct pfx_diff_amount *amount;
	struct pfx_diff_verdict verdict;
	struct world world;
	double half;
	int i;

	world_make(&world, 1);
	pfx_diff_amounts_add(world.amounts, 0, "cycles:u", "", 100);
	pfx_diff_amounts_add(world.amounts, 1, "cycles:u", "", 102);
	for (i = 0; i < 3; i++) {
		pfx_diff_amounts_add(world.amounts, 0, "instructions", "", old[i]);
		pfx_diff_amounts_add(world.amounts, 1, "instructions", "", new[i]);
	}
	verdict = judge(&world, "cycles > +1%", 0);
	assert_true(verdict.is_broken && verdict.noise_is_unknown);
	assert_float_equal(verdict.worst.change, 2, 1e-9);
	assert_false(judge(&world, "cycles > +2%", 0).is_broken);
	verdict = judge(&world, "instructions > +5%", 0);
	assert_true(verdict.is_broken && !verdict.noise_is_unknown);
	amount = pfx_diff_amount_named(world.amounts, "instructions");
	assert_true(pfx_diff_amount_interval(world.amounts, amount, 1, 95, &half));
	/* Pooled variance 2.5, two amounts: t of 4 degrees at 1 - sqrt(0.95) is 3.48. */
	assert_float_equal(half, 3.48 * sqrt(2.5 * 2 / 3), 0.02);
	pfx_diff_amounts_add(world.amounts, 1, "instructions", "", 200);
	assert_false(judge(&world, "instructions > +5%", 0).is_broken);
	world.gate.ignore_noise = true;
	assert_true(judge(&world, "instructions > +5%", 0).is_broken);
	world_free(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_amounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
