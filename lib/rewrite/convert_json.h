/* SPDX-License-Identifier: MIT */
/*
 * Converts a recording to one JSON object with its header and samples, in perf's format. The text
 * goes to a sink in pieces.
 */
#ifndef PFX_REWRITE_CONVERT_JSON_H
#define PFX_REWRITE_CONVERT_JSON_H

#include "base/str.h"
#include "read/recording.h"

struct pfx_json_options {
	const char *input;       /* as of pfx_recording_open() */
	const char *buildid_dir; /* NULL: default */
	bool force, strict;      /* of the reader */
};

/* Writes the text, which is cleared afterwards. An error ends the conversion. */
typedef int (*pfx_json_sink_fn)(void *context, const struct pfx_str *text, struct pfx_error *err);

struct pfx_json;

/* Open the input. */
int pfx_json_new(struct pfx_json **ret, const struct pfx_json_options *options,
		 struct pfx_error *err);
void pfx_json_free(struct pfx_json *json);
/* Convert the whole input. */
int pfx_json_run(struct pfx_json *json, pfx_json_sink_fn sink, void *context,
		 struct pfx_error *err);
uint64_t pfx_json_nr_samples(const struct pfx_json *json);
const struct pfx_recording *pfx_json_recording(const struct pfx_json *json);

#endif
