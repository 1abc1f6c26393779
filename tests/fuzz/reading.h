/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share: opening bytes as a file, and reading all of an open recording. */
#ifndef PFX_TESTS_READING_H
#define PFX_TESTS_READING_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "event/sample.h"
#include "file/header_text.h"
#include "file/order.h"

/* NULL when they are no recording. */
static inline struct pfx_reader *open_bytes(const uint8_t *data, size_t size)
{
	const struct pfx_reader_options options = {.force = true};
	struct pfx_reader *reader = NULL;
	struct pfx_error err;
	char path[64];
	int fd = memfd_create("fuzz", 0);

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pfx_write_full(fd, data, size) < 0 ||
	    pfx_reader_open(&reader, path, &options, &err) < 0)
		reader = NULL;
	close(fd);
	return reader;
}

/* Frees the reader. */
static inline void read_everything(struct pfx_reader *reader)
{
	struct pfx_order *order = pfx_order_new(reader, false);
	struct pfx_str text = {0};
	struct pfx_sample sample;
	struct pfx_error err;
	struct pfx_record rec;
	struct pfx_body body;

	while (pfx_order_next(order, &rec, &err) > 0) {
		if (rec.type == PFX_RECORD_SAMPLE && rec.event)
			pfx_sample_decode(&rec, &rec.event->attr, &sample);
		else
			pfx_record_decode(&rec, rec.event ? &rec.event->attr : NULL, &body, &err);
	}
	pfx_header_text(reader, true, &text);
	pfx_str_fini(&text);
	pfx_order_free(order);
	pfx_reader_free(reader);
}

#endif
