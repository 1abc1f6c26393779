/* SPDX-License-Identifier: MIT */
/* Whether the library may print an event: nothing that it shows reaches beyond the bytes. */
#ifndef PFX_TRACE_PRINT_GUARD_INTERNAL_H
#define PFX_TRACE_PRINT_GUARD_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct tep_event;

struct pfx_print_guard {
	struct tep_event *event;
	const uint8_t *data; /* the event's bytes, with zeros behind them */
	uint64_t limit;      /* bytes that an array may have */
};

bool pfx_print_guard_ok(const struct pfx_print_guard *guard);

#endif
