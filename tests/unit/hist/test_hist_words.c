/* SPDX-License-Identifier: MIT */
/* The words of -s, -F, -w and -g. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "hist/callgraph.h"
#include "hist/sortkey.h"

/* "shown / order" of a request, by title and name. */
static const char *built(const struct pfx_columns_request *request)
{
	static char text[512];
	struct pfx_columns columns;
	struct pfx_str out = {0};
	struct pfx_error err;
	size_t i;

	assert_int_equal(pfx_columns_build(&columns, request, &err), 0);
	for (i = 0; i < columns.shown.nr; i++)
		pfx_str_addf(&out, "%s%s", i ? "," : "", columns.shown.at[i].title);
	pfx_str_add(&out, " / ");
	for (i = 0; i < columns.order.nr; i++)
		pfx_str_addf(&out, "%s%s", i ? "," : "", pfx_key_info(columns.order.at[i])->name);
	snprintf(text, sizeof(text), "%s", pfx_str_get(&out));
	pfx_str_fini(&out);
	pfx_columns_fini(&columns);
	return text;
}

#define CHECK(wanted, ...) \
	assert_string_equal(built(&(struct pfx_columns_request){__VA_ARGS__}), wanted)

static void test_default(void **state)
{
	CHECK("Overhead,Command,Shared Object,Symbol / overhead,comm,dso,symbol", 0);
	CHECK("Children,Self,Command,Shared Object,Symbol / "
	      "overhead_children,overhead,comm,dso,symbol",
	      .children = true);
	CHECK("Overhead,Samples,Period,Command,Shared Object,Symbol / "
	      "overhead,comm,dso,symbol,sample,period",
	      .nr_samples = true, .total_period = true);
	CHECK("Overhead,sys,usr,Command / overhead,comm,overhead_sys,overhead_us", .sort = "comm",
	      .cpu_utilization = true);
}

static void test_sort(void **state)
{
	CHECK("Overhead,CPU,Symbol / overhead,cpu,symbol", .sort = "cpu,sym");
	CHECK("Overhead,Command,Shared Object,Symbol,CPU / overhead,comm,dso,symbol,cpu",
	      .sort = "+cpu");
	CHECK("Overhead,Symbol / symbol,overhead", .sort = "sym,overhead");
	CHECK("Overhead,Command / overhead,comm", .sort = "COMM,comm");
	CHECK("Overhead,    Pid:Command,    Tid:Command,   Tgid:Command / overhead,pid,tid,tgid",
	      .sort = "pid,tid,tgid");
	CHECK("Overhead / overhead", .sort = "");
}

static void test_fields(void **state)
{
	CHECK("Symbol,Overhead / symbol,overhead", .fields = "sym,overhead");
	CHECK("Overhead,Symbol / symbol,overhead", .fields = "overhead", .sort = "sym");
	CHECK("Overhead,Period,Symbol,Command,Shared Object / overhead,comm,dso,symbol,period",
	      .fields = "+period,sym");
	CHECK("Samples / sample", .fields = "sample", .nr_samples = true);
	CHECK("Weight2,Weight3,Symbol / weight2,weight3,symbol",
	      .fields = "ins_lat,retire_lat,P_stage_cyc,sym");
	CHECK("Overhead,INSTR Latency,Retire Latency / overhead,ins_lat,retire_lat",
	      .sort = "ins_lat,retire_lat");
	CHECK("Overhead,Weight2,INSTR Latency / overhead,ins_lat,weight2", .sort = "ins_lat",
	      .fields = "+ins_lat");
}

static void check_refused(const struct pfx_columns_request *request, const char *text,
			  const char *hint)
{
	struct pfx_columns columns;
	struct pfx_error err = {0};

	assert_int_equal(pfx_columns_build(&columns, request, &err), -EINVAL);
	assert_string_equal(err.text, text);
	assert_non_null(strstr(err.hint, hint));
	pfx_columns_fini(&columns);
}

static void test_wrong_words(void **state)
{
	check_refused(&(struct pfx_columns_request){.sort = "comm,simbol"},
		      "'simbol' is not a key for -s", "'symbol'");
	check_refused(&(struct pfx_columns_request){.fields = "overhaed"},
		      "'overhaed' is not a key for -F", "'overhead'");
	check_refused(&(struct pfx_columns_request){.sort = "\033[31mred"},
		      "'\\x1b[31mred' is not a key for -s", "comm, dso, sym");
	check_refused(&(struct pfx_columns_request){.fields = ""}, "-F names no column", "");
	check_refused(&(struct pfx_columns_request){.widths = "5,x"},
		      "'5,x' is not a list of column widths", "5,x\n  ^ for example");
	check_refused(&(struct pfx_columns_request){.widths = "5,6x,7"},
		      "'5,6x,7' is not a list of column widths", "5,6x,7\n   ^ ");
	check_refused(&(struct pfx_columns_request){.widths = "5,9999999"},
		      "'5,9999999' is not a list of column widths", "5,9999999\n  ^ ");
	check_refused(&(struct pfx_columns_request){.widths = "5,-6"},
		      "'5,-6' is not a list of column widths", "5,-6\n  ^ ");
}

static void test_widths(void **state)
{
	struct pfx_columns_request request = {.widths = "5,,20"};
	struct pfx_columns columns;
	struct pfx_error err;

	assert_int_equal(pfx_columns_build(&columns, &request, &err), 0);
	assert_int_equal(columns.shown.at[0].width, 5);
	assert_int_equal(columns.shown.at[1].width, 0);
	assert_int_equal(columns.shown.at[2].width, 20);
	pfx_columns_fini(&columns);
}

static void test_callgraph(void **state)
{
	struct pfx_callgraph graph = pfx_callgraph_default;
	struct pfx_error err;

	assert_int_equal(pfx_callgraph_parse(&graph, "fractal,2.5,10,callee,address,count", &err),
			 0);
	assert_int_equal(graph.mode, PFX_GRAPH_FRACTAL);
	assert_true(graph.min_percent == 2.5);
	assert_int_equal(graph.print_limit, 10);
	assert_false(graph.caller);
	assert_true(graph.order_given);
	assert_int_equal(graph.key, PFX_GRAPH_ADDRESS);
	assert_int_equal(graph.value, PFX_GRAPH_COUNT);
	graph = pfx_callgraph_default;
	assert_int_equal(pfx_callgraph_parse(&graph, "f,pe", &err), 0);
	assert_int_equal(graph.mode, PFX_GRAPH_FLAT);
	assert_int_equal(graph.value, PFX_GRAPH_PERCENT);
	assert_true(graph.min_percent == 0.5);
	assert_int_equal(pfx_callgraph_parse(&graph, "fractle", &err), -EINVAL);
	assert_string_equal(err.text, "'fractle' is not a word for a call graph");
	assert_string_equal(err.hint, "fractle\n^ did you mean 'fractal'?");
	assert_true(pfx_callgraph_parse(&graph, "graph,0.5,callre", &err) < 0);
	assert_string_equal(err.hint, "graph,0.5,callre\n          ^ did you mean 'caller'?");
	assert_int_equal(pfx_callgraph_parse(&graph, "1,2,3", &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default), cmocka_unit_test(test_sort),
		cmocka_unit_test(test_fields),  cmocka_unit_test(test_wrong_words),
		cmocka_unit_test(test_widths),  cmocka_unit_test(test_callgraph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
