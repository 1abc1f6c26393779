/* SPDX-License-Identifier: MIT */
/*
 * A process that outlives a killed recorder and writes the rest of its queue and of the ring
 * buffers. Only for
 * recordings in one file, without processing of records.
 */
#ifndef PFX_RECORD_RESCUE_H
#define PFX_RECORD_RESCUE_H

#include <stdbool.h>
#include <sys/types.h>

#include "file/writer/writer.h"
#include "record/output/drain.h"
#include "record/output/output.h"
#include "sys/counter/ring.h"

/* Zero-initialize. The caller sets the first members; borrowed until it is stopped. */
struct pfx_rescue {
	struct pfx_writer *writer;
	struct pfx_rings *rings;
	struct pfx_output **out; /* with one queue; NULL as long as there is none */
	struct pfx_drain *drain;
	int *reserve_fd; /* see record/file/reserve.h */
	bool has_rounds; /* append a record that ends the round */
	bool is_packed;  /* the queue's thread compresses the bytes */

	pid_t pid;   /* 0: none */
	int fd;      /* closed without a byte: the recorder was killed */
	int read_fd; /* the other end, in that process */
	void *stack;
};

/* Call it when the file is complete, before there are threads and samples. On failure there is no
 * rescue process. */
void pfx_rescue_start(struct pfx_rescue *rescue);
/* False if there is none, or it has ended. */
bool pfx_rescue_is_on(const struct pfx_rescue *rescue);
/* After SIGCHLD: checks whether it was killed. */
void pfx_rescue_heed(struct pfx_rescue *rescue);
/* All data are written: end it. */
void pfx_rescue_stop(struct pfx_rescue *rescue);

#endif
