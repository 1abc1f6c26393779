/* SPDX-License-Identifier: MIT */
/*
 * ARM's own unwind tables: each instruction as bytes, and unwinding through programs with generated
 * tables.
 */
#include "arch/arm_exidx.h"
#include "unit/unwind/unwind_world.h"

#define ARM (&machines[4])

struct row {
	uint8_t ops[8];
	uint8_t nr, base;
	int32_t size;
	uint16_t saved;
	int32_t first; /* offset of the lowest saved register */
};

static const struct row rows[] = {
	{{0xb0}, 1, 13, 0, 0, 0},
	{{0x00}, 1, 13, 4, 0, 0},
	{{0x3f}, 1, 13, 256, 0, 0},
	{{0x3f, 0x01, 0xb0, 0x3f}, 4, 13, 264, 0, 0},
	{{0x40}, 1, 13, -4, 0, 0},
	{{0x7f}, 1, 13, -256, 0, 0},
	{{0x80, 0x01}, 2, 13, 4, 0x0010, 0},
	{{0x88, 0x00}, 2, 13, 4, 0x8000, 0},
	{{0x84, 0x0f}, 2, 13, 20, 0x40f0, 0},
	{{0x97}, 1, 7, 0, 0, 0},
	{{0x9b, 0x41, 0x84, 0x80}, 4, 11, 0, 0x4800, -8},
	{{0xa0}, 1, 13, 4, 0x0010, 0},
	{{0xa7}, 1, 13, 32, 0x0ff0, 0},
	{{0xa8}, 1, 13, 8, 0x4010, 0},
	{{0x01, 0xab, 0xb0}, 3, 13, 28, 0x40f0, 8},
	{{0xb1, 0x0f}, 2, 13, 16, 0x000f, 0},
	{{0xb2, 0x00}, 2, 13, 0x204, 0, 0},
	{{0xb2, 0x81, 0x01}, 3, 13, 0x204 + (0x81 << 2), 0, 0},
	{{0xb3, 0x81}, 2, 13, 20, 0, 0},
	{{0xb4}, 1, 13, 4, 0, 0},
	{{0xb5}, 1, 13, 0, 0, 0},
	{{0xb8}, 1, 13, 12, 0, 0},
	{{0xbf}, 1, 13, 68, 0, 0},
	{{0xc0}, 1, 13, 8, 0, 0},
	{{0xc6, 0x01}, 2, 13, 16, 0, 0},
	{{0xc7, 0x05}, 2, 13, 8, 0, 0},
	{{0xc8, 0x03}, 2, 13, 32, 0, 0},
	{{0xc9, 0x83, 0xaa}, 3, 13, 48, 0x4070, 32},
	{{0xd0}, 1, 13, 8, 0, 0},
	{{0xd7}, 1, 13, 64, 0, 0},
};

static void test_instructions(void **state)
{
	struct pfx_exidx_frame frame;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(pfx_exidx_decode(rows[i].ops, rows[i].nr, &frame));
		assert_int_equal(frame.base, rows[i].base);
		assert_int_equal(frame.size, rows[i].size);
		assert_int_equal(frame.saved, rows[i].saved);
		if (frame.saved)
			assert_int_equal(frame.at[__builtin_ctz(frame.saved)], rows[i].first);
	}
}

/* Refused, reserved, or larger than a frame. */
static void test_refused(void **state)
{
	static const uint8_t bad[][6] = {
		{0x80, 0x00}, /* "refuse" */
		{0x82, 0x00}, /* pops the stack pointer */
		{0x9d},
		{0x9f}, /* reserved */
		{0xb1, 0x00},
		{0xb1, 0x10}, /* spare */
		{0xb6},
		{0xb7}, /* spare */
		{0xc7, 0x00},
		{0xc7, 0x10}, /* spare */
		{0xca},
		{0xd8},
		{0xff},                               /* spare */
		{0xa3, 0x97},                         /* a base after pops */
		{0xb2, 0xff, 0xff, 0xff, 0xff, 0xff}, /* an unterminated number */
	};
	struct pfx_exidx_frame frame;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(pfx_exidx_decode(bad[i], 6, &frame));
}

/* leaf 0x100 by the link register; mid 0x200 with 4 words and r4, lr; main 0x300 by r11 with its
 * instructions in the other table; cxx 0x380 with a routine; start 0x400 has no caller. */
static void make_tables(void)
{
	static const uint32_t main_words[] = {0x81019b41, 0x8480b0b0};
	static const uint32_t cxx_words[] = {0x7fffff00, 0x01030101, 0xa8b0b0b0};

	make_exidx(&w.cfi, 0x100, 0x80b0b0b0);
	make_exidx(&w.cfi, 0x200, 0x8003a8b0);
	make_extab(&w.cfi, 0x300, main_words, 2);
	make_extab(&w.cfi, 0x380, cxx_words, 3);
	make_exidx(&w.cfi, 0x400, 1);
	make_exidx(&w.cfi, 0x600, 0x81b0b0b0);
}

/* leaf <- mid <- main <- start; Thumb code, so that return addresses are odd */
static void fill(void)
{
	set_reg(15, CODE + 0x110);
	set_reg(13, STACK);
	set_reg(11, STACK + 40);
	set_reg(14, CODE + 0x221);
	set_stack(4, 4); /* r4 */
	set_stack(5, CODE + 0x321);
	set_stack(8, 0xb0); /* r11 */
	set_stack(9, CODE + 0x409);
}

static void test_tables(void **state)
{
	const uint64_t ips[] = {CODE + 0x110, CODE + 0x21f, CODE + 0x31f, CODE + 0x407, 0};

	begin(ARM);
	make_tables();
	load(0);
	fill();
	expect(20, ips);
	expect_end(PFX_UNWIND_COMPLETE);
	end();
}

static void test_language_routine(void **state)
{
	const uint64_t ips[] = {CODE + 0x390, CODE + 0x407, 0};

	begin(ARM);
	make_tables();
	load(0);
	set_reg(15, CODE + 0x390);
	set_reg(13, STACK);
	/* 16 + 8 + 8 bytes, then r4 and lr */
	set_stack(9, CODE + 0x409);
	expect(20, ips);
	expect_end(PFX_UNWIND_COMPLETE);
	end();
}

static void test_ends(void **state)
{
	static const struct {
		uint64_t pc;
		enum pfx_unwind_end end;
	} cases[] = {
		{CODE + 0x410, PFX_UNWIND_COMPLETE}, /* the start of the program */
		{CODE + 0x500, PFX_UNWIND_NO_CFI},   /* code after it without an entry */
		{CODE + 0x50, PFX_UNWIND_NO_CFI},    /* before the first */
		{CODE + 0x610, PFX_UNWIND_BAD_CFI},  /* a kind that is not valid in the index */
	};
	uint64_t ips[2] = {0};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(ARM);
		make_tables();
		load(0);
		ips[0] = cases[i].pc;
		set_reg(15, cases[i].pc);
		set_reg(13, STACK);
		expect(20, ips);
		expect_end(cases[i].end);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_tables),       cmocka_unit_test(test_language_routine),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
