/* SPDX-License-Identifier: MIT */
/*
 * Inlined functions in chains, and source lines of places. Each distinct address is looked up once:
 * as the address of the running instruction, or as a return address, which belongs to the line and
 * function of the call before it. lib/sym reads the debug information.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "unwind/resolve_internal.h"

void pfx_inlines_fini(struct pfx_resolver *resolver)
{
	size_t i;

	for (i = 0; i < resolver->lines.nr; i++) {
		pfx_lines_free(resolver->lines.at[i].lines);
		free(resolver->lines.at[i].lack);
	}
	pfx_vec_free(&resolver->lines);
	pfx_vec_free(&resolver->expansions[0]);
	pfx_vec_free(&resolver->expansions[1]);
	pfx_vec_free(&resolver->expanded);
	pfx_vec_free(&resolver->inlined_symbols);
	pfx_intern_fini(&resolver->inlined_keys);
	pfx_vec_free(&resolver->srclines);
	pfx_intern_fini(&resolver->source_texts);
}

static const struct pfx_dso_lines no_lines;

/* The debug information of a dso, opened on first use. */
static const struct pfx_dso_lines *find_lines(struct pfx_resolver *resolver,
					      const struct pfx_dso *dso)
{
	struct pfx_dso_lines *entry = pfx_dso_lines_at(resolver, dso);
	struct pfx_lines *lines = NULL;
	struct pfx_error err = {0};
	struct pfx_sym_request request;
	int rc;

	if (!entry)
		return &no_lines;
	pfx_open_ahead_take(resolver, dso, PFX_AHEAD_STAGE_LINES);
	if (!entry->looked_for) {
		request = pfx_resolver_request(resolver, dso);
		rc = pfx_lines_open(&lines, &request, &resolver->options.sym, &err);
		pfx_dso_lines_set(entry, lines, rc, &err);
	}
	return entry;
}

struct pfx_lines *pfx_resolver_lines(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	return find_lines(resolver, dso)->lines;
}

const char *pfx_resolver_lines_error(const struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	const char *lack = dso->id < resolver->lines.nr ? resolver->lines.at[dso->id].lack : NULL;

	return lack ? lack : "";
}

struct pfx_split_gaps pfx_resolver_split_gaps(const struct pfx_resolver *resolver,
					      const struct pfx_dso *dso)
{
	struct pfx_lines *lines =
		dso->id < resolver->lines.nr ? resolver->lines.at[dso->id].lines : NULL;

	return lines ? pfx_lines_gaps(lines) : (struct pfx_split_gaps){0};
}

uint64_t pfx_place_inner_address(const struct pfx_place *place, const struct pfx_symbol *sym)
{
	bool is_first = !place->addr || (sym && place->addr == sym->start);

	return place->addr - (place->is_return && !is_first);
}

bool pfx_place_source(struct pfx_resolver *resolver, const struct pfx_place *place,
		      struct pfx_source *ret)
{
	struct pfx_lines *lines = pfx_resolver_lines(resolver, place->dso);

	if (!lines)
		return false;
	if (place->callee)
		return pfx_lines_call(lines, place->callee, ret);
	return pfx_lines_source(lines, pfx_place_inner_address(place, place->sym), ret);
}

static const char *shown_file(const struct pfx_resolver *resolver, const struct pfx_source *source)
{
	return resolver->options.full_source_path ? source->file : pfx_file_name(source->file);
}

static uint32_t make_srcline(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	struct pfx_source source;
	struct pfx_str text = {0};
	uint32_t id;

	if (!pfx_place_source(resolver, place, &source)) {
		if (!find_lines(resolver, place->dso)->has_file)
			return 1;
		return pfx_intern_str(&resolver->source_texts, "??:0") + 2;
	}
	pfx_str_addf(&text, "%s:%u", shown_file(resolver, &source), source.line);
	id = pfx_intern_add(&resolver->source_texts, text.at, text.len);
	pfx_str_fini(&text);
	return id + 2;
}

const char *pfx_place_srcline(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	uint32_t *id;

	while (resolver->srclines.nr <= place->id)
		pfx_vec_push(&resolver->srclines, 0);
	id = &resolver->srclines.at[place->id];
	if (!*id)
		*id = make_srcline(resolver, place);
	return *id > 1 ? pfx_intern_get(&resolver->source_texts, *id - 2) : NULL;
}

bool pfx_place_has_lines(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	return pfx_resolver_lines(resolver, place->dso) != NULL;
}

const char *pfx_place_srcfile(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	struct pfx_source source;
	uint32_t id;

	if (!pfx_place_source(resolver, place, &source))
		return NULL;
	id = pfx_intern_str(&resolver->source_texts, shown_file(resolver, &source));
	return pfx_intern_get(&resolver->source_texts, id);
}

/* The symbol of a function inlined into another symbol: one for each name. */
static const struct pfx_symbol *inlined_symbol(struct pfx_resolver *resolver,
					       const struct pfx_symbol *outer, const char *name)
{
	uintptr_t key[2] = {(uintptr_t)outer, (uintptr_t)name};
	uint32_t id = pfx_intern_add(&resolver->inlined_keys, key, sizeof(key));
	struct pfx_symbol *sym;

	if (id < resolver->inlined_symbols.nr)
		return resolver->inlined_symbols.at[id];
	sym = pfx_arena_new(&resolver->arena, struct pfx_symbol);
	*sym = *outer;
	sym->name = name;
	sym->is_inlined = true;
	pfx_vec_push(&resolver->inlined_symbols, sym);
	return sym;
}

static void fill_expansion(struct pfx_resolver *resolver, struct pfx_expansion *expansion,
			   struct pfx_place *own, const struct pfx_inlined *inlined)
{
	const struct pfx_symbol *outer = own->sym;
	struct pfx_place *place;
	uint32_t i;

	for (i = 0; i + 1 < expansion->nr; i++) {
		place = pfx_resolver_copy_place(resolver, own);
		place->callee = i ? &inlined[i - 1] : NULL;
		place->sym = inlined_symbol(resolver, outer, inlined[i].name);
		pfx_resolver_name_place(resolver, place);
		expansion->places[i] = place;
	}
	if (i)
		own->callee = &inlined[i - 1];
	expansion->places[i] = own;
}

static struct pfx_expansion expand(struct pfx_resolver *resolver, struct pfx_place *place,
				   bool is_return)
{
	struct pfx_lines *lines = pfx_resolver_lines(resolver, place->dso);
	struct pfx_expansion expansion = {.nr = 1};
	const struct pfx_inlined *inlined = NULL;
	struct pfx_place *own = place, as_seen;

	if (lines && pfx_place_symbol(resolver, place)) {
		as_seen = *place;
		as_seen.is_return = is_return;
		expansion.nr += pfx_lines_inlined(
			lines, pfx_place_inner_address(&as_seen, as_seen.sym), &inlined);
		if (is_return || expansion.nr > 1)
			own = pfx_resolver_copy_place(resolver, &as_seen);
	}
	expansion.places = pfx_arena_array(&resolver->arena, struct pfx_place *, expansion.nr);
	fill_expansion(resolver, &expansion, own, inlined);
	return expansion;
}

static const struct pfx_expansion *expansion_of(struct pfx_resolver *resolver,
						struct pfx_place *place, bool is_return)
{
	struct pfx_expansion made;
	uint32_t id = place->id;

	while (resolver->expansions[is_return].nr <= id)
		*pfx_vec_add(&resolver->expansions[is_return]) = (struct pfx_expansion){0};
	if (!resolver->expansions[is_return].at[id].nr) {
		made = expand(resolver, place, is_return);
		resolver->expansions[is_return].at[id] = made;
	}
	return &resolver->expansions[is_return].at[id];
}

/* Appends the places of one segment of a chain, leaf first, to resolver.expanded. */
static void add_segment(struct pfx_resolver *resolver, const struct pfx_segment *segment)
{
	const struct pfx_expansion *expansion;
	struct pfx_place *place;
	uint32_t i, k;

	for (i = 0; i < PFX_SEGMENT_FRAMES && segment->frames[i]; i++) {
		place = resolver->places.at[pfx_frame_place_id(segment->frames[i])];
		if (!resolver->options.inlines) {
			pfx_vec_push(&resolver->expanded, place);
			continue;
		}
		expansion = expansion_of(resolver, place, segment->frames[i] & 1);
		for (k = 0; k < expansion->nr; k++)
			pfx_vec_push(&resolver->expanded, expansion->places[k]);
	}
}

uint32_t pfx_chain_frames(struct pfx_resolver *resolver, uint32_t chain, struct pfx_place ***ret)
{
	resolver->expanded.nr = 0;
	for (; chain; chain = resolver->chains.at[chain].outer)
		add_segment(resolver, &resolver->chains.at[chain]);
	*ret = resolver->expanded.at;
	return (uint32_t)resolver->expanded.nr;
}

uint32_t pfx_chain_inner_frames(struct pfx_resolver *resolver, uint32_t chain,
				struct pfx_place ***ret)
{
	resolver->expanded.nr = 0;
	if (chain)
		add_segment(resolver, &resolver->chains.at[chain]);
	*ret = resolver->expanded.at;
	return (uint32_t)resolver->expanded.nr;
}

uint32_t pfx_chain_outer(const struct pfx_resolver *resolver, uint32_t chain)
{
	return resolver->chains.at[chain].outer;
}
