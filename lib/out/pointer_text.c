/* SPDX-License-Identifier: MIT */
/*
 * The note about call chains by frame pointers that do not reach the start of their thread, from
 * the library's counts.
 */
#include "base/alloc.h"
#include "base/str.h"
#include "out/notes_text.h"
#include "out/term/term.h"
#include "unwind/pointer_chain.h"

#define NAMED_MAX 3                     /* binaries that are listed */
#define NEXT      "," PFX_MESSAGE_BREAK /* indentation below a remedy */
#define ULL(x)    ((unsigned long long)(x))

/* The binary in which most chains end, except those in @named; NULL: no other. */
static const struct pfx_dso *next_end(const struct pfx_session *session,
				      const struct pfx_resolver *resolver,
				      const struct pfx_dso **named, unsigned nr_named)
{
	const struct pfx_dso *dso, *best = NULL;
	uint64_t nr, most = 0;
	uint32_t i;
	unsigned n;

	for (i = 0; i < pfx_session_nr_dsos(session); i++) {
		dso = pfx_session_dso_at(session, i);
		nr = pfx_pointer_chain_ends_in(resolver, dso);
		for (n = 0; n < nr_named && named[n] != dso; n++)
			;
		if (n == nr_named && nr > most) {
			most = nr;
			best = dso;
		}
	}
	return best;
}

static void add_binaries(const struct pfx_session *session, const struct pfx_resolver *resolver,
			 struct pfx_str *to)
{
	uint64_t nr, left = pfx_pointer_chain_stats(resolver)->nr_no_pointer;
	const struct pfx_dso *named[NAMED_MAX], *dso;
	unsigned i;

	if (!left)
		return;
	for (i = 0; i < NAMED_MAX && (dso = next_end(session, resolver, named, i)); i++) {
		named[i] = dso;
		nr = pfx_pointer_chain_ends_in(resolver, dso);
		left -= nr;
		pfx_str_addf(to, "%s%llu end in '", i ? ", " : "", ULL(nr));
		pfx_str_add_foreign(to, dso->short_name);
		pfx_str_addc(to, '\'');
	}
	if (left)
		pfx_str_addf(to, ", %llu in other binaries", ULL(left));
	pfx_str_add(to, ", where functions keep no frame pointer" PFX_MESSAGE_BREAK
			"(record with --call-graph dwarf, or "
			"build with -fno-omit-frame-pointer)");
}

static void add_others(const struct pfx_pointer_stats *stats, struct pfx_str *to)
{
	if (stats->nr_made_code)
		pfx_str_addf(to,
			     "%s%llu end in code made at run time" PFX_MESSAGE_BREAK
			     "(have its compiler keep frame "
			     "pointers, as java -XX:+PreserveFramePointer does)",
			     stats->nr_no_pointer ? NEXT : "", ULL(stats->nr_made_code));
	if (stats->nr_cut)
		pfx_str_addf(to,
			     "%s%llu cut at %u frames" PFX_MESSAGE_BREAK
			     "(--call-graph fp,FRAMES records more, up to "
			     "kernel.perf_event_max_stack; --max-stack shows more)",
			     stats->nr_no_pointer || stats->nr_made_code ? NEXT : "",
			     ULL(stats->nr_cut), stats->max_frames);
}

void pfx_pointer_note(const struct pfx_note_to *to, const struct pfx_session *session,
		      const struct pfx_resolver *resolver)
{
	const struct pfx_pointer_stats *stats = pfx_pointer_chain_stats(resolver);
	uint64_t nr = pfx_pointer_chain_incomplete(resolver);
	struct pfx_str text = {0};

	if (nr * 100 <= stats->nr_chains)
		return;
	add_binaries(session, resolver, &text);
	add_others(stats, &text);
	pfx_note_tell(to,
		      "%llu of %llu call chains by frame pointers do not reach the start of their "
		      "thread: %s",
		      ULL(nr), ULL(stats->nr_chains), pfx_str_get(&text));
	pfx_str_fini(&text);
}
