/* SPDX-License-Identifier: MIT */
/* Functions by the names that users type: which names fit, and which are similar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sym/table/asked_name.h"
#include "sym/table/demangle.h"

static bool fits(const char *word, const char *name)
{
	struct pfx_asked_name asked = {.word = word};
	bool ret;

	pfx_asked_name_loosen(&asked);
	ret = pfx_asked_name_fits(&asked, name);
	pfx_asked_name_fini(&asked);
	return ret;
}

static void the_word_alone(void **state)
{
	const struct pfx_asked_name asked = {.word = "sum"};

	(void)state;
	assert_true(pfx_asked_name_fits(&asked, "sum"));
	assert_false(pfx_asked_name_fits(&asked, "ns::sum"));
	assert_false(pfx_asked_name_fits(&asked, "sum<int>"));
}

static void names_that_fit(void **state)
{
	static const char *const pairs[][2] = {
		{"sum", "sum"},
		{"sum", "ns::Shelf::sum<long>"},
		{"Shelf::sum", "ns::Shelf<int>::sum<long>"},
		{"sum<long>", "ns::Shelf::sum<long>"},
		{"Shelf::sum(long)", "ns::Shelf::sum<long>"},
		{"sum", "double sum<double>(std::vector<double> const&) [clone .isra.0]"},
		{"sum", "sum.isra.0"},
		{"sum", "sum.part.0.cold"},
		{"sum", "sum [clone .cold]"},
		{"sum", "(anonymous namespace)::sum"},
		{"sum", "ns::(anonymous namespace)::sum<(Kind)1>"},
		{"sum", "std::function<int (a::b, c<(1>2)>)>::sum"},
		{"sum", "std::enable_if<decltype(x->y)>::sum"},
		{"operator<<", "std::operator<< <std::char_traits<char> >"},
		{"operator->", "std::unique_ptr<Shape>::operator->"},
		{"operator()", "main::{lambda(std::string const&)#2}::operator()"},
		{"operator[]", "std::map<int, int>::operator[]"},
		{"operator+", "Vec3<double>::operator+"},
		{"main::{lambda(int)#1}", "main::{lambda(int)#1}"},
		{"isPrime", "JS:*isPrime file.js:1:17"},
		{"isPrime", "LazyCompile:~isPrime /a/file.js:1"},
		{"fib", "py::fib:/tmp/a.py"},
		{"mallocgc", "runtime.mallocgc"},
		{"write", "<core::fmt::Arguments as core::fmt::Write>::write"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (!fits(pairs[i][0], pairs[i][1]))
			fail_msg("'%s' does not ask for '%s'", pairs[i][0], pairs[i][1]);
	if (pfx_demangle_is_built_in())
		assert_true(fits("_ZN2ns3fooEi", "ns::foo"));
}

static void names_that_do_not(void **state)
{
	static const char *const pairs[][2] = {
		{"sum", "summary"},
		{"sum", "checksum"},
		{"sum", "sum::part"},
		{"sum", "std::vector<sum>::size"},
		{"sum", "apply<ns::sum>"},
		{"sum", "apply(ns::sum)"},
		{"sum", "sum@plt"},
		{"main", "main.work"},
		{"main", "main::{lambda(int)#1}::operator()"},
		{"main", "py::fib:/tmp/main.py"},
		{"sum<long>", "ns::Shelf::sum<int>"},
		{"operator<", "operator<<"},
		{"", "sum"},
		{"(", "sum"},
		{"<", "sum<int>"},
		{"sum", ""},
		{"sum", "<"},
		{"sum", "f<(sum"},
		{"sum", "f{sum"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (fits(pairs[i][0], pairs[i][1]))
			fail_msg("'%s' asks for '%s'", pairs[i][0], pairs[i][1]);
}

static const char *const functions[] = {
	"std::sort<Policy, std::less<int> >",
	"ns::Polygon<double>::area",
	"__memcmp_avx2",
	"work",
	"energy<double>",
};

static void expect_similar(const char *word, const char *wanted)
{
	const char *found =
		pfx_similar_name(word, functions, sizeof(functions) / sizeof(*functions));

	if (!wanted)
		assert_null(found);
	else if (!found || strcmp(found, wanted) != 0)
		fail_msg("'%s' is similar to '%s', not '%s'", word, found ? found : "", wanted);
}

static void similar_names(void **state)
{
	(void)state;
	expect_similar("wrok", "work");
	expect_similar("enrgy", "energy<double>");
	expect_similar("aera", "ns::Polygon<double>::area");
	expect_similar("Polygon::aera", "ns::Polygon<double>::area");
	expect_similar("memcmp", "__memcmp_avx2");
	expect_similar("pol", "ns::Polygon<double>::area");
	expect_similar("char", NULL);
	expect_similar("less", NULL);
	expect_similar("", NULL);
	expect_similar("zz", NULL);
	assert_null(pfx_similar_name("work", functions, 0));
}

static void expect_short(const char *name, const char *wanted)
{
	char *have = pfx_short_name(name);

	assert_string_equal(have, wanted);
	free(have);
}

static void short_names(void **state)
{
	(void)state;
	expect_short("ns::sum<long>", "ns::sum<long>");
	expect_short(
		"std::__detail::_Map_base<std::basic_string<char, std::char_traits<char> > >::at",
		"std::__detail::_Map_base::at");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_word_alone),    cmocka_unit_test(names_that_fit),
		cmocka_unit_test(names_that_do_not), cmocka_unit_test(similar_names),
		cmocka_unit_test(short_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
