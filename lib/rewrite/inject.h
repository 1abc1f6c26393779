/* SPDX-License-Identifier: MIT */
/*
 * Copies a recording with additions: build IDs, JIT code, sleep times. Without options it is copied
 * unchanged, to a file or a stream.
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
	const char *input;    /* as of pfx_recording_open() */
	const char *known;    /* "ID PATH,..." or "file://FILE": build ids to use */
	const char *vmlinux;  /* the recorded kernel's image, for its build id */
	const char *kallsyms; /* or its kallsyms in the build-ID cache */
	bool build_ids,
		build_ids_all; /* as BUILD_ID records: for binaries with samples, for all maps */
	bool maps_hit,
		maps_all;   /* inside MMAP2 records: only for maps with samples, for all maps */
	bool sched_stat;    /* merge sched_stat_* into sched_switch */
	bool jit;           /* add the code in jitdumps */
	bool itrace;        /* traces were to be decoded: a recording with some is refused */
	bool force, strict; /* of the reader; force: jitdumps of other users, too */
};

/* A binary whose build ID was searched on this machine. */
struct pfx_inject_asked {
	char *name;             /* of the binary */
	struct pfx_build_id id; /* size 0: not found */
};

/* A jitdump in the recording. */
struct pfx_inject_dump {
	char *path;
	struct pfx_error refused; /* code 0: it was read; else why not (inject continues) */
	uint64_t nr_functions;
	uint64_t nr_bad; /* malformed records */
	bool cut_short;
};

struct pfx_inject_result {
	PFX_VEC(struct pfx_inject_asked) asked;
	PFX_VEC(struct pfx_inject_dump) dumps;
	struct pfx_error no_formats; /* why tracepoints are not identified; code 0: they are */
	uint64_t nr_sleeps;          /* merged */
	uint64_t nr_cut;             /* truncated records of trace data that were dropped */
	uint32_t nr_left_out;        /* header features that do not fit into a stream */
};

/* Open the input and read the build IDs in the options. */
int pfx_inject_new(struct pfx_inject **ret, const struct pfx_inject_options *options,
		   struct pfx_error *err);
void pfx_inject_free(struct pfx_inject *inject);
/* Copy the input to @writer, which the caller opens and closes. After an error the output must be
 * discarded. */
int pfx_inject_run(struct pfx_inject *inject, struct pfx_writer *writer, struct pfx_error *err);
/* The result of the run, also after an error. Valid until the inject is freed. */
const struct pfx_inject_result *pfx_inject_result(const struct pfx_inject *inject);
const struct pfx_recording *pfx_inject_recording(const struct pfx_inject *inject);

#endif
