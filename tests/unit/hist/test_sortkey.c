/* SPDX-License-Identifier: MIT */
/* The rows of sort keys: every row is complete, and no word means two keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "hist/sortkey.h"

/* Keys of branches and of memory are searched together. */
static bool is_searched_together(const struct pfx_key_info *a, const struct pfx_key_info *b)
{
	bool a_is_special = a->kind == PFX_KEY_OF_BRANCH || a->kind == PFX_KEY_OF_MEMORY;
	bool b_is_special = b->kind == PFX_KEY_OF_BRANCH || b->kind == PFX_KEY_OF_MEMORY;

	return a->kind == b->kind || (a_is_special && b_is_special);
}

static size_t common_letters(const char *a, const char *b)
{
	size_t nr = 0;

	while (a[nr] && !strncasecmp(a, b, nr + 1))
		nr++;
	return nr;
}

static void test_prefixes(void **state)
{
	const struct pfx_key_info *a, *b;
	size_t common;
	enum pfx_key i, k;

	(void)state;
	for (i = 0; i < PFX_KEY_NR; i++) {
		a = pfx_key_info(i);
		assert_true(a->prefix <= strlen(a->name));
		for (k = 0; k < i; k++) {
			b = pfx_key_info(k);
			common = common_letters(a->name, b->name);
			if (common && is_searched_together(a, b))
				assert_false(common >= a->prefix && common >= b->prefix);
		}
	}
}

/* perf's key names that have a common prefix with other keys. */
static void test_words(void **state)
{
	static const struct {
		const char *word;
		enum pfx_key key;
	} words[] = {
		{"s", PFX_KEY_SYM},          {"sym", PFX_KEY_SYM},       {"p", PFX_KEY_PID},
		{"pa", PFX_KEY_PARENT},      {"c", PFX_KEY_COMM},        {"cp", PFX_KEY_CPU},
		{"d", PFX_KEY_DSO},          {"t", PFX_KEY_TRANSACTION}, {"ti", PFX_KEY_TIME},
		{"l", PFX_KEY_LOCAL_WEIGHT},
	};
	struct pfx_columns columns;
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const struct pfx_columns_request request = {.sort = words[i].word};

		columns = (struct pfx_columns){0};
		assert_int_equal(pfx_columns_build(&columns, &request, &err), 0);
		assert_true(pfx_columns_has(&columns, words[i].key));
		pfx_columns_fini(&columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
