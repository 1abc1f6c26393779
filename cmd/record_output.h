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
#include "cmd/control_channel.h"
#include "cmd/offcpu.h"
#include "cmd/record_carry.h"
#include "file/pack.h"
#include "file/queue.h"
#include "pmu/parse.h"
#include "sys/counter.h"
#include "sys/ring.h"
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
	bool overwrite;       /* rings keep the newest records until they are asked for */
	bool tail_synthesize; /* what runs is written at the end of a file, not at its beginning */
	uint64_t synth_threads;              /* --num-thread-synthesize, 0: by CPUs */
	struct pfx_event_list switch_events; /* --switch-output-event */
	bool no_synth_tasks, no_synth_maps, no_synth_cgroups; /* --synth */
	bool kcore;
	uint64_t map_timeout_ms; /* --proc-map-timeout, 0: the default */
	const char *affinity;    /* --affinity, as a word of --threads; NULL: not */
	uint64_t aio;            /* --aio: quarters of the queue's memory, 0: all of it */
	bool latency;
	bool off_cpu;
	uint64_t thresh_ms;  /* --off-cpu-thresh */
	const char *threads; /* --threads, checked; NULL: not */
	bool on_full_stop;   /* --on-full=stop */
};

/* A ring with a file and a thread of its own (--threads). */
struct pfx_record_lane {
	struct pfx_recorder *rec;
	unsigned number;
	bool is_offcpu; /* of the rings apart: what is made of them goes beside the header */
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
	struct pfx_offcpu *offcpu; /* NULL: not wanted */
	struct pfx_buffer passed;  /* what goes on behind it */
	uint64_t end_ns;        /* when the events were switched off, by their clock; 0: unknown */
	bool switching;         /* atomic: the queue's thread was asked to switch */
	bool ends;              /* atomic: the queue's thread wants the recording to end */
	bool is_over;           /* the size limit was reached: nothing more is written */
	uint64_t nr_samples;    /* of the files before this one */
	uint64_t nr_files;      /* that were switched away from */
	PFX_VEC(char *) names;  /* of those, for --switch-max-files */
	struct pfx_carry carry; /* into the next of them */
	/* One for each ring, in place of the queue, or NULL; rings apart share the last one. */
	struct pfx_record_lane *lanes;
	size_t nr_lanes;
	cpu_set_t *places; /* of the thread that empties the rings, for each ring; NULL: anywhere */
	pthread_mutex_t lock; /* of the tally and of what follows, among lanes */
	pthread_cond_t switched;
	uint64_t lane_bytes;  /* in the files of the lanes that are open */
	size_t nr_met;        /* lanes that wait for the others to go on in another directory */
	uint64_t nr_switches; /* how often they did */
	bool lane_failed;     /* one of them will not come */
	bool full;            /* atomic: as many bytes as --switch-output says were written */
	size_t oldest;        /* the first of them that still exists */
	uint8_t *collected;   /* room for a ring that is written backward, NULL: not yet */
};

/* Events that switch the output when they come (--switch-output-event). */
struct pfx_record_trigger {
	struct pfx_target target;
	struct pfx_counters counters;
	struct pfx_rings rings;
};

/* Switching on and off while it records; on the thread that empties the rings. */
struct pfx_record_control {
	struct pfx_control_channel channel;
	uint64_t start_ns;
	size_t range;            /* the next one, or the one that is on */
	bool is_on;              /* inside a range */
	uint64_t switch_next_ns; /* when the output is switched; 0: not by time */
	bool went_off;           /* events were switched off, and not looked at since */
	bool stops;              /* "stop" came */
};

/* --- record_output_options.c: one function per option that needs more than a table row --- */
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
int pfx_record_opt_switch_event(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_threads(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_on_full(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_record_opt_debuginfod(void *options, const char *arg, bool unset, struct pfx_error *err);

/* --- record_output.c: what is written, on the queue's thread while it records --- */
/* Descriptors that the watch waits for, by their index. */
enum pfx_record_wake {
	PFX_RECORD_WAKE_OUTPUT, /* the queue's thread has something to say */
	PFX_RECORD_WAKE_CONTROL,
	PFX_RECORD_WAKE_TRIGGER,
};
/* What the queue's thread can be asked for. */
enum pfx_record_ask {
	PFX_RECORD_ASK_SWITCH, /* go on in another file */
	PFX_RECORD_ASK_PAUSE,  /* events were switched off */
	PFX_RECORD_ASK_ROUND,  /* all rings were emptied once; for --off-cpu without such records */
};
/* Start the queue and its thread: the writer and the tally belong to it until _stop(). */
int pfx_record_output_start(struct pfx_recorder *rec, struct pfx_error *err);
/* Wait until all is written, and end the thread. */
int pfx_record_output_stop(struct pfx_recorder *rec, struct pfx_error *err);
/* Prepare compression, once the meta is there and before the first file begins. */
int pfx_record_output_pack(struct pfx_recorder *rec, struct pfx_error *err);
/* After @bytes were written to all files that are open: true when the recording ends by --max-size,
 * with its line on standard error. */
bool pfx_record_output_limit(struct pfx_recorder *rec, uint64_t bytes);
/* Wake the thread that empties the rings: there is an error for it, or the recording is to end. */
void pfx_record_output_wake(const struct pfx_recorder *rec);
/* Takes a wake back, before what it was about is looked at: the next wait is one again. */
void pfx_record_output_heed(const struct pfx_recorder *rec, const struct pfx_wake *wake);
void pfx_record_output_totals(const struct pfx_recorder *rec, struct pfx_record_totals *ret);
void pfx_record_output_fini(struct pfx_recorder *rec);
/* Count and write records that we made ourselves, and empty the buffer. While it records, on the
 * thread that has the writer. */
int pfx_record_put(struct pfx_recorder *rec, struct pfx_buffer *records, struct pfx_error *err);

/* Where the records of a ring go; and where requests about --off-cpu do. */
struct pfx_queue *pfx_record_queue_of(const struct pfx_recorder *rec, size_t ring);
struct pfx_queue *pfx_record_offcpu_queue(const struct pfx_recorder *rec);

/* --- record_lanes.c: a directory with a file for each ring --- */
int pfx_record_lanes_start(struct pfx_recorder *rec, size_t bytes, struct pfx_error *err);
int pfx_record_lanes_flush(struct pfx_recorder *rec, struct pfx_error *err);
int pfx_record_lanes_stop(struct pfx_recorder *rec, struct pfx_error *err);
/* Go on in another directory, behind all that was put into the lanes so far. */
void pfx_record_lanes_ask_switch(struct pfx_recorder *rec);
void pfx_record_lanes_fini(struct pfx_recorder *rec);

/* The CPUs where a thread is to run that serves the ring of @cpu; @spec as of --threads. None:
 * anywhere. */
void pfx_record_place(const char *spec, int cpu, cpu_set_t *set);

/* --- record_offcpu.c: --off-cpu --- */
struct pfx_counter;
int pfx_record_opt_thresh(void *options, const char *arg, bool unset, struct pfx_error *err);
/* Add the counter, before the attrs are set up; then correct its attr. */
void pfx_record_offcpu_add(struct pfx_recorder *rec);
void pfx_record_offcpu_setup(struct pfx_recorder *rec);
/* Make the attr of the counter that of the event in the file. */
void pfx_record_offcpu_describe(const struct pfx_recorder *rec, const struct pfx_counter *counter,
				struct pfx_attr *attr);
void pfx_record_offcpu_start(struct pfx_recorder *rec);
/* On the queue's thread: records, and the end of a round, into what the file has of them. */
int pfx_record_offcpu_take(struct pfx_recorder *rec, const uint8_t *data, size_t size,
			   struct pfx_error *err);
int pfx_record_offcpu_round(struct pfx_recorder *rec, struct pfx_error *err);
/* The sums so far into the file, which ends. */
void pfx_record_offcpu_put_sums(struct pfx_recorder *rec, struct pfx_error *err);
/* The events are off from now on. */
void pfx_record_offcpu_stop(struct pfx_recorder *rec);
/* On the queue's thread: what slept when the events were switched off. */
int pfx_record_offcpu_pause(struct pfx_recorder *rec, struct pfx_error *err);
/* All that is left into the file. */
int pfx_record_offcpu_end(struct pfx_recorder *rec, struct pfx_error *err);

/* --- record_switch.c: files with a time in their name, and many of them --- */
/* End the file, name it, begin the next one. */
int pfx_record_switch(struct pfx_recorder *rec, struct pfx_error *err);
/* Give the finished file its name with the time. */
int pfx_record_name_file(struct pfx_recorder *rec, struct pfx_error *err);

/* --- record_overwrite.c: rings that keep the newest records --- */
/* Put what they hold into the queue. Nothing where there are none. */
int pfx_record_collect(struct pfx_recorder *rec, struct pfx_error *err);
/* On the thread that empties the rings: all that they hold goes into this file, the rest into the
 * next one. Nothing while that was asked for already. */
void pfx_record_ask_switch(struct pfx_recorder *rec);
/* Whether as many bytes as --switch-output says went through these rings. */
bool pfx_record_passed_size(const struct pfx_recorder *rec);

/* --- record_trigger.c: events that switch the output --- */
int pfx_record_trigger_open(struct pfx_recorder *rec, struct pfx_error *err);
/* Whether one of them came since the last time. */
bool pfx_record_trigger_fired(struct pfx_recorder *rec);
void pfx_record_trigger_fini(struct pfx_recorder *rec);

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
