// SPDX-License-Identifier: MIT
/* A whole comparison: what is made of its files, rules in files, and baselines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "diff/comparison.h"
#include "simulated_runs.h"

static struct pfx_comparison c;
static struct pfx_error err;
static struct pfx_str said;

static void hear(void *context, const char *text)
{
	pfx_str_addf(context, "%s\n", text);
}

static const struct pfx_note_to notes = {hear, &said};

static int begin(void **state)
{
	(void)state;
	c.model = (struct pfx_diff_options){
		.keys = {PFX_DIFF_DSO, PFX_DIFF_SYM}, .nr_keys = 2, .nr_sides = 2, .noise = true};
	c.with_noise = true;
	c.look.how.compute = PFX_DIFF_DELTA_ABS;
	pfx_comparison_add_file(&c, "old.data", 0);
	pfx_comparison_add_file(&c, "new.data", 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pfx_comparison_fini(&c);
	pfx_str_fini(&said);
	return 0;
}

static struct pfx_profile *profile(uint64_t seed, double slower)
{
	return sim_profile(&(struct sim_run){.seed = seed, .nr_samples = 5000, .slower = slower});
}

static void take_profiles(double slower)
{
	c.files.at[0].profile = profile(5, 1);
	c.files.at[1].profile = profile(6, slower);
}

static void names_are_by_side(void **state)
{
	(void)state;
	pfx_comparison_add_file(&c, "newer.data", 1);
	assert_string_equal(c.names.at[0], "old.data");
	assert_string_equal(c.names.at[1], "new.data, newer.data");
	assert_int_equal(c.files.nr, 3);
}

static void forms_are_made_when_asked_for(void **state)
{
	(void)state;
	take_profiles(1.6);
	assert_int_equal(pfx_comparison_make(&c, &err), 0);
	assert_int_equal(pfx_diff_nr_events(c.diff), 1);
	assert_null(c.tree);
	assert_null(c.total);
	assert_ptr_equal(c.look.noise, c.noise);
	assert_non_null(pfx_diff_amount_at(c.look.amounts, 0));
}

static void a_tree_has_noise_of_its_own(void **state)
{
	(void)state;
	take_profiles(1.6);
	c.form = PFX_COMPARISON_TREE;
	assert_int_equal(pfx_comparison_make(&c, &err), 0);
	assert_int_equal(pfx_diff_options(c.tree)->keys[0], PFX_DIFF_PATH);
	assert_ptr_equal(c.look.tree, c.tree);
	assert_ptr_equal(c.look.tree_noise, c.tree_noise);
	assert_non_null(c.tree_noise);
	assert_ptr_not_equal(c.tree_noise, c.look.noise);
}

static void chains_have_no_noise(void **state)
{
	(void)state;
	take_profiles(1.6);
	c.form = PFX_COMPARISON_FOLDED;
	assert_int_equal(pfx_comparison_make(&c, &err), 0);
	assert_int_equal(pfx_diff_options(c.tree)->keys[1], PFX_DIFF_CHAIN);
	assert_false(pfx_diff_options(c.tree)->noise);
	assert_null(c.look.tree);
}

static void events_must_be_common(void **state)
{
	(void)state;
	take_profiles(1);
	c.files.at[1].profile->events[0].name = "page\033-faults";
	assert_int_equal(pfx_comparison_make(&c, &err), -EINVAL);
	assert_non_null(strstr(err.text, "have no event in common: 'old.data' has 'cpu-clock', "
					 "'new.data' 'page\\x1b-faults'"));
}

static void counts_are_no_samples(void **state)
{
	(void)state;
	c.files.at[0].profile = profile(5, 1);
	assert_int_equal(pfx_comparison_make(&c, &err), -EINVAL);
	assert_string_equal(err.text, "counts and samples cannot be compared: the new files have "
				      "counts only");
}

static void put_rules(const char *text)
{
	FILE *file = fopen("rules", "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void rules_are_lines(void **state)
{
	(void)state;
	take_profiles(1.6);
	put_rules("# of the target\n\n  self:target > +20%\t\r\nself:no_such > +1%\n"
		  "self:target > +500%\n");
	assert_int_equal(pfx_comparison_read_rules(&c, "rules", &err), 0);
	assert_int_equal(c.rules.nr, 3);
	assert_int_equal(pfx_comparison_make(&c, &err), 0);
	assert_int_equal(pfx_comparison_verdicts(&c, true, &notes), 1);
	assert_non_null(strstr(said.at, "rule 'self:target > +20%' is broken: target +"));
	assert_non_null(strstr(said.at, "rule 'self:no_such > +1%' checks nothing: "));
	assert_null(strstr(said.at, "500"));
	assert_int_equal(c.look.nr_rules, 3);
}

static void a_wrong_line_is_named(void **state)
{
	(void)state;
	put_rules("# one\nself > 5%\nself > 5 apples\n");
	assert_int_equal(pfx_comparison_read_rules(&c, "rules", &err), -EINVAL);
	assert_non_null(strstr(err.text, "'rules', line 3: "));
	assert_non_null(strstr(err.text, "the unit must be %, points, ms or samples"));
}

static void total_needs_chains(void **state)
{
	(void)state;
	take_profiles(1);
	assert_false(pfx_comparison_has_total(&c));
	assert_int_equal(pfx_comparison_add_rule(&c, "total > +5%", &err), 0);
	assert_true(pfx_comparison_has_total(&c));
	assert_int_equal(pfx_comparison_make(&c, &err), -EINVAL);
	assert_string_equal(err.text,
			    "'old.data' has no call chains, which rules about total need");
}

static void machines_are_compared(void **state)
{
	(void)state;
	take_profiles(1);
	c.files.at[0].machine = pfx_strdup("x86_64, a CPU");
	c.files.at[1].machine = pfx_strdup("arm64, another");
	assert_int_equal(pfx_comparison_make(&c, &err), 0);
	pfx_comparison_notes(&c, &notes);
	assert_string_equal(pfx_str_get(&said),
			    "the recordings are from different machines: 'old.data' is of x86_64, "
			    "a CPU, 'new.data' of arm64, another\n");
}

static void baselines_come_back(void **state)
{
	struct pfx_comparison_kept kept;

	(void)state;
	take_profiles(1);
	c.files.at[0].machine = pfx_strdup("x86_64, a CPU");
	assert_int_equal(pfx_comparison_keep(&c, "kept", "base", &kept, &err), 0);
	assert_false(kept.replaces);
	assert_true(kept.bytes > 0);
	assert_int_equal(pfx_comparison_keep(&c, "kept", "base", &kept, &err), 0);
	assert_true(kept.replaces);
	assert_int_equal(pfx_comparison_load(&c, "kept", "base", &err), 0);
	assert_int_equal(c.files.nr, 4);
	assert_int_equal(c.files.at[3].side, 0);
	assert_string_equal(c.files.at[3].machine, "x86_64, a CPU");
	assert_int_equal(c.files.at[3].profile->events[0].nr_samples, 5000);
	assert_true(pfx_comparison_load(&c, "kept", "none", &err) < 0);
	assert_string_equal(err.hint, "'pfx diff --baseline DIR --keep NAME FILE' makes one");
}

static void counts_are_not_kept(void **state)
{
	struct pfx_comparison_kept kept;

	(void)state;
	c.files.at[0].profile = profile(5, 1);
	assert_int_equal(pfx_comparison_keep(&c, "kept", "counts", &kept, &err), -EINVAL);
	assert_string_equal(err.text, "'new.data' has counts, which are not kept");
	assert_int_not_equal(access("kept/counts.baseline", F_OK), 0);
}

static char folder[] = "/tmp/test-comparison-XXXXXX";

static int enter_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return chdir("/") || system(command);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_are_by_side),
		TEST(forms_are_made_when_asked_for),
		TEST(a_tree_has_noise_of_its_own),
		TEST(chains_have_no_noise),
		TEST(events_must_be_common),
		TEST(counts_are_no_samples),
		TEST(rules_are_lines),
		TEST(a_wrong_line_is_named),
		TEST(total_needs_chains),
		TEST(machines_are_compared),
		TEST(baselines_come_back),
		TEST(counts_are_not_kept),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
