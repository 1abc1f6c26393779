/* SPDX-License-Identifier: MIT */
/*
 * Words that both options and event terms use for sampling: modes of call chains, and filters of
 * branches. Converts words to numbers.
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
	PFX_CALLGRAPH_DWARF, /* a stack dump and registers, unwound when the recording is read */
	PFX_CALLGRAPH_LBR,   /* the CPU's last branch records */
};

struct pfx_stack_options {
	enum pfx_callgraph_mode mode;
	uint32_t stack_bytes; /* size of the stack dump; with DWARF only */
	uint16_t max_frames;  /* 0: the limit is kernel.perf_event_max_stack */
	bool defer;           /* user space frames are taken on the return to user space */
};

#define PFX_STACK_DEFAULT 8192
#define PFX_AUX_SAMPLE_MAX \
	(60u << 10) /* maximum bytes of AUX trace in a sample: leaves room for other fields */
#define PFX_STACK_MAX 65528 /* fits into a record's 16-bit size */

/* "fp", "dwarf", "lbr" or "no"; false for anything else. */
bool pfx_callgraph_mode_parse(const char *word, size_t len, enum pfx_callgraph_mode *ret);

/* "any_call,u" to branch_sample_type. Levels alone (u, k, hv) mean all branches at these levels.
 * For an unknown word, sets *@ret_bad and *@ret_len to the word and returns false. */
bool pfx_branch_filter_parse(const char *words, size_t len, uint64_t *ret, const char **ret_bad,
			     size_t *ret_len);
/* The accepted words, separated by blanks. */
const char *pfx_branch_filter_words(void);

#endif
