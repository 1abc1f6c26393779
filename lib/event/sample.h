/* SPDX-License-Identifier: MIT */
/*
 * SAMPLE records. The layout depends on attr.sample_type (see the table in sample.c). Decoding
 * copies numbers and borrows the variable-size fields from the record; it does not allocate.
 */
#ifndef PFX_EVENT_SAMPLE_H
#define PFX_EVENT_SAMPLE_H

#include "event/attr.h"
#include "event/record.h"

struct pfx_regs {
	uint64_t abi;  /* 0 none, 1 32-bit, 2 64-bit */
	uint64_t mask; /* bit mask of the registers, from the attr */
	struct pfx_words values;
};

/* One entry of a branch stack, flags in canonical little-endian positions. */
struct pfx_branch {
	uint64_t from, to, flags;
};
#define pfx_branch_mispred(b)   ((b)->flags & 1)
#define pfx_branch_predicted(b) ((b)->flags >> 1 & 1)
#define pfx_branch_in_tx(b)     ((b)->flags >> 2 & 1)
#define pfx_branch_abort(b)     ((b)->flags >> 3 & 1)
#define pfx_branch_cycles(b)    ((b)->flags >> 4 & 0xffff)
#define pfx_branch_type(b)      ((b)->flags >> 20 & 0xf)
#define pfx_branch_spec(b)      ((b)->flags >> 24 & 3)
#define pfx_branch_new_type(b)  ((b)->flags >> 26 & 0xf)
#define pfx_branch_priv(b)      ((b)->flags >> 30 & 7)

struct pfx_branch_stack {
	uint64_t nr;
	uint64_t hw_idx;           /* -1 if not recorded */
	struct pfx_bytes entries;  /* 24 bytes each; see pfx_branch_at() */
	struct pfx_words counters; /* nr 0 if not recorded */
	bool swap;
	uint64_t type; /* attr.branch_sample_type */
};

struct pfx_sample {
	uint64_t type; /* attr.sample_type: which of the fields below are present */
	enum pfx_cpumode cpumode;
	uint16_t misc;
	uint64_t ip;
	uint32_t pid, tid; /* (uint32_t)-1 if not recorded */
	uint64_t time;     /* ns, PFX_NO_TIME if not recorded */
	uint64_t addr;
	uint64_t id, stream_id;
	uint32_t cpu;              /* (uint32_t)-1 if not recorded */
	uint64_t period;           /* attr.sample_period if not recorded */
	uint64_t weight;           /* WEIGHT, or the first part of WEIGHT_STRUCT */
	uint16_t weight2, weight3; /* the other parts of WEIGHT_STRUCT */
	uint64_t data_src;         /* canonical little-endian bit positions */
	uint64_t transaction;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size, code_page_size; /* bytes */
	struct pfx_words chain;                  /* innermost frame first, with context markers */
	struct pfx_bytes raw;
	struct pfx_branch_stack branch;
	struct pfx_regs regs_user, regs_intr;
	struct pfx_bytes stack;  /* the stack dump */
	uint64_t stack_dyn_size; /* the bytes of it that the kernel could fill */
	struct pfx_bytes aux;
	struct pfx_bytes read_bytes; /* SAMPLE_READ values; pfx_sample_read() decodes them */
	bool swap;
};

/* Decode a SAMPLE record by its attr. False when it does not fit: a bad sample, which the caller
 * should count. Fields from the first unknown bit of sample_type on are not decoded. */
bool pfx_sample_decode(const struct pfx_record *rec, const struct pfx_attr *attr,
		       struct pfx_sample *ret);
/* The same for a sequence of samples, which reuses @ret: the caller must not change it, since
 * fields that samples of the same attr cannot have are not set again. Initialize @last with
 * zero. */
struct pfx_sample_last {
	const struct pfx_attr *attr; /* NULL: unknown, all fields are set */
	uint32_t nr_fixed;           /* words of its samples that always are there */
};
bool pfx_sample_decode_next(const struct pfx_record *rec, const struct pfx_attr *attr,
			    struct pfx_sample_last *last, struct pfx_sample *ret);
/* The counter values of SAMPLE_READ. */
bool pfx_sample_read(const struct pfx_sample *sample, const struct pfx_attr *attr,
		     struct pfx_read *ret);
/* Append a SAMPLE record with the fields that attr.sample_type requires; word arrays are converted.
 * Returns false and appends nothing if it is too long for a record. */
bool pfx_sample_encode(const struct pfx_sample *sample, const struct pfx_attr *attr,
		       struct pfx_buffer *to);
/* Entry @i of a branch stack. */
struct pfx_branch pfx_branch_at(const struct pfx_branch_stack *stack, uint64_t i);
/* "COND", "CALL", "ARCH_1"; "" if unknown. */
const char *pfx_branch_type_name(const struct pfx_branch *branch);

#endif
