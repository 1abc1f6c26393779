/* SPDX-License-Identifier: MIT */
/* The parts of inject: state, output, and the changes. */
#ifndef PFX_REWRITE_INJECT_INTERNAL_H
#define PFX_REWRITE_INJECT_INTERNAL_H

#include "base/hash.h"
#include "rewrite/inject.h"

struct pfx_inject_ids;
struct pfx_inject_sched;
struct pfx_inject_jit;

struct pfx_inject {
	struct pfx_inject_options options;
	struct pfx_inject_result result;
	struct pfx_recording *recording;
	struct pfx_meta *meta;       /* the recording's */
	struct pfx_session *session; /* NULL: no look-ups needed */
	struct pfx_writer *writer;
	struct pfx_buffer pending; /* records that were not passed to the writer yet */
	PFX_VEC(struct pfx_env_aux_index) aux;
	struct pfx_buffer scratch;
	struct pfx_inject_ids *ids; /* NULL: no build IDs requested */
	struct pfx_hash maps_told;  /* (process, map) pairs that were written because of a sample */
	struct pfx_inject_sched *sched; /* NULL: not requested */
	struct pfx_inject_jit *jit;     /* NULL: not requested */
};

/* Whether a record is written; a negative errno is an error. */
enum pfx_inject_verdict { PFX_INJECT_DROP, PFX_INJECT_KEEP };

/* Apply the build ID options to a record, then write it unless it was dropped (inject_maps.c). */
int pfx_inject_take(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err);

/* inject_output.c */
int pfx_inject_begin(struct pfx_inject *inject, struct pfx_error *err);
/* Write a record of the input, if it is valid in this form of output. */
int pfx_inject_put(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err);
/* Write complete records that were made by inject. */
int pfx_inject_put_bytes(struct pfx_inject *inject, const struct pfx_buffer *records,
			 struct pfx_error *err);
int pfx_inject_end(struct pfx_inject *inject, struct pfx_error *err);

/* inject_ids.c: finding build IDs. */
struct pfx_inject_ids *pfx_inject_ids_new(struct pfx_inject *inject, struct pfx_error *err);
void pfx_inject_ids_free(struct pfx_inject_ids *ids);
/* The build ID of a binary by its name in an MMAP record; false when none is known. */
bool pfx_inject_id_of(struct pfx_inject *inject, const char *name, enum pfx_cpumode cpumode,
		      struct pfx_build_id *ret);
/* Write a BUILD_ID record for the binary unless one was written. */
int pfx_inject_tell_id(struct pfx_inject *inject, const char *name, enum pfx_cpumode cpumode,
		       struct pfx_error *err);
/* The input contains the binary's build ID: write no BUILD_ID record. */
void pfx_inject_skip_id(struct pfx_inject *inject, const char *name);
/* Store the written build IDs in the header of a file. */
void pfx_inject_ids_finish(struct pfx_inject *inject);

/* inject_maps.c: applies -b, --buildid-all and similar options to a record that is about to be
 * written; may write records before it. Returns a verdict or a negative errno. */
int pfx_inject_maps_take(struct pfx_inject *inject, const struct pfx_record *rec,
			 struct pfx_error *err);

/* inject_sched.c */
struct pfx_inject_sched *pfx_inject_sched_new(void);
void pfx_inject_sched_free(struct pfx_inject_sched *sched);
int pfx_inject_sched_take(struct pfx_inject *inject, const struct pfx_record *rec,
			  struct pfx_error *err);

/* inject_jit.c */
struct pfx_inject_jit *pfx_inject_jit_new(void);
void pfx_inject_jit_free(struct pfx_inject_jit *jit);
/* Detect maps of jitdumps. Returns a verdict or a negative errno. */
int pfx_inject_jit_take(struct pfx_inject *inject, const struct pfx_record *rec,
			struct pfx_error *err);
/* Write the maps of code that exists at @time. */
int pfx_inject_jit_until(struct pfx_inject *inject, uint64_t time, struct pfx_error *err);

#endif
