/* SPDX-License-Identifier: MIT */
/* What the page says about the recording, or both: facts, and what to doubt with how to mend it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ns.h"
#include "export/page_data_internal.h"
#include "export/samples/export_frames.h"
#include "out/json_parts.h"
#include "out/notes_text.h"
#include "out/term/term.h"

#define MOST_NOTES 6 /* of one recording */

/* Samples without a symbol. */
struct unnamed {
	uint64_t *counts; /* by dso; the last one is of code in none */
	uint64_t nr, nr_all;
};

struct recording {
	const struct pfx_selection *selection;
	const struct pfx_meta *meta;
	uint64_t nr_chains, nr_chains_incomplete;
	const struct pfx_recording *recording; /* NULL: unknown, and then no resolver */
	const struct pfx_resolver *resolver;
	const char *name; /* before its notes */
	struct unnamed unnamed;
};

/* --- samples without a symbol --- */

/* Fewer samples are no reason to doubt what is shown, and nearly every recording has some, as of
 * the vdso or of code that a program makes: the fact beside the others says how many. The report
 * leaves out such binaries, too. */
#define LEAST_UNNAMED 0.01

static void count_unnamed(struct unnamed *unnamed, const struct pfx_selection *selection)
{
	const struct pfx_profile *profile = selection->profile;
	const struct pfx_profile_frame *frame;
	uint64_t nr;
	uint32_t i, row;

	*unnamed = (struct unnamed){0};
	unnamed->counts = pfx_calloc(profile->nr_dsos + 1ul, sizeof(*unnamed->counts));
	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		pfx_profile_pass(profile, row);
		frame = &profile->frames[profile->stack_own[profile->row_stack[row]]];
		nr = pfx_profile_count(profile, row);
		unnamed->nr_all += nr;
		if (profile->functions[frame->function].is_named)
			continue;
		unnamed->nr += nr;
		unnamed->counts[frame->dso == PFX_NO_ID ? profile->nr_dsos : frame->dso] += nr;
	}
}

static double unnamed_share(const struct unnamed *of, uint64_t nr)
{
	return of->nr_all ? (double)nr / (double)of->nr_all : 0;
}

/* --- facts --- */

static void add_fact(struct pfx_page_data *h, uint32_t *nr, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	pfx_json_add_comma(h->to, (*nr)++);
	pfx_str_addc(h->to, '[');
	pfx_json_add_string(h->to, name);
	pfx_str_addc(h->to, ',');
	pfx_json_add_string(h->to, value);
	pfx_str_addc(h->to, ']');
}

static void add_machine(struct pfx_page_data *h, uint32_t *nr, const struct pfx_env *env)
{
	struct pfx_str text = {0};

	pfx_export_add_words(&text, &env->cmdline, 0);
	add_fact(h, nr, "Command", pfx_str_get(&text));
	add_fact(h, nr, "Host", env->hostname);
	pfx_str_clear(&text);
	pfx_str_addf(&text, "%s %s", env->osrelease ? env->osrelease : "",
		     env->arch ? env->arch : "");
	add_fact(h, nr, "System", env->osrelease ? pfx_str_get(&text) : NULL);
	add_fact(h, nr, "CPU", env->cpudesc);
	pfx_str_fini(&text);
}

/* Of chains by frame pointers and of copied stacks. */
static void add_quality(struct pfx_page_data *h, uint32_t *nr, const struct recording *of)
{
	uint64_t chains = of->nr_chains, incomplete = of->nr_chains_incomplete;
	const struct pfx_unwind_stats *stats;
	char text[64];

	if (of->resolver) {
		stats = pfx_resolver_unwind_stats(of->resolver);
		chains += stats->nr_chains;
		incomplete += stats->nr_chains - stats->nr_ends[PFX_UNWIND_COMPLETE];
	}
	if (!chains)
		return;
	snprintf(text, sizeof(text), "%.1f%% complete",
		 100.0 - 100.0 * (double)incomplete / (double)chains);
	add_fact(h, nr, "Call chains", text);
}

static void add_unnamed_fact(struct pfx_page_data *h, uint32_t *nr, const struct unnamed *unnamed)
{
	double percent = 100 * unnamed_share(unnamed, unnamed->nr);
	char text[64];

	if (!unnamed->nr)
		return;
	snprintf(text, sizeof(text), percent < 0.01 ? "less than 0.01%%" : "%.2f%%", percent);
	add_fact(h, nr, "Without symbol", text);
}

/* When the first sample was taken, by the wall clock. */
static void add_date(struct pfx_page_data *h, uint32_t *nr, const struct recording *of)
{
	char text[64];
	uint64_t wall;
	time_t seconds;
	struct tm tm;

	if (!pfx_export_wall_time(of->meta, of->selection->profile->first_time, &wall))
		return;
	seconds = (time_t)(wall / PFX_NS_PER_SECOND);
	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		add_fact(h, nr, "Begin", text);
}

static void add_facts(struct pfx_page_data *h, const struct recording *of)
{
	const struct pfx_profile *profile = of->selection->profile;
	struct pfx_str text = {0};
	uint32_t nr = 0;

	pfx_page_begin(h, "facts", '[');
	add_machine(h, &nr, &of->meta->env);
	add_date(h, &nr, of);
	pfx_str_addf(&text, "%.3f s",
		     (double)(profile->last_time - profile->first_time) / PFX_NS_PER_SECOND);
	add_fact(h, &nr, "Time", profile->row_time ? pfx_str_get(&text) : NULL);
	pfx_str_clear(&text);
	pfx_str_addf(&text, "%llu", (unsigned long long)profile->nr_lost);
	add_fact(h, &nr, "Lost", profile->nr_lost ? pfx_str_get(&text) : "none");
	add_quality(h, &nr, of);
	add_unnamed_fact(h, &nr, &of->unnamed);
	pfx_str_fini(&text);
	pfx_page_end(h, ']');
}

static void add_title(struct pfx_page_data *h, const struct recording *of)
{
	struct pfx_str text = {0};

	if (h->in->title && of->meta == h->in->meta)
		pfx_str_add(&text, h->in->title);
	else
		pfx_export_add_title(of->meta, &text);
	pfx_json_add_text(h->to, "title", pfx_str_get(&text));
	pfx_str_fini(&text);
}

/* --- what to doubt --- */

struct notes {
	struct pfx_page_data *h;
	const struct recording *of;
	uint32_t nr, nr_own; /* of all recordings, and of this one */
};

static void add_note(struct notes *notes, const char *text, const char *mend)
{
	struct pfx_page_data *h = notes->h;
	char *whole = pfx_strfmt("%s%s", notes->of->name, text);

	pfx_page_element(h, notes->nr++);
	notes->nr_own++;
	pfx_json_add_text(h->to, "text", whole);
	free(whole);
	pfx_json_add_text(h->to, "mend", mend);
	pfx_page_end(h, '}');
}

static void add_unnamed_of(struct notes *notes, uint64_t nr, const char *where)
{
	char *text = pfx_strfmt("%llu sample%s (%.1f%%) in %s %s no symbol", (unsigned long long)nr,
				nr == 1 ? "" : "s", 100 * unnamed_share(&notes->of->unnamed, nr),
				where, nr == 1 ? "has" : "have");

	add_note(notes, text,
		 "install its debug symbols, or export on the machine that has the binary");
	free(text);
}

/* The binaries that lack symbols of many samples, then the others if they are many together. */
static void add_unnamed(struct notes *notes)
{
	const struct pfx_profile *profile = notes->of->selection->profile;
	const struct unnamed *unnamed = &notes->of->unnamed;
	uint64_t *counts = unnamed->counts, rest = unnamed->nr;
	uint32_t i, most;

	while (notes->nr_own < MOST_NOTES) {
		for (most = 0, i = 1; i <= profile->nr_dsos; i++)
			if (counts[i] > counts[most])
				most = i;
		if (!counts[most] || unnamed_share(unnamed, counts[most]) < LEAST_UNNAMED)
			break;
		add_unnamed_of(notes, counts[most],
			       most < profile->nr_dsos ? profile->dsos[most].short_name
						       : "unknown code");
		rest -= counts[most];
		counts[most] = 0;
	}
	if (rest && unnamed_share(unnamed, rest) >= LEAST_UNNAMED)
		add_unnamed_of(notes, rest, "other binaries");
}

static bool has_chains(const struct pfx_profile *profile)
{
	uint32_t i;

	for (i = 0; i < profile->nr_stacks; i++)
		if (profile->nodes.parent[profile->stack_node[i]])
			return true;
	return false;
}

/* Nearly every recording has some such chains: fewer than 1 % are not worth a note. */
static void add_incomplete(struct notes *notes)
{
	char *text;

	if (notes->of->nr_chains_incomplete * 100 <= notes->of->nr_chains)
		return;
	text = pfx_strfmt("%llu of %llu call chains do not reach the start of their thread",
			  (unsigned long long)notes->of->nr_chains_incomplete,
			  (unsigned long long)notes->of->nr_chains);
	add_note(notes, text,
		 "record with --call-graph dwarf, or build with -fno-omit-frame-pointer");
	free(text);
}

/* A sentence of out/notes_text.h: what is after its first break is the remedy. */
static void take_note(void *context, const char *text)
{
	char *own = pfx_strdup(text), *at = strstr(own, PFX_MESSAGE_BREAK), *next;
	const char *mend = "";

	if (strstr(own, " lost"))
		mend = "record with a larger buffer (-m) or a lower rate (-F)";
	if (at) {
		*at = '\0';
		mend = at + 1;
	}
	while (at && (next = strstr(at + 1, PFX_MESSAGE_BREAK)))
		*next = ' ';
	if (*mend == '(' && strchr(mend, ')') == mend + strlen(mend) - 1) {
		/* It is in brackets as a whole, and has a row of its own here. */
		at[strlen(mend)] = '\0';
		mend++;
	}
	add_note(context, own, mend);
	free(own);
}

static void add_notes(struct notes *notes)
{
	const struct pfx_profile *profile = notes->of->selection->profile;
	const struct pfx_note_to to = {.add = take_note, .context = notes};
	char *text;

	notes->nr_own = 0;
	if (notes->of->recording)
		pfx_recording_loss_note(&to, notes->of->recording);
	else if (profile->nr_lost) {
		text = pfx_strfmt("%llu samples or records were lost while recording",
				  (unsigned long long)profile->nr_lost);
		add_note(notes, text, "record with a larger buffer (-m) or a lower rate (-F)");
		free(text);
	}
	if (!profile->nr_rows)
		add_note(notes, "there are no samples", "other filters may leave some");
	else if (!has_chains(profile))
		add_note(notes, "there are no call chains: each stack is one function",
			 "record with -g or --call-graph dwarf");
	add_incomplete(notes);
	if (notes->of->resolver) {
		pfx_unwinding_note(&to, notes->of->resolver);
		pfx_jit_notes(&to, notes->of->resolver);
	}
	add_unnamed(notes);
}

/* Events that are compared although their names differ. */
static void add_other_events(struct notes *notes)
{
	const struct pfx_joined *joined = notes->h->joined;
	const struct pfx_profile_event *events = joined->profile->events;
	uint32_t i;
	char *text;

	for (i = 0; i < joined->nr_new_events; i++) {
		if (joined->old_of[i] == PFX_NO_ID ||
		    !strcmp(events[i].name, events[joined->old_of[i]].name))
			continue;
		text = pfx_strfmt("event %s is compared with %s", events[i].name,
				  events[joined->old_of[i]].name);
		add_note(notes, text, "record both with the same -e");
		free(text);
	}
}

/* --- both --- */

void pfx_page_add_about(struct pfx_page_data *h)
{
	const struct pfx_export_input *in = h->in;
	struct recording new = {.selection = in->selection,
				.meta = in->meta,
				.nr_chains = in->nr_chains,
				.nr_chains_incomplete = in->nr_chains_incomplete,
				.recording = in->recording,
				.resolver = in->resolver,
				.name = ""};
	struct recording old = {.name = "Old recording: "};
	struct notes notes = {.h = h, .of = &new};

	count_unnamed(&new.unnamed, new.selection);
	add_title(h, &new);
	add_facts(h, &new);
	if (in->old) {
		old.selection = in->old->selection;
		old.meta = in->old->meta;
		old.nr_chains = in->old->nr_chains;
		old.nr_chains_incomplete = in->old->nr_chains_incomplete;
		old.recording = in->old->recording;
		old.resolver = in->old->resolver;
		count_unnamed(&old.unnamed, old.selection);
		pfx_page_begin(h, "old", '{');
		add_title(h, &old);
		add_facts(h, &old);
		pfx_page_end(h, '}');
	}
	pfx_page_begin(h, "notes", '[');
	add_notes(&notes);
	if (in->old) {
		add_other_events(&notes);
		notes.of = &old;
		add_notes(&notes);
	}
	pfx_page_end(h, ']');
	free(new.unnamed.counts);
	free(old.unnamed.counts);
}
