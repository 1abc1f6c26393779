/* SPDX-License-Identifier: MIT */
/*
 * data_src as text: each part is a bit mask with a name for each bit, or a number; names of several
 * bits are joined by "or". And page sizes.
 */
#include "event/mem_text.h"

#include <stdbool.h>

#define HIT  (1u << 1) /* of a level and of a TLB, bits below those with names */
#define MISS (1u << 2)

static void add_word(const char *word, bool *any, struct pfx_str *to)
{
	if (*any)
		pfx_str_add(to, " or ");
	pfx_str_add(to, word);
	*any = true;
}

/* The names of the set bits, joined by "or". NULL names are skipped. */
static void add_bits(uint64_t bits, const char *const *names, unsigned nr, bool *any,
		     struct pfx_str *to)
{
	unsigned i;

	for (i = 0; i < nr; i++)
		if ((bits >> i & 1) && names[i])
			add_word(names[i], any, to);
}

static void add_outcome(uint64_t bits, struct pfx_str *to)
{
	if (bits & HIT)
		pfx_str_add(to, " hit");
	if (bits & MISS)
		pfx_str_add(to, " miss");
}

void pfx_mem_op_text(uint64_t src, struct pfx_str *to)
{
	static const char *const names[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};
	unsigned i;

	for (i = 0; i < 5; i++)
		if (PFX_MEM_OP(src) >> i & 1)
			break;
	pfx_str_add(to, i < 5 ? names[i] : "No");
}

void pfx_mem_level_text(uint64_t src, struct pfx_str *to)
{
	static const char *const names[] = {
		"N/A",
		NULL, /* hit */
		NULL, /* miss */
		"L1",
		"LFB/MAB",
		"L2",
		"L3",
		"Local RAM",
		"Remote RAM (1 hop)",
		"Remote RAM (2 hops)",
		"Remote Cache (1 hop)",
		"Remote Cache (2 hops)",
		"I/O",
		"Uncached",
	};
	static const char *const numbers[16] = {
		NULL,       "L1",  "L2",  "L3",        "L4",      "L2 MHB", "MSC",  "L0",
		"Uncached", "CXL", "I/O", "Any cache", "LFB/MAB", "RAM",    "PMEM", "N/A",
	};
	static const char *const hops[8] = {
		NULL, "core, same node", "node, same socket", "socket, same board", "board",
	};
	uint64_t bits = PFX_MEM_LEVELS(src);
	unsigned nr_hops = PFX_MEM_HOPS(src);
	const char *number = numbers[PFX_MEM_NUMBER(src)], *hop = hops[nr_hops];
	bool remote = PFX_MEM_REMOTE(src), any = false;

	if (remote)
		pfx_str_add(to, "Remote ");
	if (hop) {
		pfx_str_add(to, hop);
		pfx_str_addc(to, ' ');
	}
	if (!nr_hops)
		add_bits(bits, names, 14, &any, to);
	if (number)
		add_word(number, &any, to);
	if (!any && !remote && !hop)
		pfx_str_add(to, "N/A");
	add_outcome(bits, to);
}

void pfx_mem_snoop_text(uint64_t src, struct pfx_str *to)
{
	static const char *const names[] = {"N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer"};
	bool any = false;

	add_bits(PFX_MEM_SNOOP(src) | PFX_MEM_SNOOPX(src) << 5, names, 7, &any, to);
	if (!any)
		pfx_str_add(to, "N/A");
}

void pfx_mem_tlb_text(uint64_t src, struct pfx_str *to)
{
	static const char *const names[] = {"N/A", NULL, NULL, "L1", "L2", "Walker", "Fault"};
	uint64_t bits = PFX_MEM_TLB(src);
	bool any = false;

	add_bits(bits, names, 7, &any, to);
	if (!any)
		pfx_str_add(to, "N/A");
	add_outcome(bits, to);
}

void pfx_mem_lock_text(uint64_t src, struct pfx_str *to)
{
	uint64_t bits = PFX_MEM_LOCK(src);

	pfx_str_add(to, bits & 1 ? "N/A" : bits ? "Yes" : "No");
}

void pfx_mem_block_text(uint64_t src, struct pfx_str *to)
{
	uint64_t bits = PFX_MEM_BLOCK(src);

	if (bits & 1 || !bits) {
		pfx_str_add(to, " N/A");
		return;
	}
	if (bits & 2)
		pfx_str_add(to, " Data");
	if (bits & 4)
		pfx_str_add(to, " Addr");
}

void pfx_mem_text(uint64_t src, struct pfx_str *to)
{
	static const struct {
		const char *title;
		void (*add)(uint64_t src, struct pfx_str *to);
	} parts[] = {
		{"|OP ", pfx_mem_op_text},     {"|LVL ", pfx_mem_level_text},
		{"|SNP ", pfx_mem_snoop_text}, {"|TLB ", pfx_mem_tlb_text},
		{"|LCK ", pfx_mem_lock_text},  {"|BLK ", pfx_mem_block_text},
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		pfx_str_add(to, parts[i].title);
		parts[i].add(src, to);
	}
}

void pfx_mem_page_text(uint64_t size, struct pfx_str *to)
{
	static const char units[] = "BKMGTPE";
	unsigned unit = 0;

	if (!size) {
		pfx_str_add(to, "N/A");
		return;
	}
	while (size / 1024 > 1) {
		size /= 1024;
		unit++;
	}
	pfx_str_u64(to, size, 0);
	pfx_str_addc(to, units[unit]);
}
