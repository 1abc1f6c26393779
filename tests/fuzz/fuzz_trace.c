/* SPDX-License-Identifier: MIT */
/* Any bytes as tracing data: the container, the names in it and the command lines. Formats are not
 * printed: the library that does it is not meant for bytes of strangers. */
#include "trace/format.h"

#define IDS 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_trace *trace;
	uint64_t id;

	if (pfx_trace_open(&trace, data, size, NULL))
		return 0;
	for (id = 0; id < IDS; id++)
		pfx_trace_event_name(trace, id);
	pfx_trace_comm(trace, 1);
	pfx_trace_free(trace);
	return 0;
}
