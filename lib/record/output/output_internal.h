/* SPDX-License-Identifier: MIT */
/* What the two implementations of an output share. */
#ifndef PFX_RECORD_OUTPUT_INTERNAL_H
#define PFX_RECORD_OUTPUT_INTERNAL_H

#include "record/output/output.h"

/* An implementation. Its object begins with a struct pfx_output. */
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
	bool is_over; /* the threads' that write: the size limit was reached */
	/* Atomic, between the threads. */
	bool switching; /* another file was asked for */
	bool full;      /* another file is wanted */
	bool ends;      /* the recording is to end */
	/* Known once the threads have ended. */
	uint64_t nr_full, high;
};

/* Make an implementation; *@ret is set even after an error. */
int pfx_output_new_queue(struct pfx_output **ret, const struct pfx_output_setup *setup,
			 struct pfx_error *err);
int pfx_output_new_lanes(struct pfx_output **ret, const struct pfx_output_setup *setup,
			 struct pfx_error *err);

/* Wake the thread that empties the ring buffers. */
void pfx_output_wake(const struct pfx_output *out);
/* Once @bytes are in all files that are open: whether that is the limit, and it is over. */
bool pfx_output_limit(struct pfx_output *out, uint64_t bytes);
/* Whether that is enough for another file. With ring buffers that keep the newest records it is
 * the other thread that looks. */
bool pfx_output_wants_switch(const struct pfx_output *out, uint64_t bytes);
/* A queue has ended. */
void pfx_output_add_stats(struct pfx_output *out, struct pfx_queue *queue);
/* The next file has begun. */
void pfx_output_switched(struct pfx_output *out);

#endif
