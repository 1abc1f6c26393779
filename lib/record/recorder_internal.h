/* SPDX-License-Identifier: MIT */
/*
 * A running recording, divided by the thread that owns each part. The recorder_*.c files run on the
 * caller's thread, which empties the ring buffers.
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

/* Wakeups of the loop besides ring buffers and signals: indexes for pfx_watch_fd(). */
enum pfx_recorder_wake {
	PFX_RECORDER_WAKE_OUTPUT, /* the output has a message */
	PFX_RECORDER_WAKE_CONTROL,
	PFX_RECORDER_WAKE_TRIGGER,
};

/* Switching on and off while it records. */
struct pfx_recorder_control {
	struct pfx_control_channel channel;
	uint64_t start_ns;
	size_t range;            /* the current or the next one */
	bool is_on;              /* inside a range */
	uint64_t switch_next_ns; /* when the output is switched; 0: not by time */
	bool went_off;           /* events were disabled; cleared when that was handled */
	bool stops;              /* the command "stop" was received */
};

/* Events that switch the output when they occur. */
struct pfx_recorder_trigger {
	struct pfx_target target;
	struct pfx_counters counters;
	struct pfx_rings rings;
};

/* When AUX areas are written. */
struct pfx_recorder_trace {
	uint64_t *asked; /* the head of each area at the last request */
	bool wants_snapshot;
};

/* Why the recording ends. */
struct pfx_recorder_outcome {
	int stop_signal;    /* SIGINT, SIGTERM, SIGHUP that ended it; 0: none */
	bool from_terminal; /* sent by the terminal: the workload also received it */
	bool is_ending;     /* no new samples; the rest is written */
	bool runs_unseen;   /* the kernel has ended all events of the workload */
	bool is_gone;       /* others removed the output */
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
	int notify_fd; /* an eventfd that wakes the thread that empties the ring buffers; -1: none
			*/
};

struct pfx_recorder {
	struct pfx_record_plan plan;     /* shared: constant while recording */
	struct pfx_record_source source; /* of the loop, with the exceptions given there */
	struct pfx_recorder_loop loop;   /* of the thread that empties the ring buffers */
	struct pfx_recorder_output out;  /* shared between the threads */
	struct pfx_record_file file;     /* of the writing thread, while it runs */
	struct pfx_probes probes;        /* valid as long as the recorder */
};

/* As pfx_recorder_new(), with another implementation of the kernel's interface, for tests. */
int pfx_recorder_new_on(struct pfx_recorder **ret, const struct pfx_record_machine *machine,
			struct pfx_recorder_options *options,
			const struct pfx_recorder_observer *observer, struct pfx_error *err);

/* --- recorder_output.c --- */
/* Prepare compression, after the meta is complete and before the first file begins. */
int pfx_recorder_output_pack(struct pfx_recorder *rec, struct pfx_error *err);
/* Start the threads: the file belongs to them until pfx_output_stop(). */
int pfx_recorder_output_start(struct pfx_recorder *rec, struct pfx_error *err);
/* Clears the eventfd before checking its cause, so that no later wakeup is lost. */
void pfx_recorder_output_heed(const struct pfx_recorder *rec, const struct pfx_wake *wake);
void pfx_recorder_output_fini(struct pfx_recorder *rec);

/* --- recorder_switch.c: other files, requested by the loop --- */
/* The records that are in the ring buffers now go into this file, later ones into the next. No
 * effect if already requested. */
void pfx_recorder_ask_switch(struct pfx_recorder *rec);
/* Whether the overwritable ring buffers have received as many bytes as the size limit. */
bool pfx_recorder_passed_size(const struct pfx_recorder *rec);
/* After events were disabled: sleeping threads count as asleep until now. */
void pfx_recorder_mark_off(struct pfx_recorder *rec);

/* --- recorder_trigger.c: events that switch the output --- */
int pfx_recorder_trigger_open(struct pfx_recorder *rec, struct pfx_error *err);
/* Whether one of the trigger events has occurred since the last call. */
bool pfx_recorder_trigger_fired(struct pfx_recorder *rec);
void pfx_recorder_trigger_fini(struct pfx_recorder *rec);

/* --- recorder_trace.c: when AUX areas are written --- */
/* Call it after the areas are mapped. */
void pfx_recorder_trace_begin(struct pfx_recorder *rec);
/* Stop the trace; it is written after this pass over the ring buffers. */
void pfx_recorder_trace_want_snapshot(struct pfx_recorder *rec);
/* After a pass over the ring buffers: request writing of new data in the areas. */
int pfx_recorder_trace_pass(struct pfx_recorder *rec, struct pfx_error *err);
/* The same at the end, when all events are disabled. */
int pfx_recorder_trace_last(struct pfx_recorder *rec, struct pfx_error *err);
/* Events were enabled or disabled: whether a full area is started again. */
void pfx_recorder_trace_set_off(struct pfx_recorder *rec, bool off);

/* --- recorder_control.c: delays and the control channel --- */
int pfx_recorder_control_open(struct pfx_recorder *rec, struct pfx_error *err);
/* Before the events are enabled: the delay starts here. */
void pfx_recorder_control_start(struct pfx_recorder *rec);
/* The maximum time to wait, in ms. */
int pfx_recorder_control_timeout(const struct pfx_recorder *rec, int longest);
/* Handle the clock and the control channel; true if the recording is to stop. */
bool pfx_recorder_control_tick(struct pfx_recorder *rec, const struct pfx_wake *wake);

#endif
