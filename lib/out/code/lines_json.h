/* SPDX-License-Identifier: MIT */
/*
 * Source files with the cost of their lines (lib/code/line_costs.h) as JSON, in the schema
 * "pfx.lines/1" (Documentation/lines-schema.json): one object with the events and an array of
 * files, which are written one after another. Zero-initialize.
 */
#ifndef PFX_OUT_LINES_JSON_H
#define PFX_OUT_LINES_JSON_H

#include "base/str.h"
#include "code/line_costs.h"
#include "code/source_file.h"
#include "event/meta.h"

#define PFX_LINES_SCHEMA "pfx.lines/1"

struct pfx_lines_json {
	struct pfx_sources *sources;
	uint32_t nr_events;
	uint32_t context;  /* lines around those with cost; UINT32_MAX: all */
	uint32_t nr_files; /* written so far */
};

/* The beginning: the events, and in @wholes (by event) the total cost of their samples. */
void pfx_lines_json_begin(struct pfx_lines_json *json, const struct pfx_meta *meta,
			  const struct pfx_cost *wholes, struct pfx_str *to);
/* A file. */
void pfx_lines_json_add(struct pfx_lines_json *json, const struct pfx_file_cost *file,
			struct pfx_str *to);
/* The end. */
void pfx_lines_json_end(struct pfx_lines_json *json, struct pfx_str *to);

#endif
