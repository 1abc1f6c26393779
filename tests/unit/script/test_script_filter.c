/* SPDX-License-Identifier: MIT */
/* The samples that `pfx script` shows: by their data, and by their place. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "script/script_internal.h"

static struct pfx_comm_ref demo = {.text = "demo"};
static struct pfx_thread thread = {.comm = &demo};
static struct pfx_dso dso = {.name = "/bin/demo", .short_name = "demo"};
static struct pfx_symbol foo = {.name = "foo(int, int)"};

static struct pfx_sample sample_of(uint32_t pid, uint32_t tid, uint32_t cpu)
{
	return (struct pfx_sample){.pid = pid, .tid = tid, .cpu = cpu, .time = PFX_NO_TIME};
}

static bool takes(const struct pfx_script_filter *words, struct pfx_sample sample)
{
	struct pfx_script_filters filters = {0};
	struct pfx_error err;
	bool taken;

	assert_int_equal(pfx_script_filters_init(&filters, words, &err), 0);
	taken = pfx_script_filters_take(&filters, &sample, &thread);
	pfx_script_filters_fini(&filters);
	return taken;
}

static bool takes_place(const struct pfx_script_filter *words, struct pfx_place place)
{
	struct pfx_script_filters filters = {0};
	struct pfx_error err;
	bool taken;

	assert_int_equal(pfx_script_filters_init(&filters, words, &err), 0);
	taken = pfx_script_filters_take_place(&filters, &place);
	pfx_script_filters_fini(&filters);
	return taken;
}

static void test_samples(void **state)
{
	struct pfx_sample sample = sample_of(10, 11, 3), nowhere = sample_of(10, 11, UINT32_MAX);

	assert_true(takes(&(struct pfx_script_filter){0}, sample));
	assert_true(takes(&(struct pfx_script_filter){.pids = "9,10"}, sample));
	assert_false(takes(&(struct pfx_script_filter){.pids = "9,11"}, sample));
	assert_true(takes(&(struct pfx_script_filter){.tids = "11"}, sample));
	assert_false(takes(&(struct pfx_script_filter){.tids = "10"}, sample));
	assert_true(takes(&(struct pfx_script_filter){.cpus = "0,2-4"}, sample));
	assert_false(takes(&(struct pfx_script_filter){.cpus = "0-2"}, sample));
	assert_true(takes(&(struct pfx_script_filter){.cpus = "0-2"}, nowhere));
	assert_true(takes(&(struct pfx_script_filter){.comms = "sh,demo"}, sample));
	assert_false(takes(&(struct pfx_script_filter){.comms = "dem,emo"}, sample));
	assert_false(takes(&(struct pfx_script_filter){.comms = ""}, sample));
}

static void test_places(void **state)
{
	struct pfx_place place = {.ip = 0x1010, .dso = &dso, .sym = &foo}, other = {.ip = 0x2000};

	assert_true(takes_place(&(struct pfx_script_filter){0}, other));
	assert_true(takes_place(&(struct pfx_script_filter){.dsos = "sh,demo"}, place));
	assert_true(takes_place(&(struct pfx_script_filter){.dsos = "/bin/demo"}, place));
	assert_false(takes_place(&(struct pfx_script_filter){.dsos = "/bin"}, place));
	assert_false(takes_place(&(struct pfx_script_filter){.dsos = "demo"}, other));
	assert_false(takes_place(&(struct pfx_script_filter){.symbols = "foo"}, place));
	assert_true(takes_place(&(struct pfx_script_filter){.symbols = "0x1010"}, place));
	assert_false(takes_place(&(struct pfx_script_filter){.symbols = "0x1000"}, place));
	assert_true(takes_place(
		&(struct pfx_script_filter){.symbols = "0x1000", .addr_range = 0x11}, place));
	assert_false(takes_place(&(struct pfx_script_filter){.symbols = "0x1010,x", .dsos = "sh"},
				 place));
}

/* A name in a file may have commas. */
static void test_file(void **state)
{
	char path[] = "/tmp/pfx-filter-XXXXXX", text[64];
	struct pfx_place place = {.dso = &dso, .sym = &foo};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "bar\nfoo(int, int)\n", 18), 18);
	close(fd);
	snprintf(text, sizeof(text), "file://%s", path);
	assert_true(takes_place(&(struct pfx_script_filter){.symbols = text}, place));
	unlink(path);
}

static void test_wrong(void **state)
{
	struct pfx_script_filters filters = {0};
	struct pfx_error err;

	assert_int_equal(
		pfx_script_filters_init(&filters, &(struct pfx_script_filter){.tids = "1,y"}, &err),
		-EINVAL);
	assert_string_equal(err.text, "'1,y' is not a list of numbers separated by commas");
	assert_string_equal(err.hint, "1,y\n  ^ for example: 4711,4712");
	pfx_script_filters_fini(&filters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
