/* SPDX-License-Identifier: MIT */
/*
 * Classifies memory accesses from data_src: a kind for each of the fields op, cache, memory, snoop
 * and dtlb. Older CPUs use one set of bits, newer ones a level number; the number has precedence.
 */
#include "event/mem_text.h"
#include "hist/hist.h"

/* The kinds, in the order of access_names. */
enum op { LOAD, STORE, LOAD_STORE, PREFETCH, EXEC, OTHER_OP };
enum cache { L1, L2, L3, L4, L1_BUFFER, L2_BUFFER, OTHER_CACHE };
enum memory { RAM, UNCACHED, CXL, IO, PMEM, MSC, OTHER_MEMORY };
enum snoop { HIT_MODIFIED, HIT, MISS, OTHER_SNOOP };
enum tlb { L1_TLB_HIT, L2_TLB_HIT, TLB_HIT, TLB_MISS, OTHER_TLB };

static const char *const access_names[PFX_ACCESS_FIELDS][PFX_ACCESS_KINDS + 1] = {
	{"Load", "Store", "Ld+St", "Pfetch", "Exec", "Other"},
	{"L1", "L2", "L3", "L4", "L1-buf", "L2-buf", "Other"},
	{"RAM", "Uncach", "CXL", "IO", "PMEM", "MSC", "Other"},
	{"HitM", "Hit", "Miss", "Other"},
	{"L1-Hit", "L2-Hit", "AnyHit", "Miss", "Other"},
};

/* Fields of data_src. */
#define OP_LOAD     (1u << 1)
#define OP_STORE    (1u << 2)
#define OP_PREFETCH (1u << 3)
#define OP_EXEC     (1u << 4)

#define LEVEL_L1       (1u << 3)
#define LEVEL_BUFFER   (1u << 4) /* the line fill buffer */
#define LEVEL_L2       (1u << 5)
#define LEVEL_L3       (1u << 6)
#define LEVEL_RAM      (7u << 7) /* local and remote */
#define LEVEL_IO       (1u << 12)
#define LEVEL_UNCACHED (1u << 13)

#define SNOOP_HIT          (1u << 2)
#define SNOOP_MISS         (1u << 3)
#define SNOOP_HIT_MODIFIED (1u << 4)

#define TRANSLATION_HIT  (1u << 1)
#define TRANSLATION_MISS (1u << 2)
#define TRANSLATION_L1   (1u << 3)
#define TRANSLATION_L2   (1u << 4)

const char *pfx_access_name(enum pfx_access_field field, unsigned kind)
{
	return kind < PFX_ACCESS_KINDS ? access_names[field][kind] : NULL;
}

static enum op op_of(uint64_t src)
{
	unsigned bits = PFX_MEM_OP(src);

	if (bits & OP_LOAD)
		return bits & OP_STORE ? LOAD_STORE : LOAD;
	if (bits & OP_STORE)
		return STORE;
	return bits & OP_PREFETCH ? PREFETCH : bits & OP_EXEC ? EXEC : OTHER_OP;
}

static enum cache cache_of(uint64_t src)
{
	static const uint8_t kind_plus_1[16] = {
		[1] = L1 + 1, [2] = L2 + 1,        [3] = L3 + 1,
		[4] = L4 + 1, [5] = L2_BUFFER + 1, [12] = L1_BUFFER + 1};
	unsigned bits = PFX_MEM_LEVELS(src), known = kind_plus_1[PFX_MEM_NUMBER(src)];

	if (known)
		return (enum cache)(known - 1);
	if (bits & LEVEL_L1)
		return L1;
	if (bits & LEVEL_BUFFER)
		return L1_BUFFER;
	return bits & LEVEL_L2 ? L2 : bits & LEVEL_L3 ? L3 : OTHER_CACHE;
}

static enum memory memory_of(uint64_t src)
{
	static const uint8_t kind_plus_1[16] = {[6] = MSC + 1, [8] = UNCACHED + 1, [9] = CXL + 1,
						[10] = IO + 1, [13] = RAM + 1,     [14] = PMEM + 1};
	unsigned bits = PFX_MEM_LEVELS(src), known = kind_plus_1[PFX_MEM_NUMBER(src)];

	if (known)
		return (enum memory)(known - 1);
	if (bits & LEVEL_RAM)
		return RAM;
	return bits & LEVEL_IO ? IO : bits & LEVEL_UNCACHED ? UNCACHED : OTHER_MEMORY;
}

static enum snoop snoop_of(uint64_t src)
{
	unsigned bits = PFX_MEM_SNOOP(src);

	if (bits & SNOOP_HIT_MODIFIED)
		return HIT_MODIFIED;
	return bits & SNOOP_HIT ? HIT : bits & SNOOP_MISS ? MISS : OTHER_SNOOP;
}

static enum tlb tlb_of(uint64_t src)
{
	unsigned bits = PFX_MEM_TLB(src);
	bool first = bits & TRANSLATION_L1, second = bits & TRANSLATION_L2;

	if (!(bits & TRANSLATION_HIT))
		return bits & TRANSLATION_MISS ? TLB_MISS : OTHER_TLB;
	if (first == second)
		return TLB_HIT;
	return first ? L1_TLB_HIT : L2_TLB_HIT;
}

unsigned pfx_access_kind(enum pfx_access_field field, uint64_t data_src)
{
	switch (field) {
	case PFX_ACCESS_OP:
		return op_of(data_src);
	case PFX_ACCESS_CACHE:
		return cache_of(data_src);
	case PFX_ACCESS_MEMORY:
		return memory_of(data_src);
	case PFX_ACCESS_SNOOP:
		return snoop_of(data_src);
	default:
		return tlb_of(data_src);
	}
}
