/* SPDX-License-Identifier: MIT */
/* Events by the names of libpfm4, which supports many CPUs: an optional part of pfx. */
#ifndef PFX_PMU_PFM_H
#define PFX_PMU_PFM_H

#include "base/error.h"
#include "pmu/catalog.h"
#include "pmu/parse/parse.h"

/* Append the events of "NAME[:UMASK][:MODIFIER]...", separated by commas, with braces around
 * groups. On an error nothing is appended. ENOTSUP: built without libpfm4. */
int pfx_pfm_parse(struct pfx_event_list *list, const char *words, struct pfx_error *err);
/* Add libpfm4's events of this machine as vendor events, for listing. */
int pfx_pfm_catalog(struct pfx_catalog *catalog, struct pfx_error *err);

#endif
