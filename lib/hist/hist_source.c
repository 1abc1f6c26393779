/* SPDX-License-Identifier: MIT */
/*
 * The keys srcline and srcfile: the source line or file of a place, looked up once for each
 * distinct place. For code without debug information the line is the symbol and its offset, and
 * there is no file.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "hist/hist_internal.h"

/* "name+12", "libc.so.6[1234]"; "??:0" if the binary is unknown. */
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

static uint32_t source_text(struct pfx_hists *hists, struct pfx_place *place, bool file)
{
	struct pfx_resolver *resolver = hists->options.resolver;
	const char *text;

	pfx_place_symbol(resolver, place);
	if (file)
		text = pfx_place_srcfile(resolver, place);
	else
		text = pfx_place_srcline(resolver, place);
	if (text && (place->sym || file || strcmp(text, "??:0") != 0))
		return pfx_intern_str(&hists->source_texts, text);
	if (file)
		return pfx_intern_str(&hists->source_texts, "");
	return place_text(hists, place);
}

uint32_t pfx_hist_source_id(struct pfx_hists *hists, struct pfx_place *place, bool file)
{
	uint32_t id;

	while (hists->sources[file].nr <= place->id)
		pfx_vec_push(&hists->sources[file], 0);
	if (!hists->sources[file].at[place->id]) {
		id = source_text(hists, place, file);
		hists->sources[file].at[place->id] = id + 1;
	}
	return hists->sources[file].at[place->id] - 1;
}
