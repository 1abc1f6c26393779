/* SPDX-License-Identifier: MIT */
/*
 * Functions with their costs as JSON, in the schema "pfx.annotate/1"
 * (Documentation/annotate-schema.json): one object with the events and an array of functions, which
 * are written one after another. Zero-initialize.
 */
#ifndef PFX_OUT_CODE_JSON_H
#define PFX_OUT_CODE_JSON_H

#include "base/str.h"
#include "code/code.h"
#include "event/meta.h"
#include "out/code/code_output.h"

#define PFX_ANNOTATE_SCHEMA "pfx.annotate/1"

struct pfx_code_json {
	uint32_t nr_functions; /* written so far */
	bool has_all_functions;
};

/* The beginning: the events, and in @wholes (by event) the total cost of their samples. */
void pfx_code_json_begin(struct pfx_code_json *json, const struct pfx_meta *meta,
			 const struct pfx_cost *wholes, struct pfx_str *to);
/* A function; 0, or what writing returned. */
int pfx_code_json_add(struct pfx_code_json *json, const struct pfx_code *code,
		      const struct pfx_code_output *output);
/* The end. */
void pfx_code_json_end(struct pfx_code_json *json, struct pfx_str *to);

#endif
