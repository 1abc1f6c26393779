/* SPDX-License-Identifier: MIT */
/* Memory that is given back to the system, and memory of huge pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"

#define NR    200000
#define BYTES 200
#define KEPT  1000 /* one of so many lives on */

static size_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	size_t size, resident;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%zu %zu", &size, &resident), 2);
	fclose(file);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void memory_between_what_lives_is_given_back(void **state)
{
	static void *pieces[NR];
	size_t before, i;

	(void)state;
#if defined(PFX_SANITIZED) || !defined(__GLIBC__)
	skip();
#endif
	for (i = 0; i < NR; i++)
		pieces[i] = memset(pfx_malloc(BYTES), 1, BYTES);
	for (i = 0; i < NR; i++)
		if (i % KEPT)
			free(pieces[i]);
	before = resident_bytes();
	pfx_alloc_trim();
	assert_true(resident_bytes() + (size_t)NR * BYTES / 2 < before);
	for (i = 0; i < NR; i += KEPT)
		free(pieces[i]);
}

/* Blocks of the heap, and one that has its own mapping, grow and keep what they hold. */
static void huge_pages_keep_what_they_hold(void **state)
{
	size_t size = 1, filled = 0, i;
	uint8_t *at = NULL, *other;

	(void)state;
	pfx_alloc_huge_pages();
	for (; size <= (size_t)64 << 20; size *= 4) {
		at = pfx_realloc(at, size);
		for (; filled < size; filled++)
			at[filled] = (uint8_t)(filled * 31);
		other = pfx_calloc(size, 1);
		assert_int_equal(other[size - 1], 0);
		free(other);
	}
	for (i = 0; i < filled; i += 509)
		assert_int_equal(at[i], (uint8_t)(i * 31));
	free(at);
	assert_null(pfx_alloc_checked(UINT64_MAX, 2, SIZE_MAX));
	assert_null(pfx_malloc_checked(65, 64));
	at = pfx_malloc_checked(size, size);
	assert_non_null(at);
	memset(at, 1, size);
	free(at);
}

/* The kernel makes every large block of huge pages, asked or not. */
static bool has_huge_pages_always(void)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	char line[128] = "";

	if (file && !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	return strstr(line, "[always]");
}

/* A large zeroed block of which little is used takes little memory. */
static void zeroed_blocks_stay_sparse(void **state)
{
	size_t size = (size_t)256 << 20, step = (size_t)2 << 20, before, i;
	uint8_t *at;

	(void)state;
#if defined(PFX_SANITIZED)
	skip();
#endif
	if (has_huge_pages_always())
		skip();
	pfx_alloc_huge_pages();
	before = resident_bytes();
	at = pfx_calloc(size, 1);
	for (i = 0; i < size; i += step)
		at[i] = 1;
	assert_true(resident_bytes() < before + size / 4);
	free(at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_blocks_stay_sparse),
		cmocka_unit_test(huge_pages_keep_what_they_hold),
		cmocka_unit_test(memory_between_what_lives_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
