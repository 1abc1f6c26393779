/* SPDX-License-Identifier: MIT */
/* What the files of `pfx list` share. */
#ifndef PFX_CMD_LIST_INTERNAL_H
#define PFX_CMD_LIST_INTERNAL_H

#include "base/error.h"
#include "out/catalog_text.h"

struct pfx_list_options {
	struct pfx_catalog_style style;
	bool deprecated, json;
	bool raw; /* names only, one a line, for programs */
	const char *unit, *cputype, *output;
};

/* Append the static probes of the file to the catalog; or those of all binaries that the cache of
 * build ids keeps, where @path is NULL. */
int pfx_list_read_probes(struct pfx_catalog *catalog, const char *path, struct pfx_error *err);

#endif
