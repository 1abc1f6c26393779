/* SPDX-License-Identifier: MIT */
/* Sensors of hardware monitors and graphics drivers: which exist, their names, their values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "pmu/catalog.h"
#include "pmu/parse/parse.h"
#include "unit/base/tree.h"

static const char *const files[][2] = {
	{"/sys/class/hwmon/hwmon0/name", "coretemp\n"},
	{"/sys/class/hwmon/hwmon0/temp1_input", "45000\n"},
	{"/sys/class/hwmon/hwmon0/temp1_label", "Package id 0\n"},
	{"/sys/class/hwmon/hwmon0/temp1_max", "99000\n"},
	{"/sys/class/hwmon/hwmon0/temp2_input", "-12500\n"},
	{"/sys/class/hwmon/hwmon0/uevent", "\n"},
	{"/sys/class/hwmon/hwmon0/intrusion0_alarm", "0\n"},
	{"/sys/class/hwmon/hwmon1/name", "NVMe drive-1\n"},
	{"/sys/class/hwmon/hwmon1/fan1_input", "1300\n"},
	{"/sys/class/hwmon/hwmon1/in0_input", "1250\n"},
	{"/sys/class/hwmon/hwmon1/power1_average", "7000000\n"},
	{"/sys/class/hwmon/hwmon1/power1_input", "8000000\n"},
	{"/sys/class/hwmon/hwmon1/pwm1", "128\n"},
	{"/sys/class/hwmon/hwmon1/temp1_input", "rubbish\n"},
	{"/sys/class/hwmon/hwmon2/temp1_input", "1\n"},
	{"/proc/10/fdinfo/3", "pos:\t0\ndrm-driver:\ti915\ndrm-client-id:\t7\n"
			      "drm-pdev:\t0000:00:02.0\ndrm-engine-render:\t500 ns\n"
			      "drm-total-system0:\t12 KiB\ndrm-maxfreq-gt:\t2 GHz\n"
			      "drm-new-word:\t1\n"},
	/* the same client, in another process */
	{"/proc/11/fdinfo/9", "drm-driver:\ti915\ndrm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\n"
			      "drm-engine-render:\t500 ns\ndrm-total-system0:\t12 KiB\n"},
	{"/proc/11/fdinfo/10", "drm-driver:\ti915\ndrm-client-id:\t8\ndrm-pdev:\t0000:00:02.0\n"
			       "drm-engine-render:\t30 ns\ndrm-engine-capacity-render:\t2\n"},
	{"/proc/11/fdinfo/11", "pos:\t0\nflags:\t02\n"},
	{"/proc/12/fdinfo/4", "drm-driver:\tmsm\ndrm-client-id:\t7\ndrm-engine-render:\t9 ns\n"
			      "no colon\ndrm-memory-vram"},
	{"/proc/self/fdinfo/4", "drm-driver:\tmsm\ndrm-client-id:\t1\ndrm-engine-render:\t90 ns\n"},
};

static struct tree tree;
static char sysfs[512], proc[512];
static struct pfx_pmu_roots roots = {.sysfs = sysfs, .proc = proc, .counts_only = true};

static int make(void **state)
{
	size_t i;

	(void)state;
	tree_init(&tree);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		tree_file(&tree, files[i][0], files[i][1]);
	snprintf(sysfs, sizeof(sysfs), "%s/sys", tree.root);
	snprintf(proc, sizeof(proc), "%s/proc", tree.root);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	tree_fini(&tree);
	return 0;
}

/* "name=value unit" of each event, or the error. */
static void expect(const char *words, const char *wanted)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	struct pfx_str text = {0};
	double value;
	size_t i;

	if (pfx_events_parse(&list, words, &roots, &err))
		pfx_str_addf(&text, "%s\n%s", err.text, err.hint);
	for (i = 0; i < list.specs.nr; i++) {
		const struct pfx_event_spec *spec = &list.specs.at[i];

		assert_true(pfx_reading_is_one(&spec->reading));
		pfx_str_addf(&text, "%s%s", i ? " " : "", spec->name);
		if (pfx_reading_take(&spec->reading, proc, NULL, 0, &value))
			pfx_str_addf(&text, "=%g%s", value * spec->scale,
				     spec->unit ? spec->unit : "");
	}
	assert_string_equal(pfx_str_get(&text), wanted);
	pfx_str_fini(&text);
	pfx_event_list_fini(&list);
}

static void test_chips(void **state)
{
	(void)state;
	expect("temp_package_id_0", "temp_package_id_0=45'C");
	expect("TEMP2", "TEMP2=-12.5'C");
	expect("hwmon_coretemp/temp1/,fan1:u", "hwmon_coretemp/temp1/=45'C fan1:u=1300rpm");
	expect("in0,power1,pwm1", "in0=1.25V power1=7W pwm1=128");
	expect("{fan1,temp2}", "fan1=1300rpm temp2=-12.5'C");
	/* several chips; the value of one is not a number */
	expect("temp1", "hwmon_coretemp/temp1/=45'C hwmon_nvme_drive_1/temp1/");
	expect("hwmon_*/temp*/", "hwmon_coretemp/temp1/=45'C hwmon_coretemp/temp2/=-12.5'C "
				 "hwmon_nvme_drive_1/temp1/");
}

static void test_graphics(void **state)
{
	(void)state;
	expect("drm_i915/drm-engine-render/", "drm_i915/drm-engine-render/=530ns");
	expect("drm-engine-render",
	       "drm_i915/drm-engine-render/=530ns drm_msm/drm-engine-render/=9ns");
	expect("drm-total-system0", "drm-total-system0=12288bytes");
	expect("drm-maxfreq-gt", "drm-maxfreq-gt=2e+09Hz");
	expect("drm-engine-capacity-render", "drm-engine-capacity-render=2");
}

/* Only some processes. */
static void test_of_processes(void **state)
{
	const int tids[] = {11, 99};
	struct pfx_event_list list = {0};
	double value;

	(void)state;
	assert_int_equal(pfx_events_parse(&list, "drm_i915/drm-engine-render/", &roots, NULL), 0);
	assert_true(pfx_reading_take(&list.specs.at[0].reading, proc, tids, 2, &value));
	assert_true(value == 530);
	assert_true(list.specs.at[0].reading.grows);
	assert_false(pfx_reading_take(&list.specs.at[0].reading, proc, tids + 1, 1, &value));
	pfx_event_list_fini(&list);
}

static void test_refused(void **state)
{
	(void)state;
	expect("hwmon_coretemp/temp9/",
	       "there is no sensor 'temp9'\n  hwmon_coretemp/temp9/\n                 ^~~~~\n"
	       "did you mean 'temp1'?");
	expect("hwmon_none/temp1/", "this machine has no sensors 'hwmon_none'\n"
				    "  hwmon_none/temp1/\n  ^~~~~~~~~~");
	expect("drm_i915/drm-new-word/",
	       "there is no sensor 'drm-new-word'\n  drm_i915/drm-new-word/\n"
	       "           ^~~~~~~~~~~~\n"
	       "sensors are drm-engine-render, drm-total-system0, drm-maxfreq-gt, "
	       "drm-engine-capacity-render");
	expect("hwmon_coretemp/temp1=1/", "sensors take one name between the slashes\n"
					  "  hwmon_coretemp/temp1=1/\n  ^~~~~~~~~~~~~~");
	expect("temp9", "unknown event 'temp9'\n  temp9\n  ^~~~~");
	roots.counts_only = false;
	expect("temp2", "unknown event 'temp2'\n  temp2\n  ^~~~~");
	roots.counts_only = true;
}

static void test_catalog(void **state)
{
	struct pfx_catalog catalog = {0};

	(void)state;
	pfx_catalog_read(&catalog, &roots, PFX_CATALOG_SENSOR, false);
	assert_int_equal(catalog.events.nr, 7 + 5);
	assert_string_equal(catalog.events.at[3].text,
			    "Memory of all kinds of use 'system0' of i915");
	assert_string_equal(catalog.events.at[5].name, "hwmon_coretemp/temp1/");
	assert_string_equal(catalog.events.at[5].alias, "temp_package_id_0");
	assert_string_equal(catalog.events.at[5].text, "Temperature 'Package id 0' of coretemp");
	pfx_catalog_fini(&catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chips),   cmocka_unit_test(test_graphics),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_of_processes),
		cmocka_unit_test(test_catalog),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
