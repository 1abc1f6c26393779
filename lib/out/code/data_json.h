/* SPDX-License-Identifier: MIT */
/* The data that samples access (code/data_profile.h) as members of the JSON of functions. */
#ifndef PFX_OUT_DATA_JSON_H
#define PFX_OUT_DATA_JSON_H

#include "code/data_profile.h"
#include "out/code/code_json.h"

/* "types": those that @is_wanted accepts, with their members. */
void pfx_data_json_types(struct pfx_code_json *json, const struct pfx_data_profile *profile,
			 bool (*is_wanted)(const void *context, const struct pfx_data_type *type),
			 const void *context, struct pfx_str *to);
/* "type_stat": how many samples have known data, and why others do not. */
void pfx_data_json_stat(struct pfx_code_json *json, const struct pfx_data_profile *profile,
			struct pfx_str *to);
/* "insn_stat": the same by mnemonic. */
void pfx_data_json_insns(struct pfx_code_json *json, const struct pfx_data_profile *profile,
			 struct pfx_str *to);

#endif
