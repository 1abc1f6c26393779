/* SPDX-License-Identifier: MIT */
/* Functions of side 0 that have another name in the other sides. */
#ifndef PFX_DIFF_RENAMES_H
#define PFX_DIFF_RENAMES_H

#include "base/alloc.h"
#include "base/hash.h"

struct pfx_diff_renames {
	struct pfx_intern old;     /* names */
	PFX_VEC(char *) new_names; /* by id of the old one */
};

/* The new name of a function; the same if it was not renamed. */
const char *pfx_diff_renamed(const struct pfx_diff_renames *renames, const char *name);
void pfx_diff_renames_fini(struct pfx_diff_renames *renames);

#endif
