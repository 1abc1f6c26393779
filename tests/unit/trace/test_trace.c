/* SPDX-License-Identifier: MIT */
/* Tracing data in both byte orders: decoding the container, the text of events, and collecting
 * it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "trace/format.h"
#include "unit/base/tree.h"
#include "unit/trace/trace_make.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FIELD(decl, offset, size, sign) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

#define ID_SWITCH 300
#define ID_OPEN   301
#define ID_CALL   302
#define ID_FAR    303
#define ID_DEEP   304
#define ID_TABBED 305
#define ID_ARRAY  306

static const char switch_format[] = "name: sched_switch\nID: 300\n" COMMON FIELD(
	"char prev_comm[16]", 8, 16, 0) FIELD("pid_t prev_pid", 24, 4, 1)
	FIELD("long prev_state", 32, 8,
	      1) "\nprint fmt: \"comm=%s pid=%d state=%s%s\", REC->prev_comm, REC->prev_pid, "
		 "(REC->prev_state & 3) ? __print_flags(REC->prev_state & 3, \"|\", { 1, \"S\" }, "
		 "{ 2, \"D\" }) : \"R\", REC->prev_state & 256 ? \"+\" : \"\"\n";

static const char open_format[] =
	"name: open\nID: 301\n" COMMON FIELD("__data_loc char[] path", 8, 4, 0)
		FIELD("unsigned int mode", 12, 4,
		      0) "\nprint fmt: \"path=%s mode=%s\", __get_str(path), "
			 "__print_symbolic(REC->mode, { 0, \"read\" }, { 1, \"write\" })\n";

static const char call_format[] = "name: call\nID: 302\n" COMMON FIELD(
	"unsigned long site", 8, 8, 0) "\nprint fmt: \"at %pS\", (void *)REC->site\n";

/* a field after the end of every record */
static const char far_format[] = "name: far\nID: 303\n" COMMON FIELD(
	"int x", 2000000000, 4, 1) "\nprint fmt: \"x=%d\", REC->x\n";

static const char tabbed_format[] =
	"name: tabbed\nID: 305\n" COMMON FIELD("int x", 8, 4, 1) "\nprint fmt: \"x\t%d\", REC->x\n";

/* an array whose length is in the event */
static const char array_format[] =
	"name: array\nID: 306\n" COMMON FIELD("__data_loc u8[] buf", 8, 4, 0)
		FIELD("int len", 12, 4,
		      1) "\nprint fmt: \"%s %s\", __print_hex(__get_dynamic_array(buf), REC->len), "
			 "__print_array(__get_dynamic_array(buf), REC->len / 2, 2)\n";

static void add_text(struct pfx_buffer *b, const char *text, unsigned size_bytes)
{
	if (size_bytes == 4)
		pfx_buffer_u32(b, (uint32_t)strlen(text));
	else
		pfx_buffer_u64(b, strlen(text));
	pfx_buffer_bytes(b, text, strlen(text));
}

static void add_start(struct pfx_buffer *b, const char *version, bool big)
{
	b->swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	pfx_buffer_bytes(b, trace_magic, sizeof(trace_magic));
	pfx_buffer_cstr(b, version, 1);
	pfx_buffer_u8(b, big);
	pfx_buffer_u8(b, 8);
	pfx_buffer_u32(b, 4096);
	pfx_buffer_cstr(b, "header_page", 1);
	add_text(b, "page", 8);
	pfx_buffer_cstr(b, "header_event", 1);
	add_text(b, "event", 8);
}

/* A "print fmt" with very many open parentheses. */
static char *deep_format(void)
{
	struct pfx_str s = {0};

	pfx_str_add(&s,
		    "name: deep\nID: 304\n" COMMON FIELD("int x", 8, 4, 1) "\nprint fmt: \"%d\", ");
	pfx_str_pad(&s, '(', 100000);
	pfx_str_add(&s, "REC->x\n");
	return s.at;
}

static struct pfx_buffer make_blob(bool big)
{
	struct pfx_buffer b = {0};
	char *deep = deep_format();

	add_start(&b, "0.6", big);
	pfx_buffer_u32(&b, 0);
	pfx_buffer_u32(&b, 2);
	pfx_buffer_cstr(&b, "sched", 1);
	pfx_buffer_u32(&b, 1);
	add_text(&b, switch_format, 8);
	pfx_buffer_cstr(&b, "demo", 1);
	pfx_buffer_u32(&b, 6);
	add_text(&b, open_format, 8);
	add_text(&b, array_format, 8);
	add_text(&b, call_format, 8);
	add_text(&b, far_format, 8);
	add_text(&b, deep, 8);
	add_text(&b, tabbed_format, 8);
	pfx_buffer_u32(&b, 0);
	add_text(&b, "0xffffffff81000000 : \"text %d\"\n", 4);
	add_text(&b, "1 systemd\n77 a b\n", 8);
	free(deep);
	return b;
}

static void add_common(struct pfx_buffer *b, uint16_t id)
{
	pfx_buffer_u16(b, id);
	pfx_buffer_u8(b, 0);
	pfx_buffer_u8(b, 0);
	pfx_buffer_u32(b, 77);
}

static void check_text(struct pfx_trace *trace, uint64_t id, struct pfx_buffer *raw,
		       const char *expected)
{
	struct pfx_str text = {0};

	assert_true(pfx_trace_print(trace, id, raw->at, raw->len, &text));
	assert_string_equal(pfx_str_get(&text), expected);
	pfx_str_fini(&text);
	pfx_buffer_fini(raw);
}

static struct pfx_buffer switch_raw(bool swap, const char *comm, uint64_t state)
{
	struct pfx_buffer raw = {.swap = swap};
	char field[16] = "";

	memcpy(field, comm, strnlen(comm, sizeof(field)));
	add_common(&raw, ID_SWITCH);
	pfx_buffer_bytes(&raw, field, sizeof(field));
	pfx_buffer_u32(&raw, 4711);
	pfx_buffer_u32(&raw, 0);
	pfx_buffer_u64(&raw, state);
	return raw;
}

static struct pfx_buffer open_raw(bool swap, uint32_t where, const char *path)
{
	struct pfx_buffer raw = {.swap = swap};

	add_common(&raw, ID_OPEN);
	pfx_buffer_u32(&raw, where);
	pfx_buffer_u32(&raw, 1);
	pfx_buffer_cstr(&raw, path, 1);
	return raw;
}

static const char *symbol(void *ctx, uint64_t addr, uint64_t *ret_start)
{
	(*(int *)ctx)++;
	if (addr < 0xffffffff81000000 || addr >= 0xffffffff81000100)
		return NULL;
	*ret_start = 0xffffffff81000000;
	return "do_work";
}

static void check_fields(struct pfx_trace *trace, uint64_t id, const char *names)
{
	struct pfx_str text = {0};

	pfx_str_add(&text, "x: ");
	assert_int_equal(pfx_trace_fields(trace, id, &text), names != NULL);
	assert_string_equal(pfx_str_get(&text) + 3, names ? names : "");
	pfx_str_fini(&text);
}

static void fields(void **state)
{
	struct pfx_buffer blob = make_blob(*state != NULL);
	struct pfx_trace *trace;

	assert_int_equal(pfx_trace_open(&trace, blob.at, blob.len, NULL), 0);
	check_fields(trace, ID_SWITCH, "prev_comm,prev_pid,prev_state");
	check_fields(trace, ID_OPEN, "path,mode");
	check_fields(trace, ID_CALL, "site");
	check_fields(trace, 1, NULL);
	pfx_trace_free(trace);
	pfx_buffer_fini(&blob);
}

static void print_in(bool big)
{
	struct pfx_buffer blob = make_blob(big), raw;
	struct pfx_trace *trace;
	struct pfx_error err = {0};
	bool swap = blob.swap;
	int asked = 0;

	assert_int_equal(pfx_trace_open(&trace, blob.at, blob.len, &err), 0);
	pfx_trace_set_symbols(trace, symbol, &asked);
	assert_string_equal(pfx_trace_event_name(trace, ID_SWITCH), "sched:sched_switch");
	assert_string_equal(pfx_trace_event_name(trace, ID_OPEN), "demo:open");
	assert_null(pfx_trace_event_name(trace, 1));

	raw = switch_raw(swap, "bash", 3 | 256);
	check_text(trace, ID_SWITCH, &raw, "comm=bash pid=4711 state=S|D+");
	raw = switch_raw(swap, "sixteen-bytes-xx", 0);
	check_text(trace, ID_SWITCH, &raw, "comm=sixteen-bytes-xx pid=4711 state=R");
	raw = open_raw(swap, 16 | 9 << 16, "/etc/foo");
	check_text(trace, ID_OPEN, &raw, "path=/etc/foo mode=write");

	raw = (struct pfx_buffer){.swap = swap};
	add_common(&raw, ID_CALL);
	pfx_buffer_u64(&raw, 0xffffffff81000024);
	check_text(trace, ID_CALL, &raw, "at do_work+0x24");
	assert_true(asked > 0);
	raw = (struct pfx_buffer){.swap = swap};
	add_common(&raw, ID_CALL);
	pfx_buffer_u64(&raw, 0x1234);
	check_text(trace, ID_CALL, &raw, "at 0x1234");
	raw = (struct pfx_buffer){.swap = swap};
	add_common(&raw, ID_TABBED);
	pfx_buffer_u32(&raw, (uint32_t)-5);
	check_text(trace, ID_TABBED, &raw, "x\t-5");
	pfx_trace_free(trace);
	pfx_buffer_fini(&blob);
}

static void events_little_endian(void **state)
{
	print_in(false);
}

static void events_big_endian(void **state)
{
	print_in(true);
}

static struct pfx_buffer array_raw(bool swap, uint32_t len)
{
	struct pfx_buffer raw = {.swap = swap};

	add_common(&raw, ID_ARRAY);
	pfx_buffer_u32(&raw, 16 | 4 << 16);
	pfx_buffer_u32(&raw, len);
	pfx_buffer_bytes(&raw, "\x01\x02\x03\x04", 4);
	return raw;
}

/* Invalid bytes: the valid part is printed, nothing is read after the end. */
static void bytes_of_strangers(void **state)
{
	struct pfx_buffer blob = make_blob(false), raw = {0};
	struct pfx_str text = {0};
	struct pfx_trace *trace;
	uint8_t *big = calloc(1, 70000);
	size_t len;

	assert_int_equal(pfx_trace_open(&trace, blob.at, blob.len, NULL), 0);
	raw = switch_raw(blob.swap, "\033[31mred", 0);
	check_text(trace, ID_SWITCH, &raw, "comm=\\x1b[31mred pid=4711 state=R");
	raw = array_raw(blob.swap, 4);
	assert_true(pfx_trace_print(trace, ID_ARRAY, raw.at, raw.len, &text));
	assert_int_equal(strncmp(pfx_str_get(&text), "01 02 03 04 ", 12), 0);
	pfx_buffer_fini(&raw);
	raw = array_raw(blob.swap, 0x7fffffff);
	check_text(trace, ID_ARRAY, &raw, "01 02 03 04 ");
	raw = array_raw(blob.swap, (uint32_t)-1);
	check_text(trace, ID_ARRAY, &raw, " ");
	raw = open_raw(blob.swap, 0xffff | 0xffffu << 16, "x");
	check_text(trace, ID_OPEN, &raw, "path= mode=write");
	raw = (struct pfx_buffer){.swap = blob.swap};
	add_common(&raw, ID_DEEP);
	pfx_buffer_u32(&raw, 7);
	check_text(trace, ID_DEEP, &raw, "[FAILED TO PARSE] x=7");
	/* every length of a record; missing bytes are zeros */
	raw = switch_raw(blob.swap, "bash", 0);
	for (len = 2; len < raw.len; len++) {
		pfx_str_clear(&text);
		assert_true(pfx_trace_print(trace, ID_SWITCH, raw.at, len, &text));
		assert_true(text.len > 0);
	}
	pfx_buffer_fini(&raw);
	assert_false(pfx_trace_print(trace, ID_FAR, "\0\0\0\0\0\0\0\0", 8, &text));
	assert_false(pfx_trace_print(trace, ID_SWITCH, big, 70000, &text));
	assert_false(pfx_trace_print(trace, 12345, "x", 1, &text));
	free(big);
	pfx_str_fini(&text);
	pfx_trace_free(trace);
	pfx_buffer_fini(&blob);
}

static void every_cut(void **state)
{
	struct pfx_buffer blob = make_blob(true);
	struct pfx_error err;
	struct pfx_trace *trace;
	uint8_t *copy;
	size_t len;

	for (len = 0; len < blob.len; len += len < 2000 ? 1 : 97) {
		copy = malloc(len + 1);
		memcpy(copy, blob.at, len);
		err = (struct pfx_error){0};
		assert_int_equal(pfx_trace_open(&trace, copy, len, &err), -EBADMSG);
		assert_null(trace);
		assert_true(err.text[0] != '\0');
		free(copy);
	}
	pfx_buffer_fini(&blob);
}

/* Change each byte of the container: a result or an error, never a crash. */
static void every_flip(void **state)
{
	struct pfx_buffer blob = make_blob(false);
	struct pfx_trace *trace;
	size_t i;

	for (i = 0; i < 2200; i++) {
		blob.at[i] ^= 0xff;
		if (!pfx_trace_open(&trace, blob.at, blob.len, NULL))
			pfx_trace_event_name(trace, ID_SWITCH);
		pfx_trace_free(trace);
		blob.at[i] ^= 0xff;
	}
	assert_int_equal(pfx_trace_open(&trace, blob.at, blob.len, NULL), 0);
	pfx_trace_free(trace);
	pfx_buffer_fini(&blob);
}

static void versions(void **state)
{
	struct pfx_buffer b = {0};
	struct pfx_error err = {0};
	struct pfx_trace *trace;

	/* version 0.5 has no command lines */
	add_start(&b, "0.5", false);
	pfx_buffer_u32(&b, 0);
	pfx_buffer_u32(&b, 0);
	pfx_buffer_u32(&b, 0);
	pfx_buffer_u32(&b, 0);
	assert_int_equal(pfx_trace_open(&trace, b.at, b.len, &err), 0);
	pfx_trace_free(trace);
	pfx_buffer_clear(&b);
	add_start(&b, "7", false);
	assert_int_equal(pfx_trace_open(&trace, b.at, b.len, &err), -EPROTONOSUPPORT);
	assert_string_equal(err.text, "tracing data of version '7' is not known");
	pfx_buffer_fini(&b);
}

static const char *const used[] = {"sched:sched_switch", "demo:open", "demo:call"};

/* Data collected from a tracefs can be read back, with the used events only. */
static void collect(void **state)
{
	struct pfx_error err = {0};
	struct pfx_trace *trace;
	struct tree t;
	uint8_t *blob;
	size_t size;

	tree_init(&t);
	tree_file(&t, "/events/header_page", "page\n");
	tree_file(&t, "/events/header_event", "event\n");
	tree_file(&t, "/events/sched/sched_switch/format", switch_format);
	tree_file(&t, "/events/demo/open/format", open_format);
	tree_file(&t, "/events/demo/call/format", call_format);
	tree_file(&t, "/events/demo/far/format", far_format);
	tree_file(&t, "/events/demo/enable", "0\n");
	tree_file(&t, "/saved_cmdlines", "5 five\n");
	assert_int_equal(pfx_trace_collect(t.root, used, 3, &blob, &size, &err), 0);
	assert_int_equal(pfx_trace_open(&trace, blob, size, &err), 0);
	assert_string_equal(pfx_trace_event_name(trace, ID_SWITCH), "sched:sched_switch");
	assert_string_equal(pfx_trace_event_name(trace, ID_OPEN), "demo:open");
	assert_string_equal(pfx_trace_event_name(trace, ID_CALL), "demo:call");
	assert_null(pfx_trace_event_name(trace, ID_FAR));
	assert_non_null(memmem(blob, size, "5 five", 6));
	pfx_trace_free(trace);
	free(blob);
	tree_fini(&t);
}

static void collect_without_tracefs(void **state)
{
	struct pfx_error err = {0};
	uint8_t *blob;
	size_t size;

	assert_int_equal(pfx_trace_collect("/nonexistent", used, 3, &blob, &size, &err), -ENOENT);
	assert_null(blob);
	assert_non_null(strstr(err.text, "/nonexistent/events/header_page"));
}

/* A field of a switch, from bytes in the blob's order. */
static bool ask(bool big, size_t size, const char *field, uint64_t *ret)
{
	struct pfx_buffer blob = make_blob(big);
	struct pfx_buffer raw = {.swap = blob.swap};
	const struct pfx_trace_ask what = {ID_SWITCH, field};
	struct pfx_trace *trace;
	bool found;

	pfx_buffer_u16(&raw, ID_SWITCH);
	pfx_buffer_zeros(&raw, 22);
	pfx_buffer_u32(&raw, (uint32_t)-7);
	pfx_buffer_u32(&raw, 0);
	pfx_buffer_u64(&raw, 0x123456789);
	assert_int_equal(pfx_trace_open(&trace, blob.at, blob.len, NULL), 0);
	found = pfx_trace_number(trace, &what, raw.at, size, ret);
	pfx_trace_free(trace);
	pfx_buffer_fini(&raw);
	pfx_buffer_fini(&blob);
	return found;
}

static void numbers(void **state)
{
	uint64_t value;
	int big;

	for (big = 0; big < 2; big++) {
		assert_true(ask(big, 40, "common_type", &value));
		assert_int_equal(value, ID_SWITCH);
		assert_true(ask(big, 40, "prev_pid", &value));
		assert_true(value == (uint64_t)-7);
		assert_true(ask(big, 40, "prev_state", &value));
		assert_int_equal(value, 0x123456789);
		assert_false(ask(big, 39, "prev_state", &value));
		assert_false(ask(big, 40, "prev_comm", &value));
		assert_false(ask(big, 40, "pid", &value));
		assert_false(ask(big, 40, "", &value));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_little_endian),
		cmocka_unit_test(events_big_endian),
		cmocka_unit_test(fields),
		cmocka_unit_test_prestate(fields, (void *)1),
		cmocka_unit_test(bytes_of_strangers),
		cmocka_unit_test(every_cut),
		cmocka_unit_test(every_flip),
		cmocka_unit_test(versions),
		cmocka_unit_test(numbers),
		cmocka_unit_test(collect),
		cmocka_unit_test(collect_without_tracefs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
