/* SPDX-License-Identifier: MIT */
/* What all doors of libpfx need: the callers' structs, which begin with their size. */
#ifndef PFX_API_INTERNAL_H
#define PFX_API_INTERNAL_H

#include <stddef.h>

#include "pfx/common.h"

/* Give a value: copies it to a struct of the caller (NULL: nowhere), whose `size` the caller has
 * set. Members that the caller does not know are left out, those that this version does not know
 * stay. */
void pfx_api_give(void *ret, const void *value, size_t size);
/* Take options: copies a struct of the caller (NULL: nothing) into one that has its defaults.
 * -EINVAL with a message if its `size` is not set. @name: of the struct. */
int pfx_api_take(void *to, size_t size, const void *options, const char *name,
		 struct pfx_error *err);
/* A door was given NULL in place of @name, without which it can do nothing: -EINVAL with a
 * message. */
int pfx_api_missing(const char *name, struct pfx_error *err);
/* What a door returns: @rc, with the sentence and the hint of @err (may be NULL) in words of the
 * library. */
int pfx_api_rc(int rc, struct pfx_error *err);

#endif
