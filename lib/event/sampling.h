/* SPDX-License-Identifier: MIT */
/*
 * What the words about sampling mean that stand both in options and behind events: how call chains
 * are taken, which branches are kept. Words to numbers; nothing is owned.
 */
#ifndef PFX_EVENT_SAMPLING_H
#define PFX_EVENT_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum pfx_callgraph_mode {
	PFX_CALLGRAPH_NONE,
	PFX_CALLGRAPH_FP,    /* the kernel follows frame pointers */
	PFX_CALLGRAPH_DWARF, /* registers and a part of the stack, unwound when they are read */
	PFX_CALLGRAPH_LBR,   /* the CPU's own record of calls */
};

struct pfx_stack_options {
	enum pfx_callgraph_mode mode;
	uint32_t stack_bytes; /* of a dump; used with DWARF only */
	uint16_t max_frames;  /* 0: as many as kernel.perf_event_max_stack allows */
	bool defer;           /* user space frames are taken on the way back to user space */
};

#define PFX_STACK_DEFAULT  8192
#define PFX_AUX_SAMPLE_MAX (60u << 10) /* bytes of a trace in a sample: room for the rest stays */
#define PFX_STACK_MAX      65528       /* what fits into a record's 16-bit size */

/* "fp", "dwarf", "lbr" or "no"; false for anything else. */
bool pfx_callgraph_mode_parse(const char *word, size_t len, enum pfx_callgraph_mode *ret);

/* "any_call,u" to branch_sample_type. Only levels (u, k, hv) mean all branches there. On an unknown
 * word *@ret_bad and *@ret_len say which, and false is returned. */
bool pfx_branch_filter_parse(const char *words, size_t len, uint64_t *ret, const char **ret_bad,
			     size_t *ret_len);
/* The words it knows, separated by blanks. */
const char *pfx_branch_filter_words(void);

#endif
