/* SPDX-License-Identifier: MIT */
/* Arrays in files: content, memory, and what happens without a file. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/paged/paged.h"
#include "memory_use.h"

#define LARGE (4 * PFX_PAGED_ABOVE)

/* Grows step by step to @size; every number is its index. */
static void fill(struct pfx_paged *array, size_t size)
{
	size_t nr = size / sizeof(uint32_t), cap = 0, i;
	uint32_t *at = NULL;

	for (i = 0; i < nr; i++) {
		if (i == cap) {
			cap = cap ? cap + cap / 2 : 16;
			at = pfx_paged_grow(array, cap * sizeof(*at));
			assert_ptr_equal(at, array->at);
		}
		at[i] = (uint32_t)i;
	}
}

static void check(const struct pfx_paged *array, size_t size)
{
	const uint32_t *at = array->at;
	size_t i;

	for (i = 0; i < size / sizeof(*at); i++)
		if (at[i] != i)
			fail_msg("number %zu is %u", i, at[i]);
}

static void test_small(void **state)
{
	struct pfx_paged array = {0};

	fill(&array, PFX_PAGED_ABOVE / 2);
	assert_int_equal(array.file, 0);
	pfx_paged_drop(&array);
	check(&array, PFX_PAGED_ABOVE / 2);
	pfx_paged_free(&array);
	assert_null(array.at);
	assert_non_null(pfx_paged_grow(&array, 0));
	pfx_paged_free(&array);
}

static void test_large(void **state)
{
	struct pfx_paged array = {0};
	uint64_t before;

	fill(&array, LARGE);
	assert_int_not_equal(array.file, 0);
	check(&array, LARGE);
	before = memory_use("RssFile:") + memory_use("RssShmem:");
	pfx_paged_drop(&array);
	assert_true(memory_use("RssFile:") + memory_use("RssShmem:") + LARGE / 2 < before);
	check(&array, LARGE);
	pfx_paged_free(&array);
}

static void test_no_folder(void **state)
{
	struct pfx_paged array = {0};

	setenv("TMPDIR", "/nonexistent", 1);
	fill(&array, LARGE);
	assert_int_equal(array.file, 0);
	check(&array, LARGE);
	pfx_paged_free(&array);
	unsetenv("TMPDIR");
}

/* The file cannot become larger: the content moves to memory. */
static void test_full(void **state)
{
	const struct rlimit limit = {LARGE, LARGE};
	struct pfx_paged array = {0};

	signal(SIGXFSZ, SIG_IGN);
	fill(&array, LARGE / 2);
	assert_int_not_equal(array.file, 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	pfx_paged_grow(&array, 2 * LARGE);
	assert_int_equal(array.file, 0);
	check(&array, LARGE / 2);
	pfx_paged_grow(&array, 3 * LARGE);
	check(&array, LARGE / 2);
	pfx_paged_free(&array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_no_folder),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
