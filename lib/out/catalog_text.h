/* SPDX-License-Identifier: MIT */
/* The events of a catalog as text and as JSON. */
#ifndef PFX_OUT_CATALOG_TEXT_H
#define PFX_OUT_CATALOG_TEXT_H

#include "base/str.h"
#include "pmu/catalog.h"

struct pfx_catalog_style {
	bool desc, long_desc; /* describe events, at length */
	bool details;         /* definitions: terms, formulas */
	bool by_group;        /* metrics under their groups */
	bool groups_only;     /* only the names of groups */
	unsigned width;       /* of the screen, columns */
};

/* Append events in their order, as text. */
void pfx_catalog_text(struct pfx_str *to, const struct pfx_catalog_style *style,
		      const struct pfx_catalog_event *const *events, size_t nr);
/* The same as a JSON array with all members. */
void pfx_catalog_json(struct pfx_str *to, const struct pfx_catalog_event *const *events, size_t nr);

#endif
