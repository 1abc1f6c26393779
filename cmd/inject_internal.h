/* SPDX-License-Identifier: MIT */
/* The parts of `pfx inject`: options and state, the output, and what each kind of change does. */
#ifndef PFX_CMD_INJECT_INTERNAL_H
#define PFX_CMD_INJECT_INTERNAL_H

#include "base/alloc.h"
#include "base/hash.h"
#include "file/order.h"
#include "file/writer.h"
#include "session/session.h"
#include "sym/buildid.h"

struct pfx_inject_ids;
struct pfx_inject_sched;
struct pfx_inject_jit;

struct pfx_inject_options {
	const char *input, *output;
	const char *known, *vmlinux, *kallsyms;
	bool build_ids, build_ids_all, maps_hit, maps_all;
	bool sched_stat, jit, force, strict;
	int verbose;
};

struct pfx_inject {
	const struct pfx_inject_options *options;
	struct pfx_reader *reader;
	struct pfx_meta *meta;       /* the reader's */
	struct pfx_order *order;     /* NULL: records go in the order of the file */
	struct pfx_session *session; /* NULL: nothing is looked up */
	struct pfx_writer *writer;
	struct pfx_buffer pending; /* records that were not handed to the writer yet */
	PFX_VEC(struct pfx_env_aux_index) aux;
	uint64_t nr_cut;     /* records whose payload the input does not have */
	uint64_t nr_records; /* read */
	uint64_t nr_bad_samples;
	struct pfx_buffer scratch;
	struct pfx_inject_ids *ids;     /* NULL: no build ids are asked for */
	struct pfx_hash maps_told;      /* (process, map) that was written when a sample hit it */
	struct pfx_inject_sched *sched; /* NULL: not asked for */
	struct pfx_inject_jit *jit;     /* NULL: not asked for */
};

/* What a change made of a record: it goes out, it does not, or an error. */
enum pfx_inject_verdict { PFX_INJECT_DROP, PFX_INJECT_KEEP };

/* cmd_inject.c: let what was asked for see a record, then write it unless it was taken away. */
int pfx_inject_take(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err);

/* inject_output.c */
int pfx_inject_begin(struct pfx_inject *inject, struct pfx_error *err);
/* Write a record of the input, if it belongs into this form of output. */
int pfx_inject_put(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err);
/* Write whole records that were made here. */
int pfx_inject_put_bytes(struct pfx_inject *inject, const struct pfx_buffer *records,
			 struct pfx_error *err);
int pfx_inject_end(struct pfx_inject *inject, struct pfx_error *err);

/* inject_places.c: what the addresses of a sample lie in. */
struct pfx_inject_place {
	const struct pfx_record *rec;
	const struct pfx_sample *sample;
	struct pfx_thread *thread;
	const struct pfx_map *map;
};
typedef int (*pfx_inject_place_fn)(struct pfx_inject *inject, const struct pfx_inject_place *place,
				   struct pfx_error *err);
/* Call @visit for the map of each address in the sample: where it was, its chain, its branches, and
 * the data it touched. Maps may come more than once. Ends early when @visit returns an error. */
int pfx_inject_visit(struct pfx_inject *inject, const struct pfx_record *rec,
		     pfx_inject_place_fn visit, struct pfx_error *err);

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
/* Say what came of it. */
void pfx_inject_sched_note(const struct pfx_inject *inject);

/* inject_jit.c */
struct pfx_inject_jit *pfx_inject_jit_new(void);
void pfx_inject_jit_free(struct pfx_inject_jit *jit);
/* Look for marks of jitdumps. Returns a verdict or an error. */
int pfx_inject_jit_take(struct pfx_inject *inject, const struct pfx_record *rec,
			struct pfx_error *err);
/* Write the maps of the code that was there at @time. */
int pfx_inject_jit_until(struct pfx_inject *inject, uint64_t time, struct pfx_error *err);

#endif
