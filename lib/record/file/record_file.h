/* SPDX-License-Identifier: MIT */
/*
 * The files of a recording, one after the other: their first records, the data that are only known
 * at the end, and their names. Everything belongs to the writing thread, from the start of the
 * output to its stop; before and after that to the thread that started the output.
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
	bool is_off; /* atomic, set by the other thread: the events are disabled for good */
};

/* The pointers are borrowed; zero means no file. */
struct pfx_record_file {
	const struct pfx_record_plan *plan;
	struct pfx_record_source *source;    /* see record_source.h for its thread */
	const struct pfx_workload *workload; /* to check whether it is already running */
	const struct pfx_output *out;        /* NULL: not started yet */
	const uint64_t *nr_wakes;            /* atomic, of the other thread */

	struct pfx_meta *meta; /* owned; its events are final */
	struct pfx_sink sink;
	struct pfx_buffer scratch;
	struct pfx_record_areas_written areas;
	int reserve_fd; /* an unnamed file that reserves disk space for the features; -1: none */
	struct pfx_map_ids map_ids;   /* of files that are mapped, for buildid_mmap */
	char *keep_dir;               /* directory for copies of binaries; NULL: none */
	struct pfx_named_files names; /* finished files with their names */
};

/* --- head.c --- */
/* Open an output and write the running tasks; @again: another file of the same recording. */
int pfx_record_file_begin(struct pfx_record_file *file, bool again, struct pfx_error *err);
/* With tail_synthesize, at the end of a file: write the running tasks. */
int pfx_record_file_put_tail(struct pfx_record_file *file, struct pfx_error *err);

/* --- offcpu_stage.c --- */
/* Start the off-CPU stage, if requested. */
void pfx_record_file_start_offcpu(struct pfx_record_file *file);

/* --- end.c --- */
/* Complete the file with the data that are only known at the end, and close it; the recording
 * continues. */
int pfx_record_file_end(struct pfx_record_file *file, struct pfx_error *err);
/* The same at the end of the recording. @is_whole: nothing failed before, otherwise only the
 * available data are written. Returns the first error; a closed pipe is not an error.
 * *@ret_is_gone: others removed the output. */
int pfx_record_file_finish(struct pfx_record_file *file, bool is_whole, bool *ret_is_gone,
			   struct pfx_error *err);

/* --- next_file.c --- */
/* Rename the finished file to its name with the time. */
int pfx_record_file_name(struct pfx_record_file *file, struct pfx_error *err);
/* End the file, name it, begin the next one. */
int pfx_record_file_next(struct pfx_record_file *file, struct pfx_error *err);

/* --- binaries.c --- */
/* Add build IDs of the sampled binaries to the meta, and copy the binaries. */
void pfx_record_build_ids(struct pfx_record_file *file);

/* --- jit_files_kept.c --- */
/* Copy the perf maps and jitdumps of processes with samples in JIT code, and add them to the table
 * of build IDs, which has room for pfx_record_jit_max() entries. */
void pfx_record_jit(struct pfx_record_file *file);
size_t pfx_record_jit_max(const struct pfx_record_file *file);

/* --- trace_write.c: traces of AUX areas --- */
/* At the start and the end of a file: the index of its AUXTRACE records. */
void pfx_record_trace_begin_file(struct pfx_record_file *file);
void pfx_record_trace_end_file(struct pfx_record_file *file);
/* Write the trace of area number @area; the number after the last one starts the PMUs again. */
int pfx_record_trace_write(struct pfx_record_file *file, size_t area, struct pfx_error *err);

/* Close all descriptors. */
void pfx_record_file_fini(struct pfx_record_file *file);

#endif
