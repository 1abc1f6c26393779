/* SPDX-License-Identifier: MIT */
/* The symbol tables that were used, in perf's form: a line for the binary, a line for each symbol.
 */
#include <inttypes.h>

#include "live/live_internal.h"
#include "live/live_text.h"

static void add_binary(const struct pfx_dso *dso, struct pfx_str *to)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1];
	struct pfx_build_id id;

	pfx_str_add(to, "dso: ");
	pfx_str_add_foreign(to, dso->short_name);
	pfx_str_add(to, " (");
	pfx_str_add_foreign(to, dso->name);
	pfx_str_add(to, ", loaded");
	if (pfx_live_build_id(dso, &id) == 0)
		pfx_str_addf(to, ", %s", pfx_build_id_text(&id, text));
	pfx_str_addc(to, ')');
}

static void add_symbol(const struct pfx_symbol *sym, struct pfx_str *to)
{
	pfx_str_addf(to, "\n %" PRIx64 "-%" PRIx64 " %c ", sym->start, sym->end, sym->binding);
	pfx_str_add_foreign(to, sym->name);
}

bool pfx_live_symbols_text(const struct pfx_live *live, uint32_t nr, struct pfx_str *to)
{
	struct pfx_session *session = live->world.session;
	const struct pfx_symtab *tab;
	const struct pfx_dso *dso;
	size_t i;

	if (nr >= pfx_session_nr_dsos(session))
		return false;
	dso = pfx_session_dso_at(session, nr);
	if (!pfx_symbols_are_loaded(live->world.resolver, dso))
		return true;
	add_binary(dso, to);
	tab = pfx_resolver_symtab(live->world.resolver, dso);
	for (i = 0; i < pfx_symtab_nr(tab); i++)
		add_symbol(pfx_symtab_at(tab, i), to);
	return true;
}
