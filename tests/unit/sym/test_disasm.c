/* SPDX-License-Identifier: MIT */
/* Instructions: their lengths, text and branches; invalid ones; unknown machines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86_vector.h"
#include "sym/code/disasm.h"

static void test_x86(void **state)
{
	static const struct {
		uint8_t code[8];
		unsigned size, len;
		bool is_branch;
		const char *text;
	} lines[] = {
		{{0x8d, 0x04, 0x7f}, 3, 3, false, "leal (%rdi, %rdi, 2), %eax"},
		{{0xc3}, 1, 1, true, "retq"},
		{{0x7e, 0x25}, 2, 2, true, "jle 0x401027"},
		{{0xe1, 0xfe}, 2, 2, true, "loope 0x401000"},
		{{0x55, 0xc3}, 2, 1, false, "pushq %rbp"},
		{{0xe8, 0xe0}, 2, 0, false, ""}, /* truncated */
		{{0xff, 0x7e, 0x25}, 3, 0, false, ""},
	};
	struct pfx_disasm *disasm;
	struct pfx_str text = {0};
	struct pfx_insn insn;
	size_t i;

	if (pfx_disasm_new(&disasm, "x86_64", true, NULL) == -ENOTSUP)
		skip();
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		pfx_str_clear(&text);
		insn = pfx_disasm_one(disasm, lines[i].code, lines[i].size, 0x401000, &text);
		assert_int_equal(insn.len, lines[i].len);
		assert_int_equal(insn.is_branch, lines[i].is_branch);
		assert_string_equal(pfx_str_get(&text), lines[i].text);
	}
	pfx_str_fini(&text);
	pfx_disasm_free(disasm);
}

/* What kind of number is read, relative to rip; numbers that may be addresses. */
static void test_x86_values(void **state)
{
	static const struct {
		uint8_t code[12];
		uint8_t kind, size, nr;
		bool is_number;
	} lines[] = {
		{{0xf2, 0x0f, 0x10, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_FLOAT, 8, 1},   /* movsd */
		{{0xf3, 0x0f, 0x59, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_FLOAT, 4, 1},   /* mulss */
		{{0xf3, 0x0f, 0x5a, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_FLOAT, 4, 1},   /* cvtss2sd */
		{{0xf2, 0x0f, 0x2a, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_INTEGER, 4, 1}, /* cvtsi2sd */
		{{0x66, 0x0f, 0x58, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_FLOAT, 8, 2},   /* addpd */
		{{0x0f, 0x54, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_BITS, 4, 4},          /* andps */
		{{0xc5, 0xfc, 0x58, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_FLOAT, 4, 8},   /* vaddps */
		{{0x0f, 0x28, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_UNKNOWN, 0, 0},       /* movaps */
		{{0x66, 0x0f, 0x38, 0x1e, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_UNKNOWN, 0, 0}, /* pabsd */
		{{0x66, 0x0f, 0x38, 0x3d, 0x05, 1, 0, 0, 0},
		 PFX_NUMBERS_UNKNOWN,
		 0,
		 0},                                                         /* pmaxsd */
		{{0xdd, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_FLOAT, 8, 1},         /* fldl */
		{{0xdb, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_UNKNOWN, 0, 0},       /* fildl */
		{{0x8b, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_INTEGER, 4, 1},       /* movl */
		{{0x48, 0x8d, 0x05, 1, 0, 0, 0}, PFX_NUMBERS_UNKNOWN, 0, 0}, /* leaq */
		{{0xbf, 1, 0, 0x40, 0}, PFX_NUMBERS_UNKNOWN, 0, 0, true},    /* movl $ */
		{{0x48, 0x81, 0x78, 8, 1, 0, 0x40, 0},
		 PFX_NUMBERS_UNKNOWN,
		 0,
		 0,
		 true}, /* cmpq $ */
	};
	struct pfx_disasm *disasm;
	struct pfx_str text = {0};
	struct pfx_insn insn;
	size_t i;

	if (pfx_disasm_new(&disasm, "x86_64", true, NULL) == -ENOTSUP)
		skip();
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]) * 2; i++) { /* then out of the cache */
		size_t k = i % (sizeof(lines) / sizeof(lines[0]));

		pfx_str_clear(&text);
		insn = pfx_disasm_one(disasm, lines[k].code, 12, 0x401000, &text);
		if (!insn.has_data || insn.value_kind != lines[k].kind ||
		    insn.value_size != lines[k].size || insn.nr_values != lines[k].nr ||
		    insn.is_number != lines[k].is_number)
			fail_msg("%s: kind %u, %u bytes, %u times, number %d", pfx_str_get(&text),
				 insn.value_kind, insn.value_size, insn.nr_values, insn.is_number);
	}
	pfx_str_fini(&text);
	pfx_disasm_free(disasm);
}

/* Prefixes, opcode maps, operands in memory, immediates; each also truncated. */
static void test_x86_vectors(void **state)
{
	static const struct {
		uint8_t code[16];
		unsigned len;
	} lines[] = {
		{{0xc5, 0xf8, 0x77}, 3},                               /* vzeroupper */
		{{0xc5, 0xfd, 0x74, 0x0f}, 4},                         /* (%rdi) */
		{{0xc5, 0xfd, 0x74, 0x4f, 0x20}, 5},                   /* 0x20(%rdi) */
		{{0xc5, 0xfd, 0x6f, 0x05, 1, 2, 3, 4}, 8},             /* (%rip) */
		{{0xc5, 0xfd, 0x6f, 0x84, 0x07, 1, 2, 3, 4}, 9},       /* SIB, disp32 */
		{{0xc5, 0xfd, 0x6f, 0x04, 0x25, 1, 2, 3, 4}, 9},       /* no base */
		{{0xc5, 0xf9, 0x70, 0xc0, 0x1b}, 5},                   /* imm8 */
		{{0xc4, 0xe2, 0x7d, 0x78, 0xc6}, 5},                   /* map 0F38 */
		{{0xc4, 0xe3, 0x75, 0x0f, 0xc2, 0x08}, 6},             /* map 0F3A */
		{{0x62, 0xb2, 0x75, 0x20, 0x26, 0xd1}, 6},             /* vptestnmb */
		{{0x62, 0xf3, 0x75, 0x20, 0x3f, 0x4e, 0x01, 0x00}, 8}, /* disp8, imm8 */
		{{0x64, 0x67, 0x62, 0xf1, 0xfe, 0x28, 0x6f, 0x44, 0x24, 1},
		 10},                                      /* in front of it */
		{{0x62, 0xf8, 0x75, 0x20, 0x26, 0xd1}, 0}, /* invalid map */
		{{0x90, 0x90, 0x90, 0x90}, 0},
	};
	unsigned size;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(pfx_x86_vector_length(lines[i].code, 16, true), lines[i].len);
		for (size = 0; size < lines[i].len; size++)
			assert_int_equal(pfx_x86_vector_length(lines[i].code, size, true), 0);
	}
	assert_int_equal(pfx_x86_vector_length(lines[0].code, 3, true), 3);
	/* in 32-bit code the same bytes may be lds and bound */
	assert_int_equal(pfx_x86_vector_length((const uint8_t *)"\xc5\xfd\x74\x0f", 4, false), 4);
	assert_int_equal(pfx_x86_vector_length((const uint8_t *)"\xc5\x3d\x74\x0f", 4, false), 0);
}

/* Decoding continues after an instruction that the library does not support. */
static void test_unknown_vector(void **state)
{
	static const uint8_t code[] = {0x62, 0xb2, 0x75, 0x20, 0x26, 0xd1, 0xc3};
	struct pfx_disasm *disasm;
	struct pfx_str text = {0};
	struct pfx_insn insn;

	if (pfx_disasm_new(&disasm, "x86_64", true, NULL) == -ENOTSUP)
		skip();
	insn = pfx_disasm_one(disasm, code, sizeof(code), 0x401000, &text);
	assert_int_equal(insn.len, 6);
	assert_false(insn.is_branch);
	assert_true(text.len > 0);
	pfx_str_fini(&text);
	pfx_disasm_free(disasm);
}

static void test_other_machines(void **state)
{
	static const uint8_t ret[] = {0xc0, 0x03, 0x5f, 0xd6};
	struct pfx_disasm *disasm = NULL;
	struct pfx_error err = {0};
	struct pfx_insn insn;

	assert_int_equal(pfx_disasm_new(&disasm, "vax", true, &err), -ENOTSUP);
	assert_int_equal(pfx_disasm_new(&disasm, NULL, true, &err), -ENOTSUP);
	if (pfx_disasm_new(&disasm, "aarch64", true, NULL) == -ENOTSUP)
		skip();
	insn = pfx_disasm_one(disasm, ret, sizeof(ret), 0x1000, NULL);
	assert_int_equal(insn.len, 4);
	assert_true(insn.is_branch);
	pfx_disasm_free(disasm);
}

static void expect_flow(struct pfx_disasm *disasm, const uint8_t *code, enum pfx_flow flow,
			uint64_t target)
{
	struct pfx_str text = {0};
	struct pfx_insn insn = pfx_disasm_one(disasm, code, 4, 0x1000, &text);

	assert_int_equal(insn.len, 4);
	assert_int_equal(insn.flow, flow);
	assert_int_equal(insn.is_branch, flow != PFX_FLOW_ON);
	assert_int_equal(insn.has_target, target != 0);
	if (target)
		assert_int_equal(insn.target, target);
	pfx_str_fini(&text);
}

/* Branches of s390, most of which capstone has in no group. */
static void test_s390_flow(void **state)
{
	static const struct {
		uint8_t code[6];
		unsigned len;
		enum pfx_flow flow;
		uint64_t target;
	} lines[] = {
		{{0xa7, 0x84, 0x00, 0x59}, 4, PFX_FLOW_BRANCH, 0x10b2},             /* je */
		{{0xa7, 0x74, 0xff, 0xf3}, 4, PFX_FLOW_BRANCH, 0xfe6},              /* jne */
		{{0xa7, 0xb6, 0xff, 0xc3}, 4, PFX_FLOW_BRANCH, 0xf86},              /* brct */
		{{0xa7, 0xf4, 0xff, 0xf2}, 4, PFX_FLOW_JUMP, 0xfe4},                /* j */
		{{0xc0, 0xe5, 0xff, 0xff, 0xff, 0x1b}, 6, PFX_FLOW_CALL, 0xe36},    /* brasl */
		{{0xec, 0x12, 0x00, 0x08, 0x80, 0x64}, 6, PFX_FLOW_BRANCH, 0x1010}, /* cgrje */
		{{0x07, 0xfe}, 2, PFX_FLOW_RETURN, 0},                              /* br %r14 */
		{{0x07, 0xf1}, 2, PFX_FLOW_JUMP, 0},                                /* br %r1 */
		{{0x18, 0x12}, 2, PFX_FLOW_ON, 0},                                  /* lr */
		{{0xb9, 0x20, 0x00, 0x12}, 4, PFX_FLOW_ON, 0},                      /* cgr */
	};
	struct pfx_disasm *disasm = NULL;
	struct pfx_str text = {0};
	struct pfx_insn insn;
	size_t i;

	(void)state;
	if (pfx_disasm_new(&disasm, "s390x", true, NULL) == -ENOTSUP)
		skip();
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		insn = pfx_disasm_one(disasm, lines[i].code, lines[i].len, 0x1000, &text);
		assert_int_equal(insn.len, lines[i].len);
		assert_int_equal(insn.flow, lines[i].flow);
		assert_int_equal(insn.is_branch, lines[i].flow != PFX_FLOW_ON);
		assert_int_equal(insn.has_target ? insn.target : 0, lines[i].target);
	}
	pfx_str_fini(&text);
	pfx_disasm_free(disasm);
}

/* Branches of PowerPC, which capstone 4 has in no group. */
static void test_ppc_flow(void **state)
{
	static const struct {
		uint8_t code[4];
		enum pfx_flow flow;
		uint64_t target;
	} lines[] = {
		{{0x10, 0x00, 0x00, 0x48}, PFX_FLOW_JUMP, 0x1010},   /* b */
		{{0x11, 0x00, 0x00, 0x48}, PFX_FLOW_CALL, 0x1010},   /* bl */
		{{0x08, 0x00, 0x82, 0x41}, PFX_FLOW_BRANCH, 0x1008}, /* beq */
		{{0xf8, 0xff, 0x80, 0x40}, PFX_FLOW_BRANCH, 0xff8},  /* bge */
		{{0xf8, 0xff, 0x00, 0x42}, PFX_FLOW_BRANCH, 0xff8},  /* bdnz */
		{{0x20, 0x00, 0x80, 0x4e}, PFX_FLOW_RETURN, 0},      /* blr */
		{{0x20, 0x00, 0x82, 0x4d}, PFX_FLOW_RETURN, 0},      /* beqlr */
		{{0x20, 0x04, 0x80, 0x4e}, PFX_FLOW_JUMP, 0},        /* bctr */
		{{0x21, 0x04, 0x80, 0x4e}, PFX_FLOW_CALL, 0},        /* bctrl */
		{{0x14, 0x22, 0x63, 0x7c}, PFX_FLOW_ON, 0},          /* add */
	};
	struct pfx_disasm *disasm;
	size_t i;

	(void)state;
	if (pfx_disasm_new(&disasm, "ppc64le", true, NULL) == -ENOTSUP)
		skip();
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		expect_flow(disasm, lines[i].code, lines[i].flow, lines[i].target);
	pfx_disasm_free(disasm);
}

static void test_thumb(void **state)
{
	static const uint8_t code[] = {0xbd, 0xe8, 0xf0, 0x87, 0x70, 0x47}; /* pop.w, bx lr */
	struct pfx_disasm *disasm;

	(void)state;
	if (pfx_disasm_new(&disasm, "armv7l", false, NULL) == -ENOTSUP)
		skip();
	pfx_disasm_use_thumb(disasm, true);
	assert_int_equal(pfx_disasm_one(disasm, code, 6, 0x1000, NULL).len, 4);
	assert_int_equal(pfx_disasm_one(disasm, code + 4, 2, 0x1004, NULL).len, 2);
	pfx_disasm_use_thumb(disasm, false);
	assert_int_equal(pfx_disasm_one(disasm, code + 4, 2, 0x1004, NULL).len, 0);
	pfx_disasm_free(disasm);
}

/* --- addresses of data --- */

struct data_line {
	uint8_t code[8];
	unsigned size;
	uint64_t data; /* 0: none */
	bool takes_address;
};

/* Decodes the lines one after another from 0x401000 on. */
static void expect_data(const char *machine, bool is_64bit, const struct data_line *lines,
			size_t nr)
{
	uint64_t addr = 0x401000;
	struct pfx_disasm *disasm;
	struct pfx_str text = {0};
	struct pfx_insn insn;
	size_t i;

	if (pfx_disasm_new(&disasm, machine, is_64bit, NULL) == -ENOTSUP)
		skip();
	for (i = 0; i < nr; i++) {
		insn = pfx_disasm_one(disasm, lines[i].code, lines[i].size, addr, &text);
		assert_int_equal(insn.len, lines[i].size);
		assert_int_equal(insn.has_data, lines[i].data != 0);
		if (insn.has_data) {
			assert_int_equal(insn.data, lines[i].data);
			assert_int_equal(insn.takes_address, lines[i].takes_address);
		}
		addr += insn.len;
	}
	pfx_str_fini(&text);
	pfx_disasm_free(disasm);
}

#define EXPECT_DATA(machine, is_64bit, lines) \
	expect_data(machine, is_64bit, lines, sizeof(lines) / sizeof((lines)[0]))

static void test_data_x86(void **state)
{
	static const struct data_line wide[] = {
		{{0x48, 0x8d, 0x05, 0x10, 0, 0, 0}, 7, 0x401017, true}, /* lea 0x10(%rip),%rax */
		{{0x8b, 0x05, 0x10, 0, 0, 0}, 6, 0x40101d, false},      /* mov 0x10(%rip),%eax */
		{{0x8b, 0x47, 0x10}, 3, 0, false},                      /* mov 0x10(%rdi),%eax */
	};
	static const struct data_line narrow[] = {
		{{0xa1, 0x40, 0xa0, 0x04, 0x08}, 5, 0x804a040, false}, /* mov 0x804a040,%eax */
		{{0x65, 0xa1, 0x14, 0, 0, 0}, 6, 0, false},            /* mov %gs:0x14,%eax */
	};

	(void)state;
	EXPECT_DATA("x86_64", true, wide);
	EXPECT_DATA("i686", false, narrow);
}

static void test_data_arm64(void **state)
{
	static const struct data_line lines[] = {
		{{0x00, 0x00, 0x00, 0xb0}, 4, 0x402000, false}, /* adrp x0, 0x402000 */
		{{0x01, 0x08, 0x40, 0xb9}, 4, 0x402008, false}, /* ldr w1, [x0, #8] */
		{{0x00, 0x40, 0x00, 0x91}, 4, 0x402010, true},  /* add x0, x0, #0x10 */
		{{0x01, 0x08, 0x40, 0xb9}, 4, 0, false},        /* ldr w1, [x0, #8]: another x0 */
		{{0x01, 0x00, 0x00, 0xb0}, 4, 0x402000, false}, /* adrp x1, 0x402000 */
		{{0x13, 0x00, 0x00, 0xb0}, 4, 0x402000, false}, /* adrp x19, 0x402000 */
		{{0x00, 0x00, 0x00, 0x94}, 4, 0, false},        /* bl: changes x1 */
		{{0x22, 0x08, 0x40, 0xb9}, 4, 0, false},        /* ldr w2, [x1, #8] */
		{{0x62, 0x0a, 0x40, 0xb9}, 4, 0x402008, false}, /* ldr w2, [x19, #8] */
		{{0x43, 0x00, 0x00, 0x58}, 4, 0x40102c, false}, /* ldr x3, 0x40102c */
		{{0xc0, 0x03, 0x5f, 0xd6}, 4, 0, false},        /* ret */
		{{0x62, 0x0a, 0x40, 0xb9}, 4, 0, false},        /* ldr w2, [x19, #8] */
	};

	(void)state;
	EXPECT_DATA("aarch64", true, lines);
}

static void test_data_others(void **state)
{
	static const struct data_line arm[] = {
		{{0x10, 0x30, 0x9f, 0xe5}, 4, 0x401018, false}, /* ldr r3, [pc, #16] */
	};
	static const struct data_line s390[] = {
		{{0xc0, 0x20, 0, 0, 0, 0x08}, 6, 0x401010, true},  /* larl %r2, 0x401010 */
		{{0xc4, 0x28, 0, 0, 0, 0x08}, 6, 0x401016, false}, /* lgrl %r2, 0x401016 */
	};

	(void)state;
	EXPECT_DATA("armv7l", false, arm);
	EXPECT_DATA("s390x", true, s390);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_x86_values),
		cmocka_unit_test(test_x86_vectors),
		cmocka_unit_test(test_data_x86),
		cmocka_unit_test(test_data_arm64),
		cmocka_unit_test(test_data_others),
		cmocka_unit_test(test_unknown_vector),
		cmocka_unit_test(test_other_machines),
		cmocka_unit_test(test_ppc_flow),
		cmocka_unit_test(test_s390_flow),
		cmocka_unit_test(test_thumb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
