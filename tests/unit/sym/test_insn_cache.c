/* SPDX-License-Identifier: MIT */
/* Instructions that come again are the same as those that are disassembled: of the code of libc,
 * and of random bytes, in both syntaxes and both word sizes. */
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sym/code/disasm.h"
#include "sym/code/insn_cache_internal.h"

#define CODE_MAX    (200u << 10)
#define RANDOM_SIZE (20u << 10)
#define BASE        0x401000

struct code {
	const uint8_t *at;
	size_t size;
};

static int find_libc(struct dl_phdr_info *info, size_t size, void *context)
{
	struct code *code = context;
	uint16_t i;

	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			code->at = (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
			code->size = info->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

/* Choosing a syntax forgets what is known. */
static void expect_same(const struct code *code, bool is_64bit, bool intel)
{
	struct pfx_disasm *known, *fresh;
	struct pfx_str text[2] = {{0}};
	struct pfx_insn insn[2];
	size_t at, left;

	if (pfx_disasm_new(&known, "x86_64", is_64bit, NULL) == -ENOTSUP)
		skip();
	assert_int_equal(pfx_disasm_new(&fresh, "x86_64", is_64bit, NULL), 0);
	pfx_disasm_use_intel(known, intel);
	for (at = 0; at < code->size; at += insn[0].len ? insn[0].len : 1) {
		left = code->size - at;
		pfx_str_clear(&text[0]);
		pfx_str_clear(&text[1]);
		insn[0] = pfx_disasm_one(known, code->at + at, left, BASE + at, &text[0]);
		pfx_disasm_use_intel(fresh, intel);
		insn[1] = pfx_disasm_one(fresh, code->at + at, left, BASE + at, &text[1]);
		assert_string_equal(pfx_str_get(&text[0]), pfx_str_get(&text[1]));
		assert_int_equal(insn[0].len, insn[1].len);
		assert_int_equal(insn[0].is_branch, insn[1].is_branch);
		assert_int_equal(insn[0].flow, insn[1].flow);
		assert_int_equal(insn[0].mnemonic, insn[1].mnemonic);
		assert_int_equal(insn[0].has_target, insn[1].has_target);
		assert_int_equal(insn[0].target, insn[1].target);
		assert_int_equal(insn[0].has_data, insn[1].has_data);
		assert_int_equal(insn[0].data, insn[1].data);
		assert_int_equal(insn[0].takes_address, insn[1].takes_address);
	}
	pfx_str_fini(&text[0]);
	pfx_str_fini(&text[1]);
	pfx_disasm_free(known);
	pfx_disasm_free(fresh);
}

static void test_libc(void **state)
{
	struct code code = {0};

	(void)state;
	dl_iterate_phdr(find_libc, &code);
	assert_non_null(code.at);
	if (code.size > CODE_MAX)
		code.size = CODE_MAX;
	expect_same(&code, true, false);
	expect_same(&code, true, true);
	expect_same(&code, false, false);
}

/* Mostly prefixes, jumps, and what begins with 0f. */
static void test_random(void **state)
{
	static const uint8_t often[] = {0x66, 0xf2, 0xf3, 0xf0, 0x48, 0x0f, 0xe8, 0xeb,
					0x74, 0x84, 0xc7, 0xf8, 0x90, 0x40, 0x2e, 0x9b};
	uint8_t *bytes = malloc(RANDOM_SIZE);
	const struct code code = {bytes, RANDOM_SIZE};
	uint32_t seed = 1, i;

	(void)state;
	for (i = 0; i < RANDOM_SIZE; i++) {
		seed = seed * 1103515245 + 12345;
		bytes[i] = seed >> 30 ? (uint8_t)(seed >> 16) : often[seed >> 20 & 15];
	}
	expect_same(&code, true, false);
	expect_same(&code, true, true);
	expect_same(&code, false, false);
	free(bytes);
}

/* The cache alone: what it was given comes back, with the addresses of the new place. */
static void test_cache(void **state)
{
	static const uint8_t lea[] = {0x48, 0x8d, 0x05, 0x10, 0, 0, 0, 0x90};
	static const uint8_t jump[] = {0x74, 0x10}, other_jump[] = {0x74, 0xfe};
	struct pfx_insn_cache cache = {0};
	struct pfx_insn insn = {.len = 7, .has_data = true, .is_relative = true, .data = 0x1017};
	struct pfx_str text = {0};

	(void)state;
	assert_false(pfx_insn_cache_find(&cache, lea, 7, 0x1000, &insn, &text));
	pfx_insn_cache_add(&cache, lea, 0x1000, true, &insn, "leaq 0x10(%rip), %rax");
	assert_false(pfx_insn_cache_find(&cache, lea, 6, 0x2000, &insn, &text));
	assert_true(pfx_insn_cache_find(&cache, lea, 8, 0x2000, &insn, &text));
	assert_string_equal(pfx_str_get(&text), "leaq 0x10(%rip), %rax");
	assert_int_equal(insn.data, 0x2017);
	insn = (struct pfx_insn){.len = 2, .has_target = true, .target = 0x1012, .mnemonic = 2};
	pfx_insn_cache_add(&cache, jump, 0x1000, true, &insn, "je 0x1012");
	pfx_str_clear(&text);
	assert_true(pfx_insn_cache_find(&cache, other_jump, 2, 0x2000, &insn, &text));
	assert_string_equal(pfx_str_get(&text), "je 0x2000");
	assert_int_equal(insn.target, 0x2000);
	assert_false(pfx_insn_cache_find(&cache, other_jump, 1, 0x2000, &insn, &text));
	pfx_insn_cache_clear(&cache);
	assert_false(pfx_insn_cache_find(&cache, lea, 8, 0x2000, &insn, &text));
	pfx_str_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
