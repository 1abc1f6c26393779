/* SPDX-License-Identifier: MIT */
/* Shared by the tally*.c files: the encoding of pages. */
#ifndef PFX_RECORD_TALLY_INTERNAL_H
#define PFX_RECORD_TALLY_INTERNAL_H

#include "record/sink/tally.h"

/* A page as one word: process above, page number below. Kernel pages belong to KERNEL_PID. */
#define PAGE_SHIFT  12
#define PAGE_BITS   42
#define PAGE_MASK   ((1ull << PAGE_BITS) - 1)
#define KERNEL_PID  0x3fffffu
#define FORKS_LIMIT 64 /* maximum number of ancestors that are searched for a map */

#endif
