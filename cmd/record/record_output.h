/* SPDX-License-Identifier: MIT */
/*
 * The output and control side of `pfx record`: its options, the output while it records, and the
 * clock and channel by which a recording is switched on and off.
 */
#ifndef PFX_CMD_RECORD_OUTPUT_H
#define PFX_CMD_RECORD_OUTPUT_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "pmu/parse/parse.h"
#include "record/file/named_files.h"
#include "record/output/output.h"
#include "sys/control/control_channel.h"
#include "sys/counter/counter.h"
#include "sys/counter/ring.h"
#include "sys/counter/watch.h"

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
	const char *delay_said;                  /* its word */
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

/* The output of a recording, and the switching from one file to the next. */
struct pfx_record_output {
	struct pfx_output_owner owner;
	struct pfx_output *to; /* NULL: not started yet */
	int notify_fd;         /* an eventfd by which its threads wake the other; 0: none */
	/* Of the thread that writes. */
	struct pfx_named_files files; /* those with a name of their own */
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

/* --- record_output.c: the output, and what it needs of us --- */
/* Descriptors that the watch waits for, by their index. */
enum pfx_record_wake {
	PFX_RECORD_WAKE_OUTPUT, /* the output has something to say */
	PFX_RECORD_WAKE_CONTROL,
	PFX_RECORD_WAKE_TRIGGER,
};
/* Start the threads: sink and meta belong to them until _stop(). */
int pfx_record_output_start(struct pfx_recorder *rec, struct pfx_error *err);
/* Wait until all is written, and end the threads. */
int pfx_record_output_stop(struct pfx_recorder *rec, struct pfx_error *err);
/* Prepare compression, once the meta is there and before the first file begins. */
int pfx_record_output_pack(struct pfx_recorder *rec, struct pfx_error *err);
/* Clears the eventfd before its cause is looked at, so that no later wakeup is lost. */
void pfx_record_output_heed(const struct pfx_recorder *rec, const struct pfx_wake *wake);
void pfx_record_output_fini(struct pfx_recorder *rec);

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
/* The events are off from now on. */
void pfx_record_offcpu_stop(struct pfx_recorder *rec);

/* --- record_switch.c: files with a time in their name, and many of them --- */
/* End the file, name it, begin the next one. */
int pfx_record_switch(struct pfx_recorder *rec, struct pfx_error *err);

/* --- record_name.c --- */
/* Give the finished file its name with the time. */
int pfx_record_name_file(struct pfx_recorder *rec, struct pfx_error *err);

/* --- record_overwrite.c: rings that keep the newest records --- */
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
