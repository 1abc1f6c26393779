/* SPDX-License-Identifier: MIT */
/* Units of time. pfx counts time in nanoseconds. */
#ifndef PFX_BASE_NS_H
#define PFX_BASE_NS_H

#include <stdint.h>
#include <time.h>

#define PFX_NS_PER_MS     UINT64_C(1000000)
#define PFX_NS_PER_SECOND UINT64_C(1000000000)

static inline uint64_t pfx_ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * PFX_NS_PER_SECOND + (uint64_t)time->tv_nsec;
}

#endif
