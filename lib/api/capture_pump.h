/* SPDX-License-Identifier: MIT */
/*
 * Between the recorder of a capture and the pipe to its reader: a recorder writes the running
 * processes to a stream before it has started, which is more than a pipe holds, and the caller
 * reads only when it has. Until then the pump keeps what the pipe does not take; later it waits for
 * the reader as a pipe does, but for the time that a command of the caller waits for the recorder,
 * which may be waiting for its output.
 */
#ifndef PFX_API_CAPTURE_PUMP_H
#define PFX_API_CAPTURE_PUMP_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"

struct pfx_capture_pump {
	pthread_t thread;
	bool is_on;
	int fd;                 /* the recorder writes here; closed by pfx_capture_pump_started() */
	int from, to, commands; /* of the thread */
	int has_begun;          /* atomic: it only forwards */
};

/* Start the thread that fills @to, which the pump then owns; -1: the pump stays off. @commands:
 * what the recorder reads them from, borrowed. */
int pfx_capture_pump_start(struct pfx_capture_pump *pump, int to, int commands,
			   struct pfx_error *err);
/* The recorder has started, and has opened its own descriptor. */
void pfx_capture_pump_started(struct pfx_capture_pump *pump);
/* Wait until all that was written is in the pipe, or its reader is gone: after the recorder has
 * closed its output. */
void pfx_capture_pump_wait(struct pfx_capture_pump *pump);

#endif
