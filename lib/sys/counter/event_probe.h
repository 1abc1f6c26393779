/* SPDX-License-Identifier: MIT */
/* Whether this machine supports an event. */
#ifndef PFX_SYS_EVENT_PROBE_H
#define PFX_SYS_EVENT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/attr.h"

/* Open and close a counter with this attr for this process. */
bool pfx_attr_probe(const struct pfx_attr *attr);
/* The same for a type and config, counting in user mode only. */
bool pfx_event_probe(uint32_t type, uint64_t config);

#endif
