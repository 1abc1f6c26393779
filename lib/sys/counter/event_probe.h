/* SPDX-License-Identifier: MIT */
/* Whether the kernel counts an event here. */
#ifndef PFX_SYS_EVENT_PROBE_H
#define PFX_SYS_EVENT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/attr.h"

/* Open a counter with this attr on ourselves and close it. */
bool pfx_attr_probe(const struct pfx_attr *attr);
/* The same for a type and config, counting in user mode only. */
bool pfx_event_probe(uint32_t type, uint64_t config);

#endif
