/* SPDX-License-Identifier: MIT */
/*
 * A process that outlives a killed recorder and writes what is left in the ring buffers. For
 * recordings where that is a copy of bytes into one file.
 */
#ifndef PFX_RECORD_RESCUE_H
#define PFX_RECORD_RESCUE_H

#include <stdbool.h>
#include <sys/types.h>

#include "file/writer/writer.h"
#include "sys/counter/ring.h"

/* Zero is none. The first four are the caller's to set; borrowed until it is stopped. */
struct pfx_rescue {
	struct pfx_writer *writer;
	struct pfx_rings *rings;
	int *reserve_fd; /* see record/file/reserve.h */
	bool has_rounds; /* a record that ends the round belongs after the bytes */

	pid_t pid;   /* 0: none */
	int fd;      /* closed without a byte: the recorder died */
	int read_fd; /* the other end, in that process */
	void *stack;
};

/* Once the file is complete, before threads and samples exist. Where it fails there is none. */
void pfx_rescue_start(struct pfx_rescue *rescue);
/* False where there is none, or none any more. */
bool pfx_rescue_is_on(const struct pfx_rescue *rescue);
/* After SIGCHLD: notices that it was killed. */
void pfx_rescue_heed(struct pfx_rescue *rescue);
/* All is written: end it. */
void pfx_rescue_stop(struct pfx_rescue *rescue);

#endif
