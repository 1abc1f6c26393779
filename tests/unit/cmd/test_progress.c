/* SPDX-License-Identifier: MIT */
/* The progress line while a file is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/app/progress.h"

static char shown[512];

/* Step over @nr records with the line written to a pipe; its output is in shown. */
static void run(struct pfx_progress *progress, uint64_t offset, uint64_t nr)
{
	struct pfx_record rec = {.offset = offset};
	int fds[2];
	ssize_t got;
	uint64_t i;

	assert_int_equal(pipe(fds), 0);
	progress->fd = fds[1];
	for (i = 0; i < nr; i++)
		pfx_progress_step(progress, &rec);
	pfx_progress_end(progress);
	close(fds[1]);
	got = read(fds[0], shown, sizeof(shown) - 1);
	assert_true(got >= 0);
	shown[got] = '\0';
	close(fds[0]);
}

static void test_part_of_a_file(void **state)
{
	struct pfx_progress progress = {.command = "report", .begin = 100, .size = 64u << 20};

	(void)state;
	run(&progress, 100 + (16u << 20), PFX_PROGRESS_STEP);
	assert_string_equal(shown, "\r\033[Kpfx report: 25% of 64 MB\r\033[K");
}

static void test_stream(void **state)
{
	struct pfx_progress progress = {.command = "report"};

	(void)state;
	run(&progress, 0, PFX_PROGRESS_STEP);
	assert_string_equal(shown, "\r\033[Kpfx report: 4096 records\r\033[K");
}

/* No output at the start, and none without a terminal. */
static void test_silence(void **state)
{
	struct pfx_progress early = {.command = "report", .first = 1ull << 60};
	struct pfx_progress few = {.command = "report"};
	struct pfx_progress nowhere = {.command = "report", .fd = -1};
	struct pfx_record rec = {0};
	uint64_t i;

	(void)state;
	run(&early, 0, 2 * PFX_PROGRESS_STEP);
	assert_string_equal(shown, "");
	run(&few, 0, PFX_PROGRESS_STEP - 1);
	assert_string_equal(shown, "");
	for (i = 0; i < PFX_PROGRESS_STEP; i++)
		pfx_progress_step(&nowhere, &rec);
	assert_false(nowhere.is_shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_part_of_a_file),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
