/* SPDX-License-Identifier: MIT */
/* The parts of inject: state, the output, and what each kind of change does. */
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
	struct pfx_session *session; /* NULL: nothing is looked up */
	struct pfx_writer *writer;
	struct pfx_buffer pending; /* records that were not handed to the writer yet */
	PFX_VEC(struct pfx_env_aux_index) aux;
	struct pfx_buffer scratch;
	struct pfx_inject_ids *ids;     /* NULL: no build ids are asked for */
	struct pfx_hash maps_told;      /* (process, map) that was written when a sample hit it */
	struct pfx_inject_sched *sched; /* NULL: not asked for */
	struct pfx_inject_jit *jit;     /* NULL: not asked for */
};

/* What a change made of a record: it goes out, it does not, or an error. */
enum pfx_inject_verdict { PFX_INJECT_DROP, PFX_INJECT_KEEP };

/* inject_maps.c: let what was asked of build ids see a record, then write it unless it was taken
 * away. */
int pfx_inject_take(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err);

/* inject_output.c */
int pfx_inject_begin(struct pfx_inject *inject, struct pfx_error *err);
/* Write a record of the input, if it belongs into this form of output. */
int pfx_inject_put(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err);
/* Write whole records that were made here. */
int pfx_inject_put_bytes(struct pfx_inject *inject, const struct pfx_buffer *records,
			 struct pfx_error *err);
int pfx_inject_end(struct pfx_inject *inject, struct pfx_error *err);

/* inject_ids.c: which build ids there are. */
struct pfx_inject_ids *pfx_inject_ids_new(struct pfx_inject *inject, struct pfx_error *err);
void pfx_inject_ids_free(struct pfx_inject_ids *ids);
/* The build id of a binary named as a MMAP record names it; false when it has none. */
bool pfx_inject_id_of(struct pfx_inject *inject, const char *name, enum pfx_cpumode cpumode,
		      struct pfx_build_id *ret);
/* Write a BUILD_ID record for the binary unless that has been done. */
int pfx_inject_tell_id(struct pfx_inject *inject, const char *name, enum pfx_cpumode cpumode,
		       struct pfx_error *err);
/* The binary's build id stands in a record of the input: nothing is to be told. */
void pfx_inject_skip_id(struct pfx_inject *inject, const char *name);
/* Put what was told into the header of a file. */
void pfx_inject_ids_finish(struct pfx_inject *inject);

/* inject_maps.c: what -b, --buildid-all and their kin do to a record that is about to be written.
 * Records may be written before it. Returns a verdict or an error. */
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
/* Look for marks of jitdumps. Returns a verdict or an error. */
int pfx_inject_jit_take(struct pfx_inject *inject, const struct pfx_record *rec,
			struct pfx_error *err);
/* Write the maps of the code that was there at @time. */
int pfx_inject_jit_until(struct pfx_inject *inject, uint64_t time, struct pfx_error *err);

#endif
