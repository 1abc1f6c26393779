/* SPDX-License-Identifier: MIT */
/*
 * What a recorder wants to know of the bytes it passes on, without reading the file again: how many
 * samples and losses, the first and last time, and which binaries samples and their data fell into.
 * The tally owns what it keeps; the meta is borrowed and must have all its events.
 */
#ifndef PFX_RECORD_TALLY_H
#define PFX_RECORD_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "event/meta.h"
#include "record/sink/carry.h"
#include "sym/jit/jit_files.h"

/* Where a sample's fields lie, in words from the start of its body; -1: not there. */
struct pfx_tally_layout {
	int ip, tid, time, addr, chain;
	bool has_trailer_tid; /* other records have the process, too, at the start of the trailer */
};

/* A file, or the kernel or one of its modules, that was mapped. */
struct pfx_tally_dso {
	uint32_t name; /* in the tally's names */
	uint16_t cpumode;
	bool hit;
	uint32_t pid;             /* one that mapped it */
	uint64_t start, end, ino; /* where it did, and which file; ino is 0 where unknown */
	int fd;                   /* the file itself, when it is in a container; else -1 */
	bool is_placed;           /* it is known whether it is in one */
	bool has_others;          /* other files were mapped under this name too */
	uint8_t build_id[PFX_BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: not in the record */
};

struct pfx_tally_map {
	uint32_t pid;
	uint32_t dso;
	uint64_t start, end;
};

#define PFX_TALLY_MAKER_HIT   1u
#define PFX_TALLY_MAKER_SHIFT 1
#define PFX_TALLY_MAKERS_MAX  (1u << 16)

#define PFX_TALLY_FDS 512 /* files of containers that are held open */
/* A process in a container that has code of its own, as it was when that was met. */
struct pfx_tally_view {
	uint32_t pid;
	int fd; /* its /tmp */
	struct pfx_jit_view view;
};

#define PFX_TALLY_SEEN (1u << 12)
#define PFX_TALLY_MOST (1u << 16) /* a few MiB */

struct pfx_tally {
	uint64_t nr_samples;
	uint64_t nr_lost;      /* by LOST and LOST_SAMPLES records */
	uint64_t nr_throttled; /* THROTTLE records */
	/* Call chains with frames of user space, in samples or after them; with wants_hits only. */
	uint64_t nr_user_chains;
	uint64_t nr_lone_chains;    /* of them, those that have no caller there */
	uint64_t nr_bad;            /* damaged places in the ring buffer */
	uint64_t first_ns, last_ns; /* of samples; first is PFX_NO_TIME while there is none */

	struct pfx_carry *carry; /* gets what is about threads; borrowed, NULL: nobody wants it */
	const struct pfx_meta *meta;
	struct pfx_tally_layout *layouts; /* by event */
	bool is_uniform;                  /* all events that sample have layouts[uniform] */
	uint32_t uniform;
	bool wants_hits;
	uint64_t seen[PFX_TALLY_SEEN]; /* pages met lately, so that most samples end here */
	struct pfx_hash pages;         /* all pages met */
	struct pfx_intern names;
	struct pfx_hash dso_by_name;
	uint64_t mount_ns; /* ours */
	uint32_t nr_fds;   /* of dsos */
	PFX_VEC(struct pfx_tally_dso) dsos;
	PFX_VEC(struct pfx_tally_map) maps;
	struct pfx_hash parents; /* process -> process it was forked from */
	struct pfx_hash makers;  /* process that has code of its own -> PFX_TALLY_MAKER_HIT when
				    samples are in it, and the number of its jitdump's dso plus
				    1 above that */
	PFX_VEC(struct pfx_tally_view) views; /* of makers in containers */
	struct pfx_hash dead;                 /* process that ended -> nr_trims by then */
	bool is_sorted;
	uint64_t nr_trims;
	size_t most; /* maps, pages and processes to keep before it is trimmed */
	struct pfx_buffer scratch;
};

/* @wants_hits: keep maps and pages for pfx_tally_hits(). */
void pfx_tally_init(struct pfx_tally *tally, const struct pfx_meta *meta, bool wants_hits);
/* Take the records at positions [from, to) of @data, whose size is @mask + 1 (a ring); with a mask
 * of all ones, plain memory. */
void pfx_tally_take(struct pfx_tally *tally, const uint8_t *data, uint64_t mask, uint64_t from,
		    uint64_t to);
/* Mark the dsos that samples fell into. */
void pfx_tally_hits(struct pfx_tally *tally);
/* Look at what was met so far, and forget what is not needed any more: a recording may be long.
 * Done by _take() when it has grown enough. */
void pfx_tally_trim(struct pfx_tally *tally);
void pfx_tally_fini(struct pfx_tally *tally);

#endif
