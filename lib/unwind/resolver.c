/* SPDX-License-Identifier: MIT */
/*
 * Creates and frees a resolver: the state of all files of this folder, each of which frees its own
 * part.
 */
#include <stdlib.h>

#include "unwind/resolve.h"
#include "unwind/resolve_internal.h"

#define DEFAULT_MAX_STACK 127

struct pfx_resolver *pfx_resolver_new(struct pfx_session *session,
				      const struct pfx_resolve_options *options)
{
	struct pfx_resolver *resolver = pfx_calloc(1, sizeof(*resolver));

	resolver->session = session;
	if (options)
		resolver->options = *options;
	if (!resolver->options.max_stack)
		resolver->options.max_stack = DEFAULT_MAX_STACK;
	if (resolver->options.sym.fetch || pfx_workers_wanted() < 2)
		resolver->options.opens_ahead = false;
	resolver->memos = pfx_calloc(PFX_IP_MEMOS, sizeof(*resolver->memos));
	pfx_chains_init(resolver);
	pfx_unwinder_init(&resolver->unwinder, &pfx_session_meta(session)->env);
	return resolver;
}

bool pfx_resolver_opens_ahead(const struct pfx_resolver *resolver)
{
	return resolver->options.opens_ahead;
}

struct pfx_session *pfx_resolver_session(const struct pfx_resolver *resolver)
{
	return resolver->session;
}

void pfx_resolver_free(struct pfx_resolver *resolver)
{
	if (!resolver)
		return;
	pfx_open_ahead_free(resolver);
	pfx_dso_symbols_fini(resolver);
	pfx_vec_free(&resolver->places);
	pfx_id_table_fini(&resolver->places_by_key);
	pfx_hash_fini(&resolver->ids_by_symbol);
	pfx_hash_fini(&resolver->code_symbols);
	pfx_intern_fini(&resolver->sym_keys);
	pfx_intern_fini(&resolver->frame_keys);
	pfx_chains_fini(resolver);
	pfx_pointers_fini(&resolver->pointers);
	pfx_data_types_fini(resolver);
	pfx_inlines_fini(resolver);
	pfx_jit_follower_fini(&resolver->jit);
	pfx_bounds_fini(resolver); /* uses data that the next calls free */
	pfx_codes_fini(resolver);
	pfx_unwinder_fini(&resolver->unwinder);
	pfx_workers_free(resolver->workers);
	free(resolver->memos);
	pfx_arena_clear(&resolver->arena);
	free(resolver);
}

const struct pfx_fetch_watch *pfx_resolver_fetch(const struct pfx_resolver *resolver)
{
	return resolver->options.sym.fetch;
}
