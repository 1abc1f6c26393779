/* SPDX-License-Identifier: MIT */
/* The words of `pfx record` that need more than a row of the table. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/commands.h"
#include "cmd/record_internal.h"

static void frequencies(void **state)
{
	static const char *const bad[] = {"", "0", "-1", "fast", "99x", "maximum"};
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	assert_int_equal(pfx_record_opt_freq(&o, "99", false, &err), 0);
	assert_int_equal(o.freq, 99);
	assert_false(o.freq_max);
	assert_int_equal(pfx_record_opt_freq(&o, "max", false, &err), 0);
	assert_true(o.freq_max);
	assert_true(o.freq > 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(pfx_record_opt_freq(&o, bad[i], false, &err), -EINVAL);
		assert_non_null(strstr(err.text, "no frequency"));
	}
}

static void ring_sizes(void **state)
{
	static const char *const bad[] = {"", "0", "0K", "x", "4M,128", "3G", "99999999999"};
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct {
		const char *word;
		uint64_t bytes;
	} good[] = {
		{"1", page},      {"128", 128 * page}, {"100", 128 * page}, {"1B", page},
		{"512K", 524288}, {"3M", 4194304},     {"1G", 1073741824},
	};
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(pfx_record_opt_ring(&o, good[i].word, false, &err), 0);
		assert_int_equal(o.ring_bytes, good[i].bytes);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(pfx_record_opt_ring(&o, bad[i], false, &err), -EINVAL);
		assert_non_null(strstr(err.text, "no size of a ring"));
	}
}

static void call_graphs(void **state)
{
	const struct {
		const char *word;
		int rc;
		bool callchain, stack;
		uint32_t bytes;
	} rows[] = {
		{NULL, 0, true, false, 0},
		{"fp", 0, true, false, 0},
		{"no", 0, false, false, 0},
		{"dwarf", 0, true, true, 8192},
		{"dwarf,16384", 0, true, true, 16384},
		{"dwarf,1001", 0, true, true, 1008},
		{"dwarf,65528", 0, true, true, 65528},
		{"dwarf,65529", -EINVAL, true, false, 0},
		{"dwarf,", -EINVAL, true, false, 0},
		{"lbr", -ENOTSUP, true, false, 0},
		{"best", -EINVAL, true, false, 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pfx_record_options o = {0};
		struct pfx_error err = {0};

		assert_int_equal(pfx_record_opt_callchain(&o, rows[i].word, false, &err),
				 rows[i].rc);
		assert_int_equal(o.callchain, rows[i].callchain);
		assert_int_equal(o.stack, rows[i].stack);
		assert_int_equal(o.stack_bytes, rows[i].bytes);
		assert_int_equal(err.code != 0, rows[i].rc != 0);
	}
}

static void last_call_graph_wins(void **state)
{
	struct pfx_record_options o = {0};

	(void)state;
	assert_int_equal(pfx_record_opt_callchain(&o, "dwarf", false, NULL), 0);
	assert_int_equal(pfx_record_opt_callchain(&o, "fp", false, NULL), 0);
	assert_false(o.stack);
	assert_int_equal(pfx_record_opt_callchain(&o, NULL, true, NULL), 0);
	assert_false(o.callchain);
}

static void with_config(const char *text)
{
	static char path[] = "/tmp/pfx-record-XXXXXX";
	static int fd = -1;

	if (fd < 0)
		fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
	setenv("PFX_CONFIG", path, 1);
	pfx_config_clear();
}

static void configuration(void **state)
{
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};

	(void)state;
	with_config("[record]\nbuild-id = no-cache\n[call-graph]\nrecord-mode = dwarf\n"
		    "dump-size = 4096\n");
	assert_int_equal(pfx_record_configure(&o, &err), 0);
	assert_true(o.no_buildid_cache);
	assert_false(o.no_buildid);
	assert_true(o.timestamp);
	assert_int_equal(pfx_record_opt_callchain(&o, NULL, false, &err), 0);
	assert_int_equal(o.stack_bytes, 4096);
	with_config("[record]\nbuild-id = skip\n");
	memset(&o, 0, sizeof(o));
	assert_int_equal(pfx_record_configure(&o, &err), 0);
	assert_true(o.no_buildid);
	with_config("[record]\nbuild-id = sometimes\n");
	assert_int_equal(pfx_record_configure(&o, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'sometimes'"));
	unlink(getenv("PFX_CONFIG"));
	setenv("PFX_CONFIG", "/dev/null", 1);
	pfx_config_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequencies),   cmocka_unit_test(ring_sizes),
		cmocka_unit_test(call_graphs),   cmocka_unit_test(last_call_graph_wins),
		cmocka_unit_test(configuration),
	};

	setenv("PFX_CONFIG", "/dev/null", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
