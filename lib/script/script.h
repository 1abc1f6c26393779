/* SPDX-License-Identifier: MIT */
/*
 * `pfx script`: prints a recording as text, one line per sample, or as JSON, or runs a program over
 * it. A script borrows its recording and its host. Output is collected in one buffer and passed to
 * the host; messages are errors or notes.
 *
 *	pfx_script_new(&script, &options, &host, &err);
 *	rc = pfx_script_begin(script, recording, NULL, &err);
 *	if (!rc)
 *		rc = pfx_script_read(script, &err);
 *	pfx_script_free(script);
 */
#ifndef PFX_SCRIPT_SCRIPT_H
#define PFX_SCRIPT_SCRIPT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "read/event_switch.h"
#include "read/recording.h"
#include "script/script_fields.h"
#include "script/script_form.h"

struct pfx_dlfilter;
struct pfx_script;
struct pfx_script_engine_ops;
struct pfx_script_program;

/* Sideband records that are shown as lines (--show-...-events). */
#define PFX_SCRIPT_SHOW_TASK      (1u << 0)
#define PFX_SCRIPT_SHOW_MMAP      (1u << 1)
#define PFX_SCRIPT_SHOW_SWITCH    (1u << 2)
#define PFX_SCRIPT_SHOW_NAMESPACE (1u << 3)
#define PFX_SCRIPT_SHOW_CGROUP    (1u << 4)
#define PFX_SCRIPT_SHOW_LOST      (1u << 5)
#define PFX_SCRIPT_SHOW_ROUND     (1u << 6)
#define PFX_SCRIPT_SHOW_BPF       (1u << 7)
#define PFX_SCRIPT_SHOW_TEXT_POKE (1u << 8)

/* Filters for samples: lists of words; NULL: no filter. */
struct pfx_script_filter {
	const char *comms, *symbols, *dsos, *pids, *tids, *cpus, *stop_symbols;
	uint64_t addr_range; /* range of addresses among the symbols; 0: a single address */
};

/* Output options. Strings are borrowed. */
struct pfx_script_options {
	struct pfx_script_fields fields;
	struct pfx_script_filter filter;
	const char *time; /* --time; NULL: all */
	struct pfx_event_switch event_switch;
	struct pfx_dlfilter
		*dlfilter; /* asked about each sample, see script_dlfilter.h; NULL: none */
	uint32_t show;     /* PFX_SCRIPT_SHOW_* */
	uint64_t max_stack, max_blocks;
	const struct pfx_form *form; /* one of pfx_forms_of_records */
	bool dump;                   /* also every record in hex and decoded */
	bool per_event;              /* a file for each event */
	bool header, show_info;
	bool checks_order; /* only count samples that are out of order */
	bool hide_chains, inlines, latency, ns, reltime, deltatime;
	bool kernel_path;       /* show the path of the kernel's image */
	bool late_frames_apart; /* the recording was opened with this option */
	bool counts_chains;     /* count how call chains end */
	bool verbose, quiet;
};

/* Callbacks to the calling program. */
struct pfx_script_host {
	void *ctx;
	/* A note for the user. */
	void (*note)(void *ctx, const char *text);
	/* Write the text and clear it. */
	int (*write)(void *ctx, struct pfx_str *text, struct pfx_error *err);
	/* Create or replace a file: returns a descriptor or a negative errno. */
	int (*open_output)(void *ctx, const char *path, struct pfx_error *err);
	/* A value of the user's configuration; NULL: not set. */
	const char *(*config)(void *ctx, const char *name);
	/* Not 0: stop before the next record. May be set by a signal handler. */
	const volatile sig_atomic_t *is_stopped;
};

/* Statistics of reading. */
struct pfx_script_counts {
	uint64_t nr_samples, nr_shown;
	uint64_t nr_misordered; /* with checks_order */
	bool has_only_samples;  /* only samples would be shown */
};

/* Parse the options; on errors there is nothing to free. */
int pfx_script_new(struct pfx_script **ret, const struct pfx_script_options *options,
		   const struct pfx_script_host *host, struct pfx_error *err);
void pfx_script_free(struct pfx_script *script);
/* Check the options against the recording, and start the output: the header, or the program (NULL:
 * none) in the engine of @program. The recording must have a resolver. */
int pfx_script_begin(struct pfx_script *script, struct pfx_recording *recording,
		     const struct pfx_script_program *program, struct pfx_error *err);
/* Read all records and print the selected ones. */
int pfx_script_read(struct pfx_script *script, struct pfx_error *err);
/* End the program, if any. @rc: result of reading. Returns the first error, or the exit code that
 * the program chose. */
int pfx_script_end(struct pfx_script *script, int rc, struct pfx_error *err);
struct pfx_script_counts pfx_script_counts(const struct pfx_script *script);

/* Write a skeleton script in @language, "python" or "perl", with a function for each event of the
 * recording, to a new file. *@ret_what: "Python script: perf-script.py". */
int pfx_script_skeleton(struct pfx_recording *recording, const char *language,
			const char **ret_what, struct pfx_error *err);

#endif
