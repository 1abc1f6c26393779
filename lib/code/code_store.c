/* SPDX-License-Identifier: MIT */
#include "code/code_store.h"

/* Instructions that are kept, each with about 150 bytes in the model. */
#define KEPT_MAX (1u << 20)

int pfx_code_store_get(struct pfx_code_store *store, uint32_t i, struct pfx_code **ret,
		       struct pfx_error *err)
{
	const struct pfx_code_function *functions;
	struct pfx_code **kept = pfx_vec_slot(&store->codes, i);
	uint32_t nr_events = pfx_costs_nr_events(store->costs);

	if (*kept) {
		*ret = *kept;
		store->nr_insns -= (*ret)->nr_insns;
		*kept = NULL;
		return 0;
	}
	pfx_costs_functions(store->costs, nr_events, &functions);
	return pfx_code_new(ret, store->resolver, store->costs, &functions[i], store->options, err);
}

void pfx_code_store_put(struct pfx_code_store *store, uint32_t i, struct pfx_code *code, bool again)
{
	if (!again || store->nr_insns + code->nr_insns > KEPT_MAX) {
		pfx_code_free(code);
		return;
	}
	store->nr_insns += code->nr_insns;
	store->codes.at[i] = code;
}

void pfx_code_store_fini(struct pfx_code_store *store)
{
	size_t i;

	for (i = 0; i < store->codes.nr; i++)
		pfx_code_free(store->codes.at[i]);
	pfx_vec_free(&store->codes);
}
