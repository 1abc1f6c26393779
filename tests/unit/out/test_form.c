/* SPDX-License-Identifier: MIT */
/* Output forms: each row of the list has a writer; selection by options. */
#include <errno.h>

#include "unit/hist/hist_world.h"

#include "out/form.h"

#define PID 4194286

static void write_form(const struct pfx_form *form, struct pfx_str *out)
{
	const struct pfx_form_rows from = {.hists = world.hists};

	assert_int_equal(form->write.rows(&from, out), 0);
}

/* Uses the list itself, so that a new row is tested, too. */
static void test_every_form_writes(void **state)
{
	struct pfx_str out = {0};
	size_t i, k;

	(void)state;
	world_begin(PID);
	world.options.chains = true;
	world_columns(NULL, NULL);
	world_add("ab", 3);
	pfx_hists_finish(world.hists);
	for (i = 0; i < PFX_NR_FORMS_OF_ROWS; i++) {
		assert_true(pfx_forms_of_rows[i].needs & PFX_FORM_ROWS);
		assert_true(*pfx_forms_of_rows[i].name && *pfx_forms_of_rows[i].help);
		for (k = 0; k < i; k++)
			assert_string_not_equal(pfx_forms_of_rows[k].name,
						pfx_forms_of_rows[i].name);
		pfx_str_clear(&out);
		write_form(&pfx_forms_of_rows[i], &out);
		assert_true(out.len > 0);
		assert_int_equal(out.at[out.len - 1], '\n');
	}
	pfx_str_fini(&out);
	world_end();
}

static void test_folded(void **state)
{
	struct pfx_str out = {0};

	(void)state;
	world_begin(PID);
	world.options.chains = true;
	world_columns(NULL, NULL);
	world_add("ab", 3);
	world_add("ac", 1);
	world_add("ab", 4);
	pfx_hists_finish(world.hists);
	write_form(&pfx_forms_of_rows[PFX_FORM_folded], &out);
	assert_string_equal(pfx_str_get(&out), "prog;a;b 7\nprog;a;c 1\n");
	pfx_str_fini(&out);
	world_end();
}

static void test_choice(void **state)
{
	bool given[PFX_NR_FORMS_OF_ROWS] = {0};
	const struct pfx_form *form;
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(
		pfx_form_choose(pfx_forms_of_rows, given, PFX_NR_FORMS_OF_ROWS, &form, &err), 0);
	assert_string_equal(form->name, "stdio");
	given[PFX_FORM_stdio] = given[PFX_FORM_folded] = true;
	assert_int_equal(
		pfx_form_choose(pfx_forms_of_rows, given, PFX_NR_FORMS_OF_ROWS, &form, &err), 0);
	assert_string_equal(form->name, "folded");
	given[PFX_FORM_json] = true;
	assert_int_equal(
		pfx_form_choose(pfx_forms_of_rows, given, PFX_NR_FORMS_OF_ROWS, &form, &err),
		-EINVAL);
	assert_string_equal(err.text, "--json and --folded are two forms: choose one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_form_writes),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
