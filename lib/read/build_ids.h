/* SPDX-License-Identifier: MIT */
/* Which builds of binaries a recording needs. */
#ifndef PFX_READ_BUILD_IDS_H
#define PFX_READ_BUILD_IDS_H

#include "read/recording.h"
#include "sym/cache/keep.h"

/* The recording's table of build ids or, where it has none, the binaries that its records of maps
 * know the build ids of, for which all of it is read. Nothing is left to be read afterwards. Free
 * the list with pfx_keep_list_free(), after an error, too. */
int pfx_recording_ids(struct pfx_recording *recording, struct pfx_kept_list *ret,
		      struct pfx_error *err);

struct pfx_id_listing_options {
	bool with_hits; /* only binaries that samples are in */
	bool read_all;  /* read all records, even where the table is enough: to see damage */
};

struct pfx_id_listing {
	struct pfx_kept_list list; /* names may be there twice, ids may be missing (size 0) */
	bool from_table;           /* the recording's own; else the binaries that samples are in: */
	uint64_t nr_samples;
	uint32_t nr_hit, nr_binaries;
};

/* The build IDs of a recording as a list for people: its own table as it is or, where it has none
 * or hits are asked for, the binaries that samples are in, those of the table first. Free the list
 * with pfx_keep_list_free(), after an error, too. */
int pfx_recording_list_ids(struct pfx_recording *recording,
			   const struct pfx_id_listing_options *options, struct pfx_id_listing *ret,
			   struct pfx_error *err);

#endif
