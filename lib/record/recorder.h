/* SPDX-License-Identifier: MIT */
/*
 * The recorder: from options to a perf.data file. It owns everything that it opens; options and
 * observer are borrowed until it is freed. It prints nothing: messages go to the observer. One
 * thread makes all calls, in this order: new, start, run, stop, wait, free.
 */
#ifndef PFX_RECORD_RECORDER_H
#define PFX_RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/options/recorder_news.h"
#include "record/options/recorder_options.h"

struct pfx_recorder;

/* Results. The counts are of all files, the bytes of the last one. */
struct pfx_recorder_result {
	const char *path; /* of the output, without a time; owned by the recorder */
	bool has_file;    /* an output was begun */
	bool is_gone;     /* others removed the output */
	uint64_t bytes;
	bool is_packed;
	uint64_t original, packed; /* bytes before and after compression */
	uint64_t nr_samples;
	/* Of the last file. */
	uint64_t nr_lost, nr_throttled;
	uint64_t nr_bad;                         /* damaged places in the ring buffers */
	uint64_t nr_user_chains, nr_lone_chains; /* see struct pfx_tally */
	/* How often all memory for the output was full, and the maximum number of waiting bytes. */
	uint64_t nr_full, high;
};

/* How the recording ended. */
struct pfx_recorder_end {
	bool failed;      /* an error was reported */
	bool reader_gone; /* the pipe was closed */
	int signal;       /* the signal that ended it, 0: none */
	bool has_status;  /* there was a workload, and it was waited for */
	int status;       /* status of waitpid() */
};

/* Check the options and resolve probes. Moves the tracing event to the front of the options'
 * events, and replaces names of functions by locations. An error is about the options; *@ret is
 * NULL then. */
int pfx_recorder_new(struct pfx_recorder **ret, struct pfx_recorder_options *options,
		     const struct pfx_recorder_observer *observer, struct pfx_error *err);
/* Open everything, write the running tasks, start the workload: samples begin here. Handles the
 * signals that end the program, and SIGCHLD, from now on. After an error, the previous output is
 * restored. With dry_run it only checks whether recording is possible. */
int pfx_recorder_start(struct pfx_recorder *rec, struct pfx_error *err);
/* After an error of start. */
enum pfx_recorder_blame pfx_recorder_blame(const struct pfx_recorder *rec);
/* Record until the workload or the targets have ended, a signal or the control channel ends it, or
 * writing fails, which is reported. */
void pfx_recorder_run(struct pfx_recorder *rec);
/* Write the data that are only known at the end, and close the output. Errors are reported. */
void pfx_recorder_stop(struct pfx_recorder *rec);
void pfx_recorder_result(const struct pfx_recorder *rec, struct pfx_recorder_result *ret);
/* Wait for the workload, after stopping it if the recording was stopped. To end the program as the
 * workload did, the caller raises its signal. */
void pfx_recorder_wait(struct pfx_recorder *rec, struct pfx_recorder_end *ret);
void pfx_recorder_free(struct pfx_recorder *rec);

#endif
