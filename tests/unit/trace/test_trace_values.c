/* SPDX-License-Identifier: MIT */
/* Decoding of tracepoints: fields with their kinds, values, and names of flags and values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "trace/format.h"
#include "unit/trace/trace_make.h"

#define ID 300

static const char format[] = "name: try\nID: 300\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:char name[8];\toffset:8;\tsize:8;\tsigned:0;\n"
			     "\tfield:int error;\toffset:16;\tsize:4;\tsigned:1;\n"
			     "\tfield:__data_loc char[] path;\toffset:20;\tsize:4;\tsigned:0;\n"
			     "\tfield:unsigned long flags;\toffset:24;\tsize:8;\tsigned:0;\n"
			     "\nprint fmt: \"%s %s\", __print_flags(REC->flags & 3, \"|\", { 1, "
			     "\"ONE\" }, { 2, \"TWO\" }), "
			     "__print_symbolic(REC->error, { 0, \"NONE\" }, { -1, \"ENOENT\" })\n";

static struct pfx_buffer blob;
static struct pfx_trace *trace;

static int set_up(void **state)
{
	const struct make_trace make = {
		.long_size = 8,
		.format = format,
		.size = sizeof(format) - 1,
	};

	blob = make_trace(&make);
	return pfx_trace_open(&trace, blob.at, blob.len, NULL);
}

static int tear_down(void **state)
{
	pfx_trace_free(trace);
	pfx_buffer_fini(&blob);
	return 0;
}

static void test_fields(void **state)
{
	struct pfx_trace_field field;

	assert_int_equal(pfx_trace_nr_fields(trace, ID), 4);
	assert_int_equal(pfx_trace_nr_fields(trace, ID + 1), 0);
	pfx_trace_field_at(trace, ID, 0, &field);
	assert_string_equal(field.name, "name");
	assert_true(field.is_array && field.is_text);
	pfx_trace_field_at(trace, ID, 1, &field);
	assert_string_equal(field.name, "error");
	assert_true(field.is_signed && !field.is_array);
	pfx_trace_field_at(trace, ID, 2, &field);
	assert_true(field.is_array && field.is_text);
	pfx_trace_field_at(trace, ID, 3, &field);
	assert_true(!field.is_array && !field.is_signed);
}

static const uint8_t bytes[] = {44, 1, 0, 0, 10,  0,   0,   0,   'n', 'a', 'm', 'e',
				0,  0, 0, 0, 254, 255, 255, 255, 32,  0,   3,   0,
				3,  0, 0, 0, 0,   0,   0,   1,   'a', 'b', 0};

static void test_values(void **state)
{
	const struct pfx_trace_value raw = {.bytes = bytes, .size = sizeof(bytes)};
	struct pfx_trace_value values[4];

	pfx_trace_values(trace, ID, &raw, values);
	assert_int_equal(values[0].size, 8);
	assert_memory_equal(values[0].bytes, "name\0\0\0", 8);
	assert_int_equal(values[1].number, 0xfffffffe);
	assert_int_equal(values[2].size, 3);
	assert_memory_equal(values[2].bytes, "ab", 3);
	assert_true(values[3].number == 0x0100000000000003);
}

/* Samples truncated at every length: nothing is read after their end. */
static void test_cut(void **state)
{
	struct pfx_trace_value values[4];
	struct pfx_trace_value raw;
	uint8_t *copy;
	size_t size;

	for (size = 0; size < sizeof(bytes); size++) {
		copy = pfx_calloc(1, size + 1);
		memcpy(copy, bytes, size);
		raw = (struct pfx_trace_value){.bytes = copy, .size = size};
		pfx_trace_values(trace, ID, &raw, values);
		assert_true(values[0].size <= size && values[2].size <= size);
		if (size < 16)
			assert_int_equal(values[1].number, 0);
		free(copy);
	}
}

static void add_name(void *ctx, const struct pfx_trace_name *name)
{
	pfx_str_addf(ctx, "%s %s%s %lld %s\n", name->field, name->is_flag ? "flag " : "value",
		     name->separator, (long long)name->value, name->text);
}

static void test_names(void **state)
{
	struct pfx_str text = {0};

	pfx_trace_each_name(trace, ID, add_name, &text);
	assert_string_equal(pfx_str_get(&text), "flags flag | 1 ONE\n"
						"flags flag | 2 TWO\n"
						"error value 0 NONE\n"
						"error value -1 ENOENT\n");
	pfx_str_clear(&text);
	pfx_trace_each_name(trace, ID + 1, add_name, &text);
	assert_int_equal(text.len, 0);
	pfx_str_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fields, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cut, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
