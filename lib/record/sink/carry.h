/* SPDX-License-Identifier: MIT */
/*
 * Data about ended threads for the next of several files: /proc does not show their names and maps
 * any more, but their last samples may be written later. Their records are kept and copied into the
 * next file.
 */
#ifndef PFX_RECORD_CARRY_H
#define PFX_RECORD_CARRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hash.h"

/* Zero-initialize. */
struct pfx_carry {
	struct pfx_buffer records; /* of the current file, about threads, in the original order */
	size_t most;               /* size at which the records of ended threads are dropped */
	struct pfx_hash ended;     /* ended threads, by id: the number of the file with their end */
	uint64_t file;             /* the number of the current file */
};

/* Take any record of the file; @size is a multiple of 8. */
void pfx_carry_take(struct pfx_carry *carry, const uint8_t *record, size_t size);
/* The next file begins. Appends to @to the records of threads that do not run any more, if they
 * ended in the previous file or are not known to have ended. Do not pass these records to
 * pfx_carry_take(). @runs: whether a thread runs. */
void pfx_carry_switch(struct pfx_carry *carry, bool (*runs)(uint32_t tid), struct pfx_buffer *to);
void pfx_carry_fini(struct pfx_carry *carry);

#endif
