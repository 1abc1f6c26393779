/* SPDX-License-Identifier: MIT */
/*
 * Two profiles as one, for views that show both: what they have in common is in it once. Its events
 * are those of the new profile, under their indexes, and then those of the old one. Processes,
 * threads and libraries of the old profile are those of the new one with the same name, the first
 * with the first; functions and programs also match across builds, see diff/names/build_names.h and
 * diff/names/match_programs.h. The samples of the
 * old one are moved in time, so that both begin together.
 */
#ifndef PFX_DIFF_JOIN_PROFILES_H
#define PFX_DIFF_JOIN_PROFILES_H

#include "diff/renames.h"
#include "view/profile/profile.h"

struct pfx_joined {
	struct pfx_profile *profile;
	uint32_t nr_new_events; /* event i of the old profile is event nr_new_events + i */
	/* By event of the new profile: the event of the old one that it is compared with, as an
	 * event of the joined one; PFX_NO_ID: none. Events match by name, as those that differ
	 * in precision alone do, unless a profile has both. */
	uint32_t *old_of;
};

/* Both have frames by the same, and both have times, or neither has. @renames: functions of the old
 * profile that have another name in the new one, of pfx_diff_found_renames(); NULL: none. Borrows
 * nothing. */
void pfx_profiles_join(struct pfx_joined *ret, const struct pfx_profile *new,
		       const struct pfx_profile *old, const struct pfx_diff_renames *renames);
void pfx_joined_fini(struct pfx_joined *joined);

#endif
