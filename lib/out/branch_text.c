/* SPDX-License-Identifier: MIT */
/* The types of the counted branches, in percent, as lines below the table. */
#include "out/hist_text_internal.h"

#define NR_KINDS 16
#define NR_FIRST 4 /* counters that precede those of the types */

static const char *const types[NR_KINDS] = {NULL,       "COND", "UNCOND",  "IND",    "CALL",
					    "IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
					    "COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX"};
static const char *const more[NR_KINDS] = {"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
					   "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5"};

static void add_kind(uint64_t kinds, unsigned bit, const char *name, struct pfx_str *to)
{
	if (!(kinds >> bit & 1))
		return;
	pfx_str_add(to, name ? name : "UNKNOWN");
	pfx_str_addc(to, ' ');
}

void pfx_branch_kinds_text(uint64_t kinds, struct pfx_str *to)
{
	unsigned i;

	add_kind(kinds, PFX_KIND_FORWARD, "COND_FWD", to);
	add_kind(kinds, PFX_KIND_BACKWARD, "COND_BWD", to);
	for (i = 0; i < NR_KINDS; i++)
		add_kind(kinds, PFX_KIND_TYPE + i, types[i], to);
	for (i = 0; i < NR_KINDS; i++)
		add_kind(kinds, PFX_KIND_MORE + i, more[i], to);
	add_kind(kinds, PFX_KIND_CROSS_4K, "CROSS_4K", to);
	add_kind(kinds, PFX_KIND_CROSS_2M, "CROSS_2M", to);
}

const char *pfx_branch_count(const struct pfx_branch_counts *counts, unsigned i, uint64_t *ret_nr)
{
	static const char *const first[] = {"COND_FWD", "COND_BWD", "CROSS_4K", "CROSS_2M"};
	const uint64_t numbers[] = {counts->forward, counts->backward, counts->cross_4k,
				    counts->cross_2m};
	const char *name;

	if (i < NR_FIRST) {
		*ret_nr = numbers[i];
		return first[i];
	}
	i -= NR_FIRST;
	if (i >= 2 * NR_KINDS)
		return NULL;
	*ret_nr = i < NR_KINDS ? counts->types[i] : counts->more[i - NR_KINDS];
	name = i < NR_KINDS ? types[i] : more[i - NR_KINDS];
	return name ? name : "UNKNOWN";
}

void pfx_branch_counts_text(const struct pfx_branch_counts *counts, struct pfx_str *to)
{
	const char *name;
	uint64_t nr;
	unsigned i;

	if (!counts->total)
		return;
	pfx_str_add(to, "\n#\n# Branch Statistics:\n#");
	for (i = 0; (name = pfx_branch_count(counts, i, &nr)); i++)
		if (nr)
			pfx_str_addf(to, "\n%8s: %5.1f%%", name, 100.0 * nr / counts->total);
	pfx_str_addc(to, '\n');
}
