/* SPDX-License-Identifier: MIT */
/*
 * An instruction has three keys: itself with its neighbours, itself, and its mnemonic. Addresses
 * are no part of them, names at addresses are. Source lines that share most instructions are one
 * line.
 */
#include "diff/code/code_pair.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/str.h"
#include "diff/names/build_names.h"

enum { LEVEL_NEIGHBOURS, LEVEL_SELF, LEVEL_MNEMONIC, NR_LEVELS };

/* --- keys --- */

/* Whether a number begins here that is neither part of a name nor a constant. */
static bool is_offset(const char *text, const char *at)
{
	return isdigit((unsigned char)*at) &&
	       (at == text ||
		(!isalnum((unsigned char)at[-1]) && (!at[-1] || !strchr("_.$%", at[-1]))));
}

/* The operands without what follows from the address of the instruction and of its operand, which
 * are other ones in each build. */
static void add_operands(const struct pfx_code_insn *insn, struct pfx_str *to)
{
	const char *text = insn->text + insn->mnemonic, *at;

	for (at = text; *at; at++) {
		if (is_offset(text, at))
			at += strspn(at, "0123456789abcdefx") - 1;
		else if (*at != '-')
			pfx_str_addc(to, *at);
	}
}

/* What the instruction does, as text. Jumps inside a function have their direction. */
static uint64_t key_of(const struct pfx_code_insn *insn, struct pfx_str *text)
{
	pfx_str_clear(text);
	pfx_str_addn(text, insn->text, insn->mnemonic);
	if (insn->target_insn != PFX_CODE_NONE) {
		pfx_str_addc(text, insn->target < insn->addr ? '<' : '>');
	} else if (insn->has_target || insn->is_unlinked) {
		add_operands(insn, text);
		pfx_str_addc(text, '#');
		if (insn->name)
			pfx_build_function_name(insn->name, text);
		if (insn->string)
			pfx_str_add(text, insn->string);
		if (insn->value)
			pfx_str_add(text, insn->value);
	} else {
		pfx_str_add(text, insn->text + insn->mnemonic);
	}
	return pfx_hash_bytes(text->at, text->len);
}

/* The keys of all levels, one level after another; the caller frees them. */
static uint64_t *make_keys(const struct pfx_code *code)
{
	uint32_t nr = code->nr_insns, i;
	uint64_t *keys = pfx_malloc((size_t)NR_LEVELS * nr * sizeof(*keys) + 1);
	uint64_t *self = keys + (size_t)LEVEL_SELF * nr, key;
	struct pfx_str text = {0};

	for (i = 0; i < nr; i++) {
		self[i] = key_of(&code->insns[i], &text);
		keys[(size_t)LEVEL_MNEMONIC * nr + i] =
			pfx_hash_bytes(code->insns[i].text, code->insns[i].mnemonic);
	}
	for (i = 0; i < nr; i++) {
		key = pfx_hash_u64(i ? self[i - 1] : 0) + self[i];
		keys[i] = pfx_hash_u64(key) + (i + 1 < nr ? self[i + 1] : 0);
	}
	pfx_str_fini(&text);
	return keys;
}

/* --- rows --- */

static enum pfx_code_pair_state state_of(const struct pfx_aligned *row)
{
	if (row->old == PFX_ALIGN_NONE)
		return PFX_CODE_NEW;
	if (row->new == PFX_ALIGN_NONE)
		return PFX_CODE_OLD;
	return row->level == LEVEL_MNEMONIC ? PFX_CODE_CHANGED : PFX_CODE_SAME;
}

static void align_rows(struct pfx_code_pair *pair)
{
	const struct pfx_code *old = pair->old, *new = pair->new;
	uint64_t *old_keys = make_keys(old), *new_keys = make_keys(new);
	struct pfx_align_keys levels[NR_LEVELS];
	struct pfx_alignment alignment;
	size_t i;

	for (i = 0; i < NR_LEVELS; i++)
		levels[i] = (struct pfx_align_keys){old_keys + i * old->nr_insns,
						    new_keys + i * new->nr_insns};
	pfx_align(&alignment, levels, NR_LEVELS, old->nr_insns, new->nr_insns);
	pair->nr_rows = (uint32_t)alignment.rows.nr;
	pair->rows = pfx_malloc((alignment.rows.nr + 1) * sizeof(*pair->rows));
	for (i = 0; i < alignment.rows.nr; i++)
		pair->rows[i] = (struct pfx_code_pair_row){alignment.rows.at[i].old,
							   alignment.rows.at[i].new,
							   state_of(&alignment.rows.at[i])};
	pfx_alignment_fini(&alignment);
	free(old_keys);
	free(new_keys);
}

static void one_sided_rows(struct pfx_code_pair *pair)
{
	uint32_t i;

	pair->nr_rows = pair->old ? pair->old->nr_insns : pair->new->nr_insns;
	pair->rows = pfx_malloc((pair->nr_rows + 1ul) * sizeof(*pair->rows));
	for (i = 0; i < pair->nr_rows; i++)
		pair->rows[i] = (struct pfx_code_pair_row){pair->old ? i : PFX_CODE_NONE,
							   pair->old ? PFX_CODE_NONE : i,
							   pair->old ? PFX_CODE_OLD : PFX_CODE_NEW};
}

/* --- lines --- */

/* Instructions that a line of the new and one of the old build share: 2 for the same, 1 for a
 * changed one. */
struct vote {
	uint32_t old, new, nr;
};

static int by_lines(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;
	int rc = pfx_compare_u64(x->new, y->new);

	return rc ? rc : pfx_compare_u64(x->old, y->old);
}

static int by_number(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;
	int rc = pfx_compare_u64(y->nr, x->nr);

	return rc ? rc : by_lines(a, b);
}

/* The votes, each pair of lines once, most first; the caller frees them. */
static struct vote *count_votes(const struct pfx_code_pair *pair, uint32_t *ret_nr)
{
	struct vote *votes = pfx_malloc((pair->nr_rows + 1ul) * sizeof(*votes));
	uint32_t i, nr = 0, nr_distinct = 0, old, new;

	for (i = 0; i < pair->nr_rows; i++) {
		if (pair->rows[i].state >= PFX_CODE_OLD)
			continue;
		old = pair->old->insns[pair->rows[i].old].line;
		new = pair->new->insns[pair->rows[i].new].line;
		if (old != PFX_CODE_NONE && new != PFX_CODE_NONE)
			votes[nr++] = (struct vote){old, new,
						    pair->rows[i].state == PFX_CODE_SAME ? 2 : 1};
	}
	qsort(votes, nr, sizeof(*votes), by_lines);
	for (i = 0; i < nr; i++) {
		if (nr_distinct && !by_lines(&votes[nr_distinct - 1], &votes[i]))
			votes[nr_distinct - 1].nr += votes[i].nr;
		else
			votes[nr_distinct++] = votes[i];
	}
	qsort(votes, nr_distinct, sizeof(*votes), by_number);
	*ret_nr = nr_distinct;
	return votes;
}

static void add_line(struct pfx_code_pair *pair, uint32_t old, uint32_t new)
{
	if (old != PFX_CODE_NONE)
		pair->line_of[0][old] = pair->nr_lines;
	if (new != PFX_CODE_NONE)
		pair->line_of[1][new] = pair->nr_lines;
	pair->lines[pair->nr_lines++] = (struct pfx_code_pair_line){old, new};
}

static void pair_lines(const struct pfx_code_pair *pair, uint32_t *old_of, uint32_t *new_of)
{
	uint32_t nr, i;
	struct vote *votes = count_votes(pair, &nr);

	for (i = 0; i < nr; i++) {
		if (old_of[votes[i].new] != PFX_CODE_NONE || new_of[votes[i].old] != PFX_CODE_NONE)
			continue;
		old_of[votes[i].new] = votes[i].old;
		new_of[votes[i].old] = votes[i].new;
	}
	free(votes);
}

/* Line numbers of one code, filled with PFX_CODE_NONE; the caller frees them. */
static uint32_t *line_numbers(const struct pfx_code *code)
{
	size_t size = ((code ? code->nr_lines : 0) + 1ul) * sizeof(uint32_t);

	return memset(pfx_malloc(size), 0xff, size);
}

static bool is_moved(const struct pfx_code_line *old, const struct pfx_code_line *new)
{
	return old->line != new->line;
}

static void align_lines(struct pfx_code_pair *pair)
{
	uint32_t nr_old = pair->old ? pair->old->nr_lines : 0;
	uint32_t nr_new = pair->new ? pair->new->nr_lines : 0;
	uint32_t *old_of = line_numbers(pair->new), *new_of = line_numbers(pair->old), i;

	pair->lines = pfx_malloc(((size_t)nr_old + nr_new + 1) * sizeof(*pair->lines));
	pair->line_of[0] = line_numbers(pair->old);
	pair->line_of[1] = line_numbers(pair->new);
	if (pair->old && pair->new)
		pair_lines(pair, old_of, new_of);
	for (i = 0; i < nr_new; i++) {
		add_line(pair, old_of[i], i);
		if (old_of[i] != PFX_CODE_NONE)
			pair->lines_moved |=
				is_moved(&pair->old->lines[old_of[i]], &pair->new->lines[i]);
	}
	for (i = 0; i < nr_old; i++)
		if (new_of[i] == PFX_CODE_NONE)
			add_line(pair, i, PFX_CODE_NONE);
	free(old_of);
	free(new_of);
}

void pfx_code_pair_make(struct pfx_code_pair *ret, const struct pfx_code *old,
			const struct pfx_code *new)
{
	*ret = (struct pfx_code_pair){.old = old, .new = new};
	if (old && new)
		align_rows(ret);
	else
		one_sided_rows(ret);
	align_lines(ret);
}

void pfx_code_pair_fini(struct pfx_code_pair *pair)
{
	free(pair->rows);
	free(pair->lines);
	free(pair->line_of[0]);
	free(pair->line_of[1]);
	*pair = (struct pfx_code_pair){0};
}
