/* SPDX-License-Identifier: MIT */
/*
 * Cached texts: locations, call chains and comms are rendered once and then copied.
 */
#include <string.h>

#include "script/script_internal.h"
#include "unwind/pointer_chain.h"

#define COMM_WIDTH 16

/* Limit for cached texts of call chains. */
#define CHAIN_TEXTS_MAX (32u << 20)

/* The style of a frame: one of 32 combinations of fields. */
static uint32_t frame_style(uint64_t fields)
{
	return (fields & PFX_SCRIPT_SYM ? 1u : 0) | (fields & PFX_SCRIPT_SYMOFF ? 2u : 0) |
	       (fields & PFX_SCRIPT_DSO ? 4u : 0) | (fields & PFX_SCRIPT_DSOFF ? 8u : 0) |
	       (fields & PFX_SCRIPT_SRCLINE ? 16u : 0);
}

#define FRAME_IP 17 /* a tab and 16 digits, then what the style shows */

static void add_piece(struct pfx_script *s, const struct pfx_script_piece *piece)
{
	pfx_str_addn(&s->out, s->texts.at + piece->offset, piece->len);
}

static void render_symbol(struct pfx_str *to, const struct pfx_place *place, uint64_t fields)
{
	uint64_t offset;

	if (!place->sym) {
		pfx_str_add(to, " [unknown]");
		return;
	}
	pfx_str_addc(to, ' ');
	pfx_str_add_foreign(to, place->sym->name);
	if (!(fields & PFX_SCRIPT_SYMOFF))
		return;
	offset = place->addr - place->sym->start;
	pfx_str_add(to, "+0x");
	pfx_str_hex(to, offset, 0);
}

/* The path of the kernel image with the symbols; not for kallsyms. */
static const char *kernel_path(struct pfx_script *s, const struct pfx_dso *dso)
{
	const char *path = pfx_symtab_source(pfx_resolver_symtab(s->view.resolver, dso));
	const char *name = path ? strrchr(path, '/') : NULL;

	return name && strcmp(name, "/kallsyms") != 0 ? path : dso->script_name;
}

const char *pfx_script_dso_name(struct pfx_script *s, const struct pfx_dso *dso)
{
	if (!dso)
		return "[unknown]";
	if (s->how.kernel_path && dso->kind == PFX_DSO_KERNEL)
		return kernel_path(s, dso);
	return s->how.kernel_path && dso->kind == PFX_DSO_MODULE ? dso->name : dso->script_name;
}

static void render_dso(struct pfx_script *s, const struct pfx_place *place, uint64_t fields)
{
	struct pfx_str *to = &s->texts;

	pfx_str_add(to, " (");
	pfx_str_add_foreign(to, pfx_script_dso_name(s, place->dso));
	if ((fields & PFX_SCRIPT_DSOFF) && place->dso) {
		pfx_str_add(to, "+0x");
		pfx_str_hex(to, place->shown, 0);
	}
	pfx_str_addc(to, ')');
}

/* On a separate line; if unknown, the offset in the dso, and nothing if the dso has no line
 * information. */
static void render_srcline(struct pfx_script *s, const struct pfx_place *place)
{
	const char *srcline = pfx_place_srcline(s->view.resolver, place);

	if (srcline && !strcmp(srcline, "??:0")) {
		srcline = NULL;
		if (!pfx_place_has_lines(s->view.resolver, place))
			return;
	}
	if (!place->dso)
		return;
	pfx_str_add(&s->texts, "\n  ");
	if (srcline) {
		pfx_str_add_foreign(&s->texts, srcline);
		return;
	}
	pfx_str_add_foreign(&s->texts, place->dso->short_name);
	pfx_str_addc(&s->texts, '[');
	pfx_str_hex(&s->texts, place->addr, 0);
	pfx_str_addc(&s->texts, ']');
}

/* The line of a location in call chains, without its newline. */
static const struct pfx_script_piece *frame_of(struct pfx_script *s, struct pfx_place *place,
					       uint64_t fields)
{
	struct pfx_script_piece *piece = pfx_vec_slot(&s->frames[frame_style(fields)], place->id);
	bool is_inlined;

	if (piece->len)
		return piece;
	if (fields & PFX_SCRIPT_SYM)
		pfx_place_symbol(s->view.resolver, place);
	piece->offset = (uint32_t)s->texts.len;
	pfx_str_addc(&s->texts, '\t');
	pfx_str_hex(&s->texts, place->map && !place->map->is_kernel ? place->addr : place->ip, 16);
	if (fields & PFX_SCRIPT_SYM)
		render_symbol(&s->texts, place, fields);
	is_inlined = (fields & PFX_SCRIPT_SYM) && place->sym && place->sym->is_inlined;
	if ((fields & (PFX_SCRIPT_DSO | PFX_SCRIPT_DSOFF)) && !is_inlined)
		render_dso(s, place, fields);
	if (fields & PFX_SCRIPT_SRCLINE)
		render_srcline(s, place);
	if (is_inlined)
		pfx_str_add(&s->texts, " (inlined)");
	piece->len = (uint32_t)s->texts.len - piece->offset;
	return piece;
}

void pfx_script_add_place(struct pfx_script *s, struct pfx_place *place, uint64_t fields)
{
	const struct pfx_script_piece *piece;

	if (!(fields & PFX_SCRIPT_PLACE))
		return;
	piece = frame_of(s, place, fields);
	pfx_str_addn(&s->out, s->texts.at + piece->offset + FRAME_IP, piece->len - FRAME_IP);
}

/* Eight columns, for --Latency. */
static void add_short_comm(struct pfx_script *s, const char *text)
{
	struct pfx_str shown = {0};

	pfx_str_add_foreign(&shown, text);
	pfx_str_addf(&s->out, "%8.8s ", pfx_str_get(&shown));
	pfx_str_fini(&shown);
}

void pfx_script_add_comm(struct pfx_script *s, const struct pfx_thread *thread, bool padded)
{
	const struct pfx_comm_ref *comm = thread ? thread->comm : NULL;
	struct pfx_script_piece *piece;
	size_t start;

	if (s->how.latency) {
		add_short_comm(s, comm ? comm->text : ":-1");
		return;
	}
	if (!comm) {
		pfx_str_add(&s->out, padded ? "             :-1 " : ":-1 ");
		return;
	}
	piece = pfx_vec_slot(&s->comms, (size_t)comm->id * 2 + padded);
	if (!piece->len) {
		size_t width;

		start = s->texts.len;
		pfx_str_pad(&s->texts, ' ', COMM_WIDTH);
		pfx_str_add_foreign(&s->texts, comm->text);
		width = s->texts.len - start - COMM_WIDTH;
		pfx_str_addc(&s->texts, ' ');
		piece->offset =
			(uint32_t)(start + (!padded || width > COMM_WIDTH ? COMM_WIDTH : width));
		piece->len = (uint32_t)(s->texts.len - piece->offset);
	}
	add_piece(s, piece);
}

static void add_frames(struct pfx_script *s, uint32_t chain, uint64_t fields)
{
	struct pfx_place **places;
	uint32_t i, nr = pfx_chain_frames(s->view.resolver, chain, &places);

	nr = pfx_script_filters_cut(&s->filters, s->view.resolver, places, nr);
	for (i = 0; i < nr; i++) {
		add_piece(s, frame_of(s, places[i], fields));
		pfx_str_addc(&s->out, '\n');
	}
}

/* Cache the text of a chain at its second occurrence. */
static void keep_chain(struct pfx_script *s, struct pfx_script_chain *kept, const char *text,
		       size_t len)
{
	if (s->chain_texts.len + len > CHAIN_TEXTS_MAX) {
		pfx_str_clear(&s->chain_texts);
		s->chain_generation++;
	}
	if (len > CHAIN_TEXTS_MAX)
		return;
	kept->offset = (uint32_t)s->chain_texts.len;
	kept->len = (uint32_t)len;
	kept->generation = s->chain_generation;
	pfx_str_addn(&s->chain_texts, text, len);
}

void pfx_script_add_frames(struct pfx_script *s, uint32_t chain, uint64_t fields)
{
	struct pfx_script_chain *kept = pfx_vec_slot(&s->chains[frame_style(fields)], chain);
	size_t start = s->out.len;

	if (kept->len && kept->generation == s->chain_generation) {
		pfx_str_addn(&s->out, s->chain_texts.at + kept->offset, kept->len);
		return;
	}
	add_frames(s, chain, fields);
	if (kept->is_known)
		keep_chain(s, kept, s->out.at + start, s->out.len - start);
	kept->is_known = true;
}

/* The run-time address with its location, as on the sample's own line. */
static const struct pfx_script_piece *line_of(struct pfx_script *s, struct pfx_place *place,
					      uint64_t fields)
{
	struct pfx_script_piece *piece = pfx_vec_slot(&s->lines[frame_style(fields)], place->id);
	const struct pfx_script_piece *frame;
	uint32_t start;

	if (piece->len)
		return piece;
	frame = frame_of(s, place, fields);
	pfx_str_reserve(&s->texts, 2 * FRAME_IP + frame->len);
	start = (uint32_t)s->texts.len;
	pfx_str_addc(&s->texts, ' ');
	pfx_str_hex(&s->texts, place->ip, 16);
	pfx_str_addn(&s->texts, s->texts.at + frame->offset + FRAME_IP, frame->len - FRAME_IP);
	*piece = (struct pfx_script_piece){start, (uint32_t)s->texts.len - start};
	return piece;
}

void pfx_script_add_address(struct pfx_script *s, struct pfx_place *place, uint64_t fields)
{
	add_piece(s, line_of(s, place, fields));
}

uint32_t pfx_script_chain_of(struct pfx_script *s, const struct pfx_event *event,
			     struct pfx_thread *thread, const struct pfx_sample *sample)
{
	uint32_t chain = pfx_resolve_chain_id(s->view.resolver, thread, sample);

	if (s->how.counts_chains && pfx_pointer_chain_recorded(&event->attr))
		pfx_pointer_chain_count(s->view.resolver, &event->attr, chain, 1);
	return chain;
}
