/* SPDX-License-Identifier: MIT */
/*
 * A profile for BOLT (llvm-bolt -data): of one binary, the one with most samples. Without branch
 * stacks a line "1 SYMBOL OFFSET COUNT" for each address; with them "1 SYMBOL OFFSET 1 SYMBOL
 * OFFSET MISPREDICTIONS COUNT" for each branch. Lines are in order of address. A local symbol has
 * its number among those of its name, as BOLT gives it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export_internal.h"
#include "export/samples/pgo_counts.h"
#include "export/samples/redact.h"

#define NO_BRANCHES "no_lbr "

struct fdata {
	const struct pfx_pgo *pgo;
	struct pfx_resolver *resolver;
	const struct pfx_dso *dso; /* the binary */
	struct pfx_intern names;
	struct pfx_hash locals;    /* by name and address: the number of the symbol */
	bool has_locals;           /* it is made */
	struct pfx_redact *redact; /* NULL: names stay */
	struct pfx_export_output *out;
};

/* --- the binary --- */

static void add_to_dso(struct pfx_hash *counts, const struct pfx_place *place, uint64_t count)
{
	if (count && place->dso && place->dso->kind == PFX_DSO_FILE)
		*pfx_hash_add(counts, (uintptr_t)place->dso, NULL) += count;
}

static const struct pfx_dso *heaviest(const struct pfx_pgo *pgo, struct pfx_resolver *resolver)
{
	const struct pfx_dso *found = NULL, *dso;
	struct pfx_hash counts = {0};
	uint64_t most = 0, count;
	size_t i;

	for (i = 0; i < pgo->branches.nr; i++)
		add_to_dso(&counts, pgo->branches.at[i].from, pgo->branches.at[i].count);
	for (i = 0; !pgo->branches.nr && i < pgo->places.nr; i++)
		add_to_dso(&counts, pfx_resolver_place_at(resolver, (uint32_t)i),
			   pgo->places.at[i]);
	for (i = 0; i < counts.cap; i++) {
		if (!counts.used[i])
			continue;
		dso = (const struct pfx_dso *)(uintptr_t)counts.slots[i].key;
		count = counts.slots[i].value;
		if (count < most || (count == most && found && found->id < dso->id))
			continue;
		found = dso;
		most = count;
	}
	pfx_hash_fini(&counts);
	return found;
}

/* --- places --- */

/* Blanks and backslashes in a name are escaped. */
static void add_name(struct pfx_str *to, const char *name)
{
	for (; *name; name++) {
		if (*name == ' ' || *name == '\\')
			pfx_str_addc(to, '\\');
		if ((unsigned char)*name >= ' ' && *name != 0x7f)
			pfx_str_addc(to, *name);
	}
}

static void add_function(struct fdata *f, const char *name)
{
	struct pfx_str text = {0};

	if (f->redact)
		pfx_redact_function(f->redact, name, &text);
	add_name(&f->out->text, f->redact ? pfx_str_get(&text) : name);
	pfx_str_fini(&text);
}

static void add_event(struct fdata *f, const char *name)
{
	struct pfx_str text = {0};

	if (f->redact)
		pfx_redact_event(f->redact, name, &text);
	add_name(&f->out->text, f->redact ? pfx_str_get(&text) : name);
	pfx_str_fini(&text);
}

/* Local symbols of one name: the number of the last one, by address, from 1 on. */
struct local {
	uint64_t start;
	uint32_t number, nr; /* nr: symbols so far */
};

/* By name and address. */
static uint64_t local_key(struct fdata *f, const struct pfx_symbol *sym)
{
	return pfx_hash_u64(sym->start) ^ pfx_intern_str(&f->names, sym->name);
}

/* Symbols are in order of address. */
static void number_locals(struct fdata *f)
{
	const struct pfx_symtab *table = pfx_resolver_symtab(f->resolver, f->dso);
	PFX_VEC(struct local) locals = {0}; /* by name */
	const struct pfx_symbol *sym;
	size_t i, nr = pfx_symtab_nr(table);
	struct local *local;

	for (i = 0; i < nr; i++) {
		sym = pfx_symtab_at(table, i);
		if (sym->binding != 'l')
			continue;
		local = pfx_vec_slot(&locals, pfx_intern_str(&f->names, sym->name));
		if (!local->nr || local->start != sym->start)
			local->number = local->nr + 1;
		local->start = sym->start;
		local->nr++;
		*pfx_hash_add(&f->locals, local_key(f, sym), NULL) = local->number;
	}
	pfx_vec_free(&locals);
}

/* The number of a local symbol among those of its name, by address, from 1 on. */
static uint32_t local_number(struct fdata *f, const struct pfx_symbol *sym)
{
	const uint64_t *number;

	if (!f->has_locals)
		number_locals(f);
	f->has_locals = true;
	number = pfx_hash_get(&f->locals, local_key(f, sym));
	return number ? (uint32_t)*number : 1;
}

static void add_place(struct fdata *f, const struct pfx_place *place)
{
	struct pfx_str *to = &f->out->text;

	if (place->dso != f->dso || !pfx_place_has_name(place)) {
		pfx_str_add(to, "0 [unknown] 0");
		return;
	}
	pfx_str_add(to, "1 ");
	add_function(f, place->sym->name);
	if (place->sym->binding == 'l')
		pfx_str_addf(to, "/%u", local_number(f, place->sym));
	pfx_str_addf(to, " %" PRIx64, place->addr - place->sym->start);
}

/* --- lines --- */

static int by_address(const void *x, const void *y)
{
	const struct pfx_place *a = *(struct pfx_place *const *)x,
			       *b = *(struct pfx_place *const *)y;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

static void write_places(struct fdata *f)
{
	PFX_VEC(struct pfx_place *) places = {0};
	struct pfx_place *place;
	size_t i;

	pfx_str_add(&f->out->text, NO_BRANCHES);
	add_event(f, f->pgo->event->name);
	pfx_str_add(&f->out->text, ":\n");
	for (i = 0; i < f->pgo->places.nr; i++) {
		place = pfx_resolver_place_at(f->resolver, (uint32_t)i);
		if (f->pgo->places.at[i] && place->dso == f->dso && pfx_place_has_name(place))
			pfx_vec_push(&places, place);
	}
	if (places.nr)
		qsort(places.at, places.nr, sizeof(*places.at), by_address);
	for (i = 0; i < places.nr && !pfx_export_flush(f->out); i++) {
		add_place(f, places.at[i]);
		pfx_str_addf(&f->out->text, " %" PRIu64 "\n", f->pgo->places.at[places.at[i]->id]);
	}
	pfx_vec_free(&places);
}

static int by_branch(const void *x, const void *y)
{
	const struct pfx_pgo_branch *a = x, *b = y;

	if (a->from->addr != b->from->addr)
		return a->from->addr > b->from->addr ? 1 : -1;
	if (a->to->addr != b->to->addr)
		return a->to->addr > b->to->addr ? 1 : -1;
	return (a->to->id > b->to->id) - (a->to->id < b->to->id);
}

static void write_branches(struct fdata *f)
{
	PFX_VEC(struct pfx_pgo_branch) branches = {0};
	const struct pfx_pgo_branch *branch;
	size_t i;

	for (i = 0; i < f->pgo->branches.nr; i++) {
		branch = &f->pgo->branches.at[i];
		if (branch->from->dso == f->dso || branch->to->dso == f->dso)
			pfx_vec_push(&branches, *branch);
	}
	if (branches.nr)
		qsort(branches.at, branches.nr, sizeof(*branches.at), by_branch);
	for (i = 0; i < branches.nr && !pfx_export_flush(f->out); i++) {
		branch = &branches.at[i];
		add_place(f, branch->from);
		pfx_str_addc(&f->out->text, ' ');
		add_place(f, branch->to);
		pfx_str_addf(&f->out->text, " %" PRIu64 " %" PRIu64 "\n", branch->mispredicted,
			     branch->count);
	}
	pfx_vec_free(&branches);
}

/* Samples of the binary without a symbol; of other binaries, if there is none. */
static void count_left_out(struct fdata *f)
{
	const struct pfx_place *place;
	size_t i;

	f->out->left_out_why =
		f->dso ? "in code without symbols, and left out" : "in no binary, and left out";
	for (i = 0; i < f->pgo->places.nr; i++) {
		place = pfx_resolver_place_at(f->resolver, (uint32_t)i);
		if (!f->dso || (place->dso == f->dso && !pfx_place_has_name(place)))
			f->out->nr_left_out += f->pgo->places.at[i];
	}
}

void pfx_export_fdata(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pfx_error err = {0};
	struct pfx_pgo pgo;
	int rc = pfx_pgo_read(in->stream, &pgo, &err);
	struct fdata f = {
		.pgo = &pgo,
		.resolver = pfx_recording_resolver(in->stream->reading.recording),
		.redact = in->stream->redact,
		.out = out,
	};

	if (rc < 0)
		pfx_export_fail(out, rc, &err);
	else
		f.dso = heaviest(&pgo, f.resolver);
	if (f.dso && pgo.branches.nr)
		write_branches(&f);
	else if (f.dso)
		write_places(&f);
	if (rc >= 0)
		count_left_out(&f);
	pfx_intern_fini(&f.names);
	pfx_hash_fini(&f.locals);
	pfx_pgo_fini(&pgo);
}
