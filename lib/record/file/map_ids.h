/* SPDX-License-Identifier: MIT */
/*
 * Build IDs for synthesized map records. Each file is read once, even if many processes map it.
 */
#ifndef PFX_RECORD_MAP_IDS_H
#define PFX_RECORD_MAP_IDS_H

#include "base/alloc.h"
#include "base/hash.h"
#include "event/record.h"
#include "sym/elf/buildid.h"

/* Zero-initialize. */
struct pfx_map_ids {
	struct pfx_hash by_file; /* device, inode and name to an index in `ids` */
	PFX_VEC(struct pfx_build_id) ids;
};

/* A pfx_synth_build_id_fn; @context is a struct pfx_map_ids. */
uint8_t pfx_map_ids_find(void *context, const struct pfx_mmap *map, uint8_t *ret);
void pfx_map_ids_fini(struct pfx_map_ids *ids);

#endif
