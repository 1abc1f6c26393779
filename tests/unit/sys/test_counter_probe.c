/* SPDX-License-Identifier: MIT */
/* Counters of probes: the attr for the kernel, and the hint after an error. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sys/counter/counter.h"

static struct pfx_attr opened;
static char opened_path[64];
static int answer;

static int play_kernel(struct pfx_attr *attr, pid_t tid, int cpu, int group_fd, unsigned long flags)
{
	opened = *attr;
	snprintf(opened_path, sizeof(opened_path), "%s",
		 attr->config1 ? (const char *)(uintptr_t)attr->config1 : "");
	return answer;
}

static void add_probe(struct pfx_counters *set)
{
	const struct pfx_attr attr = {.type = 30, .config2 = 0x1234};
	struct pfx_counter *counter = pfx_counters_add(set, &attr, "uprobe:x:f");

	counter->is_probe = true;
	counter->probe_path = "/bin/x";
	set->open = play_kernel;
	pfx_counters_setup(set, &(struct pfx_sampling){.freq = 4000});
}

/* The kernel reads the path from this process's memory; the file must not contain that address. */
static void what_the_kernel_is_handed(void **state)
{
	static int cpu = -1;
	struct pfx_counters set = {0};
	struct pfx_target target = {.cpus = {&cpu, 1}};
	struct pfx_error err = {0};

	add_probe(&set);
	pfx_target_add(&target, 1, 1, "x");
	answer = 7;
	assert_int_equal(pfx_counters_open(&set, &target, &err), 0);
	assert_string_equal(opened_path, "/bin/x");
	assert_int_equal(opened.config2, 0x1234);
	assert_int_equal(opened.sample_period, 1);
	assert_false(opened.flags & PFX_ATTR_FREQ);
	assert_int_equal(set.list.at[0].attr.config1, 0);
	pfx_counters_fini(&set);

	set = (struct pfx_counters){0};
	add_probe(&set);
	answer = -EINVAL;
	assert_int_equal(pfx_counters_open(&set, &target, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'uprobe:x:f'"));
	assert_non_null(strstr(err.hint, "start of an instruction"));
	pfx_counters_fini(&set);
	target.cpus.at = NULL;
	pfx_target_fini(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_kernel_is_handed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
