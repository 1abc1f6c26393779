/* SPDX-License-Identifier: MIT */
/*
 * Statistics of the written records, gathered without reading the file again: the number of samples
 * and losses, the first and last time, and the binaries of the samples and of their data addresses.
 * The meta is borrowed and must contain all its events.
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

/* Offsets of a sample's fields, in words from the start of its body; -1: not present. */
struct pfx_tally_layout {
	int ip, tid, time, addr, chain;
	bool has_trailer_tid; /* the trailers of other records begin with the process */
};

/* A mapped file, or the kernel or one of its modules. */
struct pfx_tally_dso {
	uint32_t name; /* in the tally's names */
	uint16_t cpumode;
	bool hit;
	uint32_t pid;             /* a process that mapped it */
	uint64_t start, end, ino; /* its address there, and the inode, 0 if unknown */
	int fd;                   /* the file, if it is in a container; else -1 */
	bool is_placed;           /* whether it is in a container is known */
	bool has_others;          /* other files were also mapped under this name */
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

#define PFX_TALLY_FDS 512 /* maximum number of open files of containers */
/* A process with JIT code in a container: its files, opened when the code was found. */
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
	/* Call chains with user-space frames, in samples or deferred; only with wants_hits. */
	uint64_t nr_user_chains;
	uint64_t nr_lone_chains;    /* of these, chains without a user-space caller */
	uint64_t nr_bad;            /* invalid records in the ring buffer */
	uint64_t first_ns, last_ns; /* of samples; first is PFX_NO_TIME if there is none */

	struct pfx_carry *carry; /* gets the records about threads; borrowed, NULL: not needed */
	const struct pfx_meta *meta;
	struct pfx_tally_layout *layouts; /* by event */
	bool is_uniform;                  /* all sampling events have layouts[uniform] */
	uint32_t uniform;
	bool wants_hits;
	uint64_t seen[PFX_TALLY_SEEN]; /* a cache of recent pages, which most samples hit */
	struct pfx_hash pages;         /* all pages with samples */
	struct pfx_intern names;
	struct pfx_hash dso_by_name;
	uint64_t mount_ns; /* mount namespace of the recorder */
	uint32_t nr_fds;   /* open descriptors in dsos */
	PFX_VEC(struct pfx_tally_dso) dsos;
	PFX_VEC(struct pfx_tally_map) maps;
	struct pfx_hash parents; /* process -> process it was forked from */
	struct pfx_hash makers; /* process with JIT code -> PFX_TALLY_MAKER_HIT if it has samples in
				   it, and the number of its jitdump's dso plus 1 above that */
	PFX_VEC(struct pfx_tally_view) views; /* of makers in containers */
	struct pfx_hash dead;                 /* ended process -> nr_trims at its end */
	bool is_sorted;
	uint64_t nr_trims;
	size_t most; /* number of maps, pages and processes that causes a trim */
	struct pfx_buffer scratch;
};

/* @wants_hits: keep maps and pages for pfx_tally_hits(). */
void pfx_tally_init(struct pfx_tally *tally, const struct pfx_meta *meta, bool wants_hits);
/* Take the records at positions [from, to) of @data, whose size is @mask + 1 (a ring buffer); with
 * a mask of all ones, plain memory. */
void pfx_tally_take(struct pfx_tally *tally, const uint8_t *data, uint64_t mask, uint64_t from,
		    uint64_t to);
/* Mark the dsos with samples. */
void pfx_tally_hits(struct pfx_tally *tally);
/* Resolve the pages so far, and drop data that are not needed any more, to bound the memory of long
 * recordings. pfx_tally_take() does this after enough growth. */
void pfx_tally_trim(struct pfx_tally *tally);
void pfx_tally_fini(struct pfx_tally *tally);

#endif
