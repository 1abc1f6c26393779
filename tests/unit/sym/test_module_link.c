/* SPDX-License-Identifier: MIT */
/* Relocations of code of kernel modules: where the numbers go, and what is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <elf.h>
#include <string.h>

#include "sym/kernel/module_link_internal.h"

#define AT 0x1000

static void expect_arm64(uint32_t type, uint32_t insn, uint64_t value, uint32_t wanted)
{
	const struct pfx_relocation relocation = {EM_AARCH64, type, AT, value};
	uint8_t code[4] = {(uint8_t)insn, (uint8_t)(insn >> 8), (uint8_t)(insn >> 16),
			   (uint8_t)(insn >> 24)};
	uint32_t got;

	assert_true(pfx_relocation_apply(&relocation, code, sizeof(code)));
	got = code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
	assert_int_equal(got, wanted);
}

static void test_arm64(void **state)
{
	(void)state;
	expect_arm64(R_AARCH64_CALL26, 0x94000000, 0x2000, 0x94000400);
	expect_arm64(R_AARCH64_CALL26, 0x94000000, 0x800, 0x97fffe00);
	expect_arm64(R_AARCH64_JUMP26, 0x17ffffff, 0x1004, 0x14000001);
	expect_arm64(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x5678, 0x90000020);
	expect_arm64(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x6678, 0xb0000020);
	expect_arm64(R_AARCH64_ADR_PREL_LO21, 0x10000000, 0x1005, 0x30000020);
	expect_arm64(R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0x5678, 0x9119e000);
	expect_arm64(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0x5678, 0xf9433c00);
	expect_arm64(R_AARCH64_LDST8_ABS_LO12_NC, 0x39400000, 0x5679, 0x3959e400);
	expect_arm64(R_AARCH64_CONDBR19, 0x34000000, 0x1010, 0x34000080);
	expect_arm64(R_AARCH64_TSTBR14, 0x36000000, 0xff0, 0x3607ff80);
}

static void expect_x86(uint32_t type, uint64_t value, const void *wanted, size_t size)
{
	const struct pfx_relocation relocation = {EM_X86_64, type, AT, value};
	uint8_t code[12];

	memset(code, 0xcc, sizeof(code));
	assert_true(pfx_relocation_apply(&relocation, code, size));
	assert_memory_equal(code, wanted, size);
	assert_int_equal(code[size], 0xcc);
	memset(code, 0xcc, sizeof(code));
	assert_false(pfx_relocation_apply(&relocation, code, size - 1));
	assert_int_equal(code[0], 0xcc);
}

static void test_x86(void **state)
{
	(void)state;
	expect_x86(R_X86_64_PLT32, 0x1004 - 4, "\0\0\0\0", 4);
	expect_x86(R_X86_64_PC32, 0x800, "\x00\xf8\xff\xff", 4);
	expect_x86(R_X86_64_32S, 0xffffffffa1002030, "\x30\x20\x00\xa1", 4);
	expect_x86(R_X86_64_64, 0xffffffffa1002030, "\x30\x20\x00\xa1\xff\xff\xff\xff", 8);
	expect_x86(R_X86_64_PC64, 0x1020, "\x20\0\0\0\0\0\0\0", 8);
}

static void test_others(void **state)
{
	struct pfx_relocation relocation = {EM_X86_64, R_X86_64_GOTPCREL, AT, 0x2000};
	uint8_t code[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	(void)state;
	assert_false(pfx_relocation_apply(&relocation, code, sizeof(code)));
	relocation = (struct pfx_relocation){EM_S390, R_390_PC32, AT, 0x2000};
	assert_false(pfx_relocation_apply(&relocation, code, sizeof(code)));
	assert_memory_equal(code, "\1\2\3\4\5\6\7\10", 8);
	assert_false(pfx_relocation_is_relative(&relocation));
	relocation = (struct pfx_relocation){EM_AARCH64, R_AARCH64_CALL26, AT, 0x2000};
	assert_true(pfx_relocation_is_relative(&relocation));
	assert_false(pfx_relocation_apply(&relocation, code, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
