/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share: opening bytes as a file, and reading all of an open recording. */
#ifndef PFX_TESTS_READING_H
#define PFX_TESTS_READING_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "event/sample.h"
#include "file/reader/header_text.h"
#include "read/recording.h"

/* NULL when they are no recording. */
static inline struct pfx_recording *open_recording(const uint8_t *data, size_t size)
{
	const struct pfx_recording_options options = {.reader.force = true};
	struct pfx_recording *recording = NULL;
	struct pfx_error err;
	char path[64];
	int fd = memfd_create("fuzz", 0);

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pfx_write_full(fd, data, size) < 0 ||
	    pfx_recording_open(&recording, path, &options, &err) < 0)
		recording = NULL;
	close(fd);
	return recording;
}

/* Frees the recording. */
static inline void read_everything(struct pfx_recording *recording)
{
	struct pfx_str text = {0};
	struct pfx_error err;
	struct pfx_item item;
	struct pfx_body body;

	while (pfx_recording_next(recording, &item, &err) > 0)
		if (!item.sample)
			pfx_record_decode(&item.rec, item.rec.event ? &item.rec.event->attr : NULL,
					  &body, &err);
	pfx_header_text(pfx_recording_reader(recording), true, &text);
	pfx_str_fini(&text);
	pfx_recording_free(recording);
}

#endif
