/* SPDX-License-Identifier: MIT */
/*
 * A recording as one JSON object with its header and samples, in perf's format. The text goes to a
 * sink in pieces.
 */
#ifndef PFX_EXPORT_PERF_JSON_H
#define PFX_EXPORT_PERF_JSON_H

#include "base/str.h"
#include "export/samples/export_stream.h"

/* Writes the text, which is cleared afterwards. An error ends the conversion. */
typedef int (*pfx_json_sink_fn)(void *context, const struct pfx_str *text, struct pfx_error *err);

/* Convert the samples that pass; their number in *@ret_nr. Returns the first error. */
int pfx_json_write(const struct pfx_export_stream *stream, pfx_json_sink_fn sink, void *context,
		   uint64_t *ret_nr, struct pfx_error *err);

#endif
