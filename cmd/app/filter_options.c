/* SPDX-License-Identifier: MIT */
/* The lists of a filter as options. */
#include "cmd/app/filter_options.h"

#include "read/filter.h"

int pfx_option_names(void *value, const char *arg, bool unset, struct pfx_error *err)
{
	return unset ? 0 : pfx_names_parse(value, arg, err);
}

int pfx_option_ids(void *value, const char *arg, bool unset, struct pfx_error *err)
{
	return unset ? 0 : pfx_ids_parse(value, arg, err);
}
