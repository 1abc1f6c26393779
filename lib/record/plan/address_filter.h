/* SPDX-License-Identifier: MIT */
/*
 * Filters of events that trace whole programs (Intel PT, CoreSight): the traced addresses. Converts
 * functions to the numbers that the kernel requires.
 */
#ifndef PFX_RECORD_ADDRESS_FILTER_H
#define PFX_RECORD_ADDRESS_FILTER_H

#include "base/error.h"

/*
 * "filter main @ /bin/ls, stop 0x1234" in the kernel's words; *@ret is the caller's. Each part is
 * an action (filter and tracestop are regions, start and stop single addresses), a function or
 * number, for a region optionally a '/' with its size or last function, and '@' with a file;
 * without a file it is the kernel's address.
 */
int pfx_address_filter(const char *words, char **ret, struct pfx_error *err);

#endif
