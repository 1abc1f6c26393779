/* SPDX-License-Identifier: MIT */
/* The output forms of records: each has a writer, and names are unique. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "script/script_internal.h"

/* Uses the list itself, so that a new row is tested, too. */
static void test_every_form_writes_records(void **state)
{
	struct pfx_script script = {0};
	struct pfx_form_record record = {
		.kind = PFX_FORM_RECORD_OTHER, .script = &script, .text = "PERF_RECORD_LOST\n"};
	size_t i, k;

	for (i = 0; i < PFX_NR_FORMS_OF_RECORDS; i++) {
		const struct pfx_form *form = &pfx_forms_of_records[i];

		assert_true(form->needs & PFX_FORM_RECORDS);
		for (k = 0; k < i; k++)
			assert_string_not_equal(pfx_forms_of_records[k].name, form->name);
		pfx_str_clear(&script.out);
		assert_int_equal(form->write.record(&record, &script.out), 0);
		assert_non_null(strstr(pfx_str_get(&script.out), "PERF_RECORD_LOST"));
		assert_int_equal(script.out.at[script.out.len - 1], '\n');
	}
	pfx_str_fini(&script.out);
}

/* A row either prints a field or changes another field's output. */
static void test_rows_are_whole(void **state)
{
	size_t i, k;

	for (i = 0; i < pfx_script_nr_rows; i++) {
		const struct pfx_script_field *row = &pfx_script_rows[i];

		assert_true(row->bit && !(row->bit & (row->bit - 1)));
		assert_int_equal(!row->needs, !row->recorded);
		if (row->add_json)
			assert_int_not_equal(row->json, PFX_SCRIPT_JSON_NEVER);
		for (k = 0; k < i; k++) {
			assert_true(pfx_script_rows[k].bit != row->bit);
			assert_string_not_equal(pfx_script_rows[k].name, row->name);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_form_writes_records),
		cmocka_unit_test(test_rows_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
