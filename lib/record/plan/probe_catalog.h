/* SPDX-License-Identifier: MIT */
/*
 * Static probes of programs as events of a catalog: "sdt_PROVIDER:NAME". If several binaries have a
 * probe of that name, the binary is added to it. The value for -e is the list of the probe's
 * locations.
 */
#ifndef PFX_RECORD_PROBE_CATALOG_H
#define PFX_RECORD_PROBE_CATALOG_H

#include "base/error.h"
#include "pmu/catalog.h"

/* Append the probes of the file @path; the catalog owns their text. -errno with a message if the
 * file cannot be read. */
int pfx_catalog_add_probes(struct pfx_catalog *catalog, const char *path, struct pfx_error *err);
/* Append the probes of all binaries in the build-ID cache; @dir as for pfx_keep_dir(). Unreadable
 * binaries are skipped; -errno with a message if the cache cannot be listed. */
int pfx_catalog_add_cached_probes(struct pfx_catalog *catalog, const char *dir,
				  struct pfx_error *err);

#endif
