/* SPDX-License-Identifier: MIT */
/* Functions of probes: their offsets in files and in the kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sym/probe/function.h"
#include "sym/table/demangle.h"
#include "unit/base/tree.h"
#include "unit/sym/elf_make.h"

static struct tree files;

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
	{"mixing.constprop.0", AT(0xc0), 0x10, STB_LOCAL, STT_FUNC},
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
		{"mixing", 0, false, "has no function 'mixing'",
		 "did you mean 'mixing.constprop.0'?"},
		{"mixng", 0, false, "has no function 'mixng'",
		 "did you mean 'mixing.constprop.0'?"},
		{"table", 0, false, "has no function 'table'", ""},
		{"work", 0, true, "has no function 'work'", ""},
	};
	const struct make_elf elf = {.symbols = symbols,
				     .nr_symbols = sizeof(symbols) / sizeof(symbols[0])};
	struct pfx_function found;
	struct pfx_error err;
	char path[512];
	size_t i;

	make_file(tree_path(&files, path, sizeof(path), "/functions"), &elf);
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

	make_file(tree_path(&files, path, sizeof(path), "/stripped"), &elf);
	assert_int_equal(pfx_function_find(path, "main", &found, &err), -ENOENT);
	assert_non_null(strstr(err.text, "has no symbols"));
	assert_non_null(strstr(err.hint, "by its offset in the file"));
	tree_file(&files, "/text", "no program\n");
	tree_path(&files, path, sizeof(path), "/text");
	assert_true(pfx_function_find(path, "main", &found, &err) < 0);
	tree_path(&files, path, sizeof(path), "/not-there");
	assert_int_equal(pfx_function_find(path, "main", &found, &err), -ENOENT);
}

static void functions_of_the_kernel(void **state)
{
	struct pfx_function found;
	struct pfx_error err = {0};
	char path[512];

	tree_file(&files, "/kallsyms",
		  "ffffffff81000000 T do_exit\nffffffff81000100 t twice\n"
		  "ffffffff81000200 t twice\nffffffff82000000 D table\n");
	tree_path(&files, path, sizeof(path), "/kallsyms");
	assert_int_equal(pfx_function_find_kernel(path, "do_exit", &found, &err), 0);
	assert_int_equal(found.at, 0xffffffff81000000);
	assert_int_equal(pfx_function_find_kernel(path, "twice", &found, &err), -ENOTUNIQ);
	assert_string_equal(err.text, "the kernel has 2 functions 'twice'");
	assert_int_equal(pfx_function_find_kernel(path, "do_exti", &found, &err), -ENOENT);
	assert_string_equal(err.hint, "did you mean 'do_exit'?");
	tree_file(&files, "/hidden", "0000000000000000 T do_exit\n");
	tree_path(&files, path, sizeof(path), "/hidden");
	assert_int_equal(pfx_function_find_kernel(path, "do_exit", &found, &err), -EACCES);
}

static int begin(void **state)
{
	tree_init(&files);
	return 0;
}

static int end(void **state)
{
	tree_fini(&files);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),
		cmocka_unit_test(files_without_functions),
		cmocka_unit_test(functions_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
