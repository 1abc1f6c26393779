/* SPDX-License-Identifier: MIT */
/* The fields of a line of `pfx script`, and the parser of -F. */
#ifndef PFX_SCRIPT_SCRIPT_FIELDS_H
#define PFX_SCRIPT_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "event/meta.h"

/* A bit for each field; their order has no meaning. The fields are the rows of script_rows.c. */
#define PFX_SCRIPT_COMM           (1ull << 0)
#define PFX_SCRIPT_TID            (1ull << 1)
#define PFX_SCRIPT_PID            (1ull << 2)
#define PFX_SCRIPT_TIME           (1ull << 3)
#define PFX_SCRIPT_CPU            (1ull << 4)
#define PFX_SCRIPT_EVENT          (1ull << 5)
#define PFX_SCRIPT_TRACE          (1ull << 6)
#define PFX_SCRIPT_IP             (1ull << 7)
#define PFX_SCRIPT_SYM            (1ull << 8)
#define PFX_SCRIPT_DSO            (1ull << 9)
#define PFX_SCRIPT_ADDR           (1ull << 10)
#define PFX_SCRIPT_SYMOFF         (1ull << 11)
#define PFX_SCRIPT_PERIOD         (1ull << 12)
#define PFX_SCRIPT_MISC           (1ull << 13)
#define PFX_SCRIPT_WEIGHT         (1ull << 14)
#define PFX_SCRIPT_INS_LAT        (1ull << 15)
#define PFX_SCRIPT_PHYS_ADDR      (1ull << 16)
#define PFX_SCRIPT_DATA_PAGE_SIZE (1ull << 17)
#define PFX_SCRIPT_CODE_PAGE_SIZE (1ull << 18)
#define PFX_SCRIPT_BPF_OUTPUT     (1ull << 19)
#define PFX_SCRIPT_CGROUP         (1ull << 20)
#define PFX_SCRIPT_DSOFF          (1ull << 21)
#define PFX_SCRIPT_SRCLINE        (1ull << 22)
#define PFX_SCRIPT_IREGS          (1ull << 23)
#define PFX_SCRIPT_UREGS          (1ull << 24)
#define PFX_SCRIPT_BRSTACK        (1ull << 25)
#define PFX_SCRIPT_BRSTACKSYM     (1ull << 26)
#define PFX_SCRIPT_BRSTACKOFF     (1ull << 27)
#define PFX_SCRIPT_BRSTACKINSN    (1ull << 28)
#define PFX_SCRIPT_BRSTACKINSNLEN (1ull << 29)
#define PFX_SCRIPT_BRSTACKDISASM  (1ull << 30)
#define PFX_SCRIPT_FLAGS          (1ull << 31)
#define PFX_SCRIPT_DATA_SRC       (1ull << 32)
#define PFX_SCRIPT_CALLINDENT     (1ull << 33)
#define PFX_SCRIPT_INSN           (1ull << 34)
#define PFX_SCRIPT_INSNLEN        (1ull << 35)
#define PFX_SCRIPT_DISASM         (1ull << 36)
#define PFX_SCRIPT_SYNTH          (1ull << 37)
#define PFX_SCRIPT_SRCCODE        (1ull << 38)
#define PFX_SCRIPT_IPC            (1ull << 39)
#define PFX_SCRIPT_TOD            (1ull << 40)
#define PFX_SCRIPT_MACHINE_PID    (1ull << 41)
#define PFX_SCRIPT_VCPU           (1ull << 42)
#define PFX_SCRIPT_RETIRE_LAT     (1ull << 43)
#define PFX_SCRIPT_METRIC         (1ull << 44)
#define PFX_SCRIPT_BRCNTR         (1ull << 45)
#define PFX_SCRIPT_PLACE                                                          \
	(PFX_SCRIPT_SYM | PFX_SCRIPT_SYMOFF | PFX_SCRIPT_DSO | PFX_SCRIPT_DSOFF | \
	 PFX_SCRIPT_SRCLINE)

/* Branch stacks may be empty for some samples, so they are also allowed for events without them. */
#define PFX_SCRIPT_BRANCHES (PFX_SCRIPT_BRSTACK | PFX_SCRIPT_BRSTACKSYM | PFX_SCRIPT_BRSTACKOFF)

/* The instructions between the branches of a branch stack. */
#define PFX_SCRIPT_BRANCH_CODE \
	(PFX_SCRIPT_BRSTACKINSN | PFX_SCRIPT_BRSTACKINSNLEN | PFX_SCRIPT_BRSTACKDISASM)
/* All fields that need instructions. */
#define PFX_SCRIPT_CODE \
	(PFX_SCRIPT_INSN | PFX_SCRIPT_INSNLEN | PFX_SCRIPT_DISASM | PFX_SCRIPT_BRANCH_CODE)

/* Kinds of events with separate field lists. */
enum pfx_script_type {
	PFX_SCRIPT_TYPE_HW,
	PFX_SCRIPT_TYPE_SW,
	PFX_SCRIPT_TYPE_TRACE,
	PFX_SCRIPT_TYPE_CACHE,
	PFX_SCRIPT_TYPE_RAW,
	PFX_SCRIPT_TYPE_BREAK,
	PFX_SCRIPT_TYPE_SYNTH, /* made by trace decoders */
	PFX_SCRIPT_TYPE_OTHER,
	PFX_SCRIPT_NR_TYPES,
};

/* The result of -F. */
struct pfx_script_fields {
	uint64_t by_type[PFX_SCRIPT_NR_TYPES];
	uint64_t asked[PFX_SCRIPT_NR_TYPES]; /* chosen by the user, not by default */
	/* Of these, chosen for all kinds at once: an error if not recorded. */
	uint64_t required[PFX_SCRIPT_NR_TYPES];
	uint64_t removed[PFX_SCRIPT_NR_TYPES];
	bool is_set[PFX_SCRIPT_NR_TYPES];
	bool is_named[PFX_SCRIPT_NR_TYPES];  /* with the prefix TYPE: */
	bool is_listed[PFX_SCRIPT_NR_TYPES]; /* a full list, not changes of the defaults */
};

/* The fields of --json: all that were recorded, unless fields were listed. */
int pfx_script_fields_for_json(struct pfx_script_fields *fields, struct pfx_error *err);
enum pfx_script_type pfx_script_type_of(const struct pfx_attr *attr);
void pfx_script_fields_init(struct pfx_script_fields *fields);
/* Apply one -F. */
int pfx_script_fields_parse(struct pfx_script_fields *fields, const char *words,
			    struct pfx_error *err);
/* The fields of an event: without those that were not recorded. Fields that were chosen for all
 * kinds and not recorded are an error, except branch stacks, which are empty. *@ret_lacking has the
 * bits of both. */
int pfx_script_fields_for(const struct pfx_script_fields *fields, const struct pfx_event *event,
			  uint64_t *ret, uint64_t *ret_lacking, struct pfx_error *err);
const char *pfx_script_field_name(uint64_t bit);
const char *pfx_script_type_name(enum pfx_script_type type);
/* Append all words, for completion. */
void pfx_script_add_fields(struct pfx_str *to);

#endif
