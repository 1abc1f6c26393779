/* SPDX-License-Identifier: MIT */
/* Counters without samples: their attrs, and the handling of refused ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sys/counter/counter.h"

static const struct pfx_attr clock_attr = {.type = PFX_TYPE_SOFTWARE};
static const struct pfx_attr cycles = {.type = PFX_TYPE_HARDWARE};
static int nr_opened;

/* A kernel without hardware counters. */
static int open_software(struct pfx_attr *attr, pid_t tid, int cpu, int group_fd,
			 unsigned long flags)
{
	(void)tid;
	(void)cpu;
	(void)group_fd;
	(void)flags;
	return attr->type == PFX_TYPE_HARDWARE ? -ENOENT : 100 + nr_opened++;
}

static void target_of(struct pfx_target *target)
{
	memset(target, 0, sizeof(*target));
	assert_int_equal(pfx_target_cpus(target, NULL, NULL, NULL), 0);
	pfx_target_per_thread(target);
	pfx_target_add(target, 1, 1, "x");
	target->is_attached = true;
}

static int open_all(struct pfx_counters *set, const struct pfx_counting *counting,
		    struct pfx_error *err)
{
	struct pfx_target target;
	int rc;

	nr_opened = 0;
	target_of(&target);
	set->open = open_software;
	pfx_counters_setup_counting(set, counting);
	rc = pfx_counters_open(set, &target, err);
	pfx_target_fini(&target);
	return rc;
}

static void test_attrs(void **state)
{
	struct pfx_counting counting = {.enable_on_exec = true, .all_user = true};
	struct pfx_counters set = {0};

	(void)state;
	pfx_counters_add(&set, &clock_attr, "a")->group = 1;
	pfx_counters_add(&set, &clock_attr, "b:k")->group = 1;
	set.list.at[1].attr.flags = PFX_ATTR_EXCLUDE_USER; /* --all-user has precedence */
	pfx_counters_setup_counting(&set, &counting);
	assert_int_equal(set.list.at[0].attr.sample_type, PFX_SAMPLE_IDENTIFIER);
	assert_int_equal(set.list.at[0].attr.read_format, PFX_FORMAT_ENABLED | PFX_FORMAT_RUNNING);
	assert_int_equal(set.list.at[0].attr.flags, PFX_ATTR_DISABLED | PFX_ATTR_INHERIT |
							    PFX_ATTR_ENABLE_ON_EXEC |
							    PFX_ATTR_EXCLUDE_KERNEL);
	/* A member follows its leader. */
	assert_int_equal(set.list.at[1].leader, 0);
	assert_int_equal(set.list.at[1].attr.flags, PFX_ATTR_INHERIT | PFX_ATTR_EXCLUDE_KERNEL);
	pfx_counters_fini(&set);
}

static void test_missing(void **state)
{
	struct pfx_counting counting = {.no_inherit = true};
	struct pfx_counters set = {0};
	struct pfx_error err = {0};

	(void)state;
	pfx_counters_add(&set, &clock_attr, "clock");
	pfx_counters_add(&set, &cycles, "cycles");
	assert_int_equal(open_all(&set, &counting, &err), 0);
	assert_false(set.list.at[0].is_unsupported);
	assert_int_equal(set.list.at[0].fds.nr, 1);
	assert_true(set.list.at[1].is_unsupported);
	assert_int_equal(set.list.at[1].fds.nr, 0);
	assert_int_equal(set.list.at[1].attr.type, PFX_TYPE_HARDWARE);
	assert_false(set.fell_to_clock);
	assert_int_equal(set.list.at[0].attr.flags, PFX_ATTR_DISABLED);
	pfx_counters_fini(&set);
}

static void test_groups(void **state)
{
	struct pfx_counting counting = {0};
	struct pfx_counters set = {0};
	struct pfx_error err = {0};
	int weak;

	(void)state;
	for (weak = 0; weak < 2; weak++) {
		pfx_counters_add(&set, &cycles, "cycles")->group = 1;
		pfx_counters_add(&set, &clock_attr, "clock")->group = 1;
		set.list.at[0].is_weak = set.list.at[1].is_weak = weak;
		if (!weak) {
			assert_int_equal(open_all(&set, &counting, &err), -ENOENT);
			assert_non_null(strstr(err.text, "'cycles' is not supported"));
		} else {
			assert_int_equal(open_all(&set, &counting, &err), 0);
			assert_true(set.list.at[0].is_unsupported);
			assert_int_equal(set.list.at[1].fds.nr, 1);
			assert_true(set.list.at[1].attr.flags & PFX_ATTR_DISABLED);
		}
		pfx_counters_fini(&set);
		memset(&set, 0, sizeof(set));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attrs),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
