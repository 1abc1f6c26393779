/* SPDX-License-Identifier: MIT */
#include "code/code_store.h"

/* Bytes of codes that are kept: an instruction takes about this in the model, and a cost for each
 * event, as its line and block do. */
#define KEPT_MAX  (160u << 20)
#define INSN_SIZE 120
#define COST_SIZE (2 * sizeof(struct pfx_cost))

static uint64_t size_of(const struct pfx_code *code)
{
	return code->nr_insns * (INSN_SIZE + (uint64_t)code->nr_events * COST_SIZE);
}

int pfx_code_store_get(struct pfx_code_store *store, uint32_t i, struct pfx_code **ret,
		       struct pfx_error *err)
{
	const struct pfx_code_function *functions;
	struct pfx_code **kept = pfx_vec_slot(&store->codes, i);
	uint32_t nr_events = pfx_costs_nr_events(store->costs);
	struct pfx_code_options options = *store->options;

	if (*kept) {
		*ret = *kept;
		store->size -= size_of(*ret);
		*kept = NULL;
		return 0;
	}
	pfx_costs_functions(store->costs, nr_events, &functions);
	options.decoder = &store->decoder;
	return pfx_code_new(ret, store->resolver, store->costs, &functions[i], &options, err);
}

void pfx_code_store_put(struct pfx_code_store *store, uint32_t i, struct pfx_code *code, bool again)
{
	if (!again || store->size + size_of(code) > KEPT_MAX) {
		pfx_code_free(code);
		return;
	}
	store->size += size_of(code);
	store->codes.at[i] = code;
}

void pfx_code_store_fini(struct pfx_code_store *store)
{
	size_t i;

	for (i = 0; i < store->codes.nr; i++)
		pfx_code_free(store->codes.at[i]);
	pfx_vec_free(&store->codes);
	pfx_code_decoder_fini(&store->decoder);
}
