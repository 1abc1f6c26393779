/* SPDX-License-Identifier: MIT */
/* Shared by the files of a live profile: live.c has the counters, live_world.c what is known of
 * processes and addresses, live_tasks.c makes records of that. */
#ifndef PFX_LIVE_INTERNAL_H
#define PFX_LIVE_INTERNAL_H

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "live/live.h"
#include "live/live_log.h"
#include "live/live_memo.h"
#include "live/live_merge.h"
#include "record/plan/plan.h"
#include "record/plan/probes.h"
#include "sym/elf/buildid.h"
#include "sys/target/signals.h"
#include "unwind/stack_batch.h"

/* Sizes at which session and resolver are made anew. */
struct pfx_live_sizes {
	uint32_t threads, places, chains;
};

/* Of files about JIT code. */
struct pfx_live_jit {
	struct pfx_hash sizes;     /* by pid: bytes when they were looked at last */
	uint64_t next_ns, wait_ns; /* when they are looked at again */
};

struct pfx_live {
	struct pfx_live_options options;
	struct pfx_record_plan plan;
	struct pfx_record_source source;
	struct pfx_probes probes;
	struct pfx_meta *meta;
	struct pfx_signals signals;
	struct pfx_watch watch;
	bool own_only, is_paused, is_held;
	char user[16]; /* of own_only */
	struct pfx_live_merge merge;
	struct pfx_live_log log;
	uint64_t complete; /* records up to this time are complete */
	uint64_t ready;    /* samples before this time are of the start itself */
	struct pfx_live_counts counts;
	PFX_VEC(struct pfx_live_sink) sinks;

	/* What the records refer to: the kernel's part as records, and tasks as a session that is
	 * as old as the oldest record of the log. */
	struct pfx_buffer kernel;
	struct pfx_session *past;

	struct pfx_live_world world;
	struct pfx_live_world held; /* the one that was shown when it was held; zero: none */
	struct pfx_live_sizes limit;
	struct pfx_stack_batch *batch;
	struct pfx_sample sample;
	struct pfx_sample_last last;
	struct pfx_live_memo memo;
	bool replays;         /* counts of records are not made again */
	uint64_t replay_from; /* samples before this time were dropped */
	struct pfx_live_jit jit;
	PFX_VEC(uint8_t) idle; /* by place: 1 it works, 2 it waits for work */
};

/* live_tasks.c */

/* The kernel, its modules, BPF programs, cgroups. */
void pfx_live_read_kernel(struct pfx_live *live, struct pfx_buffer *to);
/* The tasks that are recorded, as they are now. */
int pfx_live_read_tasks(struct pfx_live *live, struct pfx_buffer *to, struct pfx_error *err);
/* The living tasks of a session, as records. */
void pfx_live_dump_tasks(struct pfx_session *session, const struct pfx_attr *attr,
			 struct pfx_buffer *to);
/* Apply records to a session. */
void pfx_live_apply(struct pfx_session *session, const struct pfx_meta *meta,
		    const struct pfx_buffer *records);

/* live_snapshot.c */

/* The build ID of a binary that is in use now: 0, or a negative errno. */
int pfx_live_build_id(const struct pfx_dso *dso, struct pfx_build_id *ret);

/* live_jit.c */

/* Whether the files about JIT code have more than what was read, and names are missing. */
bool pfx_live_has_new_code(struct pfx_live *live);

/* live_world.c */

/* Make the first world, of these tasks. */
void pfx_live_begin_world(struct pfx_live *live, const struct pfx_buffer *tasks);
/* Tasks of which there are no records, as they are now. */
void pfx_live_add_tasks(struct pfx_live *live, const struct pfx_buffer *tasks);
/* Whether a sample is dropped: of what is hidden, or in a function that waits for work. */
bool pfx_live_drops(struct pfx_live *live, const struct pfx_sample *sample,
		    struct pfx_thread *thread);
/* A record from a ring buffer. */
void pfx_live_take_record(void *context, struct pfx_record *rec);
/* Count the samples that wait for their stacks. */
void pfx_live_empty_batch(struct pfx_live *live);
/* After a pass: drop old records, and make the world anew if it is too large. */
void pfx_live_tidy(struct pfx_live *live);
/* The sinks age, also when the records are counted again. */
void pfx_live_age(struct pfx_live *live, bool zero);
/* Make session and resolver anew, and count the records of the log again. */
void pfx_live_renew_world(struct pfx_live *live);
/* Free the one that was held, unless it still is. */
void pfx_live_drop_held(struct pfx_live *live);
void pfx_live_end_world(struct pfx_live *live);

#endif
