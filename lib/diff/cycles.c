/* SPDX-License-Identifier: MIT */
/* Blocks by their key; then pairs. */
#include "diff/cycles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "diff/branches/streams.h"
#include "diff/names/build_names.h"
#include "out/json_parts.h"

/* Equal for the same block of the same build. */
struct block_key {
	uint32_t event, dso, function, lines;
	uint64_t start, end;
};

struct block {
	struct block_key key;
	struct pfx_block_cycles sides[2];
};

struct pfx_diff_cycles {
	struct pfx_intern texts, keys;
	PFX_VEC(struct block) blocks; /* by key */
	PFX_VEC(struct pfx_block_pair) pairs;
	struct pfx_str text;
};

struct pfx_diff_cycles *pfx_diff_cycles_new(void)
{
	struct pfx_diff_cycles *cycles = pfx_calloc(1, sizeof(*cycles));

	pfx_intern_str(&cycles->texts, "");
	return cycles;
}

void pfx_diff_cycles_free(struct pfx_diff_cycles *cycles)
{
	if (!cycles)
		return;
	pfx_intern_fini(&cycles->texts);
	pfx_intern_fini(&cycles->keys);
	pfx_vec_free(&cycles->blocks);
	pfx_vec_free(&cycles->pairs);
	pfx_str_fini(&cycles->text);
	free(cycles);
}

double pfx_block_mean(const struct pfx_block_cycles *block)
{
	return block->count ? (double)block->cycles / (double)block->count : 0;
}

double pfx_block_deviation(const struct pfx_block_cycles *block)
{
	double mean = pfx_block_mean(block), variance;

	if (block->count < 2)
		return 0;
	variance = (block->squares - mean * (double)block->cycles) / ((double)block->count - 1);
	return variance > 0 ? sqrt(variance) : 0;
}

/* --- blocks --- */

static void add_line(struct pfx_diff_cycles *cycles, struct pfx_resolver *resolver,
		     const struct pfx_place *place)
{
	struct pfx_source source;

	if (!pfx_place_source(resolver, place, &source) || !source.file)
		return;
	pfx_str_addf(&cycles->text, "%s%s:%u", cycles->text.len ? " -> " : "",
		     pfx_file_name(source.file), source.line);
}

/* The lines of both ends, if both are known. */
static uint32_t lines_of(struct pfx_diff_cycles *cycles, struct pfx_resolver *resolver,
			 const struct pfx_branch_run *run)
{
	pfx_str_clear(&cycles->text);
	add_line(cycles, resolver, run->start);
	if (!cycles->text.len)
		return 0;
	add_line(cycles, resolver, run->end);
	return pfx_intern_str(&cycles->texts, pfx_str_get(&cycles->text));
}

static void add_run(struct pfx_diff_cycles *cycles, bool is_new, const struct pfx_branch_run *run,
		    uint32_t lines, const char *event)
{
	struct block_key key = {.lines = lines};
	struct pfx_block_cycles *side;
	struct block *block;
	uint32_t id, i;

	key.event = pfx_intern_str(&cycles->texts, event);
	pfx_str_clear(&cycles->text);
	pfx_build_library_name(run->end->dso->short_name, &cycles->text);
	key.dso = pfx_intern_str(&cycles->texts, pfx_str_get(&cycles->text));
	pfx_str_clear(&cycles->text);
	pfx_build_function_name(run->end->sym->name, &cycles->text);
	key.function = pfx_intern_str(&cycles->texts, pfx_str_get(&cycles->text));
	key.start = run->start->addr - run->end->sym->start;
	key.end = run->end->addr - run->end->sym->start;
	id = pfx_intern_add(&cycles->keys, &key, sizeof(key));
	block = pfx_vec_slot(&cycles->blocks, id);
	block->key = key;
	side = &block->sides[is_new];
	side->cycles += run->cycles;
	side->count += run->count;
	side->squares += run->squares;
	for (i = 0; i < PFX_BRANCH_BINS; i++)
		side->bins[i] += run->bins[i];
}

void pfx_diff_cycles_add(struct pfx_diff_cycles *cycles, bool is_new, struct pfx_branch_runs *runs,
			 struct pfx_resolver *resolver, const char *const *events)
{
	const struct pfx_branch_run *all;
	size_t nr = pfx_branch_runs_all(runs, &all), i;

	for (i = 0; i < nr; i++)
		if (all[i].start && all[i].count && pfx_place_has_name(all[i].end))
			add_run(cycles, is_new, &all[i], lines_of(cycles, resolver, &all[i]),
				events[all[i].event]);
}

/* --- pairs --- */

static void add_pair(struct pfx_diff_cycles *cycles, const struct block *at,
		     const struct pfx_block_cycles *old, const struct pfx_block_cycles *new)
{
	pfx_vec_push(&cycles->pairs,
		     ((struct pfx_block_pair){
			     .event = pfx_intern_get(&cycles->texts, at->key.event),
			     .dso = pfx_intern_get(&cycles->texts, at->key.dso),
			     .function = pfx_intern_get(&cycles->texts, at->key.function),
			     .lines = pfx_intern_get(&cycles->texts, at->key.lines),
			     .start = at->key.start,
			     .end = at->key.end,
			     .old = *old,
			     .new = *new,
		     }));
}

/* Blocks of one side each, with the same lines: the first of the old with the first of the new. */
static void pair_by_lines(struct pfx_diff_cycles *cycles)
{
	struct pfx_intern places = {0};
	PFX_VEC(uint32_t) waiting = {0}; /* by place: the old block plus 1 */
	struct block_key key;
	struct block *block;
	uint32_t *at, side;
	size_t i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < cycles->blocks.nr; i++) {
			block = &cycles->blocks.at[i];
			if (!block->key.lines || !block->sides[side].count ||
			    block->sides[!side].count)
				continue;
			key = block->key;
			key.start = key.end = 0;
			at = pfx_vec_slot(&waiting, pfx_intern_add(&places, &key, sizeof(key)));
			if (!side && !*at)
				*at = (uint32_t)i + 1;
			if (!side || !*at)
				continue;
			add_pair(cycles, block, &cycles->blocks.at[*at - 1].sides[0],
				 &block->sides[1]);
			*at = 0;
		}
	pfx_intern_fini(&places);
	pfx_vec_free(&waiting);
}

static int by_change(const void *a, const void *b)
{
	const struct pfx_block_pair *x = a, *y = b;
	double one = fabs(pfx_block_mean(&x->new) - pfx_block_mean(&x->old));
	double other = fabs(pfx_block_mean(&y->new) - pfx_block_mean(&y->old));
	int rc;

	if (one > other || one < other)
		return one > other ? -1 : 1;
	rc = strcmp(x->function, y->function);
	if (rc)
		return rc;
	return (x->start > y->start) - (x->start < y->start);
}

uint32_t pfx_diff_cycles_pairs(struct pfx_diff_cycles *cycles, const struct pfx_block_pair **ret)
{
	const struct block *block;
	size_t i;

	cycles->pairs.nr = 0;
	for (i = 0; i < cycles->blocks.nr; i++) {
		block = &cycles->blocks.at[i];
		if (block->sides[0].count && block->sides[1].count)
			add_pair(cycles, block, &block->sides[0], &block->sides[1]);
	}
	pair_by_lines(cycles);
	if (cycles->pairs.nr)
		qsort(cycles->pairs.at, cycles->pairs.nr, sizeof(*cycles->pairs.at), by_change);
	*ret = cycles->pairs.at;
	return (uint32_t)cycles->pairs.nr;
}

/* --- text --- */

/* Bins with executions: "4-7:12 8-15:3". */
static void add_bins(const struct pfx_block_cycles *block, struct pfx_str *to)
{
	bool any = false;
	unsigned i;

	for (i = 0; i < PFX_BRANCH_BINS; i++) {
		if (!block->bins[i])
			continue;
		pfx_str_addf(to, "%s%u-%u:%llu", any ? " " : "", i ? 1u << i : 0,
			     (1u << (i + 1)) - 1, (unsigned long long)block->bins[i]);
		any = true;
	}
}

static void add_histogram(const struct pfx_block_pair *pair, const char *between,
			  struct pfx_str *to)
{
	pfx_str_add(to, between);
	pfx_str_addf(to, "+-%.1f -> +-%.1f", pfx_block_deviation(&pair->old),
		     pfx_block_deviation(&pair->new));
	pfx_str_add(to, between);
	add_bins(&pair->old, to);
	pfx_str_add(to, " -> ");
	add_bins(&pair->new, to);
}

static void add_pair_text(const struct pfx_block_pair *pair,
			  const struct pfx_diff_cycles_look *look, struct pfx_str *to)
{
	const char *between = look->separator ? look->separator : "  ";
	double old = pfx_block_mean(&pair->old), new = pfx_block_mean(&pair->new);

	pfx_str_addf(to, look->separator ? "%.1f%s%+.1f%s" : "%10.1f%s%+10.1f%s", old, between,
		     new - old, between);
	if (pair->lines[0]) {
		pfx_str_addc(to, '[');
		pfx_str_add_foreign(to, pair->lines);
		pfx_str_addc(to, ']');
	} else {
		pfx_str_addf(to, "[+%#llx -> +%#llx]", (unsigned long long)pair->start,
			     (unsigned long long)pair->end);
	}
	if (look->histogram)
		add_histogram(pair, between, to);
	pfx_str_add(to, between);
	pfx_str_add_foreign(to, pair->dso);
	pfx_str_add(to, between);
	pfx_str_add_foreign(to, pair->function);
	pfx_str_addc(to, '\n');
}

void pfx_diff_cycles_text(struct pfx_diff_cycles *cycles, const struct pfx_diff_cycles_look *look,
			  struct pfx_str *to)
{
	const char *between = look->separator ? look->separator : "  ";
	const struct pfx_block_pair *pairs;
	uint32_t nr = pfx_diff_cycles_pairs(cycles, &pairs), i;

	if (!look->quiet)
		pfx_str_addf(to,
			     "# Cycles of an execution of a block, mean; %u blocks are in both "
			     "recordings\n#\n# Baseline%sCycles Diff%s[Program Block Range]%s%s%s%s"
			     "%sShared Object%sSymbol\n#\n",
			     nr, between, between, look->histogram ? between : "",
			     look->histogram ? "Deviation" : "", look->histogram ? between : "",
			     look->histogram ? "Histogram" : "", between, between);
	for (i = 0; i < nr; i++)
		add_pair_text(&pairs[i], look, to);
}

/* --- JSON --- */

static void add_json_side(const struct pfx_block_cycles *block, struct pfx_str *to)
{
	uint32_t i, nr = 0;

	pfx_str_addc(to, '{');
	pfx_json_add_number(to, "executions", block->count);
	pfx_json_add_number(to, "cycles", block->cycles);
	pfx_str_addf(to, ",\"mean\":%.9g,\"deviation\":%.9g,\"histogram\":[", pfx_block_mean(block),
		     pfx_block_deviation(block));
	for (i = 0; i < PFX_BRANCH_BINS; i++) {
		if (!block->bins[i])
			continue;
		pfx_json_add_comma(to, nr++);
		pfx_str_addf(to, "{\"from\":%u,\"executions\":%llu}", i ? 1u << i : 0,
			     (unsigned long long)block->bins[i]);
	}
	pfx_str_add(to, "]}");
}

static void add_json_pair(const struct pfx_block_pair *pair, struct pfx_str *to)
{
	pfx_str_addc(to, '{');
	pfx_json_add_text(to, "event", pair->event);
	pfx_json_add_text(to, "dso", pair->dso);
	pfx_json_add_text(to, "function", pair->function);
	pfx_json_add_number(to, "start", pair->start);
	pfx_json_add_number(to, "end", pair->end);
	pfx_json_add_text(to, "lines", pair->lines);
	pfx_json_add_name(to, "sides");
	pfx_str_addc(to, '[');
	add_json_side(&pair->old, to);
	pfx_str_addc(to, ',');
	add_json_side(&pair->new, to);
	pfx_str_addf(to, "],\"difference\":%.9g}",
		     pfx_block_mean(&pair->new) - pfx_block_mean(&pair->old));
}

void pfx_diff_cycles_json(struct pfx_diff_cycles *cycles, struct pfx_str *to)
{
	const struct pfx_block_pair *pairs;
	uint32_t nr = pfx_diff_cycles_pairs(cycles, &pairs), i;

	pfx_str_add(to, "{\"schema\":\"" PFX_DIFF_BRANCHES_SCHEMA "\",\"blocks\":[");
	for (i = 0; i < nr; i++) {
		pfx_json_add_comma(to, i);
		add_json_pair(&pairs[i], to);
	}
	pfx_str_add(to, "]}\n");
}
