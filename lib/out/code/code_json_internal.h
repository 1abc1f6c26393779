/* SPDX-License-Identifier: MIT */
/* Shared by the JSON of functions, of source files and of data types. */
#ifndef PFX_OUT_CODE_JSON_INTERNAL_H
#define PFX_OUT_CODE_JSON_INTERNAL_H

#include "out/code/code_json.h"

/* "key": "text" */
void pfx_code_json_text(struct pfx_str *to, const char *key, const char *text, size_t len);
/* "key": [an object for each event] */
void pfx_code_json_costs(struct pfx_str *to, const char *key, const struct pfx_cost *costs,
			 uint32_t nr);
/* The same for costs of some of the events. */
void pfx_code_json_cost_list(struct pfx_str *to, const char *key, const struct pfx_cost_list *list,
			     uint32_t nr_events);
/* "events": [their names and the total cost of their samples] */
void pfx_code_json_events(struct pfx_str *to, const struct pfx_meta *meta,
			  const struct pfx_cost *wholes);
/* Whether no event has samples. */
bool pfx_code_json_is_free(const struct pfx_cost *costs, uint32_t nr);
/* No functions follow. */
void pfx_code_json_end_functions(struct pfx_code_json *json, struct pfx_str *to);

#endif
