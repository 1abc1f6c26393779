/* SPDX-License-Identifier: MIT */
/*
 * Exports a recording: reads it as a profile or as a stream, filters it, and has a format write it.
 * The caller opens the recording, and prints what the result says.
 *
 *	pfx_recording_open(&recording, path, &how, &err);
 *	pfx_recording_resolve(recording, &resolving);
 *	rc = pfx_export_run(&request, recording, &result, &err);
 */
#ifndef PFX_EXPORT_EXPORT_RUN_H
#define PFX_EXPORT_EXPORT_RUN_H

#include "export/export.h"
#include "read/event_switch.h"
#include "read/filter.h"

/* What is exported, and how. Everything is borrowed. */
struct pfx_export_request {
	const struct pfx_export *format;
	const char *output;        /* "-": standard output */
	struct pfx_recording *old; /* for PFX_EXPORT_COMPARES; resolved, too. NULL: none */
	const struct pfx_sym_options *binaries; /* with old: where those of both are found */
	const char *old_path;
	const char *title; /* NULL: the recorded command */
	const char *time;  /* a span as of --time; NULL: all */
	const char *const *events;
	size_t nr_events;                           /* 0: all */
	const char *patterns[PFX_VIEW_NR_PATTERNS]; /* NULL: none */
	const struct pfx_filter *filter;
	const struct pfx_event_switch *event_switch;
	enum pfx_measure measure;
	bool measure_given; /* else the format's */
	bool redact;        /* replace names of hosts, commands and paths: samples/redact.h */
	bool skip_empty;    /* write nothing if no sample is left */
	bool sources, hide_unresolved, guest, no_chains;
	uint32_t width;                      /* of a picture; 0: the default */
	const struct pfx_fetch_watch *fetch; /* asks servers for sources; NULL: do not ask */
	struct pfx_open_wait wait;
	pfx_reading_step_fn step; /* called with each record; NULL */
	void *step_context;
};

struct pfx_export_result {
	uint64_t nr_samples;  /* that the output has, of all events */
	bool has_several;     /* it has several events, or samples of several without saying so */
	uint64_t nr_left_out; /* samples that the format had to leave out of these */
	const char *left_out_why; /* where they are: "in ..." */
	bool lacks_chains;        /* the format has call chains, the samples have none */
};

/* The options of the resolver that all exports share, before those of the caller: inlined
 * functions, whole paths of source files. */
struct pfx_resolve_options pfx_export_resolving(void);
/* Whether a recording that is open can have samples: -EINVAL with a message for one of `pfx stat
 * record`. pfx_export_run() checks it, too. */
int pfx_export_check_recording(const struct pfx_recording *recording, struct pfx_error *err);
/* Read all and write. After pfx_recording_resolve(). 0, or a negative errno with a message; then
 * nothing has the name of the output. */
int pfx_export_run(const struct pfx_export_request *request, struct pfx_recording *recording,
		   struct pfx_export_result *ret, struct pfx_error *err);

#endif
