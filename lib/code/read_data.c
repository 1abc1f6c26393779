/* SPDX-License-Identifier: MIT */
/* Each distinct place is decoded once; its entries follow each other. */
#include "code/read_data.h"

#include <string.h>

#include "base/str.h"
#include "sym/code/disasm.h"

#define INSN_MAX 16 /* maximum length in bytes */

/* The state of reading. */
struct reading {
	struct pfx_data_profile *profile;
	struct pfx_resolver *resolver;
	const struct pfx_data_choice *choice;
	struct pfx_disasm *disasm; /* for the machine of the last place */
	const char *machine;
	bool is_64bit;
	struct pfx_str mnemonic;
};

static struct pfx_disasm *get_disasm(struct reading *r, const struct pfx_code_kind *kind)
{
	if (!r->machine || r->machine != kind->machine || r->is_64bit != kind->is_64bit) {
		pfx_disasm_free(r->disasm);
		r->machine = kind->machine;
		r->is_64bit = kind->is_64bit;
		if (!kind->machine ||
		    pfx_disasm_new(&r->disasm, kind->machine, kind->is_64bit, NULL))
			r->disasm = NULL;
	}
	if (r->disasm)
		pfx_disasm_use_thumb(r->disasm, kind->is_thumb);
	return r->disasm;
}

/* The mnemonic of the instruction at a place. */
static const char *mnemonic_at(struct reading *r, const struct pfx_place *place)
{
	struct pfx_code_kind kind;
	struct pfx_disasm *disasm;
	struct pfx_insn insn = {0};
	uint8_t code[INSN_MAX];
	size_t size = place->dso ? pfx_place_code(r->resolver, place, code, sizeof(code)) : 0;

	pfx_str_clear(&r->mnemonic);
	if (size) {
		kind = pfx_place_code_kind(r->resolver, place);
		disasm = get_disasm(r, &kind);
		if (disasm)
			insn = pfx_disasm_one(disasm, code, size, place->ip, &r->mnemonic);
	}
	if (!insn.len)
		return "(unknown)";
	r->mnemonic.at[insn.mnemonic] = '\0';
	return r->mnemonic.at;
}

static bool is_wanted(const struct reading *r, struct pfx_place *place)
{
	const struct pfx_asked_name *asked = r->choice->asked;

	if (!pfx_filter_dso(r->choice->filter, place->dso))
		return false;
	pfx_place_symbol(r->resolver, place);
	return !asked || (place->sym && pfx_asked_name_fits(asked, place->sym->name));
}

/* The access of a place, without its cost. */
static void look_up(struct reading *r, struct pfx_place *place, struct pfx_data *data,
		    struct pfx_data_access *ret)
{
	*data = pfx_place_data(r->resolver, place);
	*ret = (struct pfx_data_access){.dso = place->dso, .data = data};
	if (data->kind == PFX_DATA_UNKNOWN)
		ret->lack = pfx_place_data_lack(r->resolver, place);
	if (data->kind == PFX_DATA_TYPE && pfx_data_profile_is_new(r->profile, place->dso, data))
		ret->nr_members = pfx_place_data_layout(r->resolver, place, data, &ret->members);
	if (r->choice->with_insns)
		ret->mnemonic = mnemonic_at(r, place);
}

void pfx_data_profile_read(struct pfx_data_profile *profile, struct pfx_resolver *resolver,
			   const struct pfx_costs *costs, const struct pfx_data_choice *choice)
{
	struct reading r = {.profile = profile, .resolver = resolver, .choice = choice};
	struct pfx_data_access access = {0};
	struct pfx_place *place = NULL;
	struct pfx_cost_entry entry;
	struct pfx_data data;
	bool wanted = false;
	uint32_t at = 0;

	while (pfx_costs_each(costs, &at, &entry)) {
		if (entry.place != place) {
			place = pfx_resolver_place_at(resolver, entry.place->id);
			wanted = is_wanted(&r, place);
			if (wanted)
				look_up(&r, place, &data, &access);
		}
		access.event = entry.event;
		access.cost = entry.cost;
		if (wanted)
			pfx_data_profile_add(profile, &access);
	}
	pfx_data_profile_sort(profile);
	pfx_disasm_free(r.disasm);
	pfx_str_fini(&r.mnemonic);
}
