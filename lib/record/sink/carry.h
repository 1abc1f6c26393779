/* SPDX-License-Identifier: MIT */
/*
 * What the next of several files has to know of threads that are gone when it begins: /proc does
 * not show their names and maps any more, but samples of theirs may still be on their way. The
 * records with them are kept, and put into the next file.
 */
#ifndef PFX_RECORD_CARRY_H
#define PFX_RECORD_CARRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hash.h"

/* Zero is one that has nothing. */
struct pfx_carry {
	struct pfx_buffer records; /* of the current file, about threads, as they came */
	size_t most;               /* bytes of them from which on those of the dead are dropped */
	struct pfx_hash ended;     /* threads that ended, by id: the file in which they did */
	uint64_t file;             /* the number of the current file */
};

/* Take a record of the file, of whatever type; @size is a multiple of 8. */
void pfx_carry_take(struct pfx_carry *carry, const uint8_t *record, size_t size);
/* The next file begins. Appends to @to the records of threads that do not run any more, and ended
 * in the file before or are not known to have ended: these are not to be taken again. @runs:
 * whether a thread does. */
void pfx_carry_switch(struct pfx_carry *carry, bool (*runs)(uint32_t tid), struct pfx_buffer *to);
void pfx_carry_fini(struct pfx_carry *carry);

#endif
