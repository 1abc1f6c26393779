/* SPDX-License-Identifier: MIT */
/* What formats ask about the events of a selection. */
#include "export/export.h"

bool pfx_export_has_several(const struct pfx_selection *selection)
{
	uint32_t i, nr = 0;

	for (i = 0; i < selection->nr_events; i++)
		nr += selection->total_samples[i] != 0;
	return nr > 1;
}
