/* SPDX-License-Identifier: MIT */
/*
 * The output and control side of `pfx record`: its options, what the queue's thread needs while it
 * records, and the clock and channel by which a recording is switched on and off.
 */
#ifndef PFX_CMD_RECORD_OUTPUT_H
#define PFX_CMD_RECORD_OUTPUT_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/error.h"
#include "file/pack.h"
#include "file/queue.h"
#include "sys/watch.h"

/* perf has at most that many writes under way; here each is a share of the queue's memory. */
#define PFX_RECORD_AIO_MAX 4

struct pfx_recorder;

/* A time when events are on, in ms from the start. */
struct pfx_record_range {
	uint64_t from, to; /* UINT64_MAX: to the end */
};

struct pfx_record_output_options {
	int level;         /* -z, 0: not compressed */
	uint64_t max_size; /* bytes, 0: any */
	bool timestamp_filename, timestamp_boundary;
	bool switches;                           /* --switch-output in one of its forms */
	bool switch_on_signal;                   /* SIGUSR2 */
	uint64_t switch_bytes, switch_ms;        /* 0: not by size, not by time */
	uint64_t switch_max_files;               /* 0: keep all */
	bool delayed;                            /* -D */
	PFX_VEC(struct pfx_record_range) ranges; /* none: only on command */
	const char *control;                     /* --control, checked; NULL: none */
	uint64_t priority;                       /* -r, 0: none */
	bool no_buffering;
	uint64_t flush_bytes; /* --mmap-flush, 0: a quarter of the ring */
	bool tail_synthesize;
	bool no_synth_tasks, no_synth_maps; /* --synth */
	uint64_t map_timeout_ms;            /* --proc-map-timeout, 0: the default */
	const char *affinity;               /* --affinity, as a word of --threads; NULL: not */
	uint64_t aio; /* --aio: quarters of the queue's memory, 0: all of it */
	bool latency;
	const char *threads; /* --threads, checked; NULL: not */
	bool on_full_stop;   /* --on-full=stop */
};

/* A ring with a file and a thread of its own (--threads). */
struct pfx_record_lane {
	struct pfx_recorder *rec;
	unsigned number;
	struct pfx_queue *queue;
	int fd;
	struct pfx_pack *pack; /* NULL: not compressed */
	struct pfx_buffer packed;
	uint64_t bytes;
	cpu_set_t place; /* where the thread runs; empty: anywhere */
	bool is_placed;
};

/* What was written into all files that are open. */
struct pfx_record_totals {
	uint64_t bytes;
	uint64_t original, packed; /* before and after compression */
};

/* While it records this belongs to the queue's thread, but for what is said to be atomic. */
struct pfx_record_output {
	struct pfx_queue *queue;
	int notify_fd;         /* an eventfd by which the queue's thread wakes the other; 0: none */
	uint64_t queue_full;   /* how often its memory was full */
	uint64_t queue_high;   /* how many bytes ever waited in it */
	struct pfx_pack *pack; /* NULL: not compressed */
	struct pfx_buffer packed;
	bool ends;                     /* atomic: the queue's thread wants the recording to end */
	bool is_over;                  /* the size limit was reached: nothing more is written */
	uint64_t nr_samples;           /* of the files before this one */
	uint64_t nr_files;             /* that were switched away from */
	PFX_VEC(char *) names;         /* of those, for --switch-max-files */
	struct pfx_record_lane *lanes; /* one for each ring, in place of the queue; or NULL */
	size_t nr_lanes;
	cpu_set_t *places; /* of the thread that empties the rings, for each ring; NULL: anywhere */
	pthread_mutex_t lock; /* of the tally, among lanes */
	size_t oldest;        /* the first of them that still exists */
};

/* Switching on and off while it records; on the thread that empties the rings. */
struct pfx_record_control {
	int fd, ack_fd; /* -1: none */
	bool own_fds;
	char line[256]; /* a command that did not come whole yet */
	size_t len;
	uint64_t start_ns;
	size_t range;            /* the next one, or the one that is on */
	bool is_on;              /* inside a range */
	uint64_t switch_next_ns; /* when the output is switched; 0: not by time */
	bool stops;              /* "stop" came */
};

/* --- record_output_options.c --- */
int pfx_record_opt_level(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_max_size(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_switch(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_delay(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_control(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_realtime(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_flush(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_synth(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_affinity(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_aio(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_threads(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_on_full(void *options, const char *arg, bool unset, struct pfx_error *err);

/* --- record_output.c: what is written, on the queue's thread while it records --- */
/* Descriptors that the watch waits for, by their index. */
enum pfx_record_wake {
	PFX_RECORD_WAKE_OUTPUT, /* the queue's thread has something to say */
	PFX_RECORD_WAKE_CONTROL,
};
/* What the queue's thread can be asked for. */
enum pfx_record_ask {
	PFX_RECORD_ASK_SWITCH, /* go on in another file */
};
/* Start the queue and its thread: the writer and the tally belong to it until _stop(). */
int pfx_record_output_start(struct pfx_recorder *rec, struct pfx_error *err);
/* Wait until all is written, and end the thread. */
int pfx_record_output_stop(struct pfx_recorder *rec, struct pfx_error *err);
/* Prepare compression, once the meta is there and before the first file begins. */
int pfx_record_output_pack(struct pfx_recorder *rec, struct pfx_error *err);
/* Wake the thread that empties the rings: there is an error for it, or the recording is to end. */
void pfx_record_output_wake(const struct pfx_recorder *rec);
void pfx_record_output_totals(const struct pfx_recorder *rec, struct pfx_record_totals *ret);
void pfx_record_output_fini(struct pfx_recorder *rec);
/* Count and write records that we made ourselves, and empty the buffer. Not while it records. */
int pfx_record_put(struct pfx_recorder *rec, struct pfx_buffer *records, struct pfx_error *err);

/* --- record_lanes.c: a directory with a file for each ring --- */
int pfx_record_lanes_start(struct pfx_recorder *rec, size_t bytes, struct pfx_error *err);
int pfx_record_lanes_flush(struct pfx_recorder *rec, struct pfx_error *err);
int pfx_record_lanes_stop(struct pfx_recorder *rec, struct pfx_error *err);
void pfx_record_lanes_fini(struct pfx_recorder *rec);

/* The CPUs where a thread is to run that serves the ring of @cpu; @spec as of --threads. None:
 * anywhere. */
void pfx_record_place(const char *spec, int cpu, cpu_set_t *set);

/* --- record_switch.c: files with a time in their name, and many of them --- */
/* End the file, name it, begin the next one. */
int pfx_record_switch(struct pfx_recorder *rec, struct pfx_error *err);
/* Give the finished file its name with the time. */
int pfx_record_name_file(struct pfx_recorder *rec, struct pfx_error *err);

/* --- record_control.c --- */
int pfx_record_control_open(struct pfx_recorder *rec, struct pfx_error *err);
/* The events are about to begin: the delay counts from here. */
void pfx_record_control_start(struct pfx_recorder *rec);
/* How long to wait at most until there is something to do, in ms. */
int pfx_record_control_timeout(const struct pfx_recorder *rec, int longest);
/* Do what time and the channel say; true when it is time to stop. */
bool pfx_record_control_tick(struct pfx_recorder *rec, const struct pfx_wake *wake);
void pfx_record_control_fini(struct pfx_recorder *rec);

#endif
