/* SPDX-License-Identifier: MIT */
/* How perf's -vv shows what it asks the kernel for; test programs read the values. */
#ifndef PFX_CMD_ATTR_BLOCK_H
#define PFX_CMD_ATTR_BLOCK_H

#include "event/attr.h"

/* "perf_event_attr:" and a line for each field that is not zero, on standard error; nothing by any
 * other name than perf's. */
void pfx_print_attr_block(const struct pfx_attr *attr);

#endif
