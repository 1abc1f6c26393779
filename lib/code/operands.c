/* SPDX-License-Identifier: MIT */
/*
 * What is at the addresses of operands: functions and objects by name, constant texts and numbers.
 * Code that is made at run time calls the kernel and has no files, so its addresses are looked up
 * elsewhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "code/code_internal.h"

#define STRING_MIN 2   /* shorter ones are more likely numbers than texts */
#define STRING_MAX 200 /* the rest is left out */
/* Of texts at what may be a number instead of an address. */
#define NUMBER_STRING_MIN 4
#define DECIMAL_END       1000000 /* larger integers are more likely bits */

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

/* The constants at the operand's address: of the binary, or between the instructions of the
 * function itself (ARM). NULL: none. */
static const uint8_t *constants_at(const struct pfx_code_build *build,
				   const struct pfx_code_insn *insn, size_t *ret_size)
{
	uint64_t at = insn->target - (build->begin.addr + build->shift);

	if (at >= build->size)
		return pfx_place_constant(build->resolver, &build->begin, insn->target, ret_size);
	*ret_size = build->size - (size_t)at;
	return build->bytes + at;
}

static void find_string(struct pfx_code_build *build, struct pfx_code_insn *insn)
{
	const size_t least = insn->is_number ? NUMBER_STRING_MIN : STRING_MIN;
	const uint8_t *at;
	size_t size, len = 0;

	at = pfx_place_constant(build->resolver, &build->begin, insn->target, &size);
	while (at && len < size && is_text(at[len]))
		len++;
	if (!at || len == size || at[len] || len < least)
		return;
	insn->string = pfx_arena_strndup(&build->code->arena, (const char *)at,
					 len < STRING_MAX ? len : STRING_MAX);
}

/* --- numbers --- */

/* The shortest text that is this number again. */
static void add_float(struct pfx_str *to, double v, bool is_single)
{
	int digits = is_single ? 6 : 15, most = is_single ? 9 : 17;
	char text[40];

	for (; digits <= most; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (is_single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
			break;
	}
	pfx_str_add(to, text);
}

static int64_t sign_extended(uint64_t v, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(v << shift) >> shift;
}

static void add_value(struct pfx_str *to, const struct pfx_code_numbers *value, uint64_t v)
{
	const uint32_t half = (uint32_t)v;
	int64_t number = sign_extended(v, value->size);
	double floating;
	float single;

	if (value->kind == PFX_NUMBERS_FLOAT && value->size == sizeof(single)) {
		memcpy(&single, &half, sizeof(single));
		add_float(to, (double)single, true);
	} else if (value->kind == PFX_NUMBERS_FLOAT) {
		memcpy(&floating, &v, sizeof(floating));
		add_float(to, floating, false);
	} else if (value->kind == PFX_NUMBERS_INTEGER && number > -DECIMAL_END &&
		   number < DECIMAL_END) {
		pfx_str_addf(to, "%lld", (long long)number);
	} else {
		pfx_str_add(to, "0x");
		pfx_str_hex(to, v, 0);
	}
}

static uint64_t number_at(const uint8_t *at, const struct pfx_code_numbers *value)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < value->size; i++)
		v = v << 8 | at[value->is_big ? i : value->size - 1 - i];
	return v;
}

static void find_value(struct pfx_code_build *build, const struct pfx_code_numbers *value)
{
	struct pfx_code_insn *insn = &build->insns.at[value->insn];
	struct pfx_str text = {0};
	const uint8_t *at;
	size_t size, i;

	if (!insn->has_target || !insn->is_data)
		return;
	at = constants_at(build, insn, &size);
	if (!at || size < (size_t)value->size * value->nr)
		return;
	for (i = 0; i < value->nr; i++) {
		pfx_str_add(&text, i ? ", " : value->nr > 1 ? "{" : "");
		add_value(&text, value, number_at(at + i * value->size, value));
	}
	pfx_str_add(&text, value->nr > 1 ? "}" : "");
	insn->value = pfx_arena_strndup(&build->code->arena, pfx_str_get(&text), text.len);
	pfx_str_fini(&text);
}

/* --- all --- */

/* A number is an address only if exactly a symbol, or a text, is there. */
static void check_number(struct pfx_code_insn *insn)
{
	if (!insn->is_number || insn->string || (insn->name && !insn->name_offset))
		return;
	insn->has_target = insn->is_data = insn->takes_address = insn->is_number = false;
	insn->name = NULL;
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
		check_number(insn);
	}
	for (i = 0; i < build->values.nr; i++)
		find_value(build, &build->values.at[i]);
}
