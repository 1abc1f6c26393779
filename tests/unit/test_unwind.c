/* SPDX-License-Identifier: MIT */
/*
 * Frames from copied stacks: programs with call frame information made by hand, of each machine,
 * and samples with just the registers and the words of the stack that the information speaks of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/unwind_regs.h"
#include "cfi_make.h"
#include "unwind/resolve.h"
#include "unwind/rows_internal.h"

#define PID   4194302
#define STACK 0x7fff0000ull
#define CODE  (MAKE_BASE + MAKE_CODE)
#define JIT   0x10000000ull
#define VDSO  0x20000000ull
#define WORDS 128

/* A machine: names as recorded, numbers of the registers in samples and in DWARF. */
struct machine {
	const char *name;
	uint16_t e_machine;
	unsigned word;
	bool big_endian;
	uint64_t abi;
	uint8_t sp, fp, ra;                                 /* in DWARF */
	uint8_t sample_sp, sample_fp, sample_ra, sample_pc; /* in samples; ra 0xff: none */
	int bias;
};

static const struct machine machines[] = {
	{"x86_64", EM_X86_64, 8, false, 2, 7, 6, 16, 7, 6, 0xff, 8, 0},
	{"x86_64", EM_386, 4, false, 1, 4, 5, 8, 7, 6, 0xff, 8, 0},
	{"i686", EM_386, 4, false, 1, 4, 5, 8, 7, 6, 0xff, 8, 0},
	{"aarch64", EM_AARCH64, 8, false, 2, 31, 29, 30, 31, 29, 30, 32, 0},
	{"armv7l", EM_ARM, 4, false, 1, 13, 11, 14, 13, 11, 14, 15, 0},
	{"riscv64", EM_RISCV, 8, false, 2, 2, 8, 1, 2, 8, 1, 0, 0},
	{"ppc64le", EM_PPC64, 8, false, 2, 1, 31, 65, 1, 31, 36, 32, 0},
	{"s390x", EM_S390, 8, true, 2, 15, 11, 14, 15, 11, 14, 33, 160},
};

#define X86_64 (&machines[0])
#define ARM64  (&machines[3])

struct world {
	const struct machine *machine;
	struct make_cfi cfi;
	struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_thread *thread;
	struct pfx_sample sample;
	uint64_t regs[64]; /* by number in samples */
	uint8_t reg_bytes[64 * 8], stack[WORDS * 8];
	char path[64];
};

static struct world w;

static void begin(const struct machine *machine)
{
	memset(&w, 0, sizeof(w));
	w.machine = machine;
	w.cfi.machine = machine->e_machine;
	w.cfi.word = machine->word;
	w.cfi.big_endian = machine->big_endian;
	w.cfi.ra = machine->ra;
	snprintf(w.path, sizeof(w.path), "/tmp/pfx-unwind-%d", (int)getpid());
}

static void add_map(uint64_t addr, uint64_t len, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};
	struct pfx_buffer buffer = {0};
	struct pfx_record rec;

	body.mmap = (struct pfx_mmap){
		.pid = PID, .tid = PID, .addr = addr, .len = len, .prot = 5, .filename = name};
	assert_true(pfx_record_encode(&body, NULL, &buffer));
	pfx_record_init(&rec, buffer.at, false, 0);
	pfx_session_apply(w.session, &rec);
	pfx_buffer_fini(&buffer);
}

/* The file as the frames are now, and a process that has it mapped. */
static void load(uint32_t max_stack)
{
	struct pfx_resolve_options options = {.max_stack = max_stack};
	struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7};

	make_cfi_file(&w.cfi, w.path);
	w.meta = pfx_meta_new();
	w.meta->env.arch = w.machine->name;
	pfx_meta_add_event(w.meta, &attr, "cycles");
	pfx_meta_update(w.meta);
	w.session = pfx_session_new(w.meta);
	w.resolver = pfx_resolver_new(w.session, &options);
	w.thread = pfx_session_thread(w.session, PID, PID);
	add_map(MAKE_BASE, MAKE_SIZE, w.path);
	add_map(0x30000000, 0x1000, "/nowhere/at/all");
	add_map(JIT, 0x1000, "//anon");
	add_map(VDSO, 0x1000, "[vdso]");
}

static void end(void)
{
	unlink(w.path);
	pfx_resolver_free(w.resolver);
	pfx_session_free(w.session);
	pfx_meta_free(w.meta);
}

static void set_reg(unsigned number, uint64_t value)
{
	w.sample.regs_user.mask |= 1ull << number;
	w.regs[number] = value;
}

static void set_stack(unsigned index, uint64_t value)
{
	make_put(w.stack + index * w.machine->word, &w.cfi, value, w.machine->word);
}

/* The frames of the sample with @nr_words of the stack are @ips, up to 0. */
static void expect(unsigned nr_words, const uint64_t *ips)
{
	uint64_t mask = w.sample.regs_user.mask;
	struct pfx_place **places;
	uint32_t i, nr, nr_regs = 0;
	bool swap = w.machine->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	for (i = 0; i < 64; i++)
		if (mask >> i & 1)
			make_put(w.reg_bytes + 8 * nr_regs++, &w.cfi, w.regs[i], 8);
	w.sample.cpumode = PFX_MODE_USER;
	w.sample.swap = swap;
	w.sample.regs_user.abi = w.machine->abi;
	w.sample.regs_user.values = (struct pfx_words){w.reg_bytes, nr_regs, swap};
	w.sample.stack = (struct pfx_bytes){w.stack, (uint64_t)nr_words * w.machine->word};
	w.sample.stack_dyn_size = w.sample.stack.size;
	nr = pfx_resolve_chain(w.resolver, w.thread, &w.sample, &places);
	for (i = 0; ips[i]; i++) {
		assert_true(i < nr);
		assert_int_equal(places[i]->ip, ips[i]);
	}
	assert_int_equal(nr, i);
}

static void expect_end(enum pfx_unwind_end wanted)
{
	const struct pfx_unwind_stats *stats = pfx_resolver_unwind_stats(w.resolver);

	assert_int_equal(stats->nr_chains, 1);
	assert_int_equal(stats->nr_ends[wanted], 1);
}

/*
 * leaf at 0x100, calls nobody; mid at 0x200 has six words and saves the frame pointer; main at
 * 0x300 has its frame at the frame pointer; start at 0x400 has no caller.
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
	const struct pfx_chain *chain;

	begin(X86_64);
	make_functions();
	load(0);
	fill_sample();
	w.sample.chain = (struct pfx_words){(const uint8_t *)words, 2, false};
	expect(20, ips);
	chain = pfx_resolve_chain_id(w.resolver, w.thread, &w.sample);
	assert_int_equal(chain->nr, 5);
	assert_int_equal(chain->places[0]->cpumode, PFX_MODE_KERNEL);
	assert_int_equal(chain->places[1]->cpumode, PFX_MODE_USER);
	assert_ptr_equal(chain, pfx_resolve_chain_id(w.resolver, w.thread, &w.sample));
	/* One that the kernel has walked itself stays as it is. */
	words[0] = PFX_CONTEXT_USER;
	assert_int_equal(pfx_resolve_chain_id(w.resolver, w.thread, &w.sample)->nr, 1);
	end();
}

/* rsp + 8, and 8 more from the twelfth byte of each entry on: entries push a number there. */
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

/* A handler at the first instruction of leaf: the frame below is at its exact address. */
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
		 0x20); /* one byte early, as the frame's address is that of a call */
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

/* The vdso of another machine is not at hand: the kernel's layout of the frame is known. */
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

static void test_signed_return_address(void **state)
{
	begin(ARM64);
	make_functions();
	load(0);
	fill_sample();
	set_stack(5, 0x2a000000000000ull | (CODE + 0x320));
	expect(20, whole);
	end();
}

/* Code made at run time says nothing, but has a frame pointer. */
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
		{JIT + 0x10, 1, PFX_UNWIND_NO_CFI},
		{CODE + 0x800, STACK + 8, PFX_UNWIND_NO_CFI},
		{0x30000100, STACK, PFX_UNWIND_NO_DSO},
		{CODE + 0x700, 0,
		 PFX_UNWIND_BAD_CFI}, /* its CFA is by a register that is not known */
		{CODE + 0x780, 0, PFX_UNWIND_BAD_CFI}, /* its expression takes what is not there */
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
		make_byte(&w.cfi, 0x22); /* plus, of nothing */
		make_saved(&w.cfi, 16, -1);
		make_entry_end(&w.cfi);
		load(0);
		memset(w.stack, 0x55, sizeof(w.stack)); /* no address of code */
		ips[0] = cases[i].pc;
		set_reg(8, cases[i].pc);
		set_reg(7, STACK);
		set_reg(6, cases[i].fp);
		expect(20, ips);
		expect_end(cases[i].end);
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
		cmocka_unit_test(test_linkage_table),
		cmocka_unit_test(test_signal_frame),
		cmocka_unit_test(test_signal_frame_by_layout),
		cmocka_unit_test(test_signed_return_address),
		cmocka_unit_test(test_frame_pointer),
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_machine_names),
	};

	if (!pfx_cfi_is_built_in()) {
		puts("SKIP: built without libdw");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
