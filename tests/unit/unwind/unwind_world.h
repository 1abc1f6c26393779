/* SPDX-License-Identifier: MIT */
/*
 * A process with one generated program (cfi_make.h) and one sample, whose registers and stack a
 * test fills word by word; checks its frames and the result of the unwinder.
 */
#ifndef PFX_TESTS_UNWIND_WORLD_H
#define PFX_TESTS_UNWIND_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "unit/sym/cfi_make.h"
#include "unwind/resolve.h"
#include "unwind/walk_internal.h"

#define PID   4194302
#define STACK 0x3fff0000ull
#define CODE  (MAKE_BASE + MAKE_CODE)
#define JIT   0x10000000ull
#define VDSO  0x20000000ull
#define WORDS 128

/* A machine: names in a recording, register numbers in samples and in DWARF. */
struct machine {
	const char *name;
	uint16_t e_machine;
	unsigned word;
	bool big_endian;
	uint64_t abi;
	uint8_t sp, fp, ra;                                 /* DWARF numbers */
	uint8_t sample_sp, sample_fp, sample_ra, sample_pc; /* numbers in samples; ra 0xff: none */
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
#define I386   (&machines[1])
#define ARM64  (&machines[3])

struct world {
	const struct machine *machine;
	enum pfx_unwind_style style;
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

static inline void begin(const struct machine *machine)
{
	memset(&w, 0, sizeof(w));
	w.machine = machine;
	w.cfi.machine = machine->e_machine;
	w.cfi.word = machine->word;
	w.cfi.big_endian = machine->big_endian;
	w.cfi.ra = machine->ra;
	snprintf(w.path, sizeof(w.path), "/tmp/pfx-unwind-%d", (int)getpid());
}

static inline void add_map(uint64_t addr, uint64_t len, const char *name)
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

/* Write the file with the current frames, and a process that maps it. */
static inline void load(uint32_t max_stack)
{
	struct pfx_resolve_options options = {.max_stack = max_stack, .unwind = w.style};
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

static inline void end(void)
{
	unlink(w.path);
	pfx_resolver_free(w.resolver);
	pfx_session_free(w.session);
	pfx_meta_free(w.meta);
}

static inline void set_reg(unsigned number, uint64_t value)
{
	w.sample.regs_user.mask |= 1ull << number;
	w.regs[number] = value;
}

static inline void set_stack(unsigned index, uint64_t value)
{
	make_put(w.stack + index * w.machine->word, &w.cfi, value, w.machine->word);
}

/* Make the sample from the current values, with @nr_words of the stack. */
static inline void make_sample(unsigned nr_words)
{
	uint64_t mask = w.sample.regs_user.mask;
	uint32_t i, nr_regs = 0;
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
}

/* Check that the frames of a sample are @ips; 0 ends the list. */
static inline void expect_frames(const struct pfx_sample *sample, const uint64_t *ips)
{
	struct pfx_place **places;
	uint32_t i, nr = pfx_resolve_chain(w.resolver, w.thread, sample, &places);

	for (i = 0; ips[i]; i++) {
		assert_true(i < nr);
		assert_int_equal(places[i]->ip, ips[i]);
	}
	assert_int_equal(nr, i);
}

/* Check that the frames of the sample with @nr_words of the stack are @ips; 0 ends the list. */
static inline void expect(unsigned nr_words, const uint64_t *ips)
{
	make_sample(nr_words);
	expect_frames(&w.sample, ips);
}

static inline void expect_end(enum pfx_unwind_end wanted)
{
	const struct pfx_unwind_stats *stats = pfx_resolver_unwind_stats(w.resolver);

	assert_int_equal(stats->nr_chains, 1);
	assert_int_equal(stats->nr_ends[wanted], 1);
}

#endif
