/* SPDX-License-Identifier: MIT */
/* Chains of branches by event and chain id, then by their lines. */
#include "diff/branches/streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "out/json_parts.h"

#define HOT_MAX 5 /* streams of an event and side that are shown */

/* The branches of a chain's step over all of its samples. */
struct step {
	uint64_t count, cycles;
};

/* A chain of one recording, before its lines are known. */
struct chain {
	uint32_t event, chain, nr_steps;
	uint64_t weight;
	struct step *steps;
};

/* A chain by its lines. */
struct stream {
	uint32_t event, lines; /* ids of texts; lines: separated by '\n' */
	uint64_t weight;
	uint32_t nr_steps;
	struct step *steps;
};

struct side {
	struct pfx_intern keys; /* of chains and, once they are named, of streams */
	PFX_VEC(struct chain) chains;
	struct pfx_intern stream_keys;
	PFX_VEC(struct stream) streams;
	const struct stream **hot; /* of the event that is shown */
	size_t nr_hot;
	uint64_t total;
};

struct pfx_diff_streams {
	struct pfx_intern texts, events;
	struct side sides[2];
	struct pfx_str text;
};

struct pfx_diff_streams *pfx_diff_streams_new(void)
{
	return pfx_calloc(1, sizeof(struct pfx_diff_streams));
}

void pfx_diff_streams_free(struct pfx_diff_streams *streams)
{
	size_t i, s;

	for (s = 0; streams && s < 2; s++) {
		struct side *side = &streams->sides[s];

		for (i = 0; i < side->chains.nr; i++)
			free(side->chains.at[i].steps);
		for (i = 0; i < side->streams.nr; i++)
			free(side->streams.at[i].steps);
		pfx_vec_free(&side->chains);
		pfx_vec_free(&side->streams);
		pfx_intern_fini(&side->keys);
		pfx_intern_fini(&side->stream_keys);
	}
	if (!streams)
		return;
	pfx_intern_fini(&streams->texts);
	pfx_intern_fini(&streams->events);
	pfx_str_fini(&streams->text);
	free(streams);
}

static void add_step(struct step **steps, uint32_t *nr, uint32_t at, const struct step *step)
{
	if (at >= *nr) {
		*steps = pfx_realloc(*steps, (at + 1ul) * sizeof(**steps));
		memset(*steps + *nr, 0, (at + 1ul - *nr) * sizeof(**steps));
		*nr = at + 1;
	}
	(*steps)[at].count += step->count;
	(*steps)[at].cycles += step->cycles;
}

bool pfx_diff_streams_add(struct pfx_diff_streams *streams, bool is_new,
			  const struct pfx_stream_sample *sample)
{
	struct side *side = &streams->sides[is_new];
	const struct pfx_branch_step *steps;
	struct pfx_chain_found found;
	struct chain *chain;
	uint32_t key[2], nr, i;

	if (!sample->sample->branch.nr)
		return false;
	pfx_resolve_frames(sample->resolver, sample->thread, sample->sample, &found);
	key[0] = pfx_intern_str(&streams->events, sample->event);
	key[1] = pfx_chain_of(sample->resolver, &found);
	chain = pfx_vec_slot(&side->chains, pfx_intern_add(&side->keys, key, sizeof(key)));
	chain->event = key[0];
	chain->chain = key[1];
	chain->weight += sample->sample->period;
	nr = pfx_resolver_branches(sample->resolver, &steps);
	for (i = 0; i < nr; i++)
		add_step(&chain->steps, &chain->nr_steps, i,
			 &(struct step){1, pfx_branch_cycles(&steps[i].branch)});
	return true;
}

/* --- lines --- */

/* "function file:line", or the function or the address without a line. */
static void add_frame(struct pfx_resolver *resolver, struct pfx_place *place, struct pfx_str *to)
{
	const struct pfx_symbol *sym = pfx_place_symbol(resolver, place);
	struct pfx_source source;

	if (to->len)
		pfx_str_addc(to, '\n');
	if (sym)
		pfx_str_add_foreign(to, sym->name);
	if (pfx_place_source(resolver, place, &source) && source.file) {
		pfx_str_add(to, sym ? " " : "");
		pfx_str_add_foreign(to, pfx_file_name(source.file));
		pfx_str_addf(to, ":%u", source.line);
	} else if (sym) {
		pfx_str_addf(to, "+%#llx", (unsigned long long)(place->addr - sym->start));
	} else {
		pfx_str_addf(to, "%#llx", (unsigned long long)place->addr);
	}
}

/* The step of the branches whose origin is this frame, by the number of frames without inlined
 * ones before it. */
static void name_chain(struct pfx_diff_streams *streams, struct side *side,
		       const struct chain *chain, struct pfx_resolver *resolver)
{
	struct pfx_place **places;
	uint32_t nr = pfx_chain_frames(resolver, chain->chain, &places), key[2], i;
	struct stream *stream;

	pfx_str_clear(&streams->text);
	for (i = 0; i < nr; i++)
		add_frame(resolver, places[i], &streams->text);
	key[0] = chain->event;
	key[1] = pfx_intern_str(&streams->texts, pfx_str_get(&streams->text));
	stream = pfx_vec_slot(&side->streams, pfx_intern_add(&side->stream_keys, key, sizeof(key)));
	stream->event = key[0];
	stream->lines = key[1];
	stream->weight += chain->weight;
	for (i = 0; i < chain->nr_steps; i++)
		add_step(&stream->steps, &stream->nr_steps, i, &chain->steps[i]);
}

void pfx_diff_streams_name(struct pfx_diff_streams *streams, bool is_new,
			   struct pfx_resolver *resolver)
{
	struct side *side = &streams->sides[is_new];
	size_t i;

	for (i = 0; i < side->chains.nr; i++) {
		name_chain(streams, side, &side->chains.at[i], resolver);
		free(side->chains.at[i].steps);
	}
	side->chains.nr = 0;
	pfx_intern_fini(&side->keys);
	side->keys = (struct pfx_intern){0};
}

/* --- text --- */

/* The mean cycles of all branches of a chain. */
static uint64_t mean_cycles(const struct stream *stream)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < stream->nr_steps; i++)
		if (stream->steps[i].count)
			sum += stream->steps[i].cycles / stream->steps[i].count;
	return sum;
}

static int by_weight(const void *a, const void *b)
{
	const struct stream *x = *(const struct stream *const *)a;
	const struct stream *y = *(const struct stream *const *)b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x > y) - (x < y); /* the order of the samples */
}

static void find_hot(struct side *side, uint32_t event)
{
	size_t i;

	free(side->hot);
	side->hot = pfx_calloc(side->streams.nr + 1, sizeof(*side->hot));
	side->nr_hot = 0;
	side->total = 0;
	for (i = 0; i < side->streams.nr; i++) {
		if (side->streams.at[i].event != event)
			continue;
		side->hot[side->nr_hot++] = &side->streams.at[i];
		side->total += side->streams.at[i].weight;
	}
	qsort(side->hot, side->nr_hot, sizeof(*side->hot), by_weight);
	if (side->nr_hot > HOT_MAX)
		side->nr_hot = HOT_MAX;
}

/* The hot stream of the other side with the same lines; NULL: none. */
static const struct stream *match(const struct side *other, const struct stream *stream)
{
	size_t i;

	for (i = 0; i < other->nr_hot; i++)
		if (other->hot[i]->lines == stream->lines)
			return other->hot[i];
	return NULL;
}

/* The line above a chain, right-aligned. */
static void add_head(const struct side *side, const struct stream *stream, struct pfx_str *to)
{
	char text[80];

	snprintf(text, sizeof(text), "cycles: %llu, hits: %.2f%%",
		 (unsigned long long)mean_cycles(stream),
		 side->total ? 100 * (double)stream->weight / (double)side->total : 0);
	pfx_str_addf(to, "%35s", text);
}

/* The lines of a chain @nr times, after @before. */
static void add_lines(const char *lines, const char *before, unsigned nr, struct pfx_str *to)
{
	unsigned i;
	int len;

	for (; *lines; lines += len + (lines[len] == '\n')) {
		len = (int)strcspn(lines, "\n");
		pfx_str_add(to, before);
		for (i = 0; i < nr; i++)
			pfx_str_addf(to, "%s%35.*s", i ? "\t" : "", len, lines);
		pfx_str_addc(to, '\n');
	}
}

static void add_pairs(const struct pfx_diff_streams *streams, struct pfx_str *to)
{
	const struct side *old = &streams->sides[0], *new = &streams->sides[1];
	unsigned number = 0;
	size_t i;

	pfx_str_add(to, "[ Matched hot streams ]\n");
	for (i = 0; i < old->nr_hot; i++) {
		const struct stream *other = match(new, old->hot[i]);

		if (!other)
			continue;
		pfx_str_addf(to, "\nhot chain pair %u:\n", ++number);
		add_head(old, old->hot[i], to);
		pfx_str_addc(to, '\t');
		add_head(new, other, to);
		pfx_str_addf(to, "\n%35s\t%35s\n", "---------------------------",
			     "--------------------------");
		add_lines(pfx_intern_get(&streams->texts, old->hot[i]->lines), "", 2, to);
	}
}

/* The hot streams of one side that the other does not have, in its column. */
static void add_only(const struct pfx_diff_streams *streams, bool is_new, struct pfx_str *to)
{
	const struct side *side = &streams->sides[is_new];
	char before[40] = "";
	unsigned number = 0;
	size_t i;

	if (is_new)
		snprintf(before, sizeof(before), "%35s\t", "");
	pfx_str_addf(to, "\n[ Hot streams in %s perf data only ]\n", is_new ? "new" : "old");
	for (i = 0; i < side->nr_hot; i++) {
		if (match(&streams->sides[!is_new], side->hot[i]))
			continue;
		pfx_str_addf(to, "\nhot chain %u:\n%s", ++number, before);
		add_head(side, side->hot[i], to);
		pfx_str_addf(to, "\n%s%35s\n", before, "--------------------------");
		add_lines(pfx_intern_get(&streams->texts, side->hot[i]->lines), before, 1, to);
	}
}

/* Whether both sides have streams of an event. */
static bool find_event(struct pfx_diff_streams *streams, uint32_t event)
{
	find_hot(&streams->sides[0], event);
	find_hot(&streams->sides[1], event);
	return streams->sides[0].nr_hot && streams->sides[1].nr_hot;
}

static void drop_hot(struct pfx_diff_streams *streams)
{
	free(streams->sides[0].hot);
	free(streams->sides[1].hot);
	streams->sides[0].hot = streams->sides[1].hot = NULL;
}

void pfx_diff_streams_text(struct pfx_diff_streams *streams, struct pfx_str *to)
{
	unsigned shown = 0;
	uint32_t event;

	for (event = 0; event < streams->events.nr; event++) {
		if (!find_event(streams, event))
			continue;
		if (streams->events.nr > 1) {
			pfx_str_addf(to, "%s# Event '", shown++ ? "\n" : "");
			pfx_str_add_foreign(to, pfx_intern_get(&streams->events, event));
			pfx_str_add(to, "'\n#\n");
		}
		add_pairs(streams, to);
		add_only(streams, false, to);
		add_only(streams, true, to);
	}
	drop_hot(streams);
}

/* --- JSON --- */

static void add_json_side(const struct side *side, const struct stream *stream, struct pfx_str *to)
{
	if (!stream) {
		pfx_str_add(to, "null");
		return;
	}
	pfx_str_addc(to, '{');
	pfx_json_add_number(to, "cycles", mean_cycles(stream));
	pfx_json_add_percent(to, "percent", stream->weight, side->total);
	pfx_str_addc(to, '}');
}

static void add_json_lines(char *lines, struct pfx_str *to)
{
	char *line, *at = lines;
	uint32_t nr = 0;

	pfx_json_add_name(to, "lines");
	pfx_str_addc(to, '[');
	while ((line = strsep(&at, "\n"))) {
		if (!*line)
			continue;
		pfx_json_add_comma(to, nr++);
		pfx_json_add_string(to, line);
	}
	pfx_str_addc(to, ']');
}

static void add_json_stream(const struct pfx_diff_streams *streams, const struct stream *old,
			    const struct stream *new, struct pfx_str *to)
{
	char *lines = pfx_strdup(pfx_intern_get(&streams->texts, (old ? old : new)->lines));

	pfx_str_addc(to, '{');
	add_json_lines(lines, to);
	free(lines);
	pfx_json_add_name(to, "sides");
	pfx_str_addc(to, '[');
	add_json_side(&streams->sides[0], old, to);
	pfx_str_addc(to, ',');
	add_json_side(&streams->sides[1], new, to);
	pfx_str_add(to, "]}");
}

static void add_json_event(const struct pfx_diff_streams *streams, uint32_t event,
			   struct pfx_str *to)
{
	const struct side *old = &streams->sides[0], *new = &streams->sides[1];
	uint32_t nr = 0;
	size_t i;

	pfx_str_addc(to, '{');
	pfx_json_add_text(to, "name", pfx_intern_get(&streams->events, event));
	pfx_json_add_name(to, "streams");
	pfx_str_addc(to, '[');
	for (i = 0; i < old->nr_hot; i++) {
		pfx_json_add_comma(to, nr++);
		add_json_stream(streams, old->hot[i], match(new, old->hot[i]), to);
	}
	for (i = 0; i < new->nr_hot; i++) {
		if (match(old, new->hot[i]))
			continue;
		pfx_json_add_comma(to, nr++);
		add_json_stream(streams, NULL, new->hot[i], to);
	}
	pfx_str_add(to, "]}");
}

void pfx_diff_streams_json(struct pfx_diff_streams *streams, struct pfx_str *to)
{
	uint32_t event, nr = 0;

	pfx_str_add(to, "{\"schema\":\"" PFX_DIFF_BRANCHES_SCHEMA "\",\"events\":[");
	for (event = 0; event < streams->events.nr; event++) {
		if (!find_event(streams, event))
			continue;
		pfx_json_add_comma(to, nr++);
		add_json_event(streams, event, to);
	}
	drop_hot(streams);
	pfx_str_add(to, "]}\n");
}
