/* SPDX-License-Identifier: MIT */
/*
 * Build ids for the records of maps that we make ourselves. A file is read once, however many
 * processes have mapped it.
 */
#ifndef PFX_RECORD_MAP_IDS_H
#define PFX_RECORD_MAP_IDS_H

#include "base/alloc.h"
#include "base/hash.h"
#include "event/record.h"
#include "sym/elf/buildid.h"

/* Zero knows nothing yet. */
struct pfx_map_ids {
	struct pfx_hash by_file; /* of device, inode and name: a place in `ids` */
	PFX_VEC(struct pfx_build_id) ids;
};

/* A pfx_synth_build_id_fn; @context is a struct pfx_map_ids. */
uint8_t pfx_map_ids_find(void *context, const struct pfx_mmap *map, uint8_t *ret);
void pfx_map_ids_fini(struct pfx_map_ids *ids);

#endif
