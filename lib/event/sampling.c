/* SPDX-License-Identifier: MIT */
/*
 * Words for sampling, one table each: modes of call chains and kinds of branches. The names are
 * perf's. Whether the machine supports them is checked elsewhere.
 */
#include "event/sampling.h"

#include <string.h>

#include "event/abi.h"

static bool is_word(const char *name, const char *at, size_t len)
{
	return strlen(name) == len && !memcmp(name, at, len);
}

bool pfx_callgraph_mode_parse(const char *word, size_t len, enum pfx_callgraph_mode *ret)
{
	static const char *const names[] = {
		[PFX_CALLGRAPH_NONE] = "no",
		[PFX_CALLGRAPH_FP] = "fp",
		[PFX_CALLGRAPH_DWARF] = "dwarf",
		[PFX_CALLGRAPH_LBR] = "lbr",
	};
	unsigned mode;

	for (mode = 0; mode < sizeof(names) / sizeof(names[0]); mode++) {
		if (is_word(names[mode], word, len)) {
			*ret = (enum pfx_callgraph_mode)mode;
			return true;
		}
	}
	return false;
}

static const struct {
	const char *name;
	uint64_t bit;
} branch_words[] = {
	{"u", PFX_BRANCH_USER},
	{"k", PFX_BRANCH_KERNEL},
	{"hv", PFX_BRANCH_HV},
	{"any", PFX_BRANCH_ANY},
	{"any_call", PFX_BRANCH_ANY_CALL},
	{"any_ret", PFX_BRANCH_ANY_RETURN},
	{"ind_call", PFX_BRANCH_IND_CALL},
	{"ind_jmp", PFX_BRANCH_IND_JUMP},
	{"call", PFX_BRANCH_CALL},
	{"cond", PFX_BRANCH_COND},
	{"abort_tx", PFX_BRANCH_ABORT_TX},
	{"in_tx", PFX_BRANCH_IN_TX},
	{"no_tx", PFX_BRANCH_NO_TX},
	{"stack", PFX_BRANCH_CALL_STACK},
	{"no_flags", PFX_BRANCH_NO_FLAGS},
	{"no_cycles", PFX_BRANCH_NO_CYCLES},
	{"save_type", PFX_BRANCH_TYPE_SAVE},
	{"hw_index", PFX_BRANCH_HW_INDEX},
	{"priv", PFX_BRANCH_PRIV_SAVE},
	{"counter", PFX_BRANCH_COUNTERS},
};
#define NR_BRANCH_WORDS (sizeof(branch_words) / sizeof(branch_words[0]))
#define BRANCH_LEVELS   (PFX_BRANCH_USER | PFX_BRANCH_KERNEL | PFX_BRANCH_HV)

static uint64_t branch_bit(const char *at, size_t len)
{
	size_t i;

	for (i = 0; i < NR_BRANCH_WORDS; i++)
		if (is_word(branch_words[i].name, at, len))
			return branch_words[i].bit;
	return 0;
}

bool pfx_branch_filter_parse(const char *words, size_t len, uint64_t *ret, const char **ret_bad,
			     size_t *ret_len)
{
	const char *at = words, *end = words + len, *comma;
	uint64_t bits = 0, bit;

	do {
		comma = memchr(at, ',', (size_t)(end - at));
		comma = comma ? comma : end;
		bit = branch_bit(at, (size_t)(comma - at));
		if (!bit) {
			*ret_bad = at;
			*ret_len = (size_t)(comma - at);
			return false;
		}
		bits |= bit;
		at = comma + 1;
	} while (comma < end);
	if (!(bits & ~BRANCH_LEVELS))
		bits |= PFX_BRANCH_ANY;
	*ret = bits;
	return true;
}

const char *pfx_branch_filter_words(void)
{
	return "u k hv any any_call any_ret ind_call ind_jmp call cond abort_tx in_tx no_tx stack "
	       "no_flags no_cycles save_type hw_index priv counter";
}
