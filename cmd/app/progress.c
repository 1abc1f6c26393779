/* SPDX-License-Identifier: MIT */
/*
 * A progress line while a recording is read. It is first shown after a delay, so that short runs do
 * not flicker, and removed before other output. The size of a stream is unknown, and the files of a
 * directory are read in parallel: for both the line counts records.
 */
#include "cmd/app/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ns.h"
#include "sys/host/clock_now.h"

#define FIRST_NS (PFX_NS_PER_SECOND / 2)
#define EVERY_NS (PFX_NS_PER_SECOND / 5)

void pfx_progress_begin(struct pfx_progress *progress, const char *command, bool quiet,
			const struct pfx_reader *reader)
{
	const struct pfx_file_info *info = pfx_reader_info(reader);

	*progress = (struct pfx_progress){.command = command, .fd = -1, .first = FIRST_NS};
	if (!quiet && isatty(STDERR_FILENO))
		progress->fd = STDERR_FILENO;
	if (info->form == PFX_READER_FILE) {
		progress->begin = info->data_offset;
		progress->size = info->data_size;
	}
}

static void put(const struct pfx_progress *progress, const char *line)
{
	/* Errors are ignored: the line is not essential. */
	if (write(progress->fd, line, strlen(line)) < 0)
		return;
}

void pfx_progress_show(struct pfx_progress *progress, const struct pfx_record *rec)
{
	uint64_t at = pfx_clock_monotonic(), done = rec->offset - progress->begin;
	char line[160];

	if (!progress->next)
		progress->next = at + progress->first;
	if (at < progress->next)
		return;
	progress->next = at + EVERY_NS;
	progress->is_shown = true;
	if (progress->size && done <= progress->size)
		snprintf(line, sizeof(line), "\r\033[Kpfx %s: %u%% of %" PRIu64 " MB",
			 progress->command,
			 (unsigned)(100.0 * (double)done / (double)progress->size),
			 progress->size >> 20);
	else
		snprintf(line, sizeof(line), "\r\033[Kpfx %s: %" PRIu64 " records",
			 progress->command, progress->nr);
	put(progress, line);
}

void pfx_progress_end(struct pfx_progress *progress)
{
	if (progress->is_shown)
		put(progress, "\r\033[K");
	progress->is_shown = false;
}
