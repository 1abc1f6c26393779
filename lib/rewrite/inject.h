/* SPDX-License-Identifier: MIT */
/*
 * A recording goes through and comes out with something added: build ids, code of JIT compilers,
 * sleeps. Without an option that adds something it comes out as it was, as a file or as a stream.
 *
 *	pfx_inject_new(&inject, &options, &err);
 *	pfx_writer_open(&writer, path, &err);
 *	pfx_inject_run(inject, writer, &err);
 *	... pfx_inject_result(inject) ...
 *	pfx_inject_free(inject);
 */
#ifndef PFX_REWRITE_INJECT_H
#define PFX_REWRITE_INJECT_H

#include "base/alloc.h"
#include "file/writer/writer.h"
#include "read/recording.h"
#include "sym/elf/buildid.h"

struct pfx_inject;

/* All strings are borrowed until the run is over. */
struct pfx_inject_options {
	const char *input;             /* as of pfx_recording_open() */
	const char *known;             /* "ID PATH,..." or "file://FILE": build ids to use */
	const char *vmlinux;           /* the recorded kernel's image, for its build id */
	const char *kallsyms;          /* or its symbols in the build-id cache */
	bool build_ids, build_ids_all; /* as BUILD_ID records: of what was hit, of all maps */
	bool maps_hit, maps_all;       /* inside MMAP2 records: only maps that were hit, all maps */
	bool sched_stat;               /* merge sched_stat_* into sched_switch */
	bool jit;                      /* the code that jitdumps describe */
	bool force, strict;            /* of the reader; force: jitdumps of other users, too */
};

/* A build id that this machine was asked for. */
struct pfx_inject_asked {
	char *name;             /* of the binary */
	struct pfx_build_id id; /* size 0: not found */
};

/* A jitdump that the recording names. */
struct pfx_inject_dump {
	char *path;
	struct pfx_error refused; /* code 0: it was read; else why not, and the rest goes on */
	uint64_t nr_functions;
	uint64_t nr_bad; /* records without sense */
	bool cut_short;
};

struct pfx_inject_result {
	PFX_VEC(struct pfx_inject_asked) asked;
	PFX_VEC(struct pfx_inject_dump) dumps;
	struct pfx_error
		no_formats;   /* why tracepoints could not be told apart; code 0: they could */
	uint64_t nr_sleeps;   /* merged */
	uint64_t nr_cut;      /* trace data that is left out: its end is missing */
	uint32_t nr_left_out; /* header features that are too long for a stream */
};

/* Open the input and read which build ids are known. */
int pfx_inject_new(struct pfx_inject **ret, const struct pfx_inject_options *options,
		   struct pfx_error *err);
void pfx_inject_free(struct pfx_inject *inject);
/* Copy all of it to @writer, which is opened and stays the caller's. After an error the output is
 * discarded. */
int pfx_inject_run(struct pfx_inject *inject, struct pfx_writer *writer, struct pfx_error *err);
/* What the run met, also one that failed. Valid until the inject is freed. */
const struct pfx_inject_result *pfx_inject_result(const struct pfx_inject *inject);
const struct pfx_recording *pfx_inject_recording(const struct pfx_inject *inject);

#endif
