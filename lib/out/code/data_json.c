/* SPDX-License-Identifier: MIT */
/* Types and statistics are members after the list of functions. */
#include "out/code/data_json.h"

#include <inttypes.h>
#include <string.h>

#include "out/code/code_json_internal.h"

static void add_member(struct pfx_str *to, const struct pfx_data_member *member,
		       const struct pfx_cost_list *costs, uint32_t nr_events)
{
	pfx_str_addc(to, '{');
	pfx_code_json_text(to, "name", member->name, strlen(member->name));
	pfx_str_add(to, ", ");
	pfx_code_json_text(to, "type", member->type, strlen(member->type));
	pfx_str_addf(to, ", \"offset\": %" PRIu64 ", \"size\": %" PRIu64 ", \"depth\": %" PRIu32,
		     member->offset, member->size, member->depth);
	if (costs->nr) {
		pfx_str_add(to, ", ");
		pfx_code_json_cost_list(to, "costs", costs, nr_events);
	}
	pfx_str_addc(to, '}');
}

static void add_type(struct pfx_str *to, const struct pfx_data_profile *profile,
		     const struct pfx_data_type *type)
{
	uint32_t i;

	pfx_str_addc(to, '{');
	pfx_code_json_text(to, "name", type->name, strlen(type->name));
	pfx_str_add(to, ", ");
	pfx_code_json_text(to, "dso", type->dso->name, strlen(type->dso->name));
	pfx_str_addf(to, ", \"size\": %" PRIu64 ", ", type->size);
	pfx_code_json_cost_list(to, "costs", &type->costs, profile->nr_events);
	pfx_str_add(to, ", \"members\": [");
	for (i = 0; i < type->nr_members; i++) {
		pfx_str_add(to, i ? ",\n\t" : "\n\t");
		add_member(to, &type->members[i], &type->member_costs[i], profile->nr_events);
	}
	pfx_str_add(to, "]}");
}

void pfx_data_json_types(struct pfx_code_json *json, const struct pfx_data_profile *profile,
			 bool (*is_wanted)(const void *context, const struct pfx_data_type *type),
			 const void *context, struct pfx_str *to)
{
	bool is_first = true;
	uint32_t i;

	pfx_code_json_end_functions(json, to);
	pfx_str_add(to, ",\n\"types\": [");
	for (i = 0; i < profile->nr_types; i++) {
		if (!is_wanted(context, &profile->types[i]))
			continue;
		pfx_str_add(to, is_first ? "\n" : ",\n");
		add_type(to, profile, &profile->types[i]);
		is_first = false;
	}
	pfx_str_addc(to, ']');
}

void pfx_data_json_stat(struct pfx_code_json *json, const struct pfx_data_profile *profile,
			struct pfx_str *to)
{
	static const char *const keys[PFX_NR_DATA_LACKS] = {
		[PFX_LACK_CODE] = "no_binary",   [PFX_LACK_DECODER] = "no_instruction",
		[PFX_LACK_MEMORY] = "no_memory", [PFX_LACK_DEBUG] = "no_debug_information",
		[PFX_LACK_TYPE] = "no_type",
	};
	unsigned i;

	pfx_code_json_end_functions(json, to);
	pfx_str_addf(to, ",\n\"type_stat\": {\"samples\": %" PRIu64 ", \"known\": %" PRIu64,
		     profile->nr_samples, profile->nr_known);
	for (i = 0; i < PFX_NR_DATA_LACKS; i++)
		pfx_str_addf(to, ", \"%s\": %" PRIu64, keys[i], profile->nr_lacking[i]);
	pfx_str_addc(to, '}');
}

void pfx_data_json_insns(struct pfx_code_json *json, const struct pfx_data_profile *profile,
			 struct pfx_str *to)
{
	const struct pfx_data_insn *insn;
	uint32_t i;

	pfx_code_json_end_functions(json, to);
	pfx_str_add(to, ",\n\"insn_stat\": [");
	for (i = 0; i < profile->nr_insns; i++) {
		insn = &profile->insns[i];
		pfx_str_add(to, i ? ",\n\t{" : "\n\t{");
		pfx_code_json_text(to, "mnemonic", insn->mnemonic, strlen(insn->mnemonic));
		pfx_str_addf(to, ", \"known\": %" PRIu64 ", \"unknown\": %" PRIu64 "}",
			     insn->nr_known, insn->nr_unknown);
	}
	pfx_str_addc(to, ']');
}
