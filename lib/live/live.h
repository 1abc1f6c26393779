/* SPDX-License-Identifier: MIT */
/*
 * A live profile: samples of the running system, counted as they come, without a file. It reads the
 * ring buffers, applies records to a session in order of time, and hands samples to sinks, which
 * keep bounded numbers. The newest records are kept as bytes, for a snapshot.
 *
 * Memory is bounded: processes that ended, their maps, and addresses and call chains that were
 * sampled once are forgotten. To forget, the session and the resolver are made anew from the
 * processes that live and the newest records.
 *
 *	rc = pfx_live_new(&live, &options, &err);
 *	rc = pfx_live_start(live, &err);
 *	pfx_live_add_sink(live, &sink);
 *	while (pfx_live_wait(live, timeout, &wake, &err) >= 0) {
 *		pfx_live_take(live);
 *		if (is_time)
 *			pfx_live_refresh(live, false);	// then show the sinks
 *	}
 *
 * All calls come from one thread. It prints nothing: news go to the observer of the recorder.
 */
#ifndef PFX_LIVE_H
#define PFX_LIVE_H

#include "base/error.h"
#include "live/live_sink.h"
#include "read/event_switch.h"
#include "record/options/recorder_news.h"
#include "record/options/recorder_options.h"
#include "sys/counter/watch.h"

struct pfx_live;
struct pfx_record_machine;

/* Everything is borrowed for as long as the live profile lives. */
struct pfx_live_options {
	/* Target, events and contents of samples. The clock is set to CLOCK_MONOTONIC, and without
	 * permission for the whole system, the target to the user's own processes. */
	struct pfx_recorder_options *record;
	const struct pfx_recorder_observer *observer;
	struct pfx_resolve_options resolve;
	struct pfx_event_switch *event_switch; /* NULL: none */
	bool hide_kernel, hide_user;           /* drop samples of the kernel, of user space */
	bool show_idle;             /* also count samples in functions that wait for work */
	uint64_t log_bytes, log_ns; /* limits of the records that are kept; 0: the defaults */
};

/* Since the start. */
struct pfx_live_counts {
	uint64_t nr_samples, nr_kernel, nr_user, nr_guest; /* all that were taken */
	uint64_t nr_exact;                                 /* with the exact address */
	uint64_t nr_lost;      /* records and samples that the kernel could not store */
	uint64_t nr_throttled; /* times that the kernel paused an event */
	uint64_t nr_bad;       /* samples that could not be decoded, and damaged places */
	uint64_t nr_worlds;    /* times that session and resolver were made */
};

/* Why pfx_live_wait() returned. */
struct pfx_live_wake {
	int signal; /* SIGINT, SIGTERM, SIGHUP, SIGUSR2; 0: none */
	bool ended; /* all targets have ended */
	/* There is something to read from the terminal of pfx_live_watch_terminal(), or it has
	 * another size. */
	bool input;
};

/* Resolve probes and check the options. An error is about the options; *@ret is NULL then. */
int pfx_live_new(struct pfx_live **ret, const struct pfx_live_options *options,
		 struct pfx_error *err);
/* The same with another implementation of the kernel's interface, for tests. */
int pfx_live_new_on(struct pfx_live **ret, const struct pfx_record_machine *machine,
		    const struct pfx_live_options *options, struct pfx_error *err);
void pfx_live_free(struct pfx_live *live);
/* Open the counters, read the running tasks, begin. Signals that end the program are taken from now
 * on: pfx_live_wait() reports them. */
int pfx_live_start(struct pfx_live *live, struct pfx_error *err);
/* After an error of start. */
enum pfx_recorder_blame pfx_live_blame(const struct pfx_live *live);
/* Samples from now on are also for this sink, which is copied. */
void pfx_live_add_sink(struct pfx_live *live, const struct pfx_live_sink *sink);
/* Also wait for input on @fd and for SIGWINCH, which is blocked otherwise. */
int pfx_live_watch_terminal(struct pfx_live *live, int fd, struct pfx_error *err);
/* Wait for input no longer. */
void pfx_live_forget_terminal(struct pfx_live *live, int fd);

/* Wait until a ring buffer fills, or something else happens, at most @timeout_ms. */
int pfx_live_wait(struct pfx_live *live, int timeout_ms, struct pfx_live_wake *ret,
		  struct pfx_error *err);
/* Take the records that are complete: all that are older than the previous call. */
void pfx_live_take(struct pfx_live *live);
/* From now on keep what the sinks show usable: when session and resolver are made anew, the present
 * ones stay besides; false: until the next refresh. */
void pfx_live_hold(struct pfx_live *live, bool held);
/* Let the sinks age, unless the events are stopped. */
void pfx_live_refresh(struct pfx_live *live, bool zero);
/* Stop or start all events. While they are stopped, nothing ages, and the newest records are kept.
 */
int pfx_live_pause(struct pfx_live *live, bool paused, struct pfx_error *err);
/* Change what is dropped. */
void pfx_live_hide(struct pfx_live *live, bool kernel, bool user);

/* The counts so far. */
const struct pfx_live_counts *pfx_live_counts(const struct pfx_live *live);
/* Valid until the next call of pfx_live_take(). */
const struct pfx_live_world *pfx_live_world(const struct pfx_live *live);
/* Number of CPUs or threads with a ring buffer. */
size_t pfx_live_nr_rings(const struct pfx_live *live);
/* Whether only the processes of the user are shown, for lack of permission. */
bool pfx_live_is_own_only(const struct pfx_live *live);
/* kernel.perf_event_paranoid */
int pfx_live_paranoid(const struct pfx_live *live);

#endif
