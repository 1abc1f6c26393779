/* SPDX-License-Identifier: MIT */
/* A place in a function is made from another one in the same binary. */
#include "code/find_code.h"

#include <string.h>

/* The place @addr in the binary of @near. */
static bool look_up(struct pfx_resolver *resolver, const struct pfx_place *near, uint64_t addr,
		    struct pfx_found_code *ret)
{
	struct pfx_place *place = &ret->place;

	*ret = (struct pfx_found_code){.place = *near};
	place->ip += addr - near->addr;
	place->shown += addr - near->addr;
	place->addr = addr;
	place->sym = NULL;
	place->looked_up = place->is_return = false;
	place->callee = NULL;
	if (!pfx_place_symbol(resolver, place))
		return false;
	*place = pfx_place_begin(place);
	ret->function =
		(struct pfx_code_function){.dso = place->dso, .symbol = place->sym, .place = place};
	return true;
}

bool pfx_find_code(struct pfx_resolver *resolver, const char *dso, const char *name, uint64_t start,
		   struct pfx_found_code *ret)
{
	uint32_t nr = pfx_resolver_nr_places(resolver), i;
	const struct pfx_place *near;

	for (i = 0; i < nr; i++) {
		near = pfx_resolver_place_at(resolver, i);
		if (near->dso && !strcmp(near->dso->name, dso))
			return look_up(resolver, near, start, ret) &&
			       ret->function.symbol->start == start &&
			       !strcmp(ret->function.symbol->name, name);
	}
	return false;
}

bool pfx_find_called_code(struct pfx_resolver *resolver, const struct pfx_code_function *from,
			  const struct pfx_code_insn *insn, struct pfx_found_code *ret)
{
	uint64_t addr;

	/* Functions in a jitdump are in the order of their compilation, not of their addresses. */
	if (!insn->has_target || insn->is_data || insn->target_insn != PFX_CODE_NONE ||
	    from->dso->kind == PFX_DSO_JITDUMP)
		return false;
	return pfx_place_offset(resolver, from->place, insn->target, &addr) &&
	       look_up(resolver, from->place, addr, ret);
}
