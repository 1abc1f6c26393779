/* SPDX-License-Identifier: MIT */
/* Probes as words of -e: what they mean, and which are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/pmu/pmu_fixture.h"

struct words {
	const char *text;
	uint64_t config;
	bool is_return;
	const char *path, *function;
	uint64_t offset;
	const char *name;
};

static const struct words accepted[] = {
	{"uprobe:/bin/x:main", 0, false, "/bin/x", "main", 0, "uprobe:/bin/x:main"},
	{"uprobe:x:main+0x10", 0, false, "x", "main", 16, "uprobe:x:main+0x10"},
	{"uprobe:x:main%return", 1, true, "x", "main", 0, "uprobe:x:main%return"},
	{"uretprobe:x:main", 1, true, "x", "main", 0, "uretprobe:x:main"},
	{"uprobe:/lib/libc.so.6:0x1234", 0, false, "/lib/libc.so.6", NULL, 0x1234,
	 "uprobe:/lib/libc.so.6:0x1234"},
	{"uprobe:x:a::b::c", 0, false, "x", "a::b::c", 0, "uprobe:x:a::b::c"},
	{"uprobe:x:a::f(int, char)+4:u", 0, false, "x", "a::f(int, char)", 4,
	 "uprobe:x:a::f(int,char)+4"},
	{"uprobe:x:f<int, a::b>", 0, false, "x", "f<int, a::b>", 0, "uprobe:x:f<int,a::b>"},
	{"uprobe:'/a b:c':'operator<(x)'", 0, false, "/a b:c", "operator<(x)", 0,
	 "uprobe:/ab:c:operator<(x)"},
	{"uprobe:x:operator+", 0, false, "x", "operator+", 0, "uprobe:x:operator+"},
	{"uprobe:x:main/period=5,name=here/", 0, false, "x", "main", 0, "here"},
	{"kprobe:do_exit", 0, false, NULL, "do_exit", 0, "kprobe:do_exit"},
	{"kprobe:do_exit+4", 0, false, NULL, "do_exit", 4, "kprobe:do_exit+4"},
	{"kretprobe:do_exit", 1, true, NULL, "do_exit", 0, "kretprobe:do_exit"},
	{"kprobe:0xffffffff81000000", 0, false, NULL, NULL, 0xffffffff81000000,
	 "kprobe:0xffffffff81000000"},
};

static void same_text(const char *have, const char *want)
{
	if (want)
		assert_string_equal(have, want);
	else
		assert_null(have);
}

static void words_of_probes(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
		const struct words *w = &accepted[i];
		struct pfx_event_list list = {0};
		struct pfx_error err = {0};
		const struct pfx_event_spec *spec;

		if (fixture_parse(&machines, "x86", w->text, &list, &err))
			fail_msg("%s: %s", w->text, err.text);
		assert_int_equal(list.specs.nr, 1);
		spec = &list.specs.at[0];
		assert_int_equal(spec->attr.type, w->path ? 30 : 31);
		assert_int_equal(spec->attr.config, w->config);
		assert_int_equal(spec->probe.is_return, w->is_return);
		assert_int_equal(spec->probe.kind, w->path ? PFX_PROBE_USER : PFX_PROBE_KERNEL);
		assert_int_equal(spec->probe.offset, w->offset);
		same_text(spec->probe.path, w->path);
		same_text(spec->probe.function, w->function);
		same_text(spec->name, w->name);
		pfx_event_list_fini(&list);
	}
}

static void probes_among_others(void **state)
{
	struct pfx_event_list list = {0};

	assert_int_equal(fixture_parse(&machines, "x86",
				       "cs,{uprobe:x:f,uretprobe:x:f}:S,kprobe:g:k", &list, NULL),
			 0);
	assert_int_equal(list.specs.nr, 4);
	assert_int_equal(list.specs.at[1].group, list.specs.at[2].group);
	assert_true(list.specs.at[1].is_leader_sampling);
	assert_string_equal(list.specs.at[2].probe.function, "f");
	assert_true(list.specs.at[3].attr.flags & PFX_ATTR_EXCLUDE_USER);
	pfx_event_list_fini(&list);
}

static void words_that_are_refused(void **state)
{
	static const struct {
		const char *machine, *words, *text;
	} rows[] = {
		{"x86", "uprobe:", "the name of a program or library is missing here"},
		{"x86", "uprobe:/x", "there is no function after the name of the file"},
		{"x86", "uprobe:/x:", "the name of a function is missing here"},
		{"x86", "uprobe:/x:%return", "the name of a function is missing here"},
		{"x86", "uprobe:'/x:f", "a quote begins here and does not end"},
		{"x86", "uprobe:/x:f+0y", "'0y' is not an offset in a function"},
		{"x86", "uretprobe:/x:f+4",
		 "a function returns as a whole: no offset goes with that"},
		{"x86", "uprobe:/x:f}", "',' is missing before '}'"},
		{"none", "uprobe:/x:f", "this kernel has no uprobes"},
		{"none", "kretprobe:f", "this kernel has no kprobes"},
	};
	struct pfx_event_list list = {0};
	struct pfx_error err;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(
			fixture_parse(&machines, rows[i].machine, rows[i].words, &list, &err),
			-EINVAL);
		assert_string_equal(err.text, rows[i].text);
		assert_int_equal(list.specs.nr, 0);
	}
	pfx_event_list_fini(&list);
}

static int make_probe_machines(void **state)
{
	make_machines(state);
	tree_file(&machines, "/x86/bus/event_source/devices/uprobe/type", "30\n");
	tree_file(&machines, "/x86/bus/event_source/devices/uprobe/format/retprobe", "config:0\n");
	tree_file(&machines, "/x86/bus/event_source/devices/kprobe/type", "31\n");
	tree_file(&machines, "/x86/bus/event_source/devices/kprobe/format/retprobe", "config:0\n");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_probes),
		cmocka_unit_test(probes_among_others),
		cmocka_unit_test(words_that_are_refused),
	};

	return cmocka_run_group_tests(tests, make_probe_machines, remove_machines);
}
