/* SPDX-License-Identifier: MIT */
/*
 * Counts the samples of runs by identity, and makes the rows of each event from the sums. It knows
 * neither where profiles come from nor how rows are shown.
 */
#include "diff/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/words.h"
#include "diff/diff_internal.h"
#include "diff/names/build_names.h"

const struct pfx_diff_key_info pfx_diff_keys[PFX_DIFF_NR_KEYS] = {
	[PFX_DIFF_COMM] = {"comm", "command", "Command"},
	[PFX_DIFF_DSO] = {"dso", "library", "Shared Object"},
	[PFX_DIFF_SYM] = {"symbol", "function", "Symbol"},
	[PFX_DIFF_LINE] = {"srcline", "line", "Source:Line"},
	[PFX_DIFF_FILE] = {"srcfile", "file", "Source File"},
	[PFX_DIFF_CHAIN] = {"chain", "stack", "Call Chain"},
	[PFX_DIFF_CPU] = {"cpu", NULL, "CPU"},
	[PFX_DIFF_PROCESS] = {"tgid", "process", "Process"},
	[PFX_DIFF_THREAD] = {"pid", "thread", "Pid:Command"},
	[PFX_DIFF_PATH] = {"", NULL, "Subtree"}, /* not a word of -s */
};

/* --- keys --- */

/* The key whose name begins with the word; perf accepts prefixes, too. */
static int find_key(const char *word, size_t len)
{
	enum pfx_diff_key key;

	if (len == 3 && !memcmp(word, "sym", 3))
		return PFX_DIFF_SYM;
	if (len == 3 && !memcmp(word, "tid", 3))
		return PFX_DIFF_THREAD;
	for (key = 0; key < PFX_DIFF_PATH; key++) {
		if (strlen(pfx_diff_keys[key].name) == len &&
		    !memcmp(word, pfx_diff_keys[key].name, len))
			return (int)key;
		if (pfx_diff_keys[key].other_name && strlen(pfx_diff_keys[key].other_name) == len &&
		    !memcmp(word, pfx_diff_keys[key].other_name, len))
			return (int)key;
	}
	return -1;
}

static int refuse_key(const char *word, size_t len, struct pfx_error *err)
{
	const char *names[2 * PFX_DIFF_NR_KEYS], *near;
	char *own = pfx_strndup(word, len), shown[64];
	size_t nr = 0, i;

	for (i = 0; i < PFX_DIFF_PATH; i++) {
		names[nr++] = pfx_diff_keys[i].name;
		if (pfx_diff_keys[i].other_name)
			names[nr++] = pfx_diff_keys[i].other_name;
	}
	near = pfx_nearest(own, names, nr);
	pfx_error_set(err, EINVAL, "'%s' is not a sort key of a comparison",
		      pfx_escape(shown, sizeof(shown), own));
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", near);
	else
		pfx_error_hint(err, "keys are comm, dso, symbol, srcline, srcfile, chain, cpu, "
				    "tgid and pid (by thread)");
	free(own);
	return -EINVAL;
}

int pfx_diff_keys_parse(const char *words, enum pfx_diff_key keys[PFX_DIFF_KEYS_MAX],
			uint32_t *ret_nr, struct pfx_error *err)
{
	bool used[PFX_DIFF_NR_KEYS] = {false};
	size_t len;
	int key;

	for (*ret_nr = 0;; words += len + 1) {
		len = strcspn(words, ",");
		key = find_key(words, len);
		if (key < 0)
			return refuse_key(words, len, err);
		if (!used[key])
			keys[(*ret_nr)++] = (enum pfx_diff_key)key;
		used[key] = true;
		if (!words[len])
			return 0;
	}
}

/* --- counting --- */

struct pfx_diff *pfx_diff_new(const struct pfx_diff_options *options)
{
	struct pfx_diff *diff = pfx_calloc(1, sizeof(*diff));

	diff->options = *options;
	pfx_intern_str(&diff->texts, "");
	return diff;
}

const struct pfx_diff_options *pfx_diff_options(const struct pfx_diff *diff)
{
	return &diff->options;
}

static void run_fini(struct pfx_diff_run *run)
{
	free(run->rows);
	free(run->event_of);
	pfx_vec_free(&run->lists);
	pfx_vec_free(&run->ids);
}

void pfx_diff_free(struct pfx_diff *diff)
{
	size_t i;

	if (!diff)
		return;
	for (i = 0; i < diff->runs.nr; i++)
		run_fini(&diff->runs.at[i]);
	for (i = 0; i < diff->sums.nr; i++) {
		pfx_vec_free(&diff->sums.at[i].by_row);
		pfx_vec_free(&diff->sums.at[i].levels);
	}
	pfx_diff_free_series(diff);
	pfx_vec_free(&diff->runs);
	pfx_vec_free(&diff->sums);
	pfx_vec_free(&diff->levels);
	pfx_vec_free(&diff->inlined);
	pfx_vec_free(&diff->examples[0]);
	pfx_vec_free(&diff->examples[1]);
	pfx_diff_renames_fini(&diff->renames);
	pfx_hash_fini(&diff->libraries);
	pfx_vec_free(&diff->events);
	pfx_intern_fini(&diff->texts);
	pfx_intern_fini(&diff->identities);
	pfx_intern_fini(&diff->event_names);
	pfx_intern_fini(&diff->event_bases);
	pfx_vec_free(&diff->event_runs);
	pfx_vec_free(&diff->kin);
	pfx_arena_clear(&diff->arena);
	free(diff->merged);
	free(diff->is_renamed);
	free(diff->old_of);
	free(diff);
}

/* Which of the events that have the name but for its precision came first; itself if it is new. */
static struct pfx_diff_kin *kin_of(struct pfx_diff *diff, uint32_t event)
{
	struct pfx_str text = {0};
	struct pfx_diff_kin *kin;

	pfx_build_event_name(pfx_intern_get(&diff->event_names, event), &text);
	kin = pfx_vec_slot(&diff->kin, pfx_intern_str(&diff->event_bases, pfx_str_get(&text)));
	pfx_str_fini(&text);
	if (!kin->first)
		kin->first = event + 1;
	return kin;
}

/* Whether a run before had it as an event of its own. */
static bool is_known(struct pfx_diff *diff, uint32_t event)
{
	uint32_t side;

	for (side = 0; side < diff->options.nr_sides; side++)
		if (pfx_diff_sums_at(diff, event, side)->exists)
			return true;
	return false;
}

/* Events with the same name are one; so are those that differ in precision alone, unless a run has
 * both. */
static void match_events(struct pfx_diff *diff, struct pfx_diff_run *run)
{
	const struct pfx_profile *profile = run->profile;
	uint32_t i, nr = ++diff->nr_matched, event, first;
	struct pfx_diff_kin *kin;

	run->event_of = pfx_malloc((profile->nr_events + 1ul) * sizeof(*run->event_of));
	for (i = 0; i < profile->nr_events; i++) {
		run->event_of[i] = pfx_intern_str(&diff->event_names, profile->events[i].name);
		*pfx_vec_slot(&diff->event_runs, run->event_of[i]) = nr;
	}
	for (i = 0; i < profile->nr_events; i++) {
		event = run->event_of[i];
		kin = kin_of(diff, event);
		first = kin->first - 1;
		if (first != event && diff->event_runs.at[first] != nr && !is_known(diff, event)) {
			kin->other = event + 1;
			run->event_of[i] = first;
		}
		pfx_diff_sums_at(diff, run->event_of[i], run->side)->exists = true;
	}
}

/* The name that the event has in a recording with another precision; NULL: none. */
static const char *other_name(struct pfx_diff *diff, uint32_t event)
{
	const struct pfx_diff_kin *kin = kin_of(diff, event);

	return kin->first == event + 1 && kin->other
		       ? pfx_intern_get(&diff->event_names, kin->other - 1)
		       : NULL;
}

static void add_value(struct pfx_diff_value *to, uint64_t period, uint64_t samples)
{
	to->period += period;
	to->samples += samples;
}

/* Functions of the kernel and of programs may have one name: a row has what its event saw first. */
static void set_level(struct pfx_diff_sums *sums, uint32_t id, char level)
{
	char *at = pfx_vec_slot(&sums->levels, id);

	if (!*at)
		*at = level;
}

static void count_samples(struct pfx_diff *diff, const struct pfx_diff_run *run)
{
	const struct pfx_profile *profile = run->profile;
	struct pfx_diff_sums *sums;
	uint64_t period, samples;
	uint32_t i, k, list;

	for (i = 0; i < profile->nr_rows; i++) {
		sums = pfx_diff_sums_at(diff, run->event_of[profile->row_event[i]], run->side);
		samples = pfx_profile_count(profile, i);
		period = diff->options.by_samples ? samples : profile->row_period[i];
		add_value(&sums->all, period, samples);
		list = run->rows[i];
		if (list == PFX_NO_ID)
			continue;
		add_value(&sums->passed, period, samples);
		for (k = run->lists.at[list]; k < run->lists.at[list + 1]; k++)
			add_value(pfx_vec_slot(&sums->by_row, run->ids.at[k]), period, samples);
		if (!diff->options.inclusive && k > run->lists.at[list])
			set_level(sums, run->ids.at[k - 1],
				  profile->stack_level[profile->row_stack[i]]);
	}
}

void pfx_diff_add_run(struct pfx_diff *diff, uint32_t side, const struct pfx_profile *profile)
{
	struct pfx_diff_run *run = pfx_vec_add(&diff->runs);

	*run = (struct pfx_diff_run){.profile = profile, .side = side};
	match_events(diff, run);
	pfx_diff_identify(diff, run);
	count_samples(diff, run);
}

/* --- rows --- */

static const struct pfx_diff_value *value_of(const struct pfx_diff_sums *sums, uint32_t id)
{
	static const struct pfx_diff_value none;

	return id < sums->by_row.nr ? &sums->by_row.at[id] : &none;
}

/* The names of a chain. */
static uint32_t chain_text(struct pfx_diff *diff, uint32_t path)
{
	struct pfx_str text = {0};
	uint32_t id;

	pfx_diff_add_path(diff, path, &text);
	id = pfx_intern_str(&diff->texts, pfx_str_get(&text));
	pfx_str_fini(&text);
	return id;
}

static char level_of(struct pfx_diff *diff, uint32_t event, uint32_t id)
{
	const struct pfx_diff_sums *sums;
	uint32_t side;

	for (side = 0; side < diff->options.nr_sides; side++) {
		sums = pfx_diff_sums_at(diff, event, side);
		if (id < sums->levels.nr && sums->levels.at[id])
			return sums->levels.at[id];
	}
	return diff->levels.at[id];
}

static void set_texts(struct pfx_diff *diff, uint32_t id, const char **texts)
{
	const struct pfx_diff_identity *identity = pfx_diff_identity_at(diff, id);
	uint32_t i, text;

	for (i = 0; i < diff->options.nr_keys; i++) {
		text = identity->texts[diff->options.keys[i]];
		if (diff->options.keys[i] == PFX_DIFF_CHAIN)
			text = chain_text(diff, text);
		texts[i] = pfx_intern_get(&diff->texts, text);
	}
}

static void set_state(struct pfx_diff *diff, uint32_t id, struct pfx_diff_row *row)
{
	uint64_t others = 0;
	uint32_t side, i;

	for (side = 1; side < diff->options.nr_sides; side++)
		others += row->values[side].samples;
	if (!row->values[0].samples)
		row->state = PFX_DIFF_NEW;
	else if (!others)
		row->state = PFX_DIFF_VANISHED;
	else if (diff->is_renamed[id])
		row->state = PFX_DIFF_RENAMED;
	if (diff->old_of[id] == PFX_NO_ID)
		return;
	row->by_other_build = true;
	set_texts(diff, diff->old_of[id], row->old_texts);
	for (i = 0; i < diff->options.nr_keys; i++)
		if (row->old_texts[i] == row->texts[i])
			row->old_texts[i] = NULL;
}

/* The values of all identities that were merged. */
static struct pfx_diff_value *sum_values(struct pfx_diff *diff, uint32_t event)
{
	uint32_t nr = diff->identities.nr, nr_sides = diff->options.nr_sides, side, i;
	struct pfx_diff_value *values =
		pfx_arena_array(&diff->arena, struct pfx_diff_value, (size_t)nr * nr_sides + 1);
	const struct pfx_diff_value *value;
	const struct pfx_diff_sums *sums;

	for (side = 0; side < nr_sides; side++) {
		sums = pfx_diff_sums_at(diff, event, side);
		for (i = 0; i < nr; i++) {
			value = value_of(sums, i);
			add_value(&values[(size_t)diff->merged[i] * nr_sides + side], value->period,
				  value->samples);
		}
	}
	return values;
}

static void make_rows(struct pfx_diff *diff, uint32_t number, struct pfx_diff_event *event)
{
	uint32_t nr = diff->identities.nr, nr_sides = diff->options.nr_sides, i, side;
	struct pfx_diff_value *values = sum_values(diff, number);
	struct pfx_diff_row *row;
	uint64_t samples;

	event->rows = pfx_arena_array(&diff->arena, struct pfx_diff_row, nr + 1ul);
	for (i = 0; i < nr; i++) {
		for (samples = 0, side = 0; side < nr_sides; side++)
			samples += values[(size_t)i * nr_sides + side].samples;
		if (!samples)
			continue;
		row = &event->rows[event->nr_rows++];
		row->id = i;
		row->series = PFX_NO_ID;
		row->is_inlined = diff->inlined.at[i];
		row->values = &values[(size_t)i * nr_sides];
		row->level = level_of(diff, event->number, i);
		set_texts(diff, i, row->texts);
		set_state(diff, i, row);
	}
}

static void make_event(struct pfx_diff *diff, uint32_t number)
{
	uint32_t nr_sides = diff->options.nr_sides, side;
	const struct pfx_diff_sums *sums;
	struct pfx_diff_event event = {
		.name = pfx_intern_get(&diff->event_names, number),
		.other_name = other_name(diff, number),
		.number = number,
		.totals = pfx_arena_array(&diff->arena, struct pfx_diff_value, nr_sides),
		.is_in_side = pfx_arena_array(&diff->arena, bool, nr_sides),
	};
	bool in_others = nr_sides == 1;

	for (side = 0; side < nr_sides; side++) {
		sums = pfx_diff_sums_at(diff, number, side);
		event.is_in_side[side] = sums->exists;
		event.totals[side] = diff->options.relative ? sums->passed : sums->all;
		in_others |= side && sums->exists;
	}
	if (!event.is_in_side[0] || !in_others)
		return;
	make_rows(diff, number, &event);
	pfx_vec_push(&diff->events, event);
}

void pfx_diff_finish(struct pfx_diff *diff)
{
	uint32_t i;

	pfx_diff_match_rows(diff);
	for (i = 0; i < diff->event_names.nr; i++)
		make_event(diff, i);
	if (diff->options.noise)
		pfx_diff_make_series(diff);
}

const struct pfx_diff_renames *pfx_diff_found_renames(const struct pfx_diff *diff)
{
	return &diff->renames;
}

uint32_t pfx_diff_nr_events(const struct pfx_diff *diff)
{
	return (uint32_t)diff->events.nr;
}

const struct pfx_diff_event *pfx_diff_event_at(const struct pfx_diff *diff, uint32_t i)
{
	return &diff->events.at[i];
}

bool pfx_diff_has_samples(const struct pfx_diff *diff, const struct pfx_diff_event *event)
{
	uint32_t side;

	for (side = 0; side < diff->options.nr_sides; side++)
		if (event->totals[side].samples)
			return true;
	return false;
}

uint32_t pfx_diff_nr_runs(const struct pfx_diff *diff, uint32_t side)
{
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < diff->runs.nr; i++)
		nr += diff->runs.at[i].side == side;
	return nr;
}
