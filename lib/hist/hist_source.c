/* SPDX-License-Identifier: MIT */
/*
 * What the keys srcline and srcfile show: the source line or file of a place, found once for each
 * distinct place. Code without debug information shows its symbol and the offset in it instead of a
 * line, and no file.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "hist/hist_internal.h"

/* "name+12", "libc.so.6[1234]"; "??:0" where not even the binary is known. */
static uint32_t place_text(struct pfx_hists *hists, const struct pfx_place *place)
{
	struct pfx_str text = {0};
	uint32_t id;

	if (place->sym)
		pfx_str_addf(&text, "%s+%" PRIu64, place->sym->name,
			     place->addr - place->sym->start);
	else if (place->dso)
		pfx_str_addf(&text, "%s[%" PRIx64 "]", place->dso->short_name, place->shown);
	else
		pfx_str_add(&text, "??:0");
	id = pfx_intern_add(&hists->source_texts, text.at, text.len);
	pfx_str_fini(&text);
	return id;
}

static uint32_t source_text(struct pfx_hists *hists, struct pfx_place *place, enum pfx_key key)
{
	struct pfx_resolver *resolver = hists->options.resolver;
	const char *text;

	pfx_place_symbol(resolver, place);
	if (key == PFX_KEY_SRCFILE)
		text = pfx_place_srcfile(resolver, place);
	else
		text = pfx_place_srcline(resolver, place);
	if (text && (place->sym || key == PFX_KEY_SRCFILE || strcmp(text, "??:0") != 0))
		return pfx_intern_str(&hists->source_texts, text);
	if (key == PFX_KEY_SRCFILE)
		return pfx_intern_str(&hists->source_texts, "");
	return place_text(hists, place);
}

uint32_t pfx_hist_source_id(struct pfx_hists *hists, struct pfx_place *place, enum pfx_key key)
{
	unsigned which = key == PFX_KEY_SRCFILE;
	uint32_t id;

	while (hists->sources[which].nr <= place->id)
		pfx_vec_push(&hists->sources[which], 0);
	if (!hists->sources[which].at[place->id]) {
		id = source_text(hists, place, key);
		hists->sources[which].at[place->id] = id + 1;
	}
	return hists->sources[which].at[place->id] - 1;
}

/* The id of what a row shows for a key of texts. */
static uint32_t text_id(const struct pfx_hists *hists, const struct pfx_row *row, enum pfx_key key)
{
	struct pfx_hists *writable = (struct pfx_hists *)(uintptr_t)hists;
	enum pfx_hist_word end = key == PFX_KEY_SRCLINE_FROM ? PFX_WORD_FROM : PFX_WORD_TO;

	switch (key) {
	case PFX_KEY_SRCFILE:
		return row->srcfile;
	case PFX_KEY_PARENT:
		return row->parent;
	case PFX_KEY_COMM_NODIGIT:
		return (uint32_t)pfx_hist_key_word(writable, row, key);
	case PFX_KEY_SRCLINE_FROM:
	case PFX_KEY_SRCLINE_TO:
		return pfx_hist_source_id(writable, pfx_row_place(hists, row, end),
					  PFX_KEY_SRCLINE);
	case PFX_KEY_TYPE:
	case PFX_KEY_TYPEOFF:
	case PFX_KEY_TYPECLN:
		return pfx_hist_type_text(hists, row, key);
	default:
		return row->srcline;
	}
}

const char *pfx_hist_source(const struct pfx_hists *hists, const struct pfx_row *row,
			    enum pfx_key key)
{
	return pfx_intern_get(&hists->source_texts, text_id(hists, row, key));
}
