/* SPDX-License-Identifier: MIT */
/* The time now, by the clock of records or for intervals. */
#ifndef PFX_SYS_CLOCK_NOW_H
#define PFX_SYS_CLOCK_NOW_H

#include <stdint.h>

/* By *@clockid, or with NULL by the kernel's own clock, which no call tells: it is read out of a
 * record that is made for it. 0 when it cannot be told. */
uint64_t pfx_clock_now(const int32_t *clockid);
/* ns by CLOCK_MONOTONIC, for intervals and deadlines. */
uint64_t pfx_clock_monotonic(void);

#endif
