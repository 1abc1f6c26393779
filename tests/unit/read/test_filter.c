/* SPDX-License-Identifier: MIT */
/* The sets of words and numbers of the filters. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "read/filter.h"

/* "file://PATH" of a new file with @content. */
static const char *make_list(const char *content)
{
	static char text[64];
	char path[] = "/tmp/pfx-names-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
	snprintf(text, sizeof(text), "file://%s", path);
	return text;
}

static void drop_list(const char *list)
{
	unlink(list + strlen("file://"));
}

static void test_names(void **state)
{
	const char *list = make_list("one\ntwo,three\n");
	struct pfx_names names = {0};
	struct pfx_error err;

	assert_int_equal(pfx_names_parse(&names, list, &err), 0);
	assert_true(pfx_names_has(&names, "two,three"));
	assert_false(pfx_names_has(&names, "two"));
	assert_null(pfx_names_only(&names));
	pfx_intern_fini(&names.words);
	drop_list(list);
	assert_int_equal(pfx_names_parse(&names, list, &err), -ENOENT);
	assert_int_equal(pfx_names_parse(&names, "a,,b", &err), 0);
	assert_int_equal(names.words.nr, 2);
	pfx_intern_fini(&names.words);
}

static void check_no_ids(const char *list, const char *text, const char *hint)
{
	struct pfx_ids ids = {0};
	struct pfx_error err;

	assert_int_equal(pfx_ids_parse(&ids, list, &err), -EINVAL);
	assert_non_null(strstr(err.text, text));
	assert_string_equal(err.hint, hint);
	pfx_hash_fini(&ids.at);
}

static void test_ids(void **state)
{
	struct pfx_ids ids = {0};
	struct pfx_error err;

	assert_int_equal(pfx_ids_parse(&ids, "1,,4194304,", &err), 0);
	assert_true(pfx_ids_has(&ids, 4194304));
	assert_false(pfx_ids_has(&ids, 2));
	pfx_hash_fini(&ids.at);
	check_no_ids("1,x", "'1,x' is not a list of numbers separated by commas",
		     "1,x\n  ^ for example: 4711,4712");
	check_no_ids("2147483648", "is not a list of", "2147483648\n^ for example: 4711,4712");
	check_no_ids("1,0000000000000000000000001,2", "is not a list of",
		     "1,0000000000000000000000001,2\n  ^ for example: 4711,4712");
	check_no_ids("1;2", "is not a list of", "1;2\n^ for example: 4711,4712");
	check_no_ids("", "'' is not a list of", "\n^ for example: 4711,4712");
	check_no_ids(",", "',' is not a list of", ",\n ^ for example: 4711,4712");
}

static void test_ids_of_file(void **state)
{
	const char *list = make_list("12\n\n0x10\n");
	struct pfx_ids ids = {0};
	struct pfx_error err;

	assert_int_equal(pfx_ids_parse(&ids, list, &err), 0);
	assert_true(pfx_ids_has(&ids, 12));
	assert_true(pfx_ids_has(&ids, 16));
	pfx_hash_fini(&ids.at);
	drop_list(list);
	assert_int_equal(pfx_ids_parse(&ids, list, &err), -ENOENT);
	list = make_list("12\n13 14\n");
	check_no_ids(list, "is not a list of numbers separated by newlines", "one number a line");
	drop_list(list);
}

/* A recording of two CPUs with one event. */
static void test_cpus(void **state)
{
	struct pfx_event event = {.name = "cycles"}, *events[] = {&event};
	struct pfx_meta meta = {.events = events, .nr_events = 1};
	struct pfx_filter filter = {0};
	struct pfx_error err;

	meta.env.nr_cpus_avail = 2;
	assert_int_equal(pfx_filter_check_cpus(&filter, &meta, &err), 0);
	assert_true(pfx_list_parse("1", &filter.cpus));
	filter.cpus_given = true;
	assert_int_equal(pfx_filter_check_cpus(&filter, &meta, &err), -EINVAL);
	assert_non_null(strstr(err.text, "event 'cycles' were recorded without their CPU"));
	event.attr.sample_type = PFX_SAMPLE_CPU;
	assert_int_equal(pfx_filter_check_cpus(&filter, &meta, &err), 0);
	assert_true(pfx_filter_cpu(&filter, 1));
	assert_false(pfx_filter_cpu(&filter, 0));
	pfx_filter_fini(&filter);
	assert_true(pfx_filter_cpu(&filter, 0));
	assert_true(pfx_list_parse("2", &filter.cpus));
	filter.cpus_given = true;
	assert_int_equal(pfx_filter_check_cpus(&filter, &meta, &err), -EINVAL);
	assert_string_equal(err.text, "the recorded machine has no CPU 2");
	pfx_filter_fini(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_ids_of_file),
		cmocka_unit_test(test_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
