/* SPDX-License-Identifier: MIT */
/* What the files of `pfx list` share: what was asked for, and the two ways to show it. */
#ifndef PFX_CMD_LIST_INTERNAL_H
#define PFX_CMD_LIST_INTERNAL_H

#include "base/str.h"
#include "pmu/catalog.h"

struct pfx_list_options {
	bool desc, long_desc, details, deprecated, json;
	bool raw;         /* names only, one a line, for programs */
	bool by_group;    /* metrics under their groups */
	bool groups_only; /* only the names of groups */
	const char *unit, *cputype, *output;
	unsigned width; /* of the screen, columns */
};

/* Add events that are shown, in their order, as text or as a JSON array. */
void pfx_list_add_text(struct pfx_str *to, const struct pfx_list_options *options,
		       const struct pfx_catalog_event *const *events, size_t nr);
void pfx_list_add_json(struct pfx_str *to, const struct pfx_catalog_event *const *events,
		       size_t nr);

/* Append the static probes of the file to the catalog; or those of all binaries that the cache of
 * build ids keeps, where @path is NULL. */
int pfx_list_read_probes(struct pfx_catalog *catalog, const char *path, struct pfx_error *err);

#endif
