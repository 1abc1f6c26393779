/* SPDX-License-Identifier: MIT */
/* Members of JSON objects, whatever their contents. */
#include "out/json_parts.h"

#include <string.h>

void pfx_json_add_string(struct pfx_str *to, const char *text)
{
	pfx_str_addc(to, '"');
	pfx_str_add_json(to, text, strlen(text));
	pfx_str_addc(to, '"');
}

void pfx_json_add_name(struct pfx_str *to, const char *name)
{
	if (to->len && to->at[to->len - 1] != '{')
		pfx_str_addc(to, ',');
	pfx_json_add_string(to, name);
	pfx_str_addc(to, ':');
}

void pfx_json_add_comma(struct pfx_str *to, uint32_t i)
{
	if (i)
		pfx_str_addc(to, ',');
}

void pfx_json_add_text(struct pfx_str *to, const char *name, const char *text)
{
	if (!text)
		return;
	pfx_json_add_name(to, name);
	pfx_json_add_string(to, text);
}

void pfx_json_add_number(struct pfx_str *to, const char *name, uint64_t number)
{
	pfx_json_add_name(to, name);
	pfx_str_u64(to, number, 0);
}

void pfx_json_add_int(struct pfx_str *to, const char *name, int number)
{
	pfx_json_add_name(to, name);
	pfx_str_addf(to, "%d", number);
}

void pfx_json_add_percent(struct pfx_str *to, const char *name, uint64_t part, uint64_t whole)
{
	pfx_json_add_name(to, name);
	pfx_str_addf(to, "%.4f", whole ? 100.0 * part / whole : 0.0);
}
