/* SPDX-License-Identifier: MIT */
/* Where the threads of a recorder run: near the CPU whose ring buffer they serve. */
#ifndef PFX_RECORD_PLACES_H
#define PFX_RECORD_PLACES_H

#include <sched.h>

#include "base/error.h"

#define PFX_PLACES_DEFAULT "cpu"

/* Whether the words are "cpu", "core", "package", "numa", or CPUs of rings and threads like
 * "0-1/0:2-3/2" that this machine has. */
int pfx_places_check(const char *words, struct pfx_error *err);
/* The CPUs where a thread is to run that serves the ring buffer of @cpu; @spec was checked. None:
 * anywhere. */
void pfx_places_of(const char *spec, int cpu, cpu_set_t *set);

#endif
