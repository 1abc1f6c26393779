/* SPDX-License-Identifier: MIT */
/*
 * The output of an export: text or bytes that are collected and written in pieces. The first
 * failure is kept, and what is written afterwards is dropped. A file gets its name only when it is
 * complete (file/writer/part.h).
 *
 *	rc = pfx_export_open(&out, path, &wait, &err);
 *	format->write(&input, &out);
 *	rc = pfx_export_close(&out, 0, &err);
 */
#ifndef PFX_EXPORT_OUTPUT_EXPORT_OUTPUT_H
#define PFX_EXPORT_OUTPUT_EXPORT_OUTPUT_H

#include "base/error.h"
#include "base/str.h"
#include "file/writer/part.h"

struct pfx_export_output {
	struct pfx_str text; /* append here */
	/* Samples that the format had to leave out, and where they are: "in ...". For messages. */
	uint64_t nr_left_out;
	const char *left_out_why;
	/* private */
	const char *path; /* NULL: standard output */
	struct pfx_part part;
	int failure;
	struct pfx_error error;       /* its message, if it has one of its own */
	struct pfx_export_pack *pack; /* NULL: not packed */
};

/* @path "-": standard output. 0 or a negative errno; then there is nothing to close. Borrows the
 * path. */
int pfx_export_open(struct pfx_export_output *ret, const char *path,
		    const struct pfx_open_wait *wait, struct pfx_error *err);
/* From now on, pack the text with gzip, if that is built in. */
void pfx_export_gzip(struct pfx_export_output *out);
/* Write the text if there is much of it: 0, or the negative errno of the first failure, after which
 * a format may stop. */
int pfx_export_flush(struct pfx_export_output *out);
/* The output, if it is a new file without a name, which can be read and sought in; -1: not. For
 * formats that write it themselves; then nothing is appended to the text. */
int pfx_export_file(const struct pfx_export_output *out);
/* A failure of the format, if it is the first: the error is copied. */
void pfx_export_fail(struct pfx_export_output *out, int rc, const struct pfx_error *err);
/* Write the rest; with @rc 0 and without a failure the file gets its name, else it is removed.
 * Returns the first error. */
int pfx_export_close(struct pfx_export_output *out, int rc, struct pfx_error *err);

#endif
