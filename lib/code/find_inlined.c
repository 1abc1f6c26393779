/* SPDX-License-Identifier: MIT */
#include "code/find_inlined.h"

#include <string.h>

/* A line of the inlined function: of the instruction, or of the call that is inlined in it. */
static bool is_at(struct pfx_lines *lines, const struct pfx_place *place,
		  const struct pfx_asked_name *name, struct pfx_inlined_at *ret)
{
	const struct pfx_inlined *inlined;
	uint32_t i, nr = pfx_lines_inlined(lines, place->addr, &inlined);

	for (i = 0; i < nr; i++) {
		if (!pfx_asked_name_fits(name, inlined[i].name))
			continue;
		ret->has_source = i ? pfx_lines_call(lines, &inlined[i - 1], &ret->source)
				    : pfx_lines_source(lines, place->addr, &ret->source);
		return true;
	}
	return false;
}

static bool is_in(const struct pfx_costs *costs, struct pfx_lines *lines,
		  const struct pfx_asked_name *name, struct pfx_inlined_at *ret)
{
	const struct pfx_place *last = NULL;
	struct pfx_cost_entry entry;
	uint32_t at = 0;

	for (; pfx_costs_next(costs, ret->outer, &at, &entry); last = entry.place)
		if (entry.place != last && is_at(lines, entry.place, name, ret))
			return true;
	return false;
}

static bool find_in(struct pfx_costs *costs, struct pfx_resolver *resolver,
		    const struct pfx_filter *filter, const struct pfx_asked_name *name,
		    struct pfx_inlined_at *ret)
{
	struct pfx_lines *lines = pfx_filter_dso(filter, ret->outer->dso)
					  ? pfx_resolver_lines(resolver, ret->outer->dso)
					  : NULL;

	return lines && is_in(costs, lines, name, ret);
}

bool pfx_costs_find_inlined(struct pfx_costs *costs, struct pfx_resolver *resolver,
			    const struct pfx_filter *filter, const struct pfx_asked_name *name,
			    struct pfx_inlined_at *ret)
{
	const struct pfx_code_function *functions;
	uint32_t i, nr = pfx_costs_functions(costs, pfx_costs_nr_events(costs), &functions);

	for (i = 0; i < nr; i++) {
		*ret = (struct pfx_inlined_at){.outer = &functions[i]};
		if (find_in(costs, resolver, filter, name, ret))
			return true;
	}
	return false;
}

uint32_t pfx_costs_inlined_in(struct pfx_costs *costs, struct pfx_resolver *resolver,
			      const struct pfx_filter *filter, const struct pfx_asked_name *name,
			      bool *ret)
{
	const struct pfx_code_function *functions;
	uint32_t i, nr = pfx_costs_functions(costs, pfx_costs_nr_events(costs), &functions);
	uint32_t nr_found = 0;
	struct pfx_inlined_at at;

	for (i = 0; i < nr; i++) {
		at = (struct pfx_inlined_at){.outer = &functions[i]};
		ret[i] = find_in(costs, resolver, filter, name, &at);
		nr_found += ret[i];
	}
	return nr_found;
}
