/* SPDX-License-Identifier: MIT */
/*
 * A recording in progress, by the thread that owns each part. The files beside this one are the
 * thread that empties the ring buffers, which is the caller's.
 */
#ifndef PFX_RECORD_RECORDER_INTERNAL_H
#define PFX_RECORD_RECORDER_INTERNAL_H

#include "record/file/record_file.h"
#include "record/file/rescue.h"
#include "record/output/drain.h"
#include "record/output/output.h"
#include "record/plan/plan.h"
#include "record/plan/record_source.h"
#include "record/recorder.h"
#include "sys/control/control_channel.h"
#include "sys/counter/probe_guard.h"
#include "sys/counter/watch.h"
#include "sys/target/signals.h"
#include "sys/target/workload.h"

/* What wakes the loop besides ring buffers and signals: indexes for pfx_watch_fd(). */
enum pfx_recorder_wake {
	PFX_RECORDER_WAKE_OUTPUT, /* the output has something to say */
	PFX_RECORDER_WAKE_CONTROL,
	PFX_RECORDER_WAKE_TRIGGER,
};

/* Switching on and off while it records. */
struct pfx_recorder_control {
	struct pfx_control_channel channel;
	uint64_t start_ns;
	size_t range;            /* the next one, or the one that is on */
	bool is_on;              /* inside a range */
	uint64_t switch_next_ns; /* when the output is switched; 0: not by time */
	bool went_off;           /* events were switched off, and not looked at since */
	bool stops;              /* "stop" came */
};

/* Events that switch the output when they come. */
struct pfx_recorder_trigger {
	struct pfx_target target;
	struct pfx_counters counters;
	struct pfx_rings rings;
};

/* When AUX areas are written. */
struct pfx_recorder_trace {
	uint64_t *asked; /* the head of each area when it was last asked for */
	bool wants_snapshot;
};

/* Why it ends. */
struct pfx_recorder_outcome {
	int stop_signal;    /* SIGINT, SIGTERM, SIGHUP that ended it; 0: none */
	bool from_terminal; /* the signal came from a key: the workload has it too */
	bool is_ending;     /* nothing more is recorded, what was is written */
	bool is_gone;       /* others took the output away */
	bool reader_gone;   /* the pipe was closed */
	bool failed;        /* an error was reported */
};

/* Of the thread that empties the ring buffers. */
struct pfx_recorder_loop {
	struct pfx_signals signals;
	struct pfx_watch watch;
	char *command_path; /* where the command was found */
	struct pfx_workload workload;
	struct pfx_drain drain;
	struct pfx_rescue rescue;
	struct pfx_recorder_control control;
	struct pfx_recorder_trigger trigger;
	struct pfx_recorder_trace trace;
	struct pfx_recorder_outcome outcome;
};

/* Between the two threads; record/output/output.h says which thread may call what. */
struct pfx_recorder_output {
	struct pfx_output_owner owner;
	struct pfx_output *to; /* NULL: not started yet */
	int notify_fd;         /* an eventfd by which its threads wake the other; 0: none */
};

struct pfx_recorder {
	struct pfx_record_plan plan;     /* everybody's: it does not change while it records */
	struct pfx_record_source source; /* the loop's, but for what is said there */
	struct pfx_recorder_loop loop;   /* of the thread that empties the ring buffers */
	struct pfx_recorder_output out;  /* between the threads */
	struct pfx_record_file file;     /* of the thread that writes, while there is one */
	struct pfx_probes probes;        /* as long as the recorder */
};

/* As pfx_recorder_new(), with another kernel: for tests. */
int pfx_recorder_new_on(struct pfx_recorder **ret, const struct pfx_record_machine *machine,
			struct pfx_recorder_options *options,
			const struct pfx_recorder_observer *observer, struct pfx_error *err);

/* --- recorder_output.c --- */
/* Prepare compression, once the meta is there and before the first file begins. */
int pfx_recorder_output_pack(struct pfx_recorder *rec, struct pfx_error *err);
/* Start the threads: the file belongs to them until pfx_output_stop(). */
int pfx_recorder_output_start(struct pfx_recorder *rec, struct pfx_error *err);
/* Clears the eventfd before its cause is looked at, so that no later wakeup is lost. */
void pfx_recorder_output_heed(const struct pfx_recorder *rec, const struct pfx_wake *wake);
void pfx_recorder_output_fini(struct pfx_recorder *rec);

/* --- recorder_switch.c: other files, asked for by the loop --- */
/* All that the ring buffers hold goes into this file, the rest into the next one. Nothing while
 * that was asked for already. */
void pfx_recorder_ask_switch(struct pfx_recorder *rec);
/* Whether as many bytes as the limit says went through ring buffers that keep the newest. */
bool pfx_recorder_passed_size(const struct pfx_recorder *rec);
/* Once events were switched off for good or for a while: what sleeps then has slept until then. */
void pfx_recorder_mark_off(struct pfx_recorder *rec);

/* --- recorder_trigger.c: events that switch the output --- */
int pfx_recorder_trigger_open(struct pfx_recorder *rec, struct pfx_error *err);
/* Whether one of them came since the last time. */
bool pfx_recorder_trigger_fired(struct pfx_recorder *rec);
void pfx_recorder_trigger_fini(struct pfx_recorder *rec);

/* --- recorder_trace.c: when AUX areas are written --- */
/* Once the areas are mapped. */
void pfx_recorder_trace_begin(struct pfx_recorder *rec);
/* Stop the trace; it is written after this pass over the ring buffers. */
void pfx_recorder_trace_want_snapshot(struct pfx_recorder *rec);
/* After a pass over the ring buffers: ask for what the areas have. */
int pfx_recorder_trace_pass(struct pfx_recorder *rec, struct pfx_error *err);
/* The same at the end, when all events are off. */
int pfx_recorder_trace_last(struct pfx_recorder *rec, struct pfx_error *err);
/* The events are switched on or off: whether a full area is started again. */
void pfx_recorder_trace_set_off(struct pfx_recorder *rec, bool off);

/* --- recorder_control.c: delays and the control channel --- */
int pfx_recorder_control_open(struct pfx_recorder *rec, struct pfx_error *err);
/* The events are about to begin: the delay counts from here. */
void pfx_recorder_control_start(struct pfx_recorder *rec);
/* How long to wait at most until there is something to do, in ms. */
int pfx_recorder_control_timeout(const struct pfx_recorder *rec, int longest);
/* Do what time and the channel say; true when it is time to stop. */
bool pfx_recorder_control_tick(struct pfx_recorder *rec, const struct pfx_wake *wake);

#endif
