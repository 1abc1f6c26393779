/* SPDX-License-Identifier: MIT */
/*
 * The keys type, typeoff and typecln: the type of the data that a sample's instruction accesses,
 * the member, and its cache line. They are properties of the sample: rows of its callers have the
 * same values.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "hist/hist_internal.h"

static uint32_t intern(struct pfx_hists *hists, struct pfx_str *text)
{
	uint32_t id = pfx_intern_add(&hists->source_texts, text->at, text->len);

	pfx_str_clear(text);
	return id;
}

/* "struct page", "struct page +0x18 (lru.next)", "struct page: cache-line 0" */
static struct pfx_hist_type make_type(struct pfx_hists *hists, const struct pfx_data *data)
{
	struct pfx_hist_type type = {.offset = data->offset};
	const char *name = pfx_data_name(data);
	struct pfx_str text = {0};

	pfx_str_add(&text, name);
	type.type = intern(hists, &text);
	pfx_str_addf(&text, "%s +%#" PRIx64 " (%s)", name, data->offset,
		     *data->member ? data->member : "no field");
	type.off = intern(hists, &text);
	pfx_str_addf(&text, "%s: cache-line %" PRIu64, name,
		     data->offset / pfx_hist_line_size(hists));
	type.cln = intern(hists, &text);
	pfx_str_fini(&text);
	return type;
}

static uint32_t find_type(struct pfx_hists *hists, const struct pfx_place *place)
{
	struct pfx_data data = pfx_place_data(hists->options.resolver, place);
	struct pfx_hist_type type = make_type(hists, &data);
	uint32_t id = pfx_intern_add(&hists->type_keys, &type.off, sizeof(type.off));

	if (id == hists->types.nr)
		pfx_vec_push(&hists->types, type);
	return id;
}

uint32_t pfx_hist_type_id(struct pfx_hists *hists, const struct pfx_place *place)
{
	uint32_t *id = pfx_vec_slot(&hists->place_types, place->id);

	if (!*id)
		*id = find_type(hists, place) + 1;
	return *id - 1;
}

const struct pfx_hist_type *pfx_hist_type_of(const struct pfx_hists *hists,
					     const struct pfx_row *row)
{
	return &hists->types.at[row->type];
}

int pfx_hist_type_order(const struct pfx_hists *hists, const struct pfx_row *a,
			const struct pfx_row *b)
{
	return strcmp(pfx_intern_get(&hists->source_texts, pfx_hist_type_of(hists, a)->type),
		      pfx_intern_get(&hists->source_texts, pfx_hist_type_of(hists, b)->type));
}
