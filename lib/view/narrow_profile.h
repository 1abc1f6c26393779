/* SPDX-License-Identifier: MIT */
/* What filters leave, as a profile of its own, for handing it on: it has no name of a process,
 * thread, binary, function or source file that only other samples have. */
#ifndef PFX_VIEW_NARROW_PROFILE_H
#define PFX_VIEW_NARROW_PROFILE_H

#include "view/select/selection.h"

/* The caller frees it; it needs neither the selection nor its profile. NULL: the selection leaves
 * out nothing. Events have the indexes that they had, and those that are not chosen have no name.
 * The times of the recording stay. */
struct pfx_profile *pfx_profile_narrow(const struct pfx_selection *selection);

#endif
