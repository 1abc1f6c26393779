/* SPDX-License-Identifier: MIT */
/*
 * The last stages of records on their way into a file: time asleep (--off-cpu), compression, the
 * writer, and the tally of what was written. A sink serves one file after the other. It owns what
 * it points to; only one thread at a time uses it.
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

/* Zero is one without a file. */
struct pfx_sink {
	struct pfx_writer *writer; /* NULL: no file is open */
	struct pfx_tally tally;    /* of that file */
	struct pfx_pack *pack;     /* NULL: not compressed */
	struct pfx_buffer packed;
	struct pfx_offcpu *offcpu; /* NULL: not wanted */
	struct pfx_buffer made;    /* what the off-CPU stage appends */
	uint64_t off_ns;           /* atomic: when the events were switched off; 0: unknown */
	struct pfx_carry carry;    /* into the next file */
	uint64_t nr_samples;       /* of the files before this one */
};

/* Write records that the recorder made itself, uncompressed, and empty the buffer. What is written
 * of them counts, also when there is no room for all. */
int pfx_sink_put(struct pfx_sink *sink, struct pfx_buffer *records, struct pfx_error *err);
/* Take whole records of the ring buffers through all stages. 1 when something was written, 0 when
 * all of it waits in the off-CPU stage. */
int pfx_sink_take(struct pfx_sink *sink, const uint8_t *data, size_t size, struct pfx_error *err);

/* The off-CPU stage alone; without it these do nothing. What it gives is written uncompressed. */
/* Records of its own ring buffers. */
int pfx_sink_take_switches(struct pfx_sink *sink, const uint8_t *data, size_t size,
			   struct pfx_error *err);
/* A round is over that no record marks. */
int pfx_sink_end_round(struct pfx_sink *sink, struct pfx_error *err);
/* The events were switched off, at off_ns. */
int pfx_sink_pause(struct pfx_sink *sink, struct pfx_error *err);
/* The file ends, the recording continues: the sums of short sleeps. */
int pfx_sink_put_sums(struct pfx_sink *sink, struct pfx_error *err);
/* The recording ends: all that is left. */
int pfx_sink_end_offcpu(struct pfx_sink *sink, struct pfx_error *err);

/* Close the file, to begin another one: the writer and the tally are gone. */
int pfx_sink_close_file(struct pfx_sink *sink, struct pfx_error *err);
void pfx_sink_fini(struct pfx_sink *sink);

#endif
