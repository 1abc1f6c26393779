/* SPDX-License-Identifier: MIT */
/* The only place where doors make frames. */
#include "api/describe_place_internal.h"

void pfx_api_describe(struct pfx_resolver *resolver, struct pfx_place *place, uint32_t flags,
		      struct pfx_frame *ret)
{
	struct pfx_source source;

	*ret = (struct pfx_frame){
		.ip = place->ip,
		.address = pfx_place_address(resolver, place),
		.dso = place->dso ? place->dso->name : NULL,
		.is_kernel = place->cpumode == PFX_MODE_KERNEL ||
			     place->cpumode == PFX_MODE_GUEST_KERNEL,
	};
	if (flags & PFX_INPUT_NO_SYMBOLS)
		return;
	if (pfx_place_symbol(resolver, place)) {
		ret->symbol = place->sym->name;
		ret->offset = place->addr - place->sym->start;
		ret->is_inlined = place->sym->is_inlined;
	}
	if (flags & PFX_INPUT_LINES && pfx_place_source(resolver, place, &source)) {
		ret->file = source.file;
		ret->line = source.line;
	}
}
