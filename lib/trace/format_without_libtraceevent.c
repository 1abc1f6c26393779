/* SPDX-License-Identifier: MIT */
/* Without the library that reads formats, the bytes of an event are shown. */
#include "trace/trace_internal.h"

bool pfx_trace_is_built_in(void)
{
	return false;
}

struct pfx_trace_printer *pfx_trace_printer_new(struct pfx_trace *trace)
{
	return NULL;
}

void pfx_trace_printer_free(struct pfx_trace_printer *printer)
{
}

bool pfx_trace_printer_print(struct pfx_trace_printer *printer, const struct pfx_trace_event *event,
			     const struct pfx_trace_raw *raw, struct pfx_str *to)
{
	const uint8_t *at = raw->data;
	size_t i;

	pfx_str_add(to, "raw:");
	for (i = 0; i < raw->size; i++) {
		pfx_str_addc(to, ' ');
		pfx_str_hex0(to, at[i], 2);
	}
	return true;
}
