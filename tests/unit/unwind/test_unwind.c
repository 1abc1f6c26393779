/* SPDX-License-Identifier: MIT */
/*
 * Frames from stack dumps: programs with generated call frame information, of each machine, and
 * samples with only the registers and words of the stack that it uses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/unwind/unwind_world.h"

/*
 * leaf at 0x100 calls no function; mid at 0x200 has six words and saves the frame pointer; main at
 * 0x300 uses a frame pointer; start at 0x400 has no caller.
 */
static void make_functions(void)
{
	const struct machine *m = w.machine;
	int word = (int)m->word, bias = m->bias / word;
	bool pushes = m->sample_ra == 0xff;

	make_cie(&w.cfi, false);
	make_fde(&w.cfi, 0x100, 0x80);
	make_def_cfa(&w.cfi, m->sp, pushes ? word : m->bias);
	if (pushes)
		make_saved(&w.cfi, m->ra, -1);
	make_entry_end(&w.cfi);
	make_fde(&w.cfi, 0x200, 0x80);
	make_def_cfa(&w.cfi, m->sp, m->bias + 6 * word);
	make_saved(&w.cfi, m->ra, -1 - bias);
	make_saved(&w.cfi, m->fp, -2 - bias);
	make_entry_end(&w.cfi);
	make_fde(&w.cfi, 0x300, 0x80);
	make_def_cfa(&w.cfi, m->fp, m->bias + 2 * word);
	make_saved(&w.cfi, m->ra, -1 - bias);
	make_saved(&w.cfi, m->fp, -2 - bias);
	make_entry_end(&w.cfi);
	make_fde(&w.cfi, 0x400, 0x80);
	make_def_cfa(&w.cfi, m->sp, m->bias + word);
	make_undefined(&w.cfi, m->ra);
	make_entry_end(&w.cfi);
}

/* leaf <- mid <- main <- start, leaf at its first instruction */
static void fill_sample(void)
{
	const struct machine *m = w.machine;
	unsigned at = 0;

	set_reg(m->sample_pc, CODE + 0x100);
	set_reg(m->sample_sp, STACK);
	set_reg(m->sample_fp, 0xdead);
	if (m->sample_ra == 0xff)
		set_stack(at++, CODE + 0x220);
	else
		set_reg(m->sample_ra, CODE + 0x220);
	set_stack(at + 4, STACK + (at + 10) * m->word);
	set_stack(at + 5, CODE + 0x320);
	set_stack(at + 10, 0);
	set_stack(at + 11, CODE + 0x420);
}

static const uint64_t whole[] = {CODE + 0x100, CODE + 0x21f, CODE + 0x31f, CODE + 0x41f, 0};

static void test_machines(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		begin(&machines[i]);
		make_functions();
		load(0);
		fill_sample();
		expect(20, whole);
		expect_end(PFX_UNWIND_COMPLETE);
		end();
	}
}

static void test_short_dump(void **state)
{
	const uint64_t two[] = {CODE + 0x100, CODE + 0x21f, CODE + 0x31f, 0};

	begin(X86_64);
	make_functions();
	load(0);
	fill_sample();
	expect(12, two);
	expect_end(PFX_UNWIND_SHORT_DUMP);
	end();
}

/* libdw itself treats an unreadable return address as the end of the stack. */
static void test_short_dump_for_libdw(void **state)
{
	const uint64_t two[] = {CODE + 0x100, CODE + 0x21f, CODE + 0x31f, 0};

	if (!pfx_libdw_is_built_in())
		skip();
	begin(X86_64);
	w.style = PFX_UNWIND_LIBDW;
	make_functions();
	load(0);
	fill_sample();
	expect(12, two);
	expect_end(PFX_UNWIND_SHORT_DUMP);
	end();
}

static void test_max_stack(void **state)
{
	const uint64_t two[] = {CODE + 0x100, CODE + 0x21f, 0};

	begin(X86_64);
	make_functions();
	load(2);
	fill_sample();
	expect(20, two);
	expect_end(PFX_UNWIND_COMPLETE);
	end();
}

static void test_kernel_frames_come_first(void **state)
{
	const uint64_t ips[] = {0xffffffff81000010, CODE + 0x100, CODE + 0x21f,
				CODE + 0x31f,       CODE + 0x41f, 0};
	uint64_t words[] = {PFX_CONTEXT_KERNEL, 0xffffffff81000010};
	struct pfx_place **places;
	uint32_t chain;

	begin(X86_64);
	make_functions();
	load(0);
	fill_sample();
	w.sample.chain = (struct pfx_words){(const uint8_t *)words, 2, false};
	expect(20, ips);
	chain = pfx_resolve_chain_id(w.resolver, w.thread, &w.sample);
	assert_int_equal(pfx_chain_frames(w.resolver, chain, &places), 5);
	assert_int_equal(places[0]->cpumode, PFX_MODE_KERNEL);
	assert_int_equal(places[1]->cpumode, PFX_MODE_USER);
	assert_int_equal(chain, pfx_resolve_chain_id(w.resolver, w.thread, &w.sample));
	/* A chain that the kernel recorded is unchanged. */
	words[0] = PFX_CONTEXT_USER;
	chain = pfx_resolve_chain_id(w.resolver, w.thread, &w.sample);
	assert_int_equal(pfx_chain_frames(w.resolver, chain, &places), 1);
	end();
}

/* A frame-pointer chain: leaf has no frame, so the return address to mid is only in the link
 * register. */
static void test_leaf_without_frame(void **state)
{
	uint64_t words[] = {PFX_CONTEXT_KERNEL, 0xffff800000000010, PFX_CONTEXT_USER,
			    CODE + 0x110,       CODE + 0x320,       CODE + 0x420};
	const uint64_t ips[] = {0xffff800000000010, CODE + 0x110, CODE + 0x220,
				CODE + 0x320,       CODE + 0x420, 0};
	const uint64_t in_mid[] = {0xffff800000000010, CODE + 0x210, CODE + 0x320, CODE + 0x420, 0};

	begin(ARM64);
	make_functions();
	load(0);
	w.sample.chain = (struct pfx_words){(const uint8_t *)words, 6, false};
	set_reg(w.machine->sample_ra, CODE + 0x220);
	expect(0, ips);
	/* signed, and already in the chain */
	words[4] = CODE + 0x220;
	set_reg(w.machine->sample_ra, 0x0035000000000000 | (CODE + 0x220));
	expect(0, (const uint64_t[]){ips[0], ips[1], ips[2], ips[4], 0});
	/* mid has saved it: the register contains the return address of a call by mid */
	words[3] = CODE + 0x210;
	words[4] = CODE + 0x320;
	expect(0, in_mid);
	/* not an address of code */
	words[3] = CODE + 0x110;
	set_reg(w.machine->sample_ra, 0x1234);
	expect(0, (const uint64_t[]){ips[0], ips[1], ips[3], ips[4], 0});
	end();
}

/* rsp + 8, and 8 more from the twelfth byte of each entry on, after the entry has pushed a
 * number. */
static void test_linkage_table(void **state)
{
	static const uint8_t expr[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
	uint64_t ips[] = {0, CODE + 0x21f, CODE + 0x31f, CODE + 0x41f, 0};
	unsigned pushed;

	for (pushed = 0; pushed < 2; pushed++) {
		begin(X86_64);
		make_functions();
		make_fde(&w.cfi, 0x500, 0x40);
		make_byte(&w.cfi, 0x0f);
		make_uleb(&w.cfi, sizeof(expr));
		make_bytes(&w.cfi, expr, sizeof(expr));
		make_saved(&w.cfi, 16, -1);
		make_entry_end(&w.cfi);
		load(0);
		fill_sample();
		ips[0] = CODE + 0x510 + (pushed ? 11 : 6);
		set_reg(8, ips[0]);
		set_reg(7, STACK - 8 * pushed);
		memmove(w.stack + 8 * pushed, w.stack, 160);
		expect(21, ips);
		expect_end(PFX_UNWIND_COMPLETE);
		end();
	}
}

/* A signal handler that interrupted the first instruction of leaf: the address of that frame is
 * exact. */
static void test_signal_frame(void **state)
{
	const uint64_t ips[] = {CODE + 0x10f,
				CODE + 0x600,
				CODE + 0x100,
				CODE + 0x21f,
				CODE + 0x31f,
				CODE + 0x41f,
				0};

	begin(X86_64);
	make_functions();
	make_cie(&w.cfi, true);
	make_fde(&w.cfi, 0x5ff,
		 0x20); /* one byte earlier, because the address is treated as a return address */
	make_byte(&w.cfi, 0x0f);
	make_uleb(&w.cfi, 3);
	make_bytes(&w.cfi, "\x77\x10\x06", 3); /* the word at rsp + 16 */
	make_saved_by(&w.cfi, 16, 7, 24);
	make_saved_by(&w.cfi, 7, 7, 16);
	make_saved_by(&w.cfi, 6, 7, 8);
	make_entry_end(&w.cfi);
	load(0);
	fill_sample();
	memmove(w.stack + 80, w.stack, 160);
	set_reg(8, CODE + 0x10f);
	set_stack(0, CODE + 0x600);
	set_stack(3, STACK + 80);
	set_stack(4, CODE + 0x100);
	set_stack(15, STACK + 80 + 88);
	set_stack(16, CODE + 0x320);
	expect(40, ips);
	expect_end(PFX_UNWIND_COMPLETE);
	end();
}

/* The vDSO of another machine is not available: the kernel's layout of the frame is used. */
static void test_signal_frame_by_layout(void **state)
{
	const uint64_t ips[] = {CODE + 0x110,
				VDSO + 0x7bc,
				CODE + 0x100,
				CODE + 0x21f,
				CODE + 0x31f,
				CODE + 0x41f,
				0};
	unsigned i, first = 592 / 8;

	begin(ARM64);
	make_functions();
	load(0);
	fill_sample();
	memmove(w.stack + 592, w.stack, 160);
	set_stack(first + 4, STACK + 592 + 80);
	for (i = 0; i < 31; i++)
		set_stack(312 / 8 + i, 0);
	set_stack(312 / 8 + 30, CODE + 0x220);
	set_stack(560 / 8, STACK + 592);
	set_stack(568 / 8, CODE + 0x100);
	set_reg(32, CODE + 0x110);
	set_reg(30, VDSO + 0x7bc);
	expect(first + 20, ips);
	expect_end(PFX_UNWIND_COMPLETE);
	end();
}

/* The leaf is a signal handler, whose frame is above that of an interrupted leaf 80 words up. */
static void fill_signal_i386(unsigned shift)
{
	fill_sample();
	memmove(w.stack + 320, w.stack, 160);
	memset(w.stack, 0, 320);
	set_stack(85, STACK + 91 * 4);
	set_reg(8, CODE + 0x110);
	set_stack(0, VDSO + 0x600);
	set_stack(1 + shift + 32 / 4, STACK + 320);
	set_stack(1 + shift + 60 / 4, CODE + 0x100);
}

static void test_signal_frame_of_i386(void **state)
{
	const uint64_t ips[] = {CODE + 0x110,
				VDSO + 0x600,
				CODE + 0x100,
				CODE + 0x21f,
				CODE + 0x31f,
				CODE + 0x41f,
				0};
	unsigned shift;

	for (shift = 0; shift <= 39; shift += 39) { /* without and with siginfo */
		begin(I386);
		make_functions();
		load(0);
		fill_signal_i386(shift);
		expect(100, ips);
		expect_end(PFX_UNWIND_COMPLETE);
		end();
	}
}

/* In the kernel through the vDSO, whose code has pushed three registers, or none yet. */
static void test_vsyscall_of_i386(void **state)
{
	const uint64_t ips[] = {VDSO + 0x5e9, CODE + 0x21f, CODE + 0x31f, CODE + 0x41f, 0};
	unsigned pushed;

	for (pushed = 0; pushed <= 3; pushed += 3) {
		begin(I386);
		make_functions();
		load(0);
		fill_sample();
		memmove(w.stack + 4 * pushed, w.stack, 160);
		memset(w.stack, 0x11, 4 * pushed);
		set_stack(pushed + 5, STACK + (pushed + 11) * 4);
		set_reg(8, VDSO + 0x5e9);
		expect(40, ips);
		expect_end(PFX_UNWIND_COMPLETE);
		end();
	}
}

/* The number of address bits is derived from the maps: the signature uses the others, except the
 * bit that distinguishes kernel and user addresses. */
static void test_signed_return_address(void **state)
{
	static const struct {
		uint64_t high, signature;
	} cases[] = {
		{0x7f80000000, 0x007fff8000000000},    /* 39 bits */
		{0x3ff80000000, 0x002aac0000000000},   /* 42 */
		{0x7fff80000000, 0x0055000000000000},  /* 47 */
		{0x7fff80000000, 0x0055800000000000},  /* 47 */
		{0xffff80000000, 0x002a000000000000},  /* 48 */
		{0xffff80000000, 0xb57f000000000000},  /* 48, with a tag */
		{0xfffff80000000, 0x0070000000000000}, /* 52 */
		{0, 0x0055000000000000},               /* low addresses only */
	};
	uint64_t ips[] = {0, 0, CODE + 0x31f, CODE + 0x41f, 0};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(ARM64);
		make_functions();
		load(0);
		fill_sample();
		if (cases[i].high)
			add_map(cases[i].high, 0x1000, "//anon");
		ips[0] = (cases[i].high ? cases[i].high : JIT) + 0x10;
		ips[1] = ips[0] + 0x1f;
		set_reg(32, ips[0]);
		set_reg(29, STACK + 16);
		set_stack(2, STACK + 10 * 8);
		set_stack(3, cases[i].signature | (ips[1] + 1));
		set_stack(10, STACK + 16 * 8);
		set_stack(11, cases[i].signature | (CODE + 0x320));
		set_stack(16, 0);
		set_stack(17, cases[i].signature | (CODE + 0x420));
		expect(20, ips);
		expect_end(PFX_UNWIND_COMPLETE);
		end();
	}
}

/* libdw does not support signed addresses: signatures are removed, and words that are not code
 * addresses are unchanged. */
static void test_signed_for_libdw(void **state)
{
	const uint64_t signature = 0x002a000000000000;

	if (!pfx_libdw_is_built_in())
		skip();
	begin(ARM64);
	w.style = PFX_UNWIND_LIBDW;
	make_functions();
	load(0);
	add_map(0xffff80000000, 0x1000, "//anon");
	fill_sample();
	set_reg(30, signature | (CODE + 0x220));
	set_stack(5, signature | (CODE + 0x320));
	set_stack(11, signature | (CODE + 0x420));
	expect(20, whole);
	expect_end(PFX_UNWIND_COMPLETE);
	end();
}

/* A kernel address on a user stack does not become a user address by removing bits. */
static void test_kernel_address_on_stack(void **state)
{
	const uint64_t kernel = 0xff80000000000000ull | (CODE + 0x320);
	const uint64_t ips[] = {CODE + 0x100, CODE + 0x21f, (kernel | 0xfffffff000000000ull) - 1,
				0};

	begin(ARM64);
	make_functions();
	load(0);
	fill_sample();
	set_stack(4, 0);
	set_stack(5, kernel);
	expect(20, ips);
	expect_end(PFX_UNWIND_BAD_CFI);
	end();
}

/* A function whose tables contain signing: before its frame is set up, and with the frame. The
 * stack dump ends before the saved registers. */
static void test_signing_function(void **state)
{
	const uint64_t leaf[] = {CODE + 0x504, CODE + 0x21f, CODE + 0x31f, CODE + 0x41f, 0};
	const uint64_t inner[] = {CODE + 0x100, CODE + 0x51f, CODE + 0x31f, CODE + 0x41f, 0};
	int with_frame;

	for (with_frame = 0; with_frame < 2; with_frame++) {
		begin(ARM64);
		make_functions();
		make_fde(&w.cfi, 0x500, 0x80);
		make_def_cfa(&w.cfi, 31, 0);
		make_byte(&w.cfi, 0x44);
		make_byte(&w.cfi, 0x2d); /* signed after this */
		make_byte(&w.cfi, 0x44);
		make_def_cfa(&w.cfi, 31, 48);
		make_saved(&w.cfi, 30, -1);
		make_saved(&w.cfi, 29, -2);
		make_entry_end(&w.cfi);
		load(0);
		fill_sample();
		if (with_frame)
			set_reg(30, CODE + 0x520);
		else
			set_reg(32, CODE + 0x504);
		expect(20, with_frame ? inner : leaf);
		expect_end(PFX_UNWIND_COMPLETE);
		end();
	}
}

/* JIT code without unwind information, but with a frame pointer. */
static void test_frame_pointer(void **state)
{
	const uint64_t ips[] = {JIT + 0x10, JIT + 0x2f, CODE + 0x31f, CODE + 0x41f, 0};

	begin(X86_64);
	make_functions();
	load(0);
	set_reg(8, JIT + 0x10);
	set_reg(7, STACK);
	set_reg(6, STACK + 16);
	set_stack(2, STACK + 48);
	set_stack(3, JIT + 0x30);
	set_stack(6, STACK + 80);
	set_stack(7, CODE + 0x320);
	set_stack(10, 0);
	set_stack(11, CODE + 0x420);
	expect(20, ips);
	expect_end(PFX_UNWIND_COMPLETE);
	end();
}

static void test_causes(void **state)
{
	static const struct {
		uint64_t pc, fp;
		enum pfx_unwind_end end;
	} cases[] = {
		{JIT + 0x10, 1, PFX_UNWIND_MADE_CODE},
		{CODE + 0x800, STACK + 8, PFX_UNWIND_NO_CFI},
		{0x30000100, STACK, PFX_UNWIND_NO_DSO},
		{CODE + 0x700, 0, PFX_UNWIND_BAD_CFI}, /* its CFA uses an unknown register */
		{CODE + 0x780, 0, PFX_UNWIND_BAD_CFI}, /* its expression reads a missing value */
		{0x66666666, 0, PFX_UNWIND_BAD_CFI},
	};
	uint64_t ips[2] = {0};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(X86_64);
		make_functions();
		make_fde(&w.cfi, 0x700, 0x10);
		make_def_cfa(&w.cfi, 12, 16);
		make_saved(&w.cfi, 16, -1);
		make_entry_end(&w.cfi);
		make_fde(&w.cfi, 0x780, 0x10);
		make_byte(&w.cfi, 0x0f);
		make_uleb(&w.cfi, 1);
		make_byte(&w.cfi, 0x22); /* plus, with an empty stack */
		make_saved(&w.cfi, 16, -1);
		make_entry_end(&w.cfi);
		load(0);
		memset(w.stack, 0x55, sizeof(w.stack)); /* not a code address */
		ips[0] = cases[i].pc;
		set_reg(8, cases[i].pc);
		set_reg(7, STACK);
		set_reg(6, cases[i].fp);
		expect(20, ips);
		expect_end(cases[i].end);
		end();
	}
}

/* The entry point has no caller, even if its tables do not mark it, as in dynamic loaders. */
static void test_entry_without_tables(void **state)
{
	static const struct {
		uint32_t entry;
		enum pfx_unwind_end end;
	} cases[] = {
		{0x780, PFX_UNWIND_COMPLETE},
		{0x788, PFX_UNWIND_NO_CFI}, /* after the call */
		{0x700, PFX_UNWIND_NO_CFI}, /* too far before it */
		{0, PFX_UNWIND_NO_CFI},
	};
	const uint64_t ips[] = {CODE + 0x100, CODE + 0x21f, CODE + 0x787, 0};
	size_t i, style, nr_styles = pfx_libdw_is_built_in() ? 2 : 1;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]) * nr_styles; i++) {
		style = i % nr_styles;
		begin(X86_64);
		w.style = style ? PFX_UNWIND_LIBDW : PFX_UNWIND_ROWS;
		make_functions();
		w.cfi.entry = cases[i / nr_styles].entry;
		load(0);
		fill_sample();
		set_stack(5, 1); /* not a frame */
		set_stack(6, CODE + 0x788);
		expect(20, ips);
		expect_end(cases[i / nr_styles].end);
		end();
	}
}

/* leaf, then a function whose CFA expression is too long for a row, then main. */
static void make_long_expression(void)
{
	unsigned i;

	make_functions();
	make_fde(&w.cfi, 0x500, 0x40);
	make_byte(&w.cfi, 0x0f);
	make_uleb(&w.cfi, 42);
	make_byte(&w.cfi, 0x77);
	make_sleb(&w.cfi, 48);
	for (i = 0; i < 40; i++)
		make_byte(&w.cfi, 0x96); /* no operation */
	make_saved(&w.cfi, 16, -1);
	make_saved(&w.cfi, 6, -2);
	make_entry_end(&w.cfi);
}

static void test_rows_cannot_express(void **state)
{
	const uint64_t two[] = {CODE + 0x100, CODE + 0x51f, 0};
	const uint64_t all[] = {CODE + 0x100, CODE + 0x51f, CODE + 0x31f, CODE + 0x41f, 0};
	bool helped = pfx_libunwind_can(pfx_unwind_arch_find("x86_64", 2));

	begin(X86_64);
	make_long_expression();
	load(0);
	fill_sample();
	set_stack(0, CODE + 0x520);
	expect(20, helped ? all : two);
	expect_end(helped ? PFX_UNWIND_COMPLETE : PFX_UNWIND_BAD_CFI);
	end();
}

/* All machines and unwinders: the complete chain, or an error. */
static void test_styles(void **state)
{
	static const enum pfx_unwind_style styles[] = {PFX_UNWIND_LIBUNWIND, PFX_UNWIND_LIBDW};
	struct pfx_error err = {0};
	size_t i, k;

	for (i = 0; i < 2 * sizeof(machines) / sizeof(machines[0]); i++) {
		k = i / 2;
		begin(&machines[k]);
		w.style = styles[i % 2];
		make_functions();
		load(0);
		if (pfx_resolver_check_unwind(w.resolver, &err)) {
			assert_non_null(strstr(err.text, "libunwind is for"));
		} else if (machines[k].e_machine == EM_X86_64) {
			fill_sample();
			expect(20, whole);
			expect_end(PFX_UNWIND_COMPLETE);
		}
		end();
	}
}

static void test_machine_names(void **state)
{
	assert_string_equal(pfx_unwind_arch_find("x86_64", 2)->name, "x86_64");
	assert_string_equal(pfx_unwind_arch_find("x86_64", 1)->name, "i386");
	assert_string_equal(pfx_unwind_arch_find("aarch64", 1)->name, "arm");
	assert_null(pfx_unwind_arch_find("x86_64", 0));
	assert_null(pfx_unwind_arch_find("ia64", 2));
	assert_null(pfx_unwind_arch_find(NULL, 2));
	assert_string_equal(pfx_unwind_machine_name(EM_AARCH64), "aarch64");
	assert_null(pfx_unwind_machine_name(0xffff));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_short_dump),
		cmocka_unit_test(test_max_stack),
		cmocka_unit_test(test_kernel_frames_come_first),
		cmocka_unit_test(test_leaf_without_frame),
		cmocka_unit_test(test_linkage_table),
		cmocka_unit_test(test_signal_frame),
		cmocka_unit_test(test_signal_frame_by_layout),
		cmocka_unit_test(test_signal_frame_of_i386),
		cmocka_unit_test(test_vsyscall_of_i386),
		cmocka_unit_test(test_signed_return_address),
		cmocka_unit_test(test_short_dump_for_libdw),
		cmocka_unit_test(test_signed_for_libdw),
		cmocka_unit_test(test_kernel_address_on_stack),
		cmocka_unit_test(test_signing_function),
		cmocka_unit_test(test_frame_pointer),
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_entry_without_tables),
		cmocka_unit_test(test_rows_cannot_express),
		cmocka_unit_test(test_styles),
		cmocka_unit_test(test_machine_names),
	};

	if (!pfx_cfi_is_built_in()) {
		puts("SKIP: built without libdw");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
