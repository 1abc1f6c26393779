/* SPDX-License-Identifier: MIT */
/* The kernel's interface for a recorder. */
#include "record/plan/record_source.h"

#include "sys/host/clock_now.h"

const struct pfx_record_machine pfx_record_kernel = {
	.attach = pfx_counters_attach,
	.close = pfx_counters_close,
	.map = pfx_rings_map,
	.unmap = pfx_rings_unmap,
	.enable = pfx_counters_enable,
	.disable = pfx_counters_disable,
	.turn = pfx_counter_switch,
	.lost = pfx_counter_lost,
	.now = pfx_clock_now,
	.monotonic = pfx_clock_monotonic,
};

void pfx_record_source_fini(struct pfx_record_source *source)
{
	pfx_aux_unmap(&source->areas);
	if (source->machine)
		source->machine->unmap(&source->rings);
	pfx_counters_fini(&source->counters);
}
