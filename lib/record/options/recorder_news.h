/* SPDX-License-Identifier: MIT */
/*
 * Messages of a recorder to its observer, which decides what to print. Pointers are valid during
 * the call; names are untrusted text.
 */
#ifndef PFX_RECORD_RECORDER_NEWS_H
#define PFX_RECORD_RECORDER_NEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pfx_counters;
struct pfx_meta;

/* The used members of the news are in brackets; the others are zero. */
enum pfx_recorder_tag {
	/* --- before the first sample, in this order --- */
	PFX_RECORDER_EVENT_NOT_FOLLOWED, /* [name] a probe is not inherited by new processes */
	PFX_RECORDER_TARGET_CHOSEN,      /* [on] all threads on the CPUs, not only some */
	PFX_RECORDER_RATE_LOWERED,       /* [number] samples per second requested, [taken] used */
	PFX_RECORDER_EVENT_COUNTS_ONLY,  /* [name] has terms that only affect counts */
	PFX_RECORDER_NO_LBR,             /* call chains use frame pointers instead */
	PFX_RECORDER_OPENED,             /* [opened] */
	PFX_RECORDER_OUTPUT_WAITS,       /* [name] a named pipe without a reader */
	PFX_RECORDER_NO_TRACE_TIMES,     /* the kernel does not support the clock of the trace */
	PFX_RECORDER_NO_KERNEL_SYMBOLS,  /* [err] why */
	PFX_RECORDER_NO_SLEEP_CHAINS,    /* [code] kernel.perf_event_paranoid forbids them */
	PFX_RECORDER_MEMORY,             /* [number] bytes of memory for waiting output */
	PFX_RECORDER_WAITS,              /* recording until a signal: there is no workload */
	/* --- while it records --- */
	PFX_RECORDER_NO_PRIORITY,     /* [code] an errno: no real-time priority */
	PFX_RECORDER_SWITCHED,        /* [on] all events */
	PFX_RECORDER_EVENT_SWITCHED,  /* [name, on] */
	PFX_RECORDER_EVENT_UNKNOWN,   /* [name] unknown event in a control command */
	PFX_RECORDER_EVENTS_WANTED,   /* [name, meta] the events are to be listed, in this form */
	PFX_RECORDER_CONTROL_UNKNOWN, /* [name] not a command of the control channel */
	PFX_RECORDER_CONTROL_UNANSWERED, /* [name] its answer cannot be delivered */
	PFX_RECORDER_FILE_ENDED,         /* [number] wakes so far; another file begins */
	PFX_RECORDER_SIZE_REACHED,       /* [number] bytes: the limit */
	PFX_RECORDER_READER_GONE,        /* the pipe was closed: recording ends */
	PFX_RECORDER_READER_SLOW,  /* recording ends, and waits until the reader takes the rest */
	PFX_RECORDER_REST_DROPPED, /* a signal ended that wait */
	PFX_RECORDER_FAILED,       /* [err] recording ends, and the data so far are kept */
	/* --- at the end of a file --- */
	PFX_RECORDER_NO_COPIES,     /* there is no directory for copies of binaries */
	PFX_RECORDER_COPY_REPLACED, /* [name] its copy was damaged */
	PFX_RECORDER_COPY_FAILED,   /* [err] -ENOENT: that binary is gone */
	PFX_RECORDER_JIT_FAILED,    /* [err] no file with symbols of JIT code */
	PFX_RECORDER_AMBIGUOUS,     /* [number] binaries with ambiguous names */
	PFX_RECORDER_FILE_NAMED,    /* [name] with the time in it */
	PFX_RECORDER_FILE_STAYS,    /* [name, code] an errno: an old one cannot be removed */
	PFX_RECORDER_STOPPED,       /* [number] wakes */
	PFX_RECORDER_RUNS_ON,       /* [name] the command, whose events the kernel has ended */
};

/* The opened counters. */
struct pfx_recorder_opened {
	const struct pfx_counters *counters;
	const struct pfx_meta *meta; /* its events, with the ids of their counters */
	size_t ring_bytes, nr_rings;
	uint64_t area_bytes; /* of AUX areas; 0: there are none */
	size_t nr_areas;
	int paranoid; /* kernel.perf_event_paranoid */
};

struct pfx_recorder_news {
	enum pfx_recorder_tag tag;
	const char *name;
	uint64_t number, taken;
	bool on;
	int code;
	const struct pfx_error *err;
	const struct pfx_meta *meta;
	const struct pfx_recorder_opened *opened;
};

/* The kind of error if a recording cannot begin. */
enum pfx_recorder_blame {
	PFX_RECORDER_BLAME_SYSTEM,
	PFX_RECORDER_BLAME_WORDS,  /* invalid combination of options */
	PFX_RECORDER_BLAME_TARGET, /* a process or thread does not exist */
};

/* notify() is called from the recorder's thread and from the writing thread, possibly at the same
 * time. It must not wait for the recorder. */
struct pfx_recorder_observer {
	void (*notify)(void *context, const struct pfx_recorder_news *news);
	void *context;
};

#define PFX_RECORDER_NOTIFY(observer, ...) \
	((observer)->notify((observer)->context, &(struct pfx_recorder_news){__VA_ARGS__}))

#endif
