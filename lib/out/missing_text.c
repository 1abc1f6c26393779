/* SPDX-License-Identifier: MIT */
/* The number of samples without a symbol, and the binaries with most of them. */
#include "out/hist_text.h"

#define NAMED_MAX 3 /* binaries that are listed */

/* The binary without symbols that has the most samples, except those in @named. */
static const struct pfx_dso *next_missing(const struct pfx_hists *hists,
					  const struct pfx_dso **named, unsigned nr)
{
	struct pfx_session *session = pfx_hists_options(hists)->session;
	const struct pfx_dso *dso, *best = NULL;
	uint64_t samples, most = 0;
	uint32_t i;
	unsigned n;

	for (i = 0; i < pfx_session_nr_dsos(session); i++) {
		dso = pfx_session_dso_at(session, i);
		samples = pfx_hists_unresolved(hists, dso);
		for (n = 0; n < nr && named[n] != dso; n++)
			;
		if (n == nr && samples > most) {
			most = samples;
			best = dso;
		}
	}
	return best;
}

static uint64_t nr_missing(const struct pfx_hists *hists)
{
	struct pfx_session *session = pfx_hists_options(hists)->session;
	uint64_t nr = pfx_hists_unresolved(hists, NULL);
	uint32_t i;

	for (i = 0; i < pfx_session_nr_dsos(session); i++)
		nr += pfx_hists_unresolved(hists, pfx_session_dso_at(session, i));
	return nr;
}

unsigned pfx_missing_text(const struct pfx_hists *hists, struct pfx_str *to,
			  const struct pfx_dso **ret_most)
{
	uint64_t all = pfx_hists_counted(hists), nr = nr_missing(hists), samples;
	const struct pfx_dso *named[NAMED_MAX] = {NULL}, *dso;
	unsigned i;

	*ret_most = NULL;
	if (!all || nr * 100 < all)
		return 0;
	pfx_str_addf(to, "%.1f%% of the samples have no symbol:", 100.0 * nr / all);
	for (i = 0; i < NAMED_MAX && (dso = next_missing(hists, named, i)); i++) {
		named[i] = dso;
		samples = pfx_hists_unresolved(hists, dso);
		pfx_str_add(to, i ? ", " : " ");
		pfx_str_add_foreign(to, dso->short_name);
		pfx_str_addf(to, " %.1f%%", 100.0 * samples / all);
	}
	samples = pfx_hists_unresolved(hists, NULL);
	if (samples)
		pfx_str_addf(to, "%s outside of all binaries %.1f%%", i ? "," : "",
			     100.0 * samples / all);
	*ret_most = named[0];
	return i;
}
