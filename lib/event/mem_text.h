/* SPDX-License-Identifier: MIT */
/* data_src as text: the kind of a sampled memory access and the source of its data. */
#ifndef PFX_EVENT_MEM_TEXT_H
#define PFX_EVENT_MEM_TEXT_H

#include <stdint.h>

#include "base/str.h"

/* The parts of data_src. The last three are numbers, the others bit masks. */
#define PFX_MEM_OP(src)     ((unsigned)((src)&0x1f))
#define PFX_MEM_LEVELS(src) ((unsigned)((src) >> 5 & 0x3fff))
#define PFX_MEM_SNOOP(src)  ((unsigned)((src) >> 19 & 0x1f))
#define PFX_MEM_LOCK(src)   ((unsigned)((src) >> 24 & 3))
#define PFX_MEM_TLB(src)    ((unsigned)((src) >> 26 & 0x7f))
#define PFX_MEM_SNOOPX(src) ((unsigned)((src) >> 38 & 3))
#define PFX_MEM_BLOCK(src)  ((unsigned)((src) >> 40 & 7))
#define PFX_MEM_NUMBER(src) ((unsigned)((src) >> 33 & 15)) /* of the level */
#define PFX_MEM_REMOTE(src) ((unsigned)((src) >> 37 & 1))
#define PFX_MEM_HOPS(src)   ((unsigned)((src) >> 43 & 7))

/* Each appends one part; @src has its bits in canonical positions. */
void pfx_mem_op_text(uint64_t src, struct pfx_str *to);    /* "LOAD" */
void pfx_mem_level_text(uint64_t src, struct pfx_str *to); /* "L1 or L2 hit" */
void pfx_mem_snoop_text(uint64_t src, struct pfx_str *to); /* "HitM" */
void pfx_mem_tlb_text(uint64_t src, struct pfx_str *to);   /* "L1 or L2 hit" */
void pfx_mem_lock_text(uint64_t src, struct pfx_str *to);  /* "Yes" */
void pfx_mem_block_text(uint64_t src, struct pfx_str *to); /* " Data", " Addr", " N/A" */
/* All parts: "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A". */
void pfx_mem_text(uint64_t src, struct pfx_str *to);

/* A page size, "4K"; a unit is used from two units on: 1 GiB is "1024M", as in perf. "N/A" for
 * 0. */
void pfx_mem_page_text(uint64_t size, struct pfx_str *to);

#endif
