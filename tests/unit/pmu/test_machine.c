/* SPDX-License-Identifier: MIT */
/* The roots of a machine: the CPU of the vendor events, and the kind of core for bare names. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pmu/sysfs/machine.h"
#include "pmu/vendor/vendor.h"
#include "unit/pmu/pmu_fixture.h"

#define N1 "0x00000000410fd0c0"

/* A CPU of another machine, with the directory of its architecture. */
static void named_cpu(void **state)
{
	struct pfx_pmu_machine machine = {0};
	struct pfx_error err = {0};
	const struct pfx_vendor_cpu_row *table;

	assert_null(pfx_pmu_vendor(NULL));
	assert_null(pfx_pmu_vendor(&machine.roots));
	pfx_pmu_machine_cpu(&machine, N1);
	assert_string_equal(machine.roots.cpuid, N1);
	table = pfx_pmu_vendor(&machine.roots);
	assert_ptr_equal(table, pfx_vendor_find_cpu("arm64", N1));
	if (pfx_pmu_machine_dir(&machine, PFX_SOURCE_DIR "/pmu-events", &err) == -ENOTSUP)
		skip();
	assert_string_equal(err.text, "");
	assert_ptr_not_equal(pfx_pmu_vendor(&machine.roots), table);
	assert_true(pfx_vendor_find_event(pfx_pmu_vendor(&machine.roots), "l1d_cache_refill") >= 0);
	/* After an error with another directory, the previous events are kept. */
	assert_int_equal(pfx_pmu_machine_dir(&machine, "/nonexistent", &err), -ENOENT);
	assert_ptr_not_equal(pfx_pmu_vendor(&machine.roots), table);
	pfx_pmu_machine_fini(&machine);
	assert_null(machine.roots.vendor);
}

static void unknown_cpu(void **state)
{
	struct pfx_pmu_machine machine = {0};
	struct pfx_error err = {0};

	assert_int_equal(pfx_pmu_machine_dir(&machine, "/nonexistent", &err), 0);
	pfx_pmu_machine_cpu(&machine, "NobodysCPU-1");
	assert_null(pfx_pmu_vendor(&machine.roots));
	pfx_pmu_machine_fini(&machine);
}

static void kinds_of_cores(void **state)
{
	struct pfx_pmu_machine machine = {0};
	struct fixture_roots at;
	struct pfx_error err = {0};

	fixture_roots(&machines, "hyb", &at);
	machine.roots = at.roots;
	assert_int_equal(pfx_pmu_machine_cores(&machine, "atom", &err), 0);
	assert_string_equal(machine.roots.core_pmu, "cpu_atom");
	assert_int_equal(pfx_pmu_machine_cores(&machine, "big", &err), -EINVAL);
	assert_string_equal(err.text, "this machine has no cores of the type 'big'");
	assert_int_equal(pfx_pmu_machine_cores(&machine, "", &err), -EINVAL);
	assert_int_equal(pfx_pmu_machine_cores(&machine, "../cpu_core", &err), -EINVAL);
	assert_string_equal(machine.roots.core_pmu, "cpu_atom");
	pfx_pmu_machine_fini(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named_cpu),
		cmocka_unit_test(unknown_cpu),
		cmocka_unit_test(kinds_of_cores),
	};

	return cmocka_run_group_tests_name("machine", tests, make_machines, remove_machines);
}
