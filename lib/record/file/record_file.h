/* SPDX-License-Identifier: MIT */
/*
 * The files of a recording, one after the other: what the head of each says, what only its end
 * knows, and its name. All of it belongs to the thread that writes, from the start of the output to
 * its stop; before and after that to the thread that started the output.
 */
#ifndef PFX_RECORD_FILE_H
#define PFX_RECORD_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/error.h"
#include "event/env.h"
#include "event/meta.h"
#include "record/file/map_ids.h"
#include "record/file/named_files.h"
#include "record/output/output.h"
#include "record/plan/plan.h"
#include "record/plan/record_source.h"
#include "record/sink/sink.h"
#include "sys/target/workload.h"

/* Of the traces in the current file. */
struct pfx_record_areas_written {
	PFX_VEC(struct pfx_env_aux_index) index;
	bool is_off; /* atomic, set by the other thread: the events are off, and stay so */
};

/* The pointers are borrowed; zero is one without a file. */
struct pfx_record_file {
	const struct pfx_record_plan *plan;
	struct pfx_record_source *source;    /* see there what the writing thread may use */
	const struct pfx_workload *workload; /* whether it runs by now */
	const struct pfx_output *out;        /* NULL: not started yet */
	const uint64_t *nr_wakes;            /* atomic, of the other thread */

	struct pfx_meta *meta; /* owned; its events do not change any more */
	struct pfx_sink sink;
	struct pfx_buffer scratch;
	struct pfx_record_areas_written areas;
	int reserve_fd;             /* a nameless file that keeps room for the features; 0: none */
	struct pfx_map_ids map_ids; /* of files that are mapped, for buildid_mmap */
	char *keep_dir;             /* where copies of binaries are kept; NULL: nowhere */
	struct pfx_named_files names; /* finished, with a name of their own */
};

/* --- head.c --- */
/* Open an output and write what runs already; @again: another file of the same recording. */
int pfx_record_file_begin(struct pfx_record_file *file, bool again, struct pfx_error *err);
/* With tail_synthesize, at the end of a file: what runs by then. */
int pfx_record_file_put_tail(struct pfx_record_file *file, struct pfx_error *err);

/* --- offcpu_stage.c --- */
/* Begin with time asleep, if it is wanted. */
void pfx_record_file_start_offcpu(struct pfx_record_file *file);

/* --- end.c --- */
/* Into the writer what only the end of a file knows, and end it; the recording continues. */
int pfx_record_file_end(struct pfx_record_file *file, struct pfx_error *err);
/* The same at the end of the recording. @is_whole: nothing failed before, else only what can be
 * known is written. Returns the first error; a reader that has gone is none. *@ret_is_gone: others
 * took the output away. */
int pfx_record_file_finish(struct pfx_record_file *file, bool is_whole, bool *ret_is_gone,
			   struct pfx_error *err);

/* --- next_file.c --- */
/* Give the finished file its name with the time. */
int pfx_record_file_name(struct pfx_record_file *file, struct pfx_error *err);
/* End the file, name it, begin the next one. */
int pfx_record_file_next(struct pfx_record_file *file, struct pfx_error *err);

/* --- binaries.c --- */
/* Build ids of the binaries that samples hit into the meta, and copies of them. */
void pfx_record_build_ids(struct pfx_record_file *file);

/* --- jit_files_kept.c --- */
/* Keep the perf maps and jitdumps of processes whose own memory samples hit with the copies, and
 * name them in the table of build ids, which has room for pfx_record_jit_max() of them. */
void pfx_record_jit(struct pfx_record_file *file);
size_t pfx_record_jit_max(const struct pfx_record_file *file);

/* --- trace_write.c: traces of AUX areas --- */
/* A file begins, and a file ends: the index of its AUXTRACE records. */
void pfx_record_trace_begin_file(struct pfx_record_file *file);
void pfx_record_trace_end_file(struct pfx_record_file *file);
/* Write what the area of that number has; the number after the last one starts the PMUs again. */
int pfx_record_trace_write(struct pfx_record_file *file, size_t area, struct pfx_error *err);

/* Close what is open. */
void pfx_record_file_fini(struct pfx_record_file *file);

#endif
