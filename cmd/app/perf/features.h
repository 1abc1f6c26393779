/* SPDX-License-Identifier: MIT */
/*
 * What is built in, by the names that perf has for it: other programs look for "aio: [ on  ]" or
 * "libtraceevent: [ on  ]" before they use an option.
 */
#ifndef PFX_CMD_FEATURES_H
#define PFX_CMD_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

struct pfx_built_in {
	const char *name, *macro; /* perf's */
	bool is_on;
};

/* Feature @i in perf's order, NULL after the last one. Static until the next call. */
const struct pfx_built_in *pfx_built_in_at(size_t i);
/* By its name, of any case; NULL: unknown. */
const struct pfx_built_in *pfx_built_in_find(const char *name, size_t len);
/* "libelf: [ on  ]  # HAVE_LIBELF_SUPPORT", as perf prints it. */
void pfx_built_in_print(const struct pfx_built_in *feature);

#endif
