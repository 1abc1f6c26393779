/* SPDX-License-Identifier: MIT */
/* Messages about what `pfx annotate` does not show. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "base/compare.h"
#include "cmd/annotate/annotate_run.h"
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"

static void say_missing_of(const struct pfx_annotate_run *a, const struct pfx_dso *dso,
			   const struct pfx_missing_dso *missing)
{
	uint64_t nr_gone = missing->nr_functions - missing->nr_too_large;
	const char *hint, *reason;
	char name[256];

	pfx_escape(name, sizeof(name), dso->name);
	reason = pfx_resolver_no_code(pfx_recording_resolver(a->recording), dso, &hint);
	if (nr_gone)
		pfx_print_note("annotate",
			       "the code of '%s' is not available: %s; %" PRIu64
			       " of its functions with %" PRIu64 " sample%s %s not shown%s%s%s",
			       name, reason ? reason : "its file was not found", nr_gone,
			       missing->nr_samples, missing->nr_samples == 1 ? "" : "s",
			       nr_gone == 1 ? "is" : "are",
			       reason && hint ? PFX_MESSAGE_BREAK "(" : "",
			       reason && hint ? hint : "", reason && hint ? ")" : "");
	if (missing->nr_too_large)
		pfx_print_note("annotate",
			       missing->nr_too_large == 1
				       ? "%" PRIu64 " function of '%s' has more than %u MB of code "
					 "and is not shown"
				       : "%" PRIu64 " functions of '%s' have more than %u MB of "
					 "code and are not shown",
			       missing->nr_too_large, name, PFX_CODE_SIZE_MAX >> 20);
}

/* A binary with the number of samples that it is listed for. */
struct counted_dso {
	const struct pfx_dso *dso;
	uint64_t nr_samples;
};

static int by_samples(const void *a, const void *b)
{
	const struct counted_dso *x = a, *y = b;
	int rc = pfx_compare_u64(y->nr_samples, x->nr_samples);

	return rc ? rc : pfx_compare_u64(x->dso->id, y->dso->id);
}

void pfx_annotate_say_missing(const struct pfx_annotate_run *a)
{
	const struct pfx_session *session = pfx_recording_session(a->recording);
	size_t i, nr = a->missing.dsos.nr;
	struct counted_dso *list = pfx_calloc(nr + 1, sizeof(*list));

	for (i = 0; i < nr; i++)
		list[i] = (struct counted_dso){pfx_session_dso_at(session, (uint32_t)i),
					       a->missing.dsos.at[i].nr_samples};
	qsort(list, nr, sizeof(*list), by_samples);
	for (i = 0; i < nr; i++)
		say_missing_of(a, list[i].dso, &a->missing.dsos.at[list[i].dso->id]);
	free(list);
}

/* Why instructions are shown as bytes. */
static void say_no_disassembler(const struct pfx_annotate_run *a)
{
	const char *machine = a->missing.machine;
	struct pfx_disasm *disasm = NULL;
	struct pfx_error err = {0};

	if (pfx_disasm_new(&disasm, machine ? machine : "", true, &err))
		pfx_print_note("annotate", "instructions are shown as bytes: %s", err.text);
	pfx_disasm_free(disasm);
}

/* Without libdw another note says so. */
static void say_no_lines(void)
{
	if (pfx_lines_are_built_in())
		pfx_print_note("annotate",
			       "no source line of the samples is known: their binaries have no "
			       "debug information" PFX_MESSAGE_BREAK "(build with -g, or install "
			       "their debug files)");
}

/* Why nothing is shown. */
static void say_nothing(const struct pfx_annotate_run *a)
{
	const uint32_t nr_events = pfx_recording_meta(a->recording)->nr_events;
	const struct pfx_code_function *functions;
	uint64_t nr_counted = 0;
	uint32_t i;

	for (i = 0; i < nr_events; i++)
		nr_counted += pfx_costs_total(a->costs, i).nr_samples;
	if (nr_counted && !pfx_costs_functions(a->costs, nr_events, &functions))
		pfx_print_note("annotate", "no sample lies in a function that has a symbol");
	else if (nr_counted && a->options->lines && !a->options->percent_limit)
		say_no_lines();
	else
		pfx_recording_note_empty("annotate", pfx_recording_reader(a->recording),
					 pfx_recording_stats(a->recording)->nr_samples > 0);
}

static void say_no_sources(const struct pfx_annotate_run *a)
{
	const struct pfx_sources_gaps gaps = pfx_sources_gaps(a->options->sources);
	struct pfx_str text = {0};
	char first[256];

	if (!gaps.nr)
		return;
	pfx_str_addf(&text, "the text of ");
	if (gaps.nr > 1)
		pfx_str_addf(&text, "%" PRIu32 " source files is not shown; the first is ",
			     gaps.nr);
	pfx_str_addf(&text, "'%s'%s: %s", pfx_escape(first, sizeof(first), gaps.first),
		     gaps.nr > 1 ? "" : " is not shown", gaps.why);
	if (gaps.is_absent)
		pfx_str_add(&text, PFX_MESSAGE_BREAK "(--source-path FROM=TO names its folder)");
	pfx_print_note("annotate", "%s", pfx_str_get(&text));
	pfx_str_fini(&text);
}

static void say_not_mapped(const struct pfx_annotate_run *a)
{
	const char *from = pfx_sources_not_mapped(a->options->sources);
	char shown[256];

	if (from)
		pfx_print_note("annotate",
			       "--source-path: no source file of the shown functions is below '%s'",
			       pfx_escape(shown, sizeof(shown), from));
}

static void say_doubtful_sources(const struct pfx_annotate_run *a)
{
	const struct pfx_sources_doubts doubts = pfx_sources_doubts(a->options->sources);
	char first[256];

	pfx_escape(first, sizeof(first), doubts.nr ? doubts.first : "");
	if (doubts.nr == 1)
		pfx_print_note("annotate", "the text of '%s' may be that of other lines: %s", first,
			       doubts.why);
	else if (doubts.nr)
		pfx_print_note("annotate",
			       "the text of %" PRIu32 " source files may be that of other lines; "
			       "the first is '%s': %s",
			       doubts.nr, first, doubts.why);
}

/* What is shown in place of a function that has no code of its own. */
static void say_inlined(const struct pfx_annotate_run *a)
{
	uint32_t nr = a->missing.nr_outer;
	char shown[256];

	if (!nr)
		return;
	pfx_escape(shown, sizeof(shown), a->options->symbol);
	if (a->options->json)
		pfx_print_note("annotate", "'%s' is inlined: the JSON has %u function%s that %s it",
			       shown, nr, nr == 1 ? "" : "s", nr == 1 ? "contains" : "contain");
	else
		pfx_print_note("annotate",
			       "'%s' is inlined: its instructions in %u function%s are "
			       "shown" PFX_MESSAGE_BREAK
			       "('pfx annotate --lines %s' shows its source lines)",
			       shown, nr, nr == 1 ? "" : "s", shown);
}

void pfx_annotate_say_notes(const struct pfx_annotate_run *a)
{
	struct pfx_session *session = pfx_recording_session(a->recording);
	const struct pfx_resolver *resolver = pfx_recording_resolver(a->recording);

	say_inlined(a);
	if (!a->options->skip_missing)
		pfx_annotate_say_missing(a);
	if (a->missing.has_no_disassembler)
		say_no_disassembler(a);
	if ((a->missing.nr_shown || a->options->lines) && a->options->source &&
	    !pfx_lines_are_built_in())
		pfx_print_note("annotate",
			       "source lines are not shown: pfx was built without libdw");
	say_no_sources(a);
	say_not_mapped(a);
	say_doubtful_sources(a);
	pfx_recording_note_lines("annotate", session, resolver);
	pfx_recording_note_jit("annotate", resolver);
	if (!a->missing.nr_shown && !a->missing.dsos.nr)
		say_nothing(a);
}

#define SYMBOL_NOTES_MAX   3
#define SYMBOL_NOTE_ONE_OF 200 /* fewer samples of a binary are not worth a message */

struct symbol_notes {
	unsigned nr, max;
};

static void say_symbol_note(void *context, const char *text)
{
	struct symbol_notes *notes = context;

	if (notes->nr++ < notes->max)
		pfx_print_note("annotate", "%s", text);
}

/* All binaries, those with most of such samples first; the caller frees the list. @ret_all: the
 * number of all samples. */
static struct counted_dso *list_nameless(const struct pfx_annotate_run *a, uint32_t *ret_nr,
					 uint64_t *ret_all)
{
	const struct pfx_session *session = pfx_recording_session(a->recording);
	uint32_t i, nr = pfx_session_nr_dsos(session), at = 0;
	struct counted_dso *list = pfx_calloc(nr + 1, sizeof(*list));
	struct pfx_cost_entry entry;

	for (i = 0; i < nr; i++)
		list[i].dso = pfx_session_dso_at(session, i);
	*ret_all = 0;
	while (pfx_costs_each(a->costs, &at, &entry)) {
		*ret_all += entry.cost.nr_samples;
		if (entry.place->dso && !pfx_place_has_name(entry.place))
			list[entry.place->dso->id].nr_samples += entry.cost.nr_samples;
	}
	qsort(list, nr, sizeof(*list), by_samples);
	*ret_nr = nr;
	return list;
}

/* A recording of the whole system may have hundreds of such binaries. */
static void say_binaries_without_symbols(const struct pfx_annotate_run *a)
{
	struct symbol_notes notes = {.max = a->options->verbose ? UINT_MAX : SYMBOL_NOTES_MAX};
	const struct pfx_note_to to = {say_symbol_note, &notes};
	uint64_t all;
	uint32_t i, nr;
	struct counted_dso *list = list_nameless(a, &nr, &all);

	for (i = 0; i < nr; i++)
		if ((a->options->verbose || list[i].nr_samples * SYMBOL_NOTE_ONE_OF >= all) &&
		    pfx_filter_dso(&a->options->filter, list[i].dso))
			pfx_symbol_note(&to, pfx_recording_resolver(a->recording), list[i].dso);
	free(list);
	if (notes.nr > notes.max)
		pfx_print_note("annotate", "%u more binaries lack symbols (-v shows each)",
			       notes.nr - notes.max);
}

void pfx_annotate_say_no_symbols(const struct pfx_annotate_run *a, int rc)
{
	if (a->options->quiet || a->options->skip_missing || !a->costs)
		return;
	if (rc == -ENOENT || (!rc && !a->options->symbol))
		say_binaries_without_symbols(a);
}
