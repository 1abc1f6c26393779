/* SPDX-License-Identifier: MIT */
/*
 * The maps that the addresses of a sample lie in. What is done with them is for the visitor to say.
 */
#include "cmd/inject_internal.h"

struct visit {
	struct pfx_inject *inject;
	struct pfx_inject_place place;
	pfx_inject_place_fn fn;
	struct pfx_error *err;
};

static int visit_address(struct visit *v, enum pfx_cpumode mode, uint64_t addr)
{
	struct pfx_location location;

	pfx_session_locate(v->inject->session, v->place.thread, mode, addr, &location);
	v->place.map = location.map;
	return location.map ? v->fn(v->inject, &v->place, v->err) : 0;
}

/* The level that a marker in a chain begins. */
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

static int visit_chain(struct visit *v)
{
	const struct pfx_words *chain = &v->place.sample->chain;
	enum pfx_cpumode mode = v->place.sample->cpumode;
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

static int visit_branches(struct visit *v)
{
	const struct pfx_branch_stack *stack = &v->place.sample->branch;
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

/* The frames of a copied stack are not known yet: any code of the process may be among them. */
static int visit_all_maps(struct visit *v)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc; i++) {
		v->place.map = pfx_session_map_at(v->inject->session, v->place.thread, i);
		if (!v->place.map)
			break;
		rc = v->fn(v->inject, &v->place, v->err);
	}
	return rc;
}

int pfx_inject_visit(struct pfx_inject *inject, const struct pfx_record *rec,
		     pfx_inject_place_fn fn, struct pfx_error *err)
{
	struct pfx_sample sample;
	struct visit v = {inject, {rec, &sample, NULL, NULL}, fn, err};
	int rc;

	if (!rec->event || !pfx_sample_decode(rec, &rec->event->attr, &sample)) {
		inject->nr_bad_samples++;
		return 0;
	}
	v.place.thread = pfx_session_thread(inject->session, sample.pid, sample.tid);
	rc = visit_address(&v, sample.cpumode, sample.ip);
	if (!rc)
		rc = visit_chain(&v);
	if (!rc)
		rc = visit_branches(&v);
	if (!rc && sample.type & PFX_SAMPLE_ADDR)
		rc = visit_address(&v, PFX_MODE_UNKNOWN, sample.addr);
	if (!rc && sample.stack.size)
		rc = visit_all_maps(&v);
	return rc;
}
