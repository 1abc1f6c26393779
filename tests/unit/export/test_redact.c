/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "export/samples/redact.h"

static struct pfx_redact words;
static struct pfx_str text;

static const char *function(const char *name)
{
	pfx_str_clear(&text);
	pfx_redact_function(&words, name, &text);
	return pfx_str_get(&text);
}

static const char *event(const char *name)
{
	pfx_str_clear(&text);
	pfx_redact_event(&words, name, &text);
	return pfx_str_get(&text);
}

static const char *binary(enum pfx_dso_kind kind, const char *name)
{
	pfx_str_clear(&text);
	pfx_redact_binary(&words, kind, name, &text);
	return pfx_str_get(&text);
}

static void fini(void)
{
	pfx_redact_fini(&words);
	pfx_str_fini(&text);
	memset(&words, 0, sizeof(words));
}

static void test_functions_without_paths(void **state)
{
	static const char *const names[] = {
		"main",
		"operator/",
		"operator/(A const&, A const&)",
		"operator/=<int>(A&)",
		"ns::operator/(ns::A)",
		"std::vector<int, std::allocator<int> >::push_back(int&&)",
		"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
		"main.go",
		"copy.part.0",
		"LazyCompile:*leaf",
		"",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(function(names[i]), names[i]);
	fini();
}

static void test_functions_with_paths(void **state)
{
	(void)state;
	assert_string_equal(function("py::run:/home/me/app.py"), "py::run:/dir1/dir2/file1.py");
	assert_string_equal(function("py::run:/home/me/kube-operator/app.py"),
			    "py::run:/dir1/dir2/dir3/file1.py");
	assert_string_equal(function("py::run:src/app.py"), "py::run:dir4/file1.py");
	assert_string_equal(function("py::run:app.py"), "py::run:file1.py");
	assert_string_equal(function("py::A.run:my own app"), "py::A.run:file2");
	assert_string_equal(function("f:file:///home/me/a.js"), "f:file:///dir1/dir2/file3.js");
	assert_string_equal(function("LazyCompile:~a C:\\Users\\me\\b.js:10:5"),
			    "LazyCompile:~a C:\\dir5\\dir2\\file4.js:10:5");
	assert_string_equal(function("LazyCompile:~a my own/b.js:3"),
			    "LazyCompile:dir6/file4.js:3");
	assert_string_equal(function("LazyCompile:~a b.js:3:1"), "LazyCompile:~a file4.js:3:1");
	assert_string_equal(function("github.com/me/pkg.Func"), "dir7/dir2/file5");
	assert_string_equal(function("Lcom/me/App;::run"), "dir8/dir2/file6");
	assert_string_equal(function("operator/app.js"), "dir9/file7.js");
	assert_string_equal(function("py::run:my (own),dir/app.py"), "py::run:dir10/file1.py");
	assert_string_equal(function("f:me:8080/b.js"), "f:dir11/file4.js");
	assert_string_equal(function("TRACE_1::a.lua:10"), "TRACE_1::file8.lua:10");
	assert_string_equal(function("Function:g b.jsx:10"), "Function:g file9.jsx:10");
	assert_string_equal(function("app.py"), "file1.py");
	assert_string_equal(function("x kube-operator/=1"), "dir12/file10");
	assert_string_equal(function("LazyCompile:~a b.vue:3:5"), "LazyCompile:~a file11:3:5");
	fini();
}

static void test_binaries(void **state)
{
	(void)state;
	assert_string_equal(binary(PFX_DSO_FILE, "/usr/lib/libme.so.6"), "/dir1/dir2/binary1.so");
	assert_string_equal(binary(PFX_DSO_FILE, "C:\\me\\me.exe"), "dir3\\dir4\\binary2");
	assert_string_equal(binary(PFX_DSO_FILE, "[vdso]"), "[vdso]");
	assert_string_equal(binary(PFX_DSO_FILE, "[me]"), "binary3");
	assert_string_equal(binary(PFX_DSO_MODULE, "[nf_tables]"), "[nf_tables]");
	assert_string_equal(binary(PFX_DSO_MODULE, "/home/me/me.ko"), "/dir5/dir4/binary4.ko");
	assert_string_equal(binary(PFX_DSO_BPF, "bpf_prog_6deef7357e7b4530_f"),
			    "bpf_prog_6deef7357e7b4530_f");
	assert_string_equal(binary(PFX_DSO_BPF, "me/x"), "dir4/binary5");
	fini();
}

static void test_events(void **state)
{
	static const char *const stay[] = {
		"cycles:u",        "sched:sched_switch", "cpu/event=0x3c,umask=1/upp",
		"mem:0x1000/8:rw", "cpu_core/inst=1/",   "probe:do_exit",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(stay) / sizeof(*stay); i++)
		assert_string_equal(event(stay[i]), stay[i]);
	assert_string_equal(event("probe_prog:main"), "probe_binary1:main");
	assert_string_equal(event("probe_prog:main__return"), "probe_binary1:main__return");
	assert_string_equal(event("/home/me/prog:main"), "/dir1/dir2/file1");
	assert_string_equal(event("me/filter.bpf.c"), "dir2/file2.c");
	assert_string_equal(event("mem:0x1000/me"), "mem:dir3/file3");
	assert_string_equal(event("me/x/me"), "dir2/dir4/file3");
	fini();
}

/* The header keeps what it had: the copy alone is changed. */
static void test_header(void **state)
{
	struct pfx_meta *meta = pfx_meta_new();
	struct pfx_arena texts = {0};
	struct pfx_attr attr = {0};
	struct pfx_meta copy;

	(void)state;
	pfx_meta_add_event(meta, &attr, "probe_prog:main");
	meta->env.hostname = "me";
	meta->env.osrelease = "6.1";
	meta->env.nr_groups = 1;
	copy = pfx_redact_meta(&words, meta, &texts);
	assert_string_equal(copy.env.hostname, "host1");
	assert_string_equal(copy.env.osrelease, "6.1");
	assert_int_equal(copy.env.nr_groups, 0);
	assert_int_equal(copy.nr_events, 1);
	assert_string_equal(copy.events[0]->name, "probe_binary1:main");
	assert_string_equal(meta->events[0]->name, "probe_prog:main");
	assert_string_equal(meta->env.hostname, "me");
	pfx_arena_clear(&texts);
	pfx_meta_free(meta);
	fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_without_paths),
		cmocka_unit_test(test_functions_with_paths),
		cmocka_unit_test(test_binaries),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
