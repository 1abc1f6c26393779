/* SPDX-License-Identifier: MIT */
/* Filters for samples in libraries (`script --dlfilter`); their interface is perf_dlfilter.h. */
#ifndef PFX_SCRIPT_SCRIPT_DLFILTER_H
#define PFX_SCRIPT_SCRIPT_DLFILTER_H

#include "base/error.h"
#include "base/str.h"

struct pfx_dlfilter;

/* Load a filter: a path, or the name of a file in the current directory or one of the directories
 * of filters. Borrows @args, which must stay until the filter is freed. */
int pfx_dlfilter_load(struct pfx_dlfilter **ret, const char *file, char **args, int nr_args,
		      struct pfx_error *err);
void pfx_dlfilter_free(struct pfx_dlfilter *filter);
/* A line for each filter in these directories; with @is_long also its long description. */
void pfx_dlfilter_list(bool is_long, struct pfx_str *to);

#endif
