/* SPDX-License-Identifier: MIT */
/* Stubs for a build without libpfm4, which fail with a message. Other names of events are not
 * affected. */
#include "pmu/pfm.h"

#include <errno.h>

static int missing(struct pfx_error *err)
{
	return pfx_error_set(err, ENOTSUP,
			     "events by the names of libpfm4 need a pfx that is built with it");
}

int pfx_pfm_parse(struct pfx_event_list *list, const char *words, struct pfx_error *err)
{
	return missing(err);
}

int pfx_pfm_catalog(struct pfx_catalog *catalog, struct pfx_error *err)
{
	return missing(err);
}
