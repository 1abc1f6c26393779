/* SPDX-License-Identifier: MIT */
/* Print formats: each construct with one event, in both byte orders and word sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "trace/format.h"
#include "unit/trace/trace_make.h"

#define ID     1
#define KERNEL 0xffffffff81000000ull /* address of a function of 256 bytes */
#define TEXT   0x81828384            /* address of a string in the kernel */

struct machine {
	bool big;
	unsigned long_size;
};

static const struct machine machines[] = {{false, 8}, {true, 8}, {false, 4}, {true, 4}};

/* A generated event: the lines of its fields and its bytes, followed by the arrays. */
struct event {
	struct machine machine;
	struct pfx_str format;
	struct pfx_buffer raw, arrays;
	size_t fixed; /* bytes before the arrays */
};

static void add_line(struct event *e, const char *decl, size_t size, bool is_signed)
{
	pfx_str_addf(&e->format, "\tfield:%s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", decl,
		     e->raw.len, size, is_signed);
}

static void add_number(struct event *e, const char *decl, size_t size, uint64_t value)
{
	add_line(e, decl, size, strstr(decl, "int ") == decl || strstr(decl, "s16 ") == decl);
	if (size == 1)
		pfx_buffer_u8(&e->raw, (uint8_t)value);
	else if (size == 2)
		pfx_buffer_u16(&e->raw, (uint16_t)value);
	else if (size == 4)
		pfx_buffer_u32(&e->raw, (uint32_t)value);
	else
		pfx_buffer_u64(&e->raw, value);
}

static void add_bytes(struct event *e, const char *decl, const void *bytes, size_t size)
{
	add_line(e, decl, size, false);
	pfx_buffer_bytes(&e->raw, bytes, size);
}

/* A __data_loc field: the location of the bytes added to e->arrays since @start. */
static void add_location(struct event *e, const char *decl, size_t start)
{
	uint32_t at = (uint32_t)(e->fixed + start), size = (uint32_t)(e->arrays.len - start);

	if (!strncmp(decl, "__rel_loc", 9))
		at -= (uint32_t)e->raw.len + 4;
	add_line(e, decl, 4, false);
	pfx_buffer_u32(&e->raw, at | size << 16);
}

static void add_long(struct event *e, uint64_t value)
{
	if (e->machine.long_size == 4)
		pfx_buffer_u32(&e->raw, (uint32_t)value);
	else
		pfx_buffer_u64(&e->raw, value);
}

static void add_arrays(struct event *e)
{
	size_t start = e->arrays.len;

	pfx_buffer_bytes(&e->arrays, "/etc/foo", 9);
	add_location(e, "__data_loc char[] path", start);
	start = e->arrays.len;
	add_location(e, "__data_loc char[] none", start);
	pfx_buffer_bytes(&e->arrays, "rel", 4);
	add_location(e, "__rel_loc char[] rel", start);
	start = e->arrays.len;
	pfx_buffer_u32(&e->arrays, 1);
	pfx_buffer_u32(&e->arrays, 70000);
	add_location(e, "__data_loc u32[] nums", start);
	start = e->arrays.len;
	pfx_buffer_bytes(&e->arrays, "\x01\xab\x00\xff", 4);
	add_location(e, "__data_loc u8[] bytes", start);
}

static void add_addresses(struct event *e)
{
	static const uint8_t short6[16] = {0xfe, 0x80, [15] = 1};
	static const uint8_t mapped[16] = {[10] = 0xff, 0xff, 127, 0, 0, 1};
	static const uint8_t uuid[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xaf};
	static const uint8_t in6_rest[] = {0, 53, 0, 0, 0, 0, 0x20, 1, 0xd, 0xb8};
	struct pfx_buffer in4 = {.swap = e->raw.swap}, in6 = {.swap = e->raw.swap};

	pfx_buffer_u16(&in4, 2);
	pfx_buffer_bytes(&in4, "\0\x50\x0a\0\0\x01", 6);
	pfx_buffer_zeros(&in4, 20);
	pfx_buffer_u16(&in6, 10);
	pfx_buffer_bytes(&in6, in6_rest, sizeof(in6_rest));
	pfx_buffer_zeros(&in6, 16);
	add_bytes(e, "__u8 ip4[4]", "\x7f\0\0\x01", 4);
	add_bytes(e, "__u8 ip6[16]", short6, 16);
	add_bytes(e, "__u8 mapped[16]", mapped, 16);
	add_bytes(e, "u8 uuid[16]", uuid, 16);
	add_bytes(e, "unsigned char mac[6]", "\x02\x11\x22\x33\x44\xff", 6);
	add_bytes(e, "__u8 in4[28]", in4.at, 28);
	add_bytes(e, "__u8 in6[28]", in6.at, 28);
	pfx_buffer_fini(&in4);
	pfx_buffer_fini(&in6);
}

static void add_fields(struct event *e)
{
	add_number(e, "unsigned short common_type", 2, ID);
	pfx_str_addc(&e->format, '\n');
	add_arrays(e);
	add_number(e, "u64 ip", 8, KERNEL + 0x10);
	add_number(e, "u64 zero", 8, 0);
	add_number(e, "int neg", 4, (uint32_t)-3);
	add_number(e, "s16 small", 2, (uint16_t)-2);
	add_number(e, "unsigned int flags", 4, 0x15);
	add_number(e, "unsigned char letter", 1, 'A');
	add_number(e, "size_t big", 8, 1ull << 40);
	add_bytes(e, "char comm[16]", "bash\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	add_bytes(e, "char full[4]", "abcd", 4);
	add_addresses(e);
	add_line(e, "const char * fmt", e->machine.long_size, false);
	add_long(e, TEXT);
	add_line(e, "unsigned long mask[2]", 2 * e->machine.long_size, false);
	add_long(e, 0x107);
	add_long(e, 2);
}

/* Generated twice: the first time determines the locations of the arrays. */
static struct event make_event(const struct machine *machine, const char *print)
{
	struct event e = {.machine = *machine};
	int i;

	e.raw.swap = e.arrays.swap = machine->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	for (i = 0; i < 2; i++) {
		e.fixed = e.raw.len;
		pfx_str_clear(&e.format);
		pfx_buffer_clear(&e.raw);
		pfx_buffer_clear(&e.arrays);
		pfx_str_add(&e.format, "name: e\nID: 1\nformat:\n");
		add_fields(&e);
	}
	pfx_buffer_bytes(&e.raw, e.arrays.at, e.arrays.len);
	pfx_str_addf(&e.format, "\nprint fmt: %s\n", print);
	return e;
}

static void event_fini(struct event *e)
{
	pfx_str_fini(&e->format);
	pfx_buffer_fini(&e->raw);
	pfx_buffer_fini(&e->arrays);
}

static struct pfx_buffer make_blob(const struct event *e)
{
	const struct make_trace make = {
		.big = e->machine.big,
		.long_size = (uint8_t)e->machine.long_size,
		.format = e->format.at,
		.size = e->format.len,
		.strings = "rubbish\n0x81828384 : \"kernel text\"\n0x5 :\n",
	};

	return make_trace(&make);
}

static const char *symbol(void *ctx, uint64_t addr, uint64_t *ret_start)
{
	if (addr < KERNEL || addr >= KERNEL + 0x100)
		return NULL;
	*ret_start = KERNEL;
	return "do_work";
}

/* The text of the event with the print format; the caller ends @to. */
static void print_event(const struct machine *machine, const char *print, struct pfx_str *to)
{
	struct event e = make_event(machine, print);
	struct pfx_buffer blob = make_blob(&e);
	struct pfx_trace *trace;

	assert_int_equal(pfx_trace_open(&trace, blob.at, blob.len, NULL), 0);
	pfx_trace_set_symbols(trace, symbol, NULL);
	assert_true(pfx_trace_print(trace, ID, e.raw.at, e.raw.len, to));
	pfx_trace_free(trace);
	pfx_buffer_fini(&blob);
	event_fini(&e);
}

struct row {
	const char *print, *expected;
};

static void check_row(const struct machine *machine, const struct row *row)
{
	struct pfx_str text = {0};

	print_event(machine, row->print, &text);
	if (strcmp(pfx_str_get(&text), row->expected) != 0)
		print_message("%u bytes, %s: %s\n", machine->long_size,
			      machine->big ? "big" : "little", row->print);
	assert_string_equal(pfx_str_get(&text), row->expected);
	pfx_str_fini(&text);
}

static void check_rows(const struct row *rows, size_t nr)
{
	size_t i, k;

	for (i = 0; i < nr; i++)
		for (k = 0; k < sizeof(machines) / sizeof(*machines); k++)
			check_row(&machines[k], &rows[i]);
}

#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof(*(rows)))

static void numbers(void **state)
{
	static const struct row rows[] = {
		{"\"%d %i %u\", REC->neg, REC->neg, REC->neg", "-3 -3 4294967293"},
		{"\"%x %X %o %#x %#o\", REC->flags, REC->letter + 9, 8, REC->flags, 8",
		 "15 4A 10 0x15 010"},
		{"\"%08lx|%-6d|%6d|%06d|%+d|% d\", REC->flags, 5, 5, -5, 5, 5",
		 "00000015|5     |     5|-00005|+5| 5"},
		{"\"%.4d %8.3x %.0d\", 7, 10, 0", "0007      00a "},
		{"\"%hhd %hhu %hd %hu\", 257, 511, 65537, 65539", "1 255 1 3"},
		{"\"%lld %llu %Lu\", REC->neg, REC->big, REC->big",
		 "4294967293 1099511627776 1099511627776"},
		{"\"%zu %zd\", REC->big, REC->big", "1099511627776 1099511627776"},
		{"\"%*d|%-*d|%*d\", 5, 1, 5, 2, -4, 3", "    1|2    |3   "},
		{"\"%c%c\", REC->letter, REC->zero ? 'x' : '.'", "A."},
		{"\"100%% %d\", 1", "100% 1"},
		{"\"%d %d %d\", 0x10, 010, 10UL", "16 8 10"},
		{"\"no arguments\"", "no arguments"},
		{"\"one \" \"text\"", "one text"},
	};

	CHECK(rows);
}

static void expressions(void **state)
{
	static const struct row rows[] = {
		{"\"%d\", 1 + 2 * 3 - 4 / 2 % 3", "5"},
		{"\"%d\", (1 + 2) * 3", "9"},
		{"\"%d\", 1 << 3 | 1", "9"},
		{"\"%d %d\", 1 / 0, 1 % 0", "0 0"},
		{"\"%llx\", 1ULL << 40 >> 36", "10"},
		{"\"%d\", REC->flags & (1 | 4)", "5"},
		{"\"%d\", REC->flags & 1 | 8", "9"},
		{"\"%d\", REC->flags ^ 0x14", "1"},
		{"\"%d%d%d%d%d%d\", 1 < 2, 2 < 1, 1 <= 1, 2 > 1, 1 >= 2, 1 == 1", "101101"},
		{"\"%d%d%d%d\", 1 && 0, 1 || 0, 1 != 1, !REC->zero", "0101"},
		{"\"%d %x\", -REC->letter, ~REC->letter & 0xff", "-65 be"},
		{"\"%d\", REC->zero ? 1 : REC->flags ? 2 : 3", "2"},
		{"\"%d\", !REC->zero ? 1 : 2", "1"},
		{"\"%d\", 5 < (1 ? 9 : 2)", "1"},
		{"\"%s\", (REC->flags) ? \"yes\" : \"no\"", "yes"},
		{"\"%d\", (REC)->letter", "65"},
		/* negative fields are large numbers */
		{"\"%d\", REC->neg < 0", "0"},
		{"\"%d %llx\", (u8)0x1ff, (u64)(u32)REC->ip", "255 81000010"},
		{"\"%llx %llx\", (unsigned short)REC->ip, (short)REC->ip", "10 10"},
		{"\"%lld\", (s32)REC->neg", "4294967293"},
		{"\"%llx\", (void *)REC->ip", "ffffffff81000010"},
		{"\"%llx\", (unsigned long long)REC->ip", "ffffffff81000010"},
		{"\"%llx\", (unknown_t)REC->ip", "ffffffff81000010"},
		{"\"%d %d %d\", sizeof(u32), sizeof(unsigned short), sizeof(REC->comm)", "4 2 16"},
		{"\"%d\", __builtin_expect(!!(REC->flags), 1)", "1"},
		{"\"%d %d\", NAME, (NAME) + 1", "0 1"},
	};

	CHECK(rows);
}

/* Formats that depend on the word size. */
static void words(void **state)
{
	static const struct row rows8[] = {
		{"\"%llx\", (unsigned long)REC->ip", "ffffffff81000010"},
		{"\"%d %d\", sizeof(long), sizeof(void *)", "8 8"},
		{"\"%lx %lx %lx\", REC->mask[0], REC->mask[1], REC->mask[9999999]", "107 2 0"},
		{"\"%*pbl|%*pb\", 128, REC->mask, 128, REC->mask",
		 "0-2,8,65|00000000,00000002,00000000,00000107"},
	};
	static const struct row rows4[] = {
		{"\"%llx\", (unsigned long)REC->ip", "81000010"},
		{"\"%d %d\", sizeof(long), sizeof(void *)", "4 4"},
		{"\"%lx %lx %lx\", REC->mask[0], REC->mask[1], REC->mask[9999999]", "107 2 0"},
		{"\"%*pbl|%*pb\", 64, REC->mask, 64, REC->mask", "0-2,8,33|00000002,00000107"},
	};
	size_t i, k;

	for (i = 0; i < 4; i++)
		for (k = 0; k < 4; k++)
			check_row(&machines[i], machines[i].long_size == 8 ? &rows8[k] : &rows4[k]);
}

static void texts(void **state)
{
	static const struct row rows[] = {
		{"\"%s|%s|%s\", REC->comm, REC->full, __get_str(path)", "bash|abcd|/etc/foo"},
		{"\"%s|%s|%s\", __get_str(none), __get_rel_str(rel), __get_str(rel)", "|rel|rel"},
		{"\"%8s|%-8s|%.2s|%.*s|%.*s\", REC->comm, REC->comm, REC->comm, 3, REC->comm, -1, "
		 "REC->comm",
		 "    bash|bash    |ba|bas|bash"},
		/* a pointer to a string in the kernel; another one is an address */
		{"\"%s %s\", REC->fmt, \"literal\"", "kernel text literal"},
		{"\"%s\", REC->zero ? REC->comm : \"other\"", "other"},
		{"\"a\\tb\\\\c\\\"d\"", "a\tb\\c\"d"},
		{"\"%d %c\", __get_dynamic_array_len(path), __get_str(path)[1]", "9 e"},
	};

	CHECK(rows);
}

static void lists(void **state)
{
	static const struct row rows[] = {
		{"\"%s\", __print_flags(REC->flags, \"|\", {1, \"A\"}, {4, \"C\"}, {16, \"E\"})",
		 "A|C|E"},
		{"\"%s\", __print_flags(REC->flags, \" \", {1, \"A\"}, {(1UL << 2), \"C\"})",
		 "A C 0x10"},
		{"\"%s\", __print_flags(REC->flags & (1 | 4), \"|\", {1, \"A\"}, {4, \"C\"})",
		 "A|C"},
		{"\"%s\", __print_flags(REC->flags, \"|\", {2, \"B\"})", "0x15"},
		{"\"%s\", __print_flags(REC->flags, \"|\", {5, \"AC\"}, {1, \"A\"}, {16, \"E\"})",
		 "AC|E"},
		{"\"%s|%s\", __print_flags(REC->zero, \"|\", {1, \"A\"}), "
		 "__print_flags(REC->zero, \"|\", {0, \"zero\"})",
		 "|"},
		{"\"%s\", __print_flags(REC->zero, \"|\", {1, \"A\"}, {-1, \"none\"})", "none"},
		{"\"%s\", __print_flags(REC->flags, \"|\")", "0x15"},
		{"\"%s %s\", __print_symbolic(REC->flags, {1, \"a\"}, {0x15, \"b\"}), "
		 "__print_symbolic(REC->flags, {1, \"a\"})",
		 "b 0x15"},
		{"\"%s\", __print_symbolic(REC->flags, { })", "0x15"},
		{"\"%s %s\", __print_symbolic(1, {TIMER_SOFTIRQ, \"TIMER\"}), "
		 "__print_symbolic(0, {NAME, \"x\"})",
		 "TIMER 0x0"},
		{"\"%s\", __print_symbolic(REC->zero, {(1 << 2) - 4, \"sum\"})", "sum"},
		{"\"%s\", REC->zero ? \"\" : __print_symbolic(REC->flags, {21, \"in\" \"side\"})",
		 "inside"},
	};

	CHECK(rows);
}

static void arrays(void **state)
{
	static const struct row rows[] = {
		{"\"%s|%s\", __print_hex(REC->mac, 6), __print_hex_str(REC->mac, 3)",
		 "02 11 22 33 44 ff|021122"},
		{"\"%s\", __print_hex(__get_dynamic_array(bytes), __get_dynamic_array_len(bytes))",
		 "01 ab 00 ff"},
		{"\"%s|\", __print_hex(__get_dynamic_array(bytes), -1)", "|"},
		{"\"%s\", __print_array(__get_dynamic_array(nums), "
		 "__get_dynamic_array_len(nums) / sizeof(u32), sizeof(u32))",
		 "1 70000"},
		{"\"%s|\", __print_array(__get_dynamic_array(nums), 2, 3)", "|"},
		{"\"%d %d\", REC->mac[1], REC->comm[0]", "17 98"},
		{"\"%d\", ((u32 *)__get_dynamic_array(nums))[1]", "70000"},
		{"\"%d\", *(u32 *)__get_dynamic_array(nums)", "1"},
		{"\"%d\", __get_dynamic_array_len(nums)", "8"},
	};

	CHECK(rows);
}

static void masks(void **state)
{
	static const struct row little[] = {
		{"\"%s %s\", __get_bitmask(bytes), __get_cpumask(bytes)",
		 "ff00ab01 0,8-9,11,13,15,24-31"},
	};

	check_row(&machines[0], &little[0]);
	check_row(&machines[2], &little[0]);
}

static void pointers(void **state)
{
	static const struct row rows[] = {
		{"\"%p %p\", REC->ip, REC->zero", "0xffffffff81000010 (nil)"},
		{"\"%pS %ps %pF %pf %pB\", REC->ip, REC->ip, REC->ip, REC->ip, REC->ip",
		 "do_work+0x10 do_work do_work+0x10 do_work do_work+0x10"},
		{"\"%pS %ps\", REC->zero, (void *)0x1234", "0x0 0x1234"},
		{"\"%pI4 %pi4\", REC->ip4, REC->ip4", "127.0.0.1 127.000.000.001"},
		{"\"%pI6 %pI6c %pI6c\", REC->ip6, REC->ip6, REC->mapped",
		 "fe80:0000:0000:0000:0000:0000:0000:0001 fe80::1 ::ffff:127.0.0.1"},
		{"\"%pi6\", REC->ip6", "fe800000000000000000000000000001"},
		{"\"%pISpc %pIS\", REC->in4, REC->in4", "10.0.0.1:80 10.0.0.1"},
		{"\"%pISpc %pISc\", REC->in6, REC->in6", "[2001:db8::]:53 2001:db8::"},
		{"\"%pIS|\", REC->uuid", "|"},
		{"\"%pM %pMF %pMR %pm\", REC->mac, REC->mac, REC->mac, REC->mac",
		 "02:11:22:33:44:ff 02-11-22-33-44-ff ff:44:33:22:11:02 0211223344ff"},
		{"\"%pU %pUB\", REC->uuid, REC->uuid",
		 "00010203-0405-0607-0809-0a0b0c0d0eaf 00010203-0405-0607-0809-0A0B0C0D0EAF"},
		{"\"%pUl %pUL\", REC->uuid, REC->uuid",
		 "03020100-0504-0706-0809-0a0b0c0d0eaf 03020100-0504-0706-0809-0A0B0C0D0EAF"},
		{"\"%pM %pU %pI4 %pI6\", __get_dynamic_array(bytes), REC->mac, __get_str(none), "
		 "REC->mac",
		 "INVALIDMAC INVALIDUUID INVALIDIPv4 INVALIDIPv6"},
	};

	CHECK(rows);
}

/* Unsupported formats: the fields one by one. */
static void fallback(void **state)
{
	static const char *const prints[] = {
		"\"%d\", jiffies_to_msecs(REC->neg)",
		"\"%d\", REC->unknown",
		"\"%d\"",
		"\"%d\", REC->neg)",
		"\"%y\", 1",
		"\"%d\", ({ int x; })",
		"\"%d\", 1 +",
		"\"open",
		"%d, 1",
		"\"%s\", __get_str(unknown)",
		"\"%s\", 1[2]",
		"\"%d\", sizeof(struct x)",
	};
	static const char start[] = "[FAILED TO PARSE] path=/etc/foo none= rel=rel nums=ARRAY[";
	static const char middle[] =
		"bytes=ARRAY[01, ab, 00, ff] ip=18446744071578845200 zero=0 neg=-3 small=-2 "
		"flags=21 letter=65 big=1099511627776 comm=bash full=abcd ip4=ARRAY[7f, 00, 00, "
		"01]";
	struct pfx_str text = {0};
	size_t i, k;

	for (i = 0; i < sizeof(prints) / sizeof(*prints); i++)
		for (k = 0; k < 4; k++) {
			pfx_str_clear(&text);
			print_event(&machines[k], prints[i], &text);
			if (strncmp(text.at, start, sizeof(start) - 1) != 0)
				print_message("%s\n", prints[i]);
			assert_int_equal(strncmp(text.at, start, sizeof(start) - 1), 0);
			assert_non_null(strstr(text.at, middle));
			assert_non_null(strstr(text.at, " fmt=0x81828384 "));
		}
	pfx_str_fini(&text);
}

/* @head, then @nr times @part, then @tail. */
static void print_many(const char *head, const char *part, size_t nr, const char *tail,
		       struct pfx_str *to)
{
	struct pfx_str print = {0};

	pfx_str_add(&print, head);
	while (nr--)
		pfx_str_add(&print, part);
	pfx_str_add(&print, tail);
	pfx_str_clear(to);
	print_event(&machines[0], print.at, to);
	pfx_str_fini(&print);
}

/* Malicious formats: bounded depth, height, numbers, widths and text. */
static void bounds(void **state)
{
	static const char failed[] = "[FAILED TO PARSE]";
	static const struct row deep[] = {
		{"(", ""},    {"-", ""},          {"1?", ""},
		{"1?2:", ""}, {"(u8)", ""},       {"1+", ""},
		{"1<<", ""},  {"REC->mask[", ""}, {"__print_symbolic(", ""},
		{"~!", ""},   {"1?(", ""},
	};
	struct pfx_str text = {0};
	size_t i;

	for (i = 0; i < sizeof(deep) / sizeof(*deep); i++) {
		print_many("\"%d\", ", deep[i].print, 10000, "1", &text);
		assert_int_equal(strncmp(text.at, failed, sizeof(failed) - 1), 0);
	}
	print_many("\"%d\", ", "(", 50, "1)))))))))))))))))))))))))))))))))))))))))))))))))))",
		   &text);
	assert_int_equal(strncmp(text.at, failed, sizeof(failed) - 1), 0);
	print_many("\"%d\", ", "1+", 150, "1", &text);
	assert_string_equal(text.at, "151");
	print_many("\"%d\"", ",1", 5000, "", &text);
	assert_int_equal(strncmp(text.at, failed, sizeof(failed) - 1), 0);
	print_many("\"%s\", __print_symbolic(1", ",{1,\"a\"}", 20000, ")", &text);
	assert_int_equal(strncmp(text.at, failed, sizeof(failed) - 1), 0);
	print_many("\"", "%999999999999d", 1, "\", 1", &text);
	assert_int_equal(text.len, 1024);
	print_many("\"", "%*d", 1, "\", 2147483647, 1", &text);
	assert_int_equal(text.len, 1024);
	print_many("\"", "%*d", 1, "\", 0x80000000, 1", &text);
	assert_int_equal(text.len, 1024);
	print_many("\"%1024d", "%1$", 1, "\", 1", &text);
	assert_int_equal(strncmp(text.at, failed, sizeof(failed) - 1), 0);
	pfx_str_fini(&text);
}

/* 900 strings of a kilobyte each from a record of some hundred bytes. */
static void length_of_text(void **state)
{
	struct pfx_str print = {0}, text = {0};
	size_t i;

	pfx_str_addc(&print, '"');
	for (i = 0; i < 900; i++)
		pfx_str_add(&print, "%1024d");
	pfx_str_addc(&print, '"');
	for (i = 0; i < 900; i++)
		pfx_str_add(&print, ",1");
	print_event(&machines[0], print.at, &text);
	assert_true(text.len > 64000 && text.len < 80000);
	pfx_str_fini(&print);
	pfx_str_fini(&text);
}

/* Untrusted text in the format and in the event is escaped. */
static void escapes(void **state)
{
	static const struct row rows[] = {
		{"\"\033[31m%s\", \"\033]0;\"", "\\x1b[31m\\x1b]0;"},
		{"\"%c\", 27", "\\x1b"},
		{"\"%s\", __print_symbolic(1, {1, \"\033\"})", "\\x1b"},
	};

	CHECK(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),  cmocka_unit_test(expressions),
		cmocka_unit_test(words),    cmocka_unit_test(texts),
		cmocka_unit_test(lists),    cmocka_unit_test(arrays),
		cmocka_unit_test(masks),    cmocka_unit_test(pointers),
		cmocka_unit_test(fallback), cmocka_unit_test(bounds),
		cmocka_unit_test(escapes),  cmocka_unit_test(length_of_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
