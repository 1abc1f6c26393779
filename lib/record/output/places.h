/* SPDX-License-Identifier: MIT */
/* The CPUs of a recorder's threads: near the CPU of their ring buffer. */
#ifndef PFX_RECORD_PLACES_H
#define PFX_RECORD_PLACES_H

#include <sched.h>
#include <stdbool.h>

#include "base/error.h"

#define PFX_PLACES_DEFAULT "cpu"

/* Whether @words are "cpu", "core", "package", "numa", or CPUs of ring buffers and threads like
 * "0-1/0:2-3/2" that this machine has. */
int pfx_places_check(const char *words, struct pfx_error *err);
/* The words of an affinity: "cpu", "node", or "sys" (anywhere: NULL). */
bool pfx_places_of_affinity(const char *affinity, const char **ret_words);
/* The CPUs for the thread that handles the ring buffer of @cpu; @spec is valid. Empty: any. */
void pfx_places_of(const char *spec, int cpu, cpu_set_t *set);

#endif
