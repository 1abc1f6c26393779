/* SPDX-License-Identifier: MIT */
/* The current time, by the clock of records or for intervals. */
#ifndef PFX_SYS_CLOCK_NOW_H
#define PFX_SYS_CLOCK_NOW_H

#include <stdint.h>

/* By *@clockid, or with NULL by perf's default clock, for which there is no system call: it is read
 * from a record that is made for this purpose. 0 if not available. */
uint64_t pfx_clock_now(const int32_t *clockid);
/* ns by CLOCK_MONOTONIC, for intervals and deadlines. */
uint64_t pfx_clock_monotonic(void);

#endif
