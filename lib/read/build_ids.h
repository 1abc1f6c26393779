/* SPDX-License-Identifier: MIT */
/* Lists the builds of binaries that a recording needs. */
#ifndef PFX_READ_BUILD_IDS_H
#define PFX_READ_BUILD_IDS_H

#include "read/recording.h"
#include "sym/cache/keep.h"

/* The recording's build ID table; without one, the build IDs in its MMAP2 records, for which all of
 * it is read. Afterwards nothing is left to read. Free the list with pfx_keep_list_free(), also
 * after an error. */
int pfx_recording_ids(struct pfx_recording *recording, struct pfx_kept_list *ret,
		      struct pfx_error *err);

struct pfx_id_listing_options {
	bool with_hits; /* only binaries with samples */
	bool read_all;  /* read all records, even if the table is enough, to detect damage */
};

struct pfx_id_listing {
	struct pfx_kept_list list; /* duplicate names and builds without an ID (size 0) occur */
	bool from_table; /* the list is the recording's table; else the binaries with samples: */
	uint64_t nr_samples;
	uint32_t nr_hit, nr_binaries;
};

/* The build IDs of a recording for display: its table; or, without a table or with `with_hits`, the
 * binaries with samples, those in the table first. Free the list with pfx_keep_list_free(), also
 * after an error. */
int pfx_recording_list_ids(struct pfx_recording *recording,
			   const struct pfx_id_listing_options *options, struct pfx_id_listing *ret,
			   struct pfx_error *err);

#endif
