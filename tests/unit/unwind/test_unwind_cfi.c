/* SPDX-License-Identifier: MIT */
/*
 * Each instruction of call frame information and each operation of its expressions: a function
 * whose rules use them; its caller uses a frame pointer. The frame pointer from the function's
 * rules selects one of three callers.
 */
#include "unit/unwind/unwind_world.h"

#define KEPT  40 /* words from the stack pointer: the unchanged frame pointer */
#define SAVED 50 /* its value saved in word 1 */
#define OTHER 60 /* the value of another register */

struct instructions {
	const char *name;
	uint8_t bytes[24];
	uint8_t nr;
	uint8_t ra; /* the word with the return address */
	uint8_t fp; /* the resulting frame pointer; 0: unknown */
};

#define CFA_16 0x0c, 7, 16, 0x90, 1 /* the CFA is two words up, the return address below it */

static const struct instructions all[] = {
	{"def_cfa", {0x0c, 7, 8, 0x90, 1}, 5, 0, KEPT},
	{"def_cfa_sf", {0x12, 7, 0x7e, 0x90, 1}, 5, 1, KEPT},
	{"def_cfa_register", {0x0c, 7, 8, 0x0d, 3, 0x90, 1, 0x09, 6, 3}, 10, OTHER, OTHER},
	{"def_cfa_offset", {0x0c, 7, 8, 0x0e, 24, 0x90, 1}, 7, 2, KEPT},
	{"def_cfa_offset_sf", {0x0c, 7, 8, 0x13, 0x7d, 0x90, 1}, 7, 2, KEPT},
	{"def_cfa_expression", {0x0f, 2, 0x77, 24, 0x90, 1}, 6, 2, KEPT},
	{"def_cfa_expression, loaded", {0x0f, 3, 0x77, 32, 0x06, 0x90, 1}, 7, 19, KEPT},
	{"offset", {0x0c, 7, 24, 0x90, 1, 0x86, 2}, 7, 2, SAVED},
	{"offset_extended", {0x0c, 7, 24, 0x05, 16, 1, 0x05, 6, 2}, 9, 2, SAVED},
	{"offset_extended_sf", {0x0c, 7, 24, 0x11, 16, 1, 0x11, 6, 2}, 9, 2, SAVED},
	{"GNU_negative_offset_extended", {0x0c, 7, 8, 0x2f, 16, 1}, 6, 2, KEPT},
	{"val_offset", {0x0c, 7, 0x98, 3, 0x90, 1, 0x14, 6, 1}, 9, 50, SAVED},
	{"val_offset_sf", {CFA_16, 0x15, 6, 0x50}, 8, 1, SAVED},
	{"register", {CFA_16, 0x09, 6, 3}, 8, 1, OTHER},
	{"expression", {0x0c, 7, 24, 0x90, 1, 0x10, 6, 2, 0x77, 8}, 10, 2, SAVED},
	{"val_expression", {CFA_16, 0x16, 6, 2, 0x73, 0}, 10, 1, OTHER},
	{"remember and restore state", {CFA_16, 0x0a, 0x0e, 99, 0x0b}, 9, 1, KEPT},
	{"restore", {CFA_16, 0x86, 9, 0xc6}, 8, 1, KEPT},
	{"restore_extended", {CFA_16, 0x86, 9, 0x06, 6}, 9, 1, KEPT},
	{"same_value", {CFA_16, 0x86, 9, 0x08, 6}, 9, 1, KEPT},
	{"undefined", {CFA_16, 0x07, 6}, 7, 1, 0},
	{"advance_loc", {0x0c, 7, 8, 0x90, 1, 0x48, 0x0e, 16, 0x60, 0x0e, 99}, 11, 1, KEPT},
	{"advance_loc1", {0x0c, 7, 8, 0x90, 1, 0x02, 16, 0x0e, 16, 0x02, 1, 0x0e, 99}, 13, 1, KEPT},
	{"advance_loc2",
	 {0x0c, 7, 8, 0x90, 1, 0x03, 16, 0, 0x0e, 16, 0x03, 1, 0, 0x0e, 99},
	 15,
	 1,
	 KEPT},
	{"advance_loc4",
	 {0x0c, 7, 8, 0x90, 1, 0x04, 16, 0, 0, 0, 0x0e, 16, 0x04, 1, 0, 0, 0, 0x0e, 99},
	 19,
	 1,
	 KEPT},
	{"set_loc",
	 {0x0c, 7, 8, 0x90, 1, 0x01, 0x10, 0x15, 0x40, 0, 0, 0, 0, 0, 0x0e, 16},
	 16,
	 1,
	 KEPT},
	{"saved below the stack pointer", {0x0c, 7, 8, 0x90, 1, 0x86, 2}, 7, 0, 0},
	{"nop and args_size", {CFA_16, 0x00, 0x2e, 32, 0x00}, 9, 1, KEPT},
};

/* The number OTHER words in bytes, 480; the stack pointer is added to it. */
static const struct instructions numbers[] = {
	{"const1u, plus", {0x08, 0xf0, 0x08, 0xf0, 0x22}, 5},
	{"const2u", {0x0a, 0xe0, 0x01}, 3},
	{"const4u", {0x0c, 0xe0, 0x01, 0, 0}, 5},
	{"const8u", {0x0e, 0xe0, 0x01, 0, 0, 0, 0, 0, 0}, 9},
	{"constu", {0x10, 0xe0, 0x03}, 3},
	{"consts, neg", {0x11, 0xa0, 0x7c, 0x1f}, 4},
	{"const1s, abs, mul", {0x09, 0xf0, 0x19, 0x08, 30, 0x1e}, 6},
	{"const2s, not", {0x0b, 0x1f, 0xfe, 0x20}, 4},
	{"const4s, neg", {0x0d, 0x20, 0xfe, 0xff, 0xff, 0x1f}, 6},
	{"minus", {0x0a, 0xe0, 0x03, 0x0a, 0, 2, 0x1c}, 7},
	{"div", {0x0a, 0xc0, 0x03, 0x32, 0x1b}, 5},
	{"mod", {0x0a, 0xe0, 0x05, 0x0a, 0, 4, 0x1d}, 7},
	{"shl", {0x08, 0xf0, 0x31, 0x24}, 4},
	{"shr", {0x0a, 0xc0, 0x03, 0x31, 0x25}, 5},
	{"shra", {0x0a, 0xc0, 0x03, 0x31, 0x26}, 5},
	{"and", {0x0a, 0xff, 0x01, 0x0a, 0xe0, 0xfd, 0x1a}, 7},
	{"or", {0x0a, 0, 1, 0x08, 0xe0, 0x21}, 6},
	{"xor", {0x0a, 0xff, 0x01, 0x08, 0x1f, 0x27}, 6},
	{"dup", {0x08, 0xf0, 0x12, 0x22}, 4},
	{"drop", {0x0a, 0xe0, 0x01, 0x35, 0x13}, 5},
	{"over", {0x08, 0xf0, 0x30, 0x14, 0x22, 0x22}, 6},
	{"pick", {0x08, 0xf0, 0x30, 0x30, 0x15, 2, 0x22, 0x22, 0x22}, 9},
	{"swap", {0x31, 0x0a, 0xe1, 0x01, 0x16, 0x1c}, 6},
	{"rot", {0x31, 0x30, 0x0a, 0xdf, 0x01, 0x17, 0x22, 0x22}, 8},
	{"plus_uconst", {0x30, 0x23, 0xe0, 0x03}, 4},
	{"eq", {0x31, 0x31, 0x29, 0x0a, 0xdf, 0x01, 0x22}, 7},
	{"ge", {0x32, 0x31, 0x2a, 0x0a, 0xdf, 0x01, 0x22}, 7},
	{"gt", {0x32, 0x31, 0x2b, 0x0a, 0xdf, 0x01, 0x22}, 7},
	{"le", {0x31, 0x32, 0x2c, 0x0a, 0xdf, 0x01, 0x22}, 7},
	{"lt", {0x31, 0x32, 0x2d, 0x0a, 0xdf, 0x01, 0x22}, 7},
	{"ne", {0x31, 0x32, 0x2e, 0x0a, 0xdf, 0x01, 0x22}, 7},
	{"deref", {0x77, 24, 0x06}, 3},
	{"deref_size", {0x77, 24, 0x94, 2}, 4},
	{"bregx", {0x92, 3, 0, 0x77, 0, 0x1c}, 6},
	{"nop", {0x0a, 0xe0, 0x01, 0x96}, 4},
};

/* The function under test at 0x500, main at 0x300 by the frame pointer, start at 0x400. */
static void make_caller(void)
{
	make_cie(&w.cfi, false);
	make_fde(&w.cfi, 0x300, 0x80);
	make_def_cfa(&w.cfi, 6, 16);
	make_saved(&w.cfi, 16, -1);
	make_entry_end(&w.cfi);
	make_fde(&w.cfi, 0x400, 0x80);
	make_def_cfa(&w.cfi, 7, 8);
	make_undefined(&w.cfi, 16);
	make_entry_end(&w.cfi);
	make_fde(&w.cfi, 0x500, 0x80);
}

static void fill(unsigned ra)
{
	set_reg(8, CODE + 0x510);
	set_reg(7, STACK);
	set_reg(6, STACK + KEPT * 8);
	set_reg(1, STACK + OTHER * 8);
	set_stack(1, STACK + SAVED * 8);
	set_stack(3, OTHER * 8);
	set_stack(4, STACK + 20 * 8);
	set_stack(KEPT + 1, CODE + 0x401 + KEPT);
	set_stack(SAVED + 1, CODE + 0x401 + SAVED);
	set_stack(OTHER + 1, CODE + 0x401 + OTHER);
	set_stack(ra, CODE + 0x320);
}

static void check(const struct instructions *i)
{
	uint64_t ips[] = {CODE + 0x510, CODE + 0x31f, i->fp ? CODE + 0x400 + i->fp : 0, 0};

	print_message("%s\n", i->name);
	make_entry_end(&w.cfi);
	load(0);
	fill(i->ra);
	expect(80, ips);
	expect_end(i->fp ? PFX_UNWIND_COMPLETE : PFX_UNWIND_BAD_CFI);
	end();
}

static void test_instructions(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		begin(X86_64);
		make_caller();
		make_bytes(&w.cfi, all[i].bytes, all[i].nr);
		check(&all[i]);
	}
}

/* What is saved below the stack pointer, by the code that follows: nothing but a return. */
static const struct {
	uint8_t code[16];
	bool is_restored;
} returns[] = {
	{{0xc3}, true},
	{{0xc2, 0x10, 0x00}, true},
	{{0xf3, 0xc3}, true},
	{{0xf2, 0xc3}, true},
	{{0x5b, 0x41, 0x5c, 0x41, 0x5f, 0xc3}, true},
	{{0x48, 0x83, 0xf9, 0x02, 0x7f, 0x03, 0xc2, 0x10, 0x00}, true}, /* of V8 */
	{{0x49, 0x83, 0xff, 0x02, 0xc3}, true},
	{{0}, false},
	{{0x48, 0x8b, 0x6c, 0x24, 0xf8, 0xc3}, false}, /* it is loaded first */
	{{0x5b, 0x48, 0x8b, 0x6c, 0x24, 0xf8, 0xc3}, false},
	{{0x48, 0x83, 0xe9, 0x02, 0xc3}, false}, /* sub */
	{{0x48, 0x83, 0x79, 0x02, 0xc3}, false}, /* cmp in memory */
	{{0x41, 0xc3}, false},
	{{0xf3, 0x0f, 0xc3}, false},
	{{0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b, 0x5b,
	  0x5b},
	 false},
};

static void test_below_the_stack_pointer(void **state)
{
	static const uint8_t plain[] = {0x0c, 7, 8, 0x90, 1, 0x86, 2};
	static const uint8_t expression[] = {0x0c, 7, 8, 0x90, 1, 0x86, 2, 0x10, 12, 2, 0x77, 8};
	struct instructions one = {"returns", {0}, 0, 0, 0};
	size_t i;

	for (i = 0; i < 2 * sizeof(returns) / sizeof(returns[0]); i++) {
		begin(X86_64);
		make_caller();
		make_bytes(&w.cfi, i % 2 ? expression : plain,
			   i % 2 ? sizeof(expression) : sizeof(plain));
		w.cfi.code_at = 0x510;
		memcpy(w.cfi.code, returns[i / 2].code, sizeof(w.cfi.code));
		print_message("%zu: ", i / 2);
		one.fp = returns[i / 2].is_restored ? KEPT : 0;
		check(&one);
	}
}

/* A register number for which libdw would allocate gigabytes, in all instructions. */
static void test_register_beyond_all(void **state)
{
	static const enum pfx_unwind_style styles[] = {PFX_UNWIND_ROWS, PFX_UNWIND_LIBDW,
						       PFX_UNWIND_LIBUNWIND};
	const uint64_t ips[] = {CODE + 0x510, 0};
	size_t i;

	for (i = 0; i < 3; i++) {
		if (i == 2 && !pfx_libunwind_can(pfx_unwind_arch_find("x86_64", 2)))
			continue;
		begin(X86_64);
		w.style = styles[i];
		make_caller();
		make_def_cfa(&w.cfi, 7, 16);
		make_undefined(&w.cfi, 0x7ffffff);
		make_entry_end(&w.cfi);
		load(0);
		fill(1);
		set_reg(6, 0); /* libunwind falls back to the frame pointer */
		expect(80, ips);
		expect_end(PFX_UNWIND_BAD_CFI);
		end();
	}
}

/* What makes a library read beyond its registers, or divide the smallest number by -1. */
static const struct {
	uint8_t bytes[32], nr;
} hostile[] = {
	{{CFA_16, 0x09, 6, 0xff, 0xff, 0xff, 0x04}, 11},
	{{CFA_16, 0x09, 6, 0xff, 0x3f}, 9},
	{{CFA_16, 0x09, 6, 100}, 8},
	{{0x0c, 7, 16, 0x90, 1, 0x16, 6, 12, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x31, 0x1f, 0x1b},
	 20},
	{{0x0f, 12, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x31, 0x1f, 0x1b, 0x90, 1}, 16},
	/* the same after a jump into a number */
	{{0x0f, 19,   0x0e, 0, 0,    0,    0,    0,    0,    0,    0x80, 0x31,
	  0x1f, 0x2f, 1,    0, 0x0a, 0x1b, 0x96, 0x96, 0x96, 0x90, 1},
	 23},
};

static void test_hostile_in_all_styles(void **state)
{
	static const enum pfx_unwind_style styles[] = {PFX_UNWIND_ROWS, PFX_UNWIND_LIBDW,
						       PFX_UNWIND_LIBUNWIND};
	const uint64_t ips[] = {CODE + 0x510, 0};
	struct pfx_place **places;
	size_t i;

	for (i = 0; i < 3 * sizeof(hostile) / sizeof(hostile[0]); i++) {
		begin(X86_64);
		w.style = styles[i % 3];
		make_caller();
		make_bytes(&w.cfi, hostile[i / 3].bytes, hostile[i / 3].nr);
		make_entry_end(&w.cfi);
		load(0);
		fill(1);
		make_sample(80);
		print_message("%zu in style %zu\n", i / 3, i % 3);
		assert_true(pfx_resolve_chain(w.resolver, w.thread, &w.sample, &places) >= 1);
		assert_int_equal(places[0]->ip, ips[0]);
		end();
	}
}

/* Rules before one that no row expresses: libunwind continues. */
static void test_longer_than_rows(void **state)
{
	const uint8_t before[] = {CFA_16, 0x83, 1, 0x10, 12, 35, 0x77, 8}, nop[] = {0x96};
	bool is_walked = pfx_libunwind_can(pfx_unwind_arch_find("x86_64", 2));
	const uint64_t ips[] = {CODE + 0x510, is_walked ? CODE + 0x31f : 0, CODE + 0x400 + KEPT, 0};
	unsigned i;

	begin(X86_64);
	make_caller();
	make_bytes(&w.cfi, before, sizeof(before));
	for (i = 0; i < 33; i++)
		make_bytes(&w.cfi, nop, sizeof(nop));
	make_entry_end(&w.cfi);
	load(0);
	fill(1);
	expect(80, ips);
	expect_end(is_walked ? PFX_UNWIND_COMPLETE : PFX_UNWIND_BAD_CFI);
	end();
}

static void test_expressions(void **state)
{
	const uint8_t cfa[] = {CFA_16}, add[] = {0x77, 0, 0x22};
	struct instructions one;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		one = numbers[i];
		one.ra = 1;
		one.fp = OTHER;
		begin(X86_64);
		make_caller();
		make_bytes(&w.cfi, cfa, sizeof(cfa));
		make_byte(&w.cfi, 0x16);
		make_byte(&w.cfi, 6);
		make_byte(&w.cfi, one.nr + (int)sizeof(add));
		make_bytes(&w.cfi, one.bytes, one.nr);
		make_bytes(&w.cfi, add, sizeof(add));
		check(&one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_register_beyond_all),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_hostile_in_all_styles),
		cmocka_unit_test(test_below_the_stack_pointer),
		cmocka_unit_test(test_longer_than_rows),
		cmocka_unit_test(test_expressions),
	};

	if (!pfx_cfi_is_built_in()) {
		puts("SKIP: built without libdw");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
