/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/names/fitting_name.h"

static void fits(const char *name, size_t room, const char *expected)
{
	struct pfx_str text = {0};

	pfx_fitting_name(&text, name, room);
	assert_string_equal(pfx_str_get(&text), expected);
	pfx_str_fini(&text);
}

static void drops_arguments_first(void **state)
{
	(void)state;
	fits("std::vector<int>::push_back(int const&)", 39,
	     "std::vector<int>::push_back(int const&)");
	fits("std::vector<int>::push_back(int const&)", 38, "std::vector::push_back");
	fits("std::vector<int>::push_back(int const&)", 21, "push_back");
	fits("std::vector<int>::push_back(int const&)", 8, "push_ba\xe2\x80\xa6");
	fits("(anonymous namespace)::run<(anonymous namespace)::Of>(int)", 30,
	     "(anonymous namespace)::run");
}

static void knows_operators(void **state)
{
	(void)state;
	fits("std::operator<< <char>(std::ostream&)", 20, "std::operator<< ");
	fits("of::operator()(int, int, int) const", 24, "of::operator() const");
	fits("<alloc::vec::Vec<T> as core::Clone>::clone", 20, "clone");
}

static void cuts_what_has_no_parts(void **state)
{
	(void)state;
	fits("", 3, "");
	fits("a_long_name", 6, "a_lon\xe2\x80\xa6");
	fits("::", 2, "::");
	fits("a_long_scope::", 6, "a_lon\xe2\x80\xa6");
	fits("::a_name", 6, "::a_n\xe2\x80\xa6");
	/* Brackets that do not match are left. */
	fits("open::brackets<of(scope::name", 8, "open::b\xe2\x80\xa6");
	fits("closed>brackets)name", 8, "closed>\xe2\x80\xa6");
	/* A character has several bytes. */
	fits("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 4, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f");
	fits("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 3, "\xc3\xa4\xc3\xb6\xe2\x80\xa6");
}

static void takes_long_names(void **state)
{
	size_t size = 64 << 10;
	char *name = pfx_calloc(size + 16, 1);

	(void)state;
	memset(name, '<', size);
	fits(name, 4, "<<<\xe2\x80\xa6");
	name[0] = 'f';
	memset(name + size / 2, '>', size / 2 - 1);
	memcpy(name + size - 1, "::last", 7);
	fits(name, 400, "f::last");
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drops_arguments_first),
		cmocka_unit_test(knows_operators),
		cmocka_unit_test(cuts_what_has_no_parts),
		cmocka_unit_test(takes_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
