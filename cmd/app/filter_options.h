/* SPDX-License-Identifier: MIT */
/* Options with lists of names or ids, for the filter of a command: rows of kind PFX_OPT_VALUE. */
#ifndef PFX_CMD_FILTER_OPTIONS_H
#define PFX_CMD_FILTER_OPTIONS_H

#include "cmd/app/options.h"

/* The value is a struct pfx_names. */
int pfx_option_names(void *value, const char *arg, bool unset, struct pfx_error *err);
/* The value is a struct pfx_ids. */
int pfx_option_ids(void *value, const char *arg, bool unset, struct pfx_error *err);

#endif
