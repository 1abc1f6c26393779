/* SPDX-License-Identifier: MIT */
/* The profile that the benchmarks of views and of the page measure: a million samples with 120,000
 * distinct call chains of 40 functions (1.2 million nodes), 3,000 functions, 8 CPUs. */
#ifndef PFX_BENCH_BENCH_PROFILE_H
#define PFX_BENCH_BENCH_PROFILE_H

#include "view/profile/profile.h"

/* The caller frees it. */
struct pfx_profile *bench_profile(uint32_t nr_threads);

#endif
