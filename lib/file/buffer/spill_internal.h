/* SPDX-License-Identifier: MIT */
/*
 * Memory whose content can be moved to a file without a name in $TMPDIR or /tmp, where it can still
 * be read at its address: the kernel takes the pages away and brings them back. So what waits to be
 * put in order may be larger than memory. Addresses are given out in pieces; the spill owns them.
 */
#ifndef PFX_FILE_SPILL_INTERNAL_H
#define PFX_FILE_SPILL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PFX_SPILL_PIECE ((size_t)1 << 20)
/* Bytes that may wait in memory before anything goes to the file: more than two rounds have. */
#define PFX_SPILL_ABOVE ((size_t)32 << 20)

struct pfx_extent {
	uint8_t *at;
	size_t size;
	uint64_t offset;  /* in the file */
	uint64_t in_core; /* a bit for each piece that is memory, not file */
	unsigned nr;      /* pieces given out */
	bool is_region;
};

/* All zero but `fd` (-1) is one that was not used. */
struct pfx_spill {
	int fd;
	bool impossible; /* there is no folder for the file: all stays in memory */
	bool failed;     /* it could not be written, for want of room or otherwise */
	uint64_t size;   /* of the file */
	size_t held;     /* bytes that wait in memory; the users count them */
	struct pfx_extent *extents;
	size_t nr, cap;
	uint8_t *buffer; /* of the region that is written */
	size_t fill;
};

void pfx_spill_init(struct pfx_spill *spill);
void pfx_spill_fini(struct pfx_spill *spill);
/* A file without a name: a negative errno when there is no place for it. */
int pfx_spill_open_file(void);

/* Whether so much waits that it should go to the file, and there can be one. */
bool pfx_spill_is_due(struct pfx_spill *spill);
/* PFX_SPILL_PIECE bytes of memory that can be stored later; NULL when there are none. */
uint8_t *pfx_spill_new_piece(struct pfx_spill *spill);
/* Move the first @size bytes of a piece to the file: 0 or a negative errno. They can be read as
 * before, not written. */
int pfx_spill_store(struct pfx_spill *spill, uint8_t *piece, size_t size);
/* The piece is memory again; its content is lost. NULL when it cannot be. */
uint8_t *pfx_spill_renew(struct pfx_spill *spill, uint8_t *piece);

/* A region: bytes of any length that go to the file at once. Begin one, write, and end it: then it
 * can be read at the address. 0 or a negative errno. */
int pfx_spill_begin_region(struct pfx_spill *spill);
int pfx_spill_write(struct pfx_spill *spill, const void *data, size_t size);
int pfx_spill_end_region(struct pfx_spill *spill, const uint8_t **ret);
/* The region at @at is no longer used. */
void pfx_spill_drop_region(struct pfx_spill *spill, const uint8_t *at);

/* Give the pages of what was stored back. */
void pfx_spill_drop_pages(struct pfx_spill *spill);

#endif
