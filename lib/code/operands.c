/* SPDX-License-Identifier: MIT */
/*
 * What is at the addresses of operands: functions and objects by name, and constant texts. Code
 * that is made at run time calls the kernel and has no files, so its addresses are looked up
 * elsewhere.
 */
#include <string.h>

#include "code/code_internal.h"

#define STRING_MIN 2   /* shorter ones are more likely numbers than texts */
#define STRING_MAX 200 /* the rest is left out */

/* The page that one instruction sets is certain in another one only if no jump leads to the
 * instructions between them. */
static void check_pages(struct pfx_code_build *build)
{
	struct pfx_code_insn *insn;
	uint64_t last_target = 0;
	size_t i, next = 0;

	for (i = 0; i < build->insns.nr && next < build->pages.nr; i++) {
		insn = &build->insns.at[i];
		if (insn->is_target)
			last_target = insn->addr;
		if (build->pages.at[next].insn != i)
			continue;
		if (build->pages.at[next++].from < last_target)
			insn->has_target = insn->is_data = false;
	}
}

/* --- names --- */

static bool name_by(struct pfx_code_insn *insn, const struct pfx_symtab *tab, uint64_t addr)
{
	const struct pfx_symbol *symbol = tab ? pfx_symtab_find(tab, addr) : NULL;

	if (!symbol || (insn->string && symbol->is_label))
		return false;
	insn->name = symbol->name;
	insn->name_offset = addr - symbol->start;
	return true;
}

/* Functions in a jitdump are in the order of their compilation, not of their addresses: only this
 * function's address is known. */
static void name_in_jitdump(const struct pfx_code_build *build, struct pfx_code_insn *insn)
{
	const struct pfx_symbol *symbol = build->function->symbol;

	if (insn->target - build->begin.ip >= symbol->end - symbol->start)
		return;
	insn->name = symbol->name;
	insn->name_offset = insn->target - build->begin.ip;
}

static void name_operand(struct pfx_code_build *build, struct pfx_code_insn *insn)
{
	const struct pfx_dso *dso = build->function->dso;
	struct pfx_place place = pfx_code_place(build, insn->target);
	uint64_t offset = place.addr;

	if (dso->kind == PFX_DSO_JITDUMP) {
		name_in_jitdump(build, insn);
		return;
	}
	if (!pfx_place_offset(build->resolver, &place, insn->target, &offset))
		return;
	if (!name_by(insn, pfx_resolver_symtab(build->resolver, dso), offset) &&
	    (dso->kind == PFX_DSO_MODULE || dso->kind == PFX_DSO_BPF))
		name_by(insn, pfx_resolver_kernel_symtab(build->resolver), insn->target);
}

/* --- texts --- */

static bool is_text(uint8_t c)
{
	return (c >= ' ' && c != 0x7f) || c == '\n' || c == '\t' || c == '\r' || c == '\033';
}

static void find_string(struct pfx_code_build *build, struct pfx_code_insn *insn)
{
	const uint8_t *at;
	size_t size, len = 0;

	at = pfx_place_constant(build->resolver, &build->begin, insn->target, &size);
	while (at && len < size && is_text(at[len]))
		len++;
	if (!at || len == size || at[len] || len < STRING_MIN)
		return;
	insn->string = pfx_arena_strndup(&build->code->arena, (const char *)at,
					 len < STRING_MAX ? len : STRING_MAX);
}

void pfx_code_name_operands(struct pfx_code_build *build)
{
	struct pfx_code *code = build->code;
	struct pfx_code_insn *insn;
	uint32_t i;

	check_pages(build);
	for (i = 0; i < code->nr_insns; i++) {
		insn = &code->insns[i];
		if (!insn->has_target)
			continue;
		if (insn->takes_address)
			find_string(build, insn);
		name_operand(build, insn);
		if (insn->name)
			insn->string = NULL;
	}
}
