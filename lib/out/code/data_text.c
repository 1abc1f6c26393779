/* SPDX-License-Identifier: MIT */
/*
 * Columns are those of `perf annotate --data-type --stdio`: members are indented by their nesting,
 * as in the source.
 */
#include "out/code/data_text.h"

#include <inttypes.h>

#include "out/code/code_parts.h"

#define LINE_WIDTH     76
#define STAT_WIDTH     59
#define INDENT         4
#define NUMBER_WIDTH   10
#define MNEMONIC_WIDTH 10

/* A type being printed. */
struct print {
	const struct pfx_data_type *type;
	const struct pfx_code_style *style;
	const struct pfx_code_events *events;
	struct pfx_str *to;
};

/* --- members --- */

static void add_value(struct print *print, uint32_t event, const struct pfx_cost_list *costs)
{
	const struct pfx_cost cost = pfx_cost_of(costs, event);
	const struct pfx_cost whole = print->style->of_global
					      ? print->events->wholes[event]
					      : pfx_cost_of(&print->type->costs, event);

	pfx_code_add_value(print->to, print->style, &cost,
			   pfx_code_share(print->style, &whole, &cost));
}

/* The columns before the name. */
static void begin_field(struct print *print, const struct pfx_cost_list *costs, uint64_t offset,
			uint64_t size, uint32_t depth)
{
	uint32_t e;

	for (e = 0; e < print->events->nr; e++)
		add_value(print, print->events->events[e]->idx, costs);
	pfx_str_addf(print->to, " %#*" PRIx64 " %#*" PRIx64 "  ", NUMBER_WIDTH, offset,
		     NUMBER_WIDTH, size);
	pfx_str_pad(print->to, ' ', (size_t)INDENT * depth);
}

static void end_parts(struct print *print, uint32_t depth)
{
	size_t width = (size_t)pfx_code_value_width(print->style) * print->events->nr;

	pfx_str_pad(print->to, ' ', width + 2 * (NUMBER_WIDTH + 1) + 2 + (size_t)INDENT * depth);
	pfx_str_add(print->to, "}");
}

static void add_name(struct print *print, const struct pfx_data_member *member)
{
	if (!*member->name)
		return;
	pfx_str_addc(print->to, ' ');
	pfx_str_add_foreign(print->to, member->name);
}

static bool has_parts(const struct pfx_data_type *type, uint32_t i)
{
	return i + 1 < type->nr_members && type->members[i + 1].depth > type->members[i].depth;
}

/* Member @i with its own members; returns the index of the next one. */
static uint32_t add_member(struct print *print, uint32_t i)
{
	const struct pfx_data_type *type = print->type;
	const struct pfx_data_member *member = &type->members[i];

	begin_field(print, &type->member_costs[i], member->offset, member->size, member->depth + 1);
	pfx_str_add_foreign(print->to, member->type);
	if (has_parts(type, i)) {
		pfx_str_add(print->to, " {\n");
		for (i++; i < type->nr_members && type->members[i].depth > member->depth;)
			i = add_member(print, i);
		end_parts(print, member->depth + 1);
	} else {
		i++;
	}
	add_name(print, member);
	pfx_str_add(print->to, ";\n");
	return i;
}

/* --- types --- */

static void add_title(struct print *print)
{
	const struct pfx_code_events *events = print->events;
	struct pfx_str *to = print->to;
	uint64_t nr_samples = 0;
	uint32_t e;

	for (e = 0; e < events->nr; e++)
		nr_samples += pfx_cost_of(&print->type->costs, events->events[e]->idx).nr_samples;
	pfx_str_add(to, "Annotate type: '");
	pfx_str_add_foreign(to, print->type->name);
	pfx_str_add(to, "' in ");
	pfx_str_add_foreign(to, print->type->dso->name);
	pfx_str_addf(to, " (%" PRIu64 " samples):\n", nr_samples);
	for (e = 0; e < events->nr; e++) {
		pfx_str_addf(to, " event[%u] = ", e);
		pfx_str_add_foreign(to, events->events[e]->name);
		pfx_str_addc(to, '\n');
	}
	pfx_str_pad(to, '=', LINE_WIDTH);
	pfx_str_addf(to, "\n%*s %*s %*s  %s\n",
		     (int)(pfx_code_value_width(print->style) * events->nr),
		     print->style->value == PFX_CODE_PERIOD    ? "Period"
		     : print->style->value == PFX_CODE_SAMPLES ? "Samples"
							       : "Percent",
		     NUMBER_WIDTH, "offset", NUMBER_WIDTH, "size", "field");
}

void pfx_data_text_type(const struct pfx_data_type *type, const struct pfx_code_style *style,
			const struct pfx_code_events *events, struct pfx_str *to)
{
	struct print print = {type, style, events, to};
	uint32_t i;

	add_title(&print);
	begin_field(&print, &type->costs, 0, type->size, 0);
	pfx_str_add_foreign(to, type->name);
	if (type->nr_members) {
		pfx_str_add(to, " {\n");
		for (i = 0; i < type->nr_members;)
			i = add_member(&print, i);
		end_parts(&print, 0);
	}
	pfx_str_add(to, ";\n\n");
}

/* --- statistics --- */

static void add_sums(const char *title, const struct pfx_data_profile *profile, struct pfx_str *to)
{
	uint64_t all = profile->nr_samples, bad = all - profile->nr_known;

	pfx_str_addf(to,
		     "%s\ntotal %" PRIu64 ", ok %" PRIu64 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n",
		     title, all, profile->nr_known,
		     all ? 100.0 * (double)profile->nr_known / (double)all : 0, bad,
		     all ? 100.0 * (double)bad / (double)all : 0);
}

static void add_rule(struct pfx_str *to)
{
	pfx_str_pad(to, '-', STAT_WIDTH);
	pfx_str_addc(to, '\n');
}

void pfx_data_text_stat(const struct pfx_data_profile *profile, struct pfx_str *to)
{
	static const char *const words[PFX_NR_DATA_LACKS] = {
		[PFX_LACK_CODE] = "the binary is not available",
		[PFX_LACK_DECODER] = "the instruction is not known",
		[PFX_LACK_MEMORY] = "the instruction does not access memory",
		[PFX_LACK_DEBUG] = "the function has no debug information",
		[PFX_LACK_TYPE] = "the type of the address is not known",
	};
	unsigned i;

	add_sums("Annotate data type stats:", profile, to);
	add_rule(to);
	for (i = 0; i < PFX_NR_DATA_LACKS; i++)
		if (profile->nr_lacking[i])
			pfx_str_addf(to, "%10" PRIu64 " : %s\n", profile->nr_lacking[i], words[i]);
	pfx_str_addc(to, '\n');
}

void pfx_data_text_insns(const struct pfx_data_profile *profile, struct pfx_str *to)
{
	const struct pfx_data_insn *insn;
	uint32_t i;

	add_sums("Annotate Instruction stats", profile, to);
	pfx_str_addf(to, "\n  %-*s: %5s %5s\n", MNEMONIC_WIDTH, "Name", "Good", "Bad");
	add_rule(to);
	for (i = 0; i < profile->nr_insns; i++) {
		insn = &profile->insns[i];
		pfx_str_addf(to, "  %-*s: %5" PRIu64 " %5" PRIu64 "\n", MNEMONIC_WIDTH,
			     insn->mnemonic, insn->nr_known, insn->nr_unknown);
	}
	pfx_str_addc(to, '\n');
}
