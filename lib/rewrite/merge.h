/* SPDX-License-Identifier: MIT */
/*
 * Several recordings, of hosts or of runs, as one perf.data file that perf and pfx read. Equal
 * events become one event; ids are given anew. Processes of different recordings stay apart: if
 * numbers of processes or threads occur in several recordings, those of the later ones are raised
 * by a multiple of PFX_MERGE_PID_STEP, above all others. Kernels stay apart: see struct
 * pfx_merge_input. Times of recordings with CLOCK_DATA are brought to one clock. Records are copied
 * in order of time, in bounded memory; each input is read twice.
 */
#ifndef PFX_REWRITE_MERGE_H
#define PFX_REWRITE_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "file/writer/writer.h"

#define PFX_MERGE_PID_STEP 10000000u
#define PFX_MERGE_MAX      200 /* recordings */

struct pfx_merge;
struct pfx_recording;

struct pfx_merge_options {
	const char *const *paths; /* files or directories, no streams; borrowed */
	size_t nr;
	const char *const *command; /* for the header: the command line of this program */
	size_t nr_command;
	bool force, strict; /* of the reader */
};

/* How a recording's kernel relates to that of the first one that has a kernel. */
enum pfx_merge_kernel {
	PFX_MERGE_KERNEL_NONE,  /* it has none, or is that one */
	PFX_MERGE_KERNEL_SAME,  /* the same kernel at the same addresses */
	PFX_MERGE_KERNEL_MOVED, /* the same kernel at other addresses, which were changed */
	PFX_MERGE_KERNEL_OTHER, /* another kernel: its code has no symbols */
};

struct pfx_merge_input {
	const char *path;
	const char *hostname; /* NULL: unknown */
	uint64_t nr_samples;  /* written */
	uint64_t nr_dropped;  /* records that are damaged, or of an unknown type */
	uint32_t pid_offset;  /* added to numbers of processes and threads; 0: none */
	int64_t time_shift;   /* added to times, in ns */
	bool has_clock;       /* times are of the common clock */
	enum pfx_merge_kernel kernel;
};

/* Open and scan all inputs. -EINVAL with a message for a recording that cannot be merged: a stream,
 * AUX area traces, tracepoints of another format, another byte order or word size. */
int pfx_merge_new(struct pfx_merge **ret, const struct pfx_merge_options *options,
		  struct pfx_error *err);
/* Write everything to @writer, which the caller opens and closes. After an error the output must be
 * discarded. */
int pfx_merge_run(struct pfx_merge *merge, struct pfx_writer *writer, struct pfx_error *err);
/* By input; valid until the merge is freed. */
const struct pfx_merge_input *pfx_merge_input(const struct pfx_merge *merge, size_t i);
/* That was read, for notes about losses and damage. */
const struct pfx_recording *pfx_merge_recording(const struct pfx_merge *merge, size_t i);
/* Events of the output. */
uint32_t pfx_merge_nr_events(const struct pfx_merge *merge);
void pfx_merge_free(struct pfx_merge *merge);

#endif
