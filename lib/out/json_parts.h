/* SPDX-License-Identifier: MIT */
/*
 * Parts of JSON: members of objects, appended to a string. A comma is put before a member that is
 * not the first of its object. Texts are escaped.
 */
#ifndef PFX_OUT_JSON_PARTS_H
#define PFX_OUT_JSON_PARTS_H

#include <stdint.h>

#include "base/str.h"

/* "name": preceded by a comma if necessary. */
void pfx_json_add_name(struct pfx_str *to, const char *name);
/* A text in quotes. */
void pfx_json_add_string(struct pfx_str *to, const char *text);
/* A comma before each element except the first (@i 0). */
void pfx_json_add_comma(struct pfx_str *to, uint32_t i);
/* Members of each kind; nothing for a text that is NULL. A share has four decimals, in percent. */
void pfx_json_add_text(struct pfx_str *to, const char *name, const char *text);
void pfx_json_add_number(struct pfx_str *to, const char *name, uint64_t number);
void pfx_json_add_int(struct pfx_str *to, const char *name, int number);
void pfx_json_add_percent(struct pfx_str *to, const char *name, uint64_t part, uint64_t whole);

#endif
