/* SPDX-License-Identifier: MIT */
/*
 * Finds the maps that contain the addresses of a sample, for a visitor function.
 */
#include "read/sample_maps.h"

static int visit_address(const struct pfx_map_visitor *v, enum pfx_cpumode mode, uint64_t addr)
{
	struct pfx_location location;

	pfx_session_locate(v->session, v->thread, mode, addr, &location);
	return location.map ? v->fn(v->context, location.map) : 0;
}

/* The cpumode after a context marker in a chain. */
static enum pfx_cpumode mode_of_context(uint64_t context)
{
	switch (context) {
	case PFX_CONTEXT_KERNEL:
		return PFX_MODE_KERNEL;
	case PFX_CONTEXT_USER:
	case PFX_CONTEXT_USER_DEFERRED:
		return PFX_MODE_USER;
	default:
		return PFX_MODE_HYPERVISOR;
	}
}

int pfx_visit_chain_maps(const struct pfx_map_visitor *v, enum pfx_cpumode mode,
			 const struct pfx_words *chain)
{
	uint64_t i, ip;
	int rc = 0;

	for (i = 0; i < chain->nr && !rc; i++) {
		ip = pfx_word(chain, i);
		if (ip >= PFX_CONTEXT_MAX)
			mode = mode_of_context(ip);
		else
			rc = visit_address(v, mode, ip);
	}
	return rc;
}

static int visit_branches(const struct pfx_map_visitor *v, const struct pfx_branch_stack *stack)
{
	struct pfx_branch branch;
	uint64_t i;
	int rc = 0;

	for (i = 0; i < stack->nr && !rc; i++) {
		branch = pfx_branch_at(stack, i);
		rc = visit_address(v, PFX_MODE_UNKNOWN, branch.from);
		if (!rc)
			rc = visit_address(v, PFX_MODE_UNKNOWN, branch.to);
	}
	return rc;
}

/* The frames of a stack dump can be anywhere in the process. */
static int visit_all_maps(const struct pfx_map_visitor *v)
{
	const struct pfx_map *map;
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc; i++) {
		map = pfx_session_map_at(v->session, v->thread, i);
		if (!map)
			break;
		rc = v->fn(v->context, map);
	}
	return rc;
}

int pfx_visit_sample_maps(const struct pfx_map_visitor *v, const struct pfx_sample *sample,
			  bool all)
{
	int rc = visit_address(v, sample->cpumode, sample->ip);

	if (!rc)
		rc = pfx_visit_chain_maps(v, sample->cpumode, &sample->chain);
	if (!rc && all)
		rc = visit_branches(v, &sample->branch);
	if (!rc && all && sample->type & PFX_SAMPLE_ADDR)
		rc = visit_address(v, PFX_MODE_UNKNOWN, sample->addr);
	if (!rc && all && sample->stack.size)
		rc = visit_all_maps(v);
	return rc;
}
