/* SPDX-License-Identifier: MIT */
/* Columns of numbers as texts: page/columns.js reads them. */
#include "export/page_data_internal.h"

#include "out/json_parts.h"

const char pfx_page_digits[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void add_digits(struct pfx_str *to, uint64_t value)
{
	do {
		pfx_str_addc(to, pfx_page_digits[(value & 31) | (value > 31 ? 32 : 0)]);
		value >>= 5;
	} while (value);
}

static bool all_equal(const uint64_t *values, size_t nr)
{
	size_t i;

	for (i = 1; i < nr; i++)
		if (values[i] != values[0])
			return false;
	return nr > 0;
}

/* The bytes of the values, all lowest ones first: equal ones are beside each other. */
static void add_bytes(struct pfx_page_data *h, const char *name)
{
	uint64_t all = 0;
	unsigned nr = 1, byte;
	char *to;
	size_t i;

	for (i = 0; i < h->column.nr; i++)
		all |= h->column.at[i];
	while (nr < sizeof(all) && all >> (8 * nr))
		nr++;
	pfx_page_begin(h, name, '{');
	pfx_json_add_number(h->to, "at", h->bytes.len);
	pfx_json_add_number(h->to, "bytes", nr);
	pfx_page_end(h, '}');
	for (byte = 0; byte < nr; byte++) {
		to = pfx_str_reserve(&h->bytes, h->column.nr);
		for (i = 0; i < h->column.nr; i++)
			to[i] = (char)(h->column.at[i] >> (8 * byte));
		h->bytes.len += h->column.nr;
	}
}

void pfx_page_column(struct pfx_page_data *h, const char *name)
{
	size_t i;

	if (all_equal(h->column.at, h->column.nr)) {
		pfx_json_add_number(h->to, name, h->column.at[0]);
	} else if (h->is_packed) {
		add_bytes(h, name);
	} else {
		pfx_json_add_name(h->to, name);
		pfx_str_addc(h->to, '"');
		for (i = 0; i < h->column.nr; i++)
			add_digits(h->to, h->column.at[i]);
		pfx_str_addc(h->to, '"');
	}
	h->column.nr = 0;
}

void pfx_page_begin(struct pfx_page_data *h, const char *name, char bracket)
{
	pfx_json_add_name(h->to, name);
	pfx_str_addc(h->to, bracket);
}

void pfx_page_end(struct pfx_page_data *h, char bracket)
{
	pfx_str_addc(h->to, bracket);
}

void pfx_page_element(struct pfx_page_data *h, uint32_t i)
{
	pfx_json_add_comma(h->to, i);
	pfx_str_addc(h->to, '{');
}
