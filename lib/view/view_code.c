/* SPDX-License-Identifier: MIT */
/* A function is found by its binary and its address. */
#include "view/view_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compare.h"

const struct pfx_code_function *pfx_view_code(const struct pfx_profile *profile, uint32_t function,
					      const struct pfx_code_function *functions,
					      uint32_t nr)
{
	const struct pfx_profile_function *wanted = &profile->functions[function];
	uint32_t i;

	if (wanted->is_inlined || wanted->dso == PFX_NO_ID)
		return NULL;
	for (i = 0; i < nr; i++)
		if (functions[i].symbol && functions[i].dso &&
		    functions[i].dso->id == profile->dsos[wanted->dso].session_dso &&
		    functions[i].symbol->start == wanted->start &&
		    !strcmp(functions[i].symbol->name, wanted->name))
			return &functions[i];
	return NULL;
}

/* --- and back --- */

static uint32_t session_dso(const struct pfx_profile *profile,
			    const struct pfx_profile_function *function)
{
	return function->dso == PFX_NO_ID ? PFX_NO_ID : profile->dsos[function->dso].session_dso;
}

static int by_address(const void *a, const void *b, void *context)
{
	const struct pfx_profile *profile = context;
	const struct pfx_profile_function *x = &profile->functions[*(const uint32_t *)a];
	const struct pfx_profile_function *y = &profile->functions[*(const uint32_t *)b];
	int order = pfx_compare_u64(session_dso(profile, x), session_dso(profile, y));

	return order ? order : pfx_compare_u64(x->start, y->start);
}

void pfx_view_functions_init(struct pfx_view_functions *functions,
			     const struct pfx_profile *profile)
{
	uint32_t i;

	functions->profile = profile;
	functions->by_address = pfx_malloc((profile->nr_functions + 1ul) * sizeof(uint32_t));
	for (i = 0; i < profile->nr_functions; i++)
		if (!profile->functions[i].is_inlined)
			functions->by_address[functions->nr++] = i;
	qsort_r(functions->by_address, functions->nr, sizeof(uint32_t), by_address,
		(void *)profile);
}

void pfx_view_functions_fini(struct pfx_view_functions *functions)
{
	free(functions->by_address);
	memset(functions, 0, sizeof(*functions));
}

/* The first that is not before this place. */
static uint32_t first_at(const struct pfx_view_functions *functions, uint32_t dso, uint64_t start)
{
	const struct pfx_profile_function *function;
	uint32_t low = 0, high = functions->nr, middle, of;

	while (low < high) {
		middle = low + (high - low) / 2;
		function = &functions->profile->functions[functions->by_address[middle]];
		of = session_dso(functions->profile, function);
		if (of < dso || (of == dso && function->start < start))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t pfx_view_function(const struct pfx_view_functions *functions, const struct pfx_dso *dso,
			   const struct pfx_symbol *symbol)
{
	const struct pfx_profile_function *function;
	uint32_t i;

	if (!dso || !symbol)
		return PFX_NO_ID;
	for (i = first_at(functions, dso->id, symbol->start); i < functions->nr; i++) {
		function = &functions->profile->functions[functions->by_address[i]];
		if (session_dso(functions->profile, function) != dso->id ||
		    function->start != symbol->start)
			break;
		if (!strcmp(function->name, symbol->name))
			return functions->by_address[i];
	}
	return PFX_NO_ID;
}
