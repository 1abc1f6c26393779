/* SPDX-License-Identifier: MIT */
/* Shared by the two implementations of an output. */
#ifndef PFX_RECORD_OUTPUT_INTERNAL_H
#define PFX_RECORD_OUTPUT_INTERNAL_H

#include "record/output/output.h"

/* Functions of an implementation. Its object begins with a struct pfx_output. */
struct pfx_output_form {
	bool has_rounds;
	struct pfx_queue *(*queue_of)(const struct pfx_output *out, size_t ring);
	int (*flush)(struct pfx_output *out, struct pfx_error *err);
	void (*ask_switch)(struct pfx_output *out);
	/* May be called again. */
	int (*stop)(struct pfx_output *out, struct pfx_error *err);
	void (*add_totals)(const struct pfx_output *out, struct pfx_output_totals *totals);
	int (*check)(const struct pfx_output *out, struct pfx_error *err);
	void (*free)(struct pfx_output *out);
};

struct pfx_output {
	const struct pfx_output_form *form;
	struct pfx_output_setup setup;
	bool is_over; /* owned by the writing threads: the size limit was reached */
	/* Atomic, between the threads. */
	bool switching; /* another file was requested */
	bool full;      /* the size for another file is reached */
	bool ends;      /* the recording is to end */
	/* Valid after the threads have ended. */
	uint64_t nr_full, high;
};

/* Make an implementation; *@ret is set even after an error. */
int pfx_output_new_queue(struct pfx_output **ret, const struct pfx_output_setup *setup,
			 struct pfx_error *err);
int pfx_output_new_lanes(struct pfx_output **ret, const struct pfx_output_setup *setup,
			 struct pfx_error *err);

/* Wake the thread that reads the ring buffers. */
void pfx_output_wake(const struct pfx_output *out);
/* Called when all open files have @bytes: whether the limit is reached and recording ends. */
bool pfx_output_limit(struct pfx_output *out, uint64_t bytes);
/* Whether @bytes are enough for another file. With ring buffers that keep the newest records, the
 * other thread checks it. */
bool pfx_output_wants_switch(const struct pfx_output *out, uint64_t bytes);
/* Add the statistics of a queue that has ended. */
void pfx_output_add_stats(struct pfx_output *out, struct pfx_queue *queue);
/* The next file has begun. */
void pfx_output_switched(struct pfx_output *out);

#endif
