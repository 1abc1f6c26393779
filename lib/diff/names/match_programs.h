/* SPDX-License-Identifier: MIT */
/*
 * Finds programs that were recorded under two names: of the libraries that only one of two
 * recordings has, an old and a new one that share most of their functions.
 *
 *	pfx_programs_add(&programs, library, function, PFX_PROGRAM_OLD);	// for all of both
 *	pfx_programs_match(&programs, &new_of);
 *	pfx_programs_fini(&programs);
 */
#ifndef PFX_DIFF_NAMES_MATCH_PROGRAMS_H
#define PFX_DIFF_NAMES_MATCH_PROGRAMS_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/hash.h"

/* Where a function was sampled. */
#define PFX_PROGRAM_OLD 1u
#define PFX_PROGRAM_NEW 2u

struct pfx_program_function {
	uint32_t library, function;
};

/* Zero-initialize. */
struct pfx_programs {
	/* private */
	PFX_VEC(struct pfx_program_function) functions;
	struct pfx_hash known; /* library and function */
	struct pfx_hash where; /* by library: PFX_PROGRAM_OLD, PFX_PROGRAM_NEW */
	struct pfx_hash sizes; /* by library: the number of its functions */
};

/* A library, by any number for its name, has a function, by any number for its name. @where: of
 * which recordings; 0: of none. */
void pfx_programs_add(struct pfx_programs *programs, uint32_t library, uint32_t function,
		      unsigned where);
/* Adds to @ret, by old library, the new one that it is now. */
void pfx_programs_match(const struct pfx_programs *programs, struct pfx_hash *ret);
void pfx_programs_fini(struct pfx_programs *programs);

#endif
