/* SPDX-License-Identifier: MIT */
/*
 * Where the records of the ring buffers go while it records: into queues whose threads write. One
 * interface with two implementations: one queue for one file, or a lane for each ring buffer, with
 * a file and a thread of its own, in a directory. The disk, or the reader of a pipe, may hold the
 * threads up as long as the queues have room.
 */
#ifndef PFX_RECORD_OUTPUT_H
#define PFX_RECORD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/buffer/queue.h"
#include "record/sink/sink.h"
#include "sys/counter/ring.h"

/* Requests for the writing threads. */
enum pfx_output_request {
	PFX_OUTPUT_ASK_SWITCH,       /* continue in another file */
	PFX_OUTPUT_ASK_PAUSE,        /* events were disabled; for the off-CPU stage */
	PFX_OUTPUT_ASK_ROUND,        /* all ring buffers were read once; for the off-CPU stage */
	PFX_OUTPUT_ASK_OWN = 0x10000 /* from here on: requests that the owner answers */
};

/* Callbacks of the owner. They run on the threads of the output, one at a time, except wait(). */
struct pfx_output_owner {
	/* End the file of the sink and begin the next one. The files of lanes are the output's. */
	int (*next_file)(void *context, struct pfx_error *err);
	/* Handle a request of pfx_output_ask(); one queue only. */
	int (*answer)(void *context, size_t request, struct pfx_error *err);
	/* The size limit is reached, with @bytes written: nothing more will be written. */
	void (*reached_limit)(void *context, uint64_t bytes);
	/* The producer has been waiting for the reader of a stream; NULL: the output is a file. May
	 * end the program. */
	void (*wait)(void *context, unsigned waited_ms);
	void *context;
};

/* All of it is borrowed until the output is freed. */
struct pfx_output_setup {
	const struct pfx_output_owner *owner;
	struct pfx_sink *sink;         /* the threads' until _stop() */
	const struct pfx_rings *rings; /* after mapping */
	size_t memory;                 /* limit for all queues together, bytes */
	uint64_t max_size;             /* bytes after which recording ends, 0: unlimited */
	uint64_t switch_bytes;         /* bytes after which another file begins, 0: unlimited */
	const char *places;            /* see record/output/places.h: lanes; NULL: one queue */
	const char *dir;               /* where the lanes' files are */
	int level;                     /* of the lanes' compression, 0: none */
	int notify_fd; /* an eventfd to wake the thread that reads the ring buffers */
};

/* Bytes written to all open files. */
struct pfx_output_totals {
	uint64_t bytes;
	uint64_t original, packed; /* before and after compression */
};

struct pfx_output;

/* Start the threads. Also after an error, free the result. */
int pfx_output_new(struct pfx_output **ret, const struct pfx_output_setup *setup,
		   struct pfx_error *err);
void pfx_output_free(struct pfx_output *out);

/* --- on the thread that reads the ring buffers --- */
/* The queue for the records of a ring buffer. */
struct pfx_queue *pfx_output_queue_of(const struct pfx_output *out, size_t ring);
/* Whether readers need records that end a round: lanes have none. */
bool pfx_output_has_rounds(const struct pfx_output *out);
/* Hand over the data. Returns the error of the threads so far, if any. */
int pfx_output_flush(struct pfx_output *out, struct pfx_error *err);
/* Hand over, followed by a request for the owner. */
int pfx_output_ask(struct pfx_output *out, size_t request, struct pfx_error *err);
/* The same for PFX_OUTPUT_ASK_PAUSE and _ROUND, after the context switches. */
int pfx_output_ask_offcpu(struct pfx_output *out, enum pfx_output_request request,
			  struct pfx_error *err);
/* Request another file. False, without a request, if one is already pending. */
bool pfx_output_begin_switch(struct pfx_output *out);
/* After that, when all data for the old file are in the queue. */
void pfx_output_ask_switch(struct pfx_output *out);
/* Whether the threads request another file because of its size, once each time; lanes cannot switch
 * alone. */
bool pfx_output_is_full(struct pfx_output *out);
/* Whether the size limit was reached. */
bool pfx_output_ends(const struct pfx_output *out);
/* Wait until all is written, and end the threads. A second time it does nothing. */
int pfx_output_stop(struct pfx_output *out, struct pfx_error *err);

/* --- on the threads that write, and after _stop() --- */
/* Bytes written so far. @out may be NULL: only those of the sink. */
void pfx_output_totals(const struct pfx_output *out, const struct pfx_sink *sink,
		       struct pfx_output_totals *ret);
/* After _stop(): whether the files of lanes are still there. */
int pfx_output_check(const struct pfx_output *out, struct pfx_error *err);
/* How often all memory of the queues was full, and the maximum number of waiting bytes. */
void pfx_output_stats(const struct pfx_output *out, uint64_t *ret_full, uint64_t *ret_high);

#endif
