/* SPDX-License-Identifier: MIT */
/* The progress of reading, as one line on standard error that is overwritten. */
#ifndef PFX_CMD_PROGRESS_H
#define PFX_CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "event/record.h"
#include "file/reader/reader.h"

struct pfx_progress {
	const char *command;
	int fd;               /* file descriptor of the line; -1: none */
	uint64_t first;       /* ns before it is first shown */
	uint64_t begin, size; /* where the records are in the input; 0: unknown */
	uint64_t nr, next;    /* records so far; time (ns) of the next update */
	bool is_shown;
};

/* Nothing is shown unless standard error is a terminal, nor with @quiet. */
void pfx_progress_begin(struct pfx_progress *progress, const char *command, bool quiet,
			const struct pfx_reader *reader);
/* Print the line if it is due. */
void pfx_progress_show(struct pfx_progress *progress, const struct pfx_record *rec);
/* Remove the line. */
void pfx_progress_end(struct pfx_progress *progress);

/* The clock is read once for this many records. */
#define PFX_PROGRESS_STEP (1u << 12)

/* To be called for each record. */
static inline void pfx_progress_step(struct pfx_progress *progress, const struct pfx_record *rec)
{
	if (!(++progress->nr % PFX_PROGRESS_STEP) && progress->fd >= 0)
		pfx_progress_show(progress, rec);
}

#endif
