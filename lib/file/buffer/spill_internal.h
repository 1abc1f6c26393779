/* SPDX-License-Identifier: MIT */
/*
 * Memory whose content can be moved to an unnamed file in $TMPDIR or /tmp, which is mapped at the
 * same address: the kernel can then evict the pages. So the records that wait to be ordered may
 * exceed memory. Memory is allocated in pieces; the spill owns them.
 */
#ifndef PFX_FILE_SPILL_INTERNAL_H
#define PFX_FILE_SPILL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PFX_SPILL_PIECE ((size_t)1 << 20)
/* Bytes that may wait in memory before any are moved to the file: more than two rounds have. */
#define PFX_SPILL_ABOVE ((size_t)32 << 20)

struct pfx_extent {
	uint8_t *at;
	size_t size;
	uint64_t offset;  /* in the file */
	uint64_t in_core; /* a bit for each piece that is still plain memory */
	unsigned nr;      /* pieces allocated */
	bool is_region;
};

/* Unused: all zero except `fd`, which is -1. */
struct pfx_spill {
	int fd;
	bool impossible; /* no directory for the file: all stays in memory */
	bool failed;     /* the file could not be written, for example on a full disk */
	uint64_t size;   /* of the file */
	size_t held;     /* bytes that wait in memory; counted by the users */
	struct pfx_extent *extents;
	size_t nr, cap;
	uint8_t *buffer; /* of the region that is being written */
	size_t fill;
};

void pfx_spill_init(struct pfx_spill *spill);
void pfx_spill_fini(struct pfx_spill *spill);

/* Whether enough bytes wait to move some to the file, and a file is possible. */
bool pfx_spill_is_due(struct pfx_spill *spill);
/* PFX_SPILL_PIECE bytes of memory that can be stored later; NULL on failure. */
uint8_t *pfx_spill_new_piece(struct pfx_spill *spill);
/* Move the first @size bytes of a piece to the file: 0 or a negative errno. They become
 * read-only. */
int pfx_spill_store(struct pfx_spill *spill, uint8_t *piece, size_t size);
/* Make the piece plain memory again; its content is lost. NULL on failure. */
uint8_t *pfx_spill_renew(struct pfx_spill *spill, uint8_t *piece);

/* A region: bytes of any length that are written directly to the file. Begin one, write, and end
 * it: then it is mapped at the returned address. 0 or a negative errno. */
int pfx_spill_begin_region(struct pfx_spill *spill);
int pfx_spill_write(struct pfx_spill *spill, const void *data, size_t size);
int pfx_spill_end_region(struct pfx_spill *spill, const uint8_t **ret);
/* The region at @at is no longer used. */
void pfx_spill_drop_region(struct pfx_spill *spill, const uint8_t *at);

/* Drop the resident pages of stored bytes. */
void pfx_spill_drop_pages(struct pfx_spill *spill);

#endif
