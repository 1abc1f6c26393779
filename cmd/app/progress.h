/* SPDX-License-Identifier: MIT */
/* How far a long reading has come, as one line on standard error that is written over. */
#ifndef PFX_CMD_PROGRESS_H
#define PFX_CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "event/record.h"
#include "file/reader/reader.h"

struct pfx_progress {
	const char *command;
	int fd;               /* where the line goes; -1: nowhere */
	uint64_t first;       /* ns until it is shown the first time */
	uint64_t begin, size; /* where the records lie in the input; 0: unknown */
	uint64_t nr, next;    /* records so far; ns of the clock when the line is due */
	bool is_shown;
};

/* Nothing is shown unless standard error is a terminal, nor with @quiet. */
void pfx_progress_begin(struct pfx_progress *progress, const char *command, bool quiet,
			const struct pfx_reader *reader);
/* The line, where it is due. */
void pfx_progress_show(struct pfx_progress *progress, const struct pfx_record *rec);
/* Take the line away. */
void pfx_progress_end(struct pfx_progress *progress);

/* How many records go by between looks at the clock. */
#define PFX_PROGRESS_STEP (1u << 12)

/* To be called for each record. */
static inline void pfx_progress_step(struct pfx_progress *progress, const struct pfx_record *rec)
{
	if (!(++progress->nr % PFX_PROGRESS_STEP) && progress->fd >= 0)
		pfx_progress_show(progress, rec);
}

#endif
