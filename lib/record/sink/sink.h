/* SPDX-License-Identifier: MIT */
/*
 * The last stages of records before the file: off-CPU time (--off-cpu), compression, the writer,
 * and the tally of the written records. A sink serves one file after the other. It owns what it
 * points to; only one thread at a time uses it.
 */
#ifndef PFX_RECORD_SINK_H
#define PFX_RECORD_SINK_H

#include "base/buffer.h"
#include "base/error.h"
#include "file/pack/pack.h"
#include "file/writer/writer.h"
#include "record/sink/carry.h"
#include "record/sink/offcpu.h"
#include "record/sink/tally.h"

/* Zero-initialize: no file. */
struct pfx_sink {
	struct pfx_writer *writer; /* NULL: no file is open */
	struct pfx_tally tally;    /* of that file */
	struct pfx_pack *pack;     /* NULL: not compressed */
	struct pfx_buffer packed;
	struct pfx_offcpu *offcpu; /* NULL: not requested */
	struct pfx_buffer made;    /* output of the off-CPU stage */
	uint64_t off_ns;           /* atomic: when the events were disabled; 0: unknown */
	struct pfx_carry carry;    /* into the next file */
	uint64_t nr_samples;       /* of the previous files */
};

/* Write synthesized records, uncompressed, and empty the buffer. If the disk is full, the written
 * part is counted. */
int pfx_sink_put(struct pfx_sink *sink, struct pfx_buffer *records, struct pfx_error *err);
/* Pass whole records of the ring buffers through all stages. 1 if something was written, 0 if
 * everything waits in the off-CPU stage. */
int pfx_sink_take(struct pfx_sink *sink, const uint8_t *data, size_t size, struct pfx_error *err);

/* Only for the off-CPU stage; no effect without it. Its output is written uncompressed. */
/* Take records of the ring buffers of context switches. */
int pfx_sink_take_switches(struct pfx_sink *sink, const uint8_t *data, size_t size,
			   struct pfx_error *err);
/* End a round without a FINISHED_ROUND record. */
int pfx_sink_end_round(struct pfx_sink *sink, struct pfx_error *err);
/* The events were disabled, at off_ns. */
int pfx_sink_pause(struct pfx_sink *sink, struct pfx_error *err);
/* The file ends, the recording continues: write the sums of short sleeps. */
int pfx_sink_put_sums(struct pfx_sink *sink, struct pfx_error *err);
/* The recording ends: write everything. */
int pfx_sink_end_offcpu(struct pfx_sink *sink, struct pfx_error *err);

/* Close the file before another one begins: frees the writer and the tally. */
int pfx_sink_close_file(struct pfx_sink *sink, struct pfx_error *err);
void pfx_sink_fini(struct pfx_sink *sink);

#endif
