/* SPDX-License-Identifier: MIT */
/*
 * Loads symbols, inlined functions and lines in advance on several threads: first opens the symbol
 * tables and debug information of all needed binaries, then looks up their addresses. The debug
 * information of a binary is used by one thread at a time, because a libdw handle is not
 * thread-safe. Places are still named afterwards in the usual order, from the caches that are
 * filled here.
 */
#include <stdlib.h>

#include "unwind/resolve_internal.h"

/* What to look up for a place. */
enum {
	SYMBOL = 1 << 0,
	INLINED = 1 << 1, /* as the running instruction, */
	SOURCE = 1 << 2,
	INLINED_RETURN = 1 << 3, /* or as a return address */
	SOURCE_RETURN = 1 << 4,
	ALL_OF_LINES = INLINED | SOURCE | INLINED_RETURN | SOURCE_RETURN,
};

/* A binary. */
struct item {
	const struct pfx_dso *dso;
	struct pfx_dso_lines *entry; /* NULL: lines are not needed, or there are none */
	PFX_VEC(const struct pfx_place *) places; /* to look up the lines of */
	bool symbols_run, lines_run;              /* now, in the thread that opens ahead */
	bool opens_symbols, opens_lines;
	struct pfx_symbols_load symbols;
	struct pfx_lines *lines;
	struct pfx_error err; /* of opening the lines */
	const struct pfx_symtab *tab;
	int rc;
};

struct work {
	struct pfx_resolver *resolver;
	uint8_t *wanted;        /* by place id */
	struct pfx_hash by_dso; /* dso id -> index in items */
	PFX_VEC(struct item) items;
};

/* --- collecting --- */

static void want_places(struct work *work, const struct pfx_prepare *wanted)
{
	uint8_t what = SYMBOL | (wanted->place_sources ? SOURCE : 0);
	uint32_t i;

	for (i = 0; i < wanted->nr_places; i++)
		work->wanted[wanted->places[i]] |= what;
}

/* @what: flags for the running instruction, and for return addresses. */
static void want_segment(struct work *work, const struct pfx_segment *segment, const uint8_t *what)
{
	uint32_t i, frame;

	for (i = 0; i < PFX_SEGMENT_FRAMES && segment->frames[i]; i++) {
		frame = segment->frames[i];
		work->wanted[pfx_frame_place_id(frame)] |= what[frame & 1];
	}
}

static void want_frames(struct work *work, const struct pfx_prepare *wanted)
{
	const struct pfx_resolver *resolver = work->resolver;
	uint8_t what[2] = {SYMBOL, SYMBOL};
	uint8_t *seen;
	uint32_t i, id;

	if (work->resolver->options.inlines) {
		what[0] |= INLINED;
		what[1] |= INLINED_RETURN;
	}
	if (wanted->frame_sources) {
		what[0] |= SOURCE;
		what[1] |= work->resolver->options.inlines ? SOURCE_RETURN : SOURCE;
	}
	seen = pfx_calloc(resolver->chains.nr, 1);
	for (i = 0; i < wanted->nr_chains; i++)
		for (id = wanted->chains[i]; id && !seen[id]; id = resolver->chains.at[id].outer) {
			seen[id] = 1;
			want_segment(work, &resolver->chains.at[id], what);
		}
	free(seen);
}

static struct item *item_of(struct work *work, const struct pfx_dso *dso)
{
	struct item *item;
	bool is_new;
	uint64_t *at = pfx_hash_add(&work->by_dso, dso->id, &is_new);

	if (!is_new)
		return &work->items.at[*at];
	*at = work->items.nr;
	item = pfx_vec_add(&work->items);
	*item = (struct item){.dso = dso};
	item->symbols_run = pfx_open_ahead_runs(work->resolver, dso, PFX_AHEAD_STAGE_SYMBOLS);
	if (!item->symbols_run) {
		pfx_open_ahead_take(work->resolver, dso, PFX_AHEAD_STAGE_SYMBOLS);
		item->opens_symbols = !pfx_symbols_are_loaded(work->resolver, dso);
	}
	pfx_symbols_load_begin(work->resolver, dso, &item->symbols);
	return item;
}

static void gather_lines(struct work *work, struct item *item)
{
	item->entry = pfx_dso_lines_at(work->resolver, item->dso);
	if (!item->entry)
		return;
	item->lines_run = pfx_open_ahead_runs(work->resolver, item->dso, PFX_AHEAD_STAGE_LINES);
	if (item->lines_run)
		return;
	pfx_open_ahead_take(work->resolver, item->dso, PFX_AHEAD_STAGE_LINES);
	item->opens_lines = !item->entry->looked_for;
}

static void gather(struct work *work)
{
	struct pfx_resolver *resolver = work->resolver;
	const struct pfx_place *place;
	struct item *item;
	size_t i;

	for (i = 0; i < resolver->places.nr; i++) {
		place = resolver->places.at[i];
		if (!work->wanted[i] || !place->dso || place->dso->kind == PFX_DSO_BPF)
			continue;
		item = item_of(work, place->dso);
		if (work->wanted[i] & ALL_OF_LINES)
			pfx_vec_push(&item->places, place);
	}
	for (i = 0; i < work->items.nr; i++)
		if (work->items.at[i].places.nr)
			gather_lines(work, &work->items.at[i]);
}

/* --- opening binaries --- */

/* Debug information first, because it may take longest. */
static void open_piece(void *context, size_t piece, unsigned worker)
{
	struct work *work = context;
	size_t nr = work->items.nr;
	struct item *item = &work->items.at[piece % nr];

	if (piece < nr && item->opens_lines)
		item->rc = pfx_lines_open(&item->lines, &item->symbols.request,
					  &work->resolver->options.sym, &item->err);
	if (piece >= nr && item->opens_symbols)
		pfx_symbols_load_run(&item->symbols);
}

static void open_all(struct work *work)
{
	struct pfx_resolver *resolver = work->resolver;
	struct item *item;
	size_t i;

	pfx_workers_run(pfx_resolver_workers(resolver), 2 * work->items.nr, open_piece, work);
	for (i = 0; i < work->items.nr; i++) {
		item = &work->items.at[i];
		if (item->symbols_run)
			pfx_open_ahead_take(resolver, item->dso, PFX_AHEAD_STAGE_SYMBOLS);
		if (item->lines_run)
			pfx_open_ahead_take(resolver, item->dso, PFX_AHEAD_STAGE_LINES);
		if (item->opens_symbols)
			pfx_symbols_load_end(resolver, &item->symbols);
		else
			pfx_str_fini(&item->symbols.path);
		item->tab = pfx_resolver_symtab(resolver, item->dso);
		if (!item->places.nr)
			continue;
		/* opening other dsos may have moved the array */
		item->entry = pfx_dso_lines_at(resolver, item->dso);
		if (item->opens_lines)
			pfx_dso_lines_set(item->entry, item->lines, item->rc, &item->err);
	}
}

/* --- looking up addresses --- */

static void look_up(struct pfx_lines *lines, const struct pfx_place *place,
		    const struct pfx_symbol *sym, bool inlined, bool source)
{
	uint64_t address = pfx_place_inner_address(place, sym);
	const struct pfx_inlined *found;
	struct pfx_source at;

	if (inlined && sym)
		pfx_lines_inlined(lines, address, &found);
	if (source)
		pfx_lines_source(lines, address, &at);
}

static void look_up_piece(void *context, size_t piece, unsigned worker)
{
	struct work *work = context;
	struct item *item = &work->items.at[piece];
	const struct pfx_symbol *sym;
	struct pfx_place place;
	uint8_t wanted;
	size_t i;

	for (i = 0; item->entry && item->entry->lines && i < item->places.nr; i++) {
		place = *item->places.at[i];
		wanted = work->wanted[place.id];
		sym = pfx_symtab_find(item->tab, place.addr);
		if (wanted & (INLINED | SOURCE))
			look_up(item->entry->lines, &place, sym, wanted & INLINED, wanted & SOURCE);
		place.is_return = true;
		if (wanted & (INLINED_RETURN | SOURCE_RETURN))
			look_up(item->entry->lines, &place, sym, wanted & INLINED_RETURN,
				wanted & SOURCE_RETURN);
	}
}

static void work_fini(struct work *work)
{
	size_t i;

	for (i = 0; i < work->items.nr; i++)
		pfx_vec_free(&work->items.at[i].places);
	pfx_vec_free(&work->items);
	pfx_hash_fini(&work->by_dso);
	free(work->wanted);
}

void pfx_resolver_prepare(struct pfx_resolver *resolver, const struct pfx_prepare *wanted)
{
	struct pfx_workers *workers = pfx_resolver_workers(resolver);
	struct work work = {.resolver = resolver};

	/* with downloads, the look-ups stay in one thread, which shows progress and can be
	 * canceled */
	if (pfx_workers_number(workers) < 2 || resolver->options.sym.fetch || !resolver->places.nr)
		return;
	work.wanted = pfx_calloc(resolver->places.nr, 1);
	want_places(&work, wanted);
	want_frames(&work, wanted);
	gather(&work);
	open_all(&work);
	pfx_workers_run(workers, work.items.nr, look_up_piece, &work);
	work_fini(&work);
}
