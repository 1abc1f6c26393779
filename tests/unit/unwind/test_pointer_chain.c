/* SPDX-License-Identifier: MIT */
/*
 * Which call chains by frame pointers are incomplete: chains given word by word, in a program with
 * call frame information made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "unit/unwind/unwind_world.h"
#include "unwind/pointer_chain.h"

#define BARE    (CODE + 0x110) /* in a function without a frame pointer */
#define FRAMED  (CODE + 0x210) /* in one with a frame pointer */
#define FIRST   (CODE + 0x310) /* in one without a caller */
#define SILENT  (CODE + 0x510) /* in code without unwind information */
#define NOWHERE 0x7700000ull
#define MISSING 0x30000100ull /* in a missing binary */
#define KERNEL  0xffffffff81000000ull

static const struct pfx_attr attr = {.sample_type = PFX_SAMPLE_IP | PFX_SAMPLE_CALLCHAIN};

static void begin_machine(const struct machine *m, uint32_t max_stack)
{
	int word = (int)m->word, bias = m->bias / word;

	begin(m);
	make_cie(&w.cfi, false);
	make_fde(&w.cfi, 0x100, 0x80);
	make_def_cfa(&w.cfi, m->sp, m->bias + 4 * word);
	make_saved(&w.cfi, m->ra, -1 - bias);
	make_entry_end(&w.cfi);
	make_fde(&w.cfi, 0x200, 0x80);
	make_def_cfa(&w.cfi, m->sample_ra == 0xff ? m->fp : m->sp, m->bias + 2 * word);
	make_saved(&w.cfi, m->ra, -1 - bias);
	make_saved(&w.cfi, m->fp, -2 - bias);
	make_entry_end(&w.cfi);
	make_fde(&w.cfi, 0x300, 0x80);
	make_def_cfa(&w.cfi, m->sp, m->bias + word);
	make_undefined(&w.cfi, m->ra);
	make_entry_end(&w.cfi);
	load(max_stack);
}

static uint32_t last_chain;

/* Count @times samples with the chain of @words, up to 0. */
static void count_as(const struct pfx_attr *event, const uint64_t *words, uint64_t times)
{
	struct pfx_sample sample = {.cpumode = PFX_MODE_USER};
	uint32_t nr = 0;

	while (words[nr])
		nr++;
	sample.chain = (struct pfx_words){(const uint8_t *)words, nr, false};
	last_chain = pfx_resolve_chain_id(w.resolver, w.thread, &sample);
	pfx_pointer_chain_count(w.resolver, event, last_chain, times);
}

#define COUNT(times, ...) \
	count_as(&attr, (const uint64_t[]){PFX_CONTEXT_USER, __VA_ARGS__, 0}, times)

static void expect_counts(uint64_t chains, uint64_t no_pointer, uint64_t made, uint64_t cut)
{
	const struct pfx_pointer_stats *stats = pfx_pointer_chain_stats(w.resolver);

	assert_int_equal(stats->nr_chains, chains);
	assert_int_equal(stats->nr_no_pointer, no_pointer);
	assert_int_equal(stats->nr_made_code, made);
	assert_int_equal(stats->nr_cut, cut);
	assert_int_equal(pfx_pointer_chain_incomplete(w.resolver), no_pointer + made + cut);
}

static void test_ends_in_code_without_pointers(void **state)
{
	static const struct machine *const kinds[] = {X86_64, I386, ARM64};
	const struct pfx_dso *dso;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		begin_machine(kinds[i], 0);
		COUNT(5, BARE);
		COUNT(3, FRAMED, BARE);
		COUNT(2, FRAMED, BARE, NOWHERE, NOWHERE + 8);
		expect_counts(10, 10, 0, 0);
		dso = pfx_session_dso_at(w.session, 0);
		assert_string_equal(dso->name, w.path);
		assert_int_equal(pfx_pointer_chain_ends_in(w.resolver, dso), 10);
		end();
	}
}

static void test_nothing_is_claimed(void **state)
{
	static const struct machine *const kinds[] = {X86_64, I386, ARM64};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		begin_machine(kinds[i], 0);
		COUNT(1, BARE, FIRST);  /* a function without a caller */
		COUNT(1, BARE, FRAMED); /* the first function of another stack */
		COUNT(1, BARE, FRAMED,
		      NOWHERE); /* the same, followed by an address that was never called */
		COUNT(1, BARE, SILENT);
		COUNT(1, BARE, MISSING);
		expect_counts(5, 0, 0, 0);
		COUNT(1, NOWHERE); /* in no binary at all */
		expect_counts(5, 0, 0, 0);
		end();
	}
}

static void test_kernel_only(void **state)
{
	const uint64_t words[] = {PFX_CONTEXT_KERNEL, KERNEL, KERNEL + 0x100, 0};

	(void)state;
	begin_machine(X86_64, 0);
	count_as(&attr, words, 7);
	expect_counts(0, 0, 0, 0);
	end();
}

static void test_entry_of_a_program(void **state)
{
	(void)state;
	begin(X86_64);
	make_cie(&w.cfi, false);
	make_fde(&w.cfi, 0x100, 0x200);
	make_def_cfa(&w.cfi, 7, 8);
	make_entry_end(&w.cfi);
	w.cfi.entry = 0x100;
	load(0);
	COUNT(1, CODE + 0x120);
	/* Statically linked and without symbols: the start function may be anywhere. */
	COUNT(1, CODE + 0x2f0);
	expect_counts(2, 0, 0, 0);
	end();
}

static void test_names(void **state)
{
	static const char *const starts[] = {"main",         "_start", "__libc_start_call_main",
					     "start_thread", "clone3", "runtime.goexit.abi0"};
	char path[64];
	FILE *file;
	size_t i;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", PID);
	file = fopen(path, "w");
	assert_non_null(file);
	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		fprintf(file, "%llx 10 %s\n", JIT + 0x10 * i, starts[i]);
	fprintf(file, "%llx 10 mainly\n", JIT + 0x100);
	assert_int_equal(fclose(file), 0);
	begin_machine(X86_64, 0);
	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		COUNT(1, BARE, JIT + 0x10 * i + 8);
	expect_counts(i, 0, 0, 0);
	COUNT(1, BARE, JIT + 0x8,
	      NOWHERE); /* an address that is not code, found by the kernel above main */
	expect_counts(i + 1, 0, 0, 0);
	assert_true(pfx_pointer_chain_is_whole(w.resolver, last_chain));
	COUNT(1, BARE, JIT + 0x108);
	expect_counts(i + 2, 0, 1, 0);
	assert_false(pfx_pointer_chain_is_whole(w.resolver, last_chain));
	assert_false(pfx_pointer_chain_is_whole(w.resolver, 0));
	assert_true(pfx_pointer_chain_starts(
		w.resolver, pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, JIT + 0x8)));
	assert_false(pfx_pointer_chain_starts(
		w.resolver, pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, JIT + 0x108)));
	unlink(path);
	end();
}

static void test_as_many_as_recorded(void **state)
{
	struct pfx_attr short_one = attr;
	uint64_t words[202] = {PFX_CONTEXT_USER};
	unsigned i;

	(void)state;
	for (i = 1; i < 200; i++)
		words[i] = i == 126 || i == 127 ? FRAMED + 1 : FRAMED;
	short_one.sample_max_stack = 20;
	begin_machine(X86_64, 0);
	words[127] = 0;
	count_as(&attr, words, 1); /* 126 frames: fewer than the kernel records */
	expect_counts(1, 0, 0, 0);
	words[127] = FRAMED;
	count_as(&attr, words, 3);
	expect_counts(4, 0, 0, 3);
	assert_int_equal(pfx_pointer_chain_stats(w.resolver)->max_frames, 127);
	words[20] = 0;
	count_as(&short_one, words, 1);
	expect_counts(5, 0, 0, 3);
	words[20] = FRAMED;
	words[21] = 0;
	count_as(&short_one, words, 1);
	expect_counts(6, 0, 0, 4);
	end();
	begin_machine(X86_64, 10); /* the user set a lower limit */
	COUNT(1, FRAMED, FRAMED, FRAMED, FRAMED, FRAMED, FRAMED, FRAMED, FRAMED, FRAMED, BARE,
	      FRAMED);
	expect_counts(1, 0, 0, 0);
	end();
}

static void test_which_events(void **state)
{
	struct pfx_attr other = attr;

	(void)state;
	assert_true(pfx_pointer_chain_recorded(&attr));
	other.sample_type |= PFX_SAMPLE_STACK_USER | PFX_SAMPLE_REGS_USER;
	assert_false(pfx_pointer_chain_recorded(&other));
	other = attr;
	other.sample_type |= PFX_SAMPLE_BRANCH_STACK;
	assert_true(pfx_pointer_chain_recorded(&other));
	other.branch_sample_type = PFX_BRANCH_CALL_STACK;
	assert_false(pfx_pointer_chain_recorded(&other));
	other = attr;
	other.flags |= PFX_ATTR_EXCLUDE_CALLCHAIN_USER;
	assert_false(pfx_pointer_chain_recorded(&other));
	other = (struct pfx_attr){.sample_type = PFX_SAMPLE_IP};
	assert_false(pfx_pointer_chain_recorded(&other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_in_code_without_pointers),
		cmocka_unit_test(test_nothing_is_claimed),
		cmocka_unit_test(test_kernel_only),
		cmocka_unit_test(test_entry_of_a_program),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_as_many_as_recorded),
		cmocka_unit_test(test_which_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
