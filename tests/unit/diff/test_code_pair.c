/* SPDX-License-Identifier: MIT */
/* Two builds of a function side by side: the alignment alone, and the pair of made instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "diff/code/code_pair.h"

/* --- the alignment --- */

/* Each letter is an element. Old and new as rows: "a" both, "-b" old, "+c" new. */
static void align_texts(const char *old, const char *new, struct pfx_str *ret)
{
	uint64_t keys[2][64];
	struct pfx_align_keys levels = {keys[0], keys[1]};
	struct pfx_alignment alignment;
	size_t i;

	for (i = 0; old[i]; i++)
		keys[0][i] = (uint64_t)old[i];
	for (i = 0; new[i]; i++)
		keys[1][i] = (uint64_t) new[i];
	pfx_align(&alignment, &levels, 1, (uint32_t)strlen(old), (uint32_t)strlen(new));
	pfx_str_clear(ret);
	for (i = 0; i < alignment.rows.nr; i++) {
		const struct pfx_aligned *row = &alignment.rows.at[i];

		if (row->new == PFX_ALIGN_NONE)
			pfx_str_addf(ret, "-%c", old[row->old]);
		else
			pfx_str_addf(ret, "%s%c", row->old == PFX_ALIGN_NONE ? "+" : "",
				     new[row->new]);
	}
	pfx_alignment_fini(&alignment);
}

static void test_small(void **state)
{
	static const char *const cases[][3] = {
		{"abc", "abc", "abc"},       {"abc", "axc", "a-b+xc"},
		{"abc", "ac", "a-bc"},       {"ac", "abc", "a+bc"},
		{"", "ab", "+a+b"},          {"ab", "", "-a-b"},
		{"abcd", "dabc", "+dabc-d"}, {"", "", ""},
		{"aab", "ab", "a-ab"},       {"xay", "zaw", "-x+za-y+w"},
		{"abcab", "abab", "ab-cab"},
	};
	struct pfx_str text = {0};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		align_texts(cases[i][0], cases[i][1], &text);
		assert_string_equal(pfx_str_get(&text), cases[i][2]);
	}
	pfx_str_fini(&text);
}

/* Every element is in one row, in order, and rows of both have equal keys. */
static uint32_t check_rows(const struct pfx_alignment *alignment, const uint64_t *old,
			   uint32_t nr_old, const uint64_t *new, uint32_t nr_new)
{
	uint32_t at_old = 0, at_new = 0, nr_both = 0;
	size_t i;

	for (i = 0; i < alignment->rows.nr; i++) {
		const struct pfx_aligned *row = &alignment->rows.at[i];

		if (row->old != PFX_ALIGN_NONE && row->new != PFX_ALIGN_NONE) {
			assert_true(old[row->old] == new[row->new]);
			nr_both++;
		}
		if (row->old != PFX_ALIGN_NONE)
			assert_int_equal(row->old, at_old++);
		if (row->new != PFX_ALIGN_NONE)
			assert_int_equal(row->new, at_new++);
	}
	assert_int_equal(at_old, nr_old);
	assert_int_equal(at_new, nr_new);
	return nr_both;
}

/* Too large for a table: unique elements, in an order with a block that moved; then none unique. */
static void test_large(void **state)
{
	enum { NR = 5000, BLOCK = 500 };
	uint64_t *old = calloc(NR, sizeof(*old)), *new = calloc(NR, sizeof(*new));
	struct pfx_align_keys levels = {old, new};
	struct pfx_alignment alignment;
	uint32_t i;

	for (i = 0; i < NR; i++)
		old[i] = i % 10 == 9 ? 1000000 : i;
	memcpy(new, old + BLOCK, (NR - BLOCK) * sizeof(*new));
	memcpy(new + NR - BLOCK, old, BLOCK * sizeof(*new));
	pfx_align(&alignment, &levels, 1, NR, NR);
	assert_int_equal(check_rows(&alignment, old, NR, new, NR), NR - BLOCK);
	pfx_alignment_fini(&alignment);
	for (i = 0; i < NR; i++) {
		old[i] = i % 2;
		new[i] = 2 + i % 2;
	}
	pfx_align(&alignment, &levels, 1, NR, NR);
	assert_int_equal(check_rows(&alignment, old, NR, new, NR), 0);
	pfx_alignment_fini(&alignment);
	free(old);
	free(new);
}

/* Pieces between unique elements, each small enough for a table, but not all of them together: the
 * last ones are cut alone. */
static void test_many_tables(void **state)
{
	enum { PIECE = 1000, PIECES = 300, NR = PIECE * PIECES };
	uint64_t *old = calloc(NR, sizeof(*old)), *new = calloc(NR, sizeof(*new));
	struct pfx_align_keys levels = {old, new};
	struct pfx_alignment alignment;
	uint32_t i, nr;

	for (i = 0; i < NR; i++) {
		bool is_unique = i % PIECE == 0;

		old[i] = is_unique ? 100 + i : i % 2;
		new[i] = is_unique ? 100 + i : i % 3 + 1; /* every third is in both, as 1 */
	}
	pfx_align(&alignment, &levels, 1, NR, NR);
	nr = check_rows(&alignment, old, NR, new, NR);
	assert_in_range(nr, PIECES + 200 * PIECE / 3, PIECES + 299 * PIECE / 3);
	pfx_alignment_fini(&alignment);
	free(old);
	free(new);
}

/* The gaps of the first keys are filled by the second ones. */
static void test_levels(void **state)
{
	static const uint64_t old[2][4] = {{1, 2, 3, 4}, {1, 2, 3, 4}};
	static const uint64_t new[2][4] = {{1, 9, 8, 4}, {1, 2, 7, 4}};
	const struct pfx_align_keys levels[] = {{old[0], new[0]}, {old[1], new[1]}};
	struct pfx_alignment alignment;

	pfx_align(&alignment, levels, 2, 4, 4);
	assert_int_equal(alignment.rows.nr, 5);
	assert_int_equal(alignment.rows.at[0].level, 0);
	assert_int_equal(alignment.rows.at[1].level, 1);
	assert_int_equal(alignment.rows.at[1].new, 1);
	assert_int_equal(alignment.rows.at[2].new, PFX_ALIGN_NONE);
	assert_int_equal(alignment.rows.at[3].old, PFX_ALIGN_NONE);
	assert_int_equal(alignment.rows.at[4].level, 0);
	pfx_alignment_fini(&alignment);
}

/* --- pairs of functions --- */

struct made {
	const char *text;
	uint64_t target; /* 0: none */
	uint32_t target_insn, line;
	const char *name;
};

static void make_code(struct pfx_code *code, uint64_t addr, const struct made *made, uint32_t nr,
		      struct pfx_code_line *lines, uint32_t nr_lines)
{
	uint32_t i;

	*code = (struct pfx_code){.nr_insns = nr, .lines = lines, .nr_lines = nr_lines};
	code->insns = calloc(nr, sizeof(*code->insns));
	for (i = 0; i < nr; i++)
		code->insns[i] = (struct pfx_code_insn){
			.addr = addr + 4 * i,
			.text = made[i].text,
			.mnemonic = (uint16_t)strcspn(made[i].text, " "),
			.target = made[i].target,
			.has_target = made[i].target != 0,
			.target_insn = made[i].target_insn,
			.line = made[i].line,
			.name = made[i].name,
		};
}

static const enum pfx_code_pair_state wanted[] = {PFX_CODE_SAME,    PFX_CODE_SAME, PFX_CODE_NEW,
						  PFX_CODE_CHANGED, PFX_CODE_SAME, PFX_CODE_OLD,
						  PFX_CODE_SAME};

static void test_pair(void **state)
{
	static const struct made old[] = {
		{"movl 0x2ef2(%rip), %eax", 0x5000, PFX_CODE_NONE, 0, "table"},
		{"call 0x401000", 0x401000, PFX_CODE_NONE, 0, "f.isra.0"},
		{"addl $1, %eax", 0, PFX_CODE_NONE, 1, NULL},
		{"jne 0x1000", 0x1000, 0, 1, NULL},
		{"nop", 0, PFX_CODE_NONE, 2, NULL},
		{"ret", 0, PFX_CODE_NONE, 3, NULL},
	};
	static const struct made new[] = {
		{"movl 0x1ab4(%rip), %eax", 0x7000, PFX_CODE_NONE, 0, "table"},
		{"call 0x402200", 0x402200, PFX_CODE_NONE, 0, "f"},
		{"imull %eax, %eax", 0, PFX_CODE_NONE, 1, NULL},
		{"addl $2, %eax", 0, PFX_CODE_NONE, 2, NULL},
		{"jne 0x2000", 0x2000, 0, 2, NULL},
		{"ret", 0, PFX_CODE_NONE, 3, NULL},
	};
	struct pfx_code_line old_lines[] = {{"a.c", 10}, {"a.c", 11}, {"a.c", 12}, {"a.c", 13}};
	struct pfx_code_line new_lines[] = {{"a.c", 10}, {"a.c", 11}, {"a.c", 12}, {"a.c", 14}};
	struct pfx_code codes[2];
	struct pfx_code_pair pair;
	uint32_t i;

	make_code(&codes[0], 0x1000, old, 6, old_lines, 4);
	make_code(&codes[1], 0x2000, new, 6, new_lines, 4);
	pfx_code_pair_make(&pair, &codes[0], &codes[1]);
	assert_int_equal(pair.nr_rows, sizeof(wanted) / sizeof(*wanted));
	for (i = 0; i < pair.nr_rows; i++)
		assert_int_equal(pair.rows[i].state, wanted[i]);
	/* Line 11 of the old one is line 12 of the new one, by the jump; 11 is new, and 12 is gone.
	 */
	assert_int_equal(pair.nr_lines, 5);
	assert_int_equal(pair.line_of[0][1], pair.line_of[1][2]);
	assert_int_equal(pair.lines[pair.line_of[1][1]].old, PFX_CODE_NONE);
	assert_int_equal(pair.lines[pair.line_of[0][2]].new, PFX_CODE_NONE);
	assert_int_equal(pair.line_of[0][3], pair.line_of[1][3]);
	assert_true(pair.lines_moved);
	pfx_code_pair_fini(&pair);

	pfx_code_pair_make(&pair, NULL, &codes[1]);
	assert_int_equal(pair.nr_rows, 6);
	assert_int_equal(pair.rows[5].state, PFX_CODE_NEW);
	assert_int_equal(pair.rows[5].old, PFX_CODE_NONE);
	assert_int_equal(pair.nr_lines, 4);
	pfx_code_pair_fini(&pair);

	pfx_code_pair_make(&pair, &codes[0], &codes[0]);
	assert_int_equal(pair.nr_rows, 6);
	for (i = 0; i < pair.nr_rows; i++)
		assert_int_equal(pair.rows[i].state, PFX_CODE_SAME);
	assert_false(pair.lines_moved);
	pfx_code_pair_fini(&pair);
	free(codes[0].insns);
	free(codes[1].insns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),       cmocka_unit_test(test_large),
		cmocka_unit_test(test_many_tables), cmocka_unit_test(test_levels),
		cmocka_unit_test(test_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
