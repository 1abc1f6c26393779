/* SPDX-License-Identifier: MIT */
/* Probes: their words, the places that their functions have, and what the kernel is handed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf_make.h"
#include "pmu_fixture.h"
#include "sym/probe/function.h"
#include "sym/table/demangle.h"
#include "sys/counter.h"

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

#define AT(n)     (MAKE_TEXT_ADDR + (n))
#define OFFSET(n) (MAKE_TEXT_OFFSET + (n))

static const struct make_symbol symbols[] = {
	{"main", AT(0), 0x10, STB_GLOBAL, STT_FUNC},
	{"alias", AT(0), 0x10, STB_GLOBAL, STT_FUNC},
	{"twice", AT(0x10), 0x10, STB_LOCAL, STT_FUNC},
	{"twice", AT(0x20), 0x10, STB_LOCAL, STT_FUNC},
	{"table", AT(0x30), 0x10, STB_GLOBAL, STT_OBJECT},
	{"_ZN2ns4workEi", AT(0x40), 0x10, STB_GLOBAL, STT_FUNC},
	{"_ZN2ns4restEi", AT(0x50), 0x10, STB_GLOBAL, STT_FUNC},
	{"_ZN2ns4restEc", AT(0x60), 0x10, STB_GLOBAL, STT_FUNC},
	{"now@@V2", AT(0x70), 0x10, STB_GLOBAL, STT_FUNC},
	{"now@V1", AT(0x80), 0x10, STB_GLOBAL, STT_FUNC},
	{"old@V1", AT(0x90), 0x10, STB_GLOBAL, STT_FUNC},
	{"out@plt", AT(0xa0), 0x10, STB_GLOBAL, STT_FUNC},
	{"chosen", AT(0xb0), 0x10, STB_GLOBAL, STT_GNU_IFUNC},
};

static void functions(void **state)
{
	static const struct {
		const char *name;
		uint64_t at;
		bool is_mangled;
		const char *text, *hint;
	} rows[] = {
		{"main", OFFSET(0), false, NULL, NULL},
		{"alias", OFFSET(0), false, NULL, NULL},
		{"_ZN2ns4workEi", OFFSET(0x40), false, NULL, NULL},
		{"ns::work(int)", OFFSET(0x40), true, NULL, NULL},
		{"ns::work", OFFSET(0x40), true, NULL, NULL},
		{"ns::rest(char)", OFFSET(0x60), true, NULL, NULL},
		{"now", OFFSET(0x70), false, NULL, NULL},
		{"old", OFFSET(0x90), false, NULL, NULL},
		{"out@plt", OFFSET(0xa0), false, NULL, NULL},
		{"out", 0, false, "has no function 'out'", ""},
		{"chosen", 0, false, "one of several", "name the one that is used"},
		{"twice", 0, false, "has 2 functions 'twice'", "0x1020  twice"},
		{"ns::rest", 0, true, "has 2 functions 'ns::rest'", "0x1060  ns::rest(char)"},
		{"mian", 0, false, "has no function 'mian'", "did you mean 'main'?"},
		{"table", 0, false, "has no function 'table'", ""},
		{"work", 0, true, "has no function 'work'", ""},
	};
	const struct make_elf elf = {.symbols = symbols,
				     .nr_symbols = sizeof(symbols) / sizeof(symbols[0])};
	struct pfx_function found;
	struct pfx_error err;
	char path[512];
	size_t i;

	make_file(tree_path(&machines, path, sizeof(path), "/functions"), &elf);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].is_mangled && !pfx_demangle_is_built_in())
			continue;
		err = (struct pfx_error){0};
		if (!rows[i].text) {
			if (pfx_function_find(path, rows[i].name, &found, &err) < 0)
				fail_msg("%s: %s", rows[i].name, err.text);
			assert_int_equal(found.at, rows[i].at);
			assert_int_equal(found.size, 0x10);
			continue;
		}
		assert_true(pfx_function_find(path, rows[i].name, &found, &err) < 0);
		assert_non_null(strstr(err.text, rows[i].text));
		assert_non_null(strstr(err.hint, rows[i].hint));
	}
}

static void files_without_functions(void **state)
{
	const struct make_elf elf = {.nr_symbols = 0};
	struct pfx_function found;
	struct pfx_error err = {0};
	char path[512];

	make_file(tree_path(&machines, path, sizeof(path), "/stripped"), &elf);
	assert_int_equal(pfx_function_find(path, "main", &found, &err), -ENOENT);
	assert_non_null(strstr(err.text, "has no symbols"));
	assert_non_null(strstr(err.hint, "by its offset in the file"));
	tree_file(&machines, "/text", "no program\n");
	tree_path(&machines, path, sizeof(path), "/text");
	assert_true(pfx_function_find(path, "main", &found, &err) < 0);
	tree_path(&machines, path, sizeof(path), "/not-there");
	assert_int_equal(pfx_function_find(path, "main", &found, &err), -ENOENT);
}

static void functions_of_the_kernel(void **state)
{
	struct pfx_function found;
	struct pfx_error err = {0};
	char path[512];

	tree_file(&machines, "/kallsyms",
		  "ffffffff81000000 T do_exit\nffffffff81000100 t twice\n"
		  "ffffffff81000200 t twice\nffffffff82000000 D table\n");
	tree_path(&machines, path, sizeof(path), "/kallsyms");
	assert_int_equal(pfx_function_find_kernel(path, "do_exit", &found, &err), 0);
	assert_int_equal(found.at, 0xffffffff81000000);
	assert_int_equal(pfx_function_find_kernel(path, "twice", &found, &err), -ENOTUNIQ);
	assert_string_equal(err.text, "the kernel has 2 functions 'twice'");
	assert_int_equal(pfx_function_find_kernel(path, "do_exti", &found, &err), -ENOENT);
	assert_string_equal(err.hint, "did you mean 'do_exit'?");
	tree_file(&machines, "/hidden", "0000000000000000 T do_exit\n");
	tree_path(&machines, path, sizeof(path), "/hidden");
	assert_int_equal(pfx_function_find_kernel(path, "do_exit", &found, &err), -EACCES);
}

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

/* The kernel reads the path out of our memory; the file must not know where that was. */
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
		cmocka_unit_test(functions),
		cmocka_unit_test(files_without_functions),
		cmocka_unit_test(functions_of_the_kernel),
		cmocka_unit_test(what_the_kernel_is_handed),
	};

	return cmocka_run_group_tests(tests, make_probe_machines, remove_machines);
}
