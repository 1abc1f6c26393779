/* SPDX-License-Identifier: MIT */
/*
 * The symbols of each DSO, loaded once, unless another thread opened them ahead.
 */
#include <string.h>

#include "base/str.h"
#include "sym/symtab_load.h"
#include "unwind/resolve.h"
#include "unwind/resolve_internal.h"

bool pfx_resolver_may_have(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			   const char *name)
{
	struct pfx_symbols_load load;
	bool may;

	if (pfx_open_ahead_lacks(resolver, dso, name))
		return false;
	if (pfx_symbols_are_loaded(resolver, dso))
		return true;
	pfx_symbols_load_begin(resolver, dso, &load);
	may = pfx_symtab_may_have(&load.request, &load.options, name);
	pfx_str_fini(&load.path);
	return may;
}

const struct pfx_symtab *pfx_resolver_symtab(struct pfx_resolver *resolver,
					     const struct pfx_dso *dso)
{
	struct pfx_symbols_load load;

	pfx_open_ahead_take(resolver, dso, PFX_AHEAD_STAGE_SYMBOLS);
	if (!pfx_symbols_are_loaded(resolver, dso)) {
		pfx_symbols_load_begin(resolver, dso, &load);
		pfx_symbols_load_run(&load);
		pfx_symbols_load_end(resolver, &load);
	}
	return resolver->symbols.at[dso->id].tab;
}

static bool has(const char *path, const char *part)
{
	return strstr(path, part) != NULL;
}

char pfx_resolver_symbols_letter(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	const char *path = dso ? pfx_symtab_source(pfx_resolver_symtab(resolver, dso)) : "";

	if (!*path)
		return '!';
	if (has(path, "kallsyms"))
		return 'k';
	if (dso->kind == PFX_DSO_KERNEL)
		return 'v';
	if (dso->kind == PFX_DSO_MODULE)
		return 'K';
	if (has(path, "/tmp/perf-"))
		return 'j';
	if (has(path, "/usr/lib/debug/.build-id/"))
		return 'b';
	if (has(path, "/usr/lib/debug/"))
		return has(path, ".debug") ? 'f' : 'u';
	if (!strcmp(path, dso->name))
		return 'd';
	return has(path, "/debug") ? 'D' : has(path, ".debug/") ? 'B' : 'l';
}

const char *pfx_resolver_symtab_error(const struct pfx_resolver *resolver,
				      const struct pfx_dso *dso)
{
	const char *error = NULL;

	if (dso->id < resolver->symbols.nr)
		error = resolver->symbols.at[dso->id].error;
	return error ? error : "";
}

const char *pfx_resolver_symtab_lack(const struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	return pfx_symbols_are_loaded(resolver, dso)
		       ? pfx_symtab_lack(resolver->symbols.at[dso->id].tab)
		       : "";
}

const char *pfx_resolver_no_symbols(const struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	const char *why = pfx_resolver_symtab_error(resolver, dso);

	return *why ? why : pfx_resolver_symtab_lack(resolver, dso);
}

void pfx_dso_symbols_fini(struct pfx_resolver *resolver)
{
	size_t i;

	for (i = 0; i < resolver->symbols.nr; i++)
		pfx_symtab_free(resolver->symbols.at[i].tab);
	pfx_vec_free(&resolver->symbols);
}
