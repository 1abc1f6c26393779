/* SPDX-License-Identifier: MIT */
/* Columns of numbers as texts: page/columns.js reads them. */
#include "export/page_data_internal.h"

#include "out/json_parts.h"

#define DROP_AFTER ((size_t)4 << 20) /* bytes of columns */

const char pfx_page_digits[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void add_digits(struct pfx_str *to, uint64_t value)
{
	do {
		pfx_str_addc(to, pfx_page_digits[(value & 31) | (value > 31 ? 32 : 0)]);
		value >>= 5;
	} while (value);
}

/* Values of a column: of the rows of the selection, or of h->column. */
struct values {
	struct pfx_page_data *h;
	pfx_page_row_fn of_row; /* NULL: of h->column */
	size_t nr;
};

static uint64_t value_at(const struct values *values, size_t i)
{
	uint32_t row;

	if (!values->of_row)
		return values->h->column.at[i];
	row = values->h->selection->rows[i];
	pfx_profile_pass(values->h->profile, row);
	return values->of_row(values->h, row);
}

static bool all_equal(const struct values *values)
{
	uint64_t first = values->nr ? value_at(values, 0) : 0;
	size_t i;

	for (i = 1; i < values->nr; i++)
		if (value_at(values, i) != first)
			return false;
	return values->nr > 0;
}

static unsigned bytes_of(const struct values *values)
{
	uint64_t all = 0;
	unsigned nr = 1;
	size_t i;

	for (i = 0; i < values->nr; i++)
		all |= value_at(values, i);
	while (nr < sizeof(all) && all >> (8 * nr))
		nr++;
	return nr;
}

/* Byte @byte of all values. */
static void add_byte(struct pfx_page_data *h, const struct values *values, unsigned byte)
{
	size_t need = h->nr_bytes + values->nr, i;
	char *to;

	if (need > h->bytes.size)
		pfx_paged_grow(&h->bytes, need + need / 2);
	to = (char *)h->bytes.at + h->nr_bytes;
	for (i = 0; i < values->nr; i++) {
		to[i] = (char)(value_at(values, i) >> (8 * byte));
		if (i % DROP_AFTER == DROP_AFTER - 1)
			pfx_paged_drop(&h->bytes);
	}
	h->nr_bytes = need;
}

/* The bytes of the values, all lowest ones first: equal ones are beside each other. */
static void add_bytes(struct pfx_page_data *h, const char *name, const struct values *values)
{
	unsigned nr = bytes_of(values), byte;

	pfx_page_begin(h, name, '{');
	pfx_json_add_number(h->to, "at", h->nr_bytes);
	pfx_json_add_number(h->to, "bytes", nr);
	pfx_page_end(h, '}');
	for (byte = 0; byte < nr; byte++)
		add_byte(h, values, byte);
}

static void add_column(struct pfx_page_data *h, const char *name, const struct values *values)
{
	size_t i;

	if (all_equal(values)) {
		pfx_json_add_number(h->to, name, value_at(values, 0));
	} else if (h->is_packed) {
		add_bytes(h, name, values);
	} else {
		pfx_json_add_name(h->to, name);
		pfx_str_addc(h->to, '"');
		for (i = 0; i < values->nr; i++)
			add_digits(h->to, value_at(values, i));
		pfx_str_addc(h->to, '"');
	}
}

void pfx_page_column(struct pfx_page_data *h, const char *name)
{
	add_column(h, name, &(struct values){.h = h, .nr = h->column.nr});
	h->column.nr = 0;
}

void pfx_page_row_column(struct pfx_page_data *h, const char *name, pfx_page_row_fn value)
{
	add_column(h, name, &(struct values){.h = h, .of_row = value, .nr = h->selection->nr_rows});
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
