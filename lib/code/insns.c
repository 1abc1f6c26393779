/* SPDX-License-Identifier: MIT */
/*
 * Disassembly. Bytes that the disassembler does not know become byte directives as long as an
 * instruction of that machine, so that decoding continues at an instruction. Operands that are
 * addresses are annotated with the symbol.
 */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "code/code_internal.h"

/* --- unknown instructions --- */

/* Length of the instruction at the start of @at, by the machine's encoding alone. x86 instructions
 * have any length: 1, so that decoding continues with the next byte. */
static unsigned unknown_length(const char *machine, const uint8_t *at, size_t left)
{
	unsigned len = 4;

	if (!machine || !strncmp(machine, "x86", 3) || !strcmp(machine, "i386") ||
	    !strcmp(machine, "i686"))
		len = 1;
	else if (!strncmp(machine, "s390", 4))
		len = at[0] < 0x40 ? 2 : at[0] < 0xc0 ? 4 : 6;
	else if (!strncmp(machine, "riscv", 5))
		len = (at[0] & 3) == 3 ? 4 : 2;
	return len < left ? len : (unsigned)left;
}

static void add_bytes(struct pfx_str *to, const uint8_t *at, unsigned len)
{
	unsigned i;

	pfx_str_add(to, ".byte ");
	for (i = 0; i < len; i++)
		pfx_str_addf(to, i ? ", 0x%02x" : "0x%02x", at[i]);
}

/* --- texts --- */

static struct pfx_code_insn make_insn(struct pfx_code_build *build, struct pfx_disasm *disasm,
				      size_t offset, struct pfx_str *text)
{
	const uint8_t *at = build->bytes + offset;
	size_t left = build->size - offset;
	struct pfx_code_insn insn = {
		.addr = build->begin.addr + build->shift + offset,
		.bytes = at,
		.target_insn = PFX_CODE_NONE,
		.line = PFX_CODE_NONE,
		.inlined = PFX_CODE_NONE,
	};
	struct pfx_insn read = {0};

	pfx_str_clear(text);
	if (disasm)
		read = pfx_disasm_one(disasm, at, left, insn.addr, text);
	if (!read.len) {
		pfx_str_clear(text);
		read = (struct pfx_insn){.len = unknown_length(build->options->machine, at, left)};
		add_bytes(text, at, read.len);
		read.mnemonic = (unsigned)strlen(".byte");
		insn.is_bytes = true;
	}
	insn.len = (uint8_t)read.len;
	insn.flow = read.flow;
	insn.mnemonic = (uint16_t)read.mnemonic;
	insn.has_target = read.has_target || read.has_data;
	insn.is_data = !read.has_target && read.has_data;
	insn.target = read.has_target ? read.target : read.data;
	insn.text = pfx_arena_strndup(&build->code->arena, pfx_str_get(text), text->len);
	return insn;
}

/* The symbol at the operand's address. */
static void name_operand(struct pfx_code_build *build, struct pfx_code_insn *insn)
{
	struct pfx_place place = pfx_code_place(build, insn->target);
	uint64_t offset = place.addr;
	const struct pfx_symbol *symbol;

	if (!insn->has_target || !pfx_place_offset(build->resolver, &place, insn->target, &offset))
		return;
	symbol = pfx_symtab_find(pfx_resolver_symtab(build->resolver, place.dso), offset);
	if (!symbol)
		return;
	insn->name = symbol->name;
	insn->name_offset = offset - symbol->start;
}

/* --- decoding --- */

static int read_bytes(struct pfx_code_build *build, struct pfx_error *err)
{
	const struct pfx_symbol *symbol = build->function->symbol;
	uint64_t size = symbol->end - symbol->start;
	char name[128];
	uint8_t *bytes;

	pfx_escape(name, sizeof(name), symbol->name);
	if (size > PFX_CODE_SIZE_MAX)
		return pfx_error_set(
			err, EFBIG, "'%s' has %llu kB of code, more than the %u kB that are shown",
			name, (unsigned long long)(size >> 10), PFX_CODE_SIZE_MAX >> 10);
	bytes = pfx_arena_alloc(&build->code->arena, (size_t)size + 1);
	build->size = pfx_place_code(build->resolver, &build->begin, bytes, (size_t)size);
	build->bytes = bytes;
	return build->size ? 0 : -ENODATA;
}

static struct pfx_disasm *open_disasm(const struct pfx_code_build *build)
{
	const struct pfx_dso *dso = build->function->dso;
	bool is_kernel = dso->kind == PFX_DSO_KERNEL || dso->kind == PFX_DSO_MODULE;
	bool is_64bit = is_kernel ? build->begin.ip >> 32 != 0 : dso->is_64bit;
	struct pfx_disasm *disasm;

	if (pfx_disasm_new(&disasm, build->options->machine ? build->options->machine : "",
			   is_64bit, NULL))
		return NULL;
	pfx_disasm_use_intel(disasm, build->options->intel);
	return disasm;
}

int pfx_code_decode(struct pfx_code_build *build, struct pfx_error *err)
{
	int rc = read_bytes(build, err);
	struct pfx_disasm *disasm;
	struct pfx_str text = {0};
	size_t at;

	if (rc < 0)
		return rc;
	disasm = open_disasm(build);
	build->code->has_disassembler = disasm != NULL;
	for (at = 0; at < build->size; at += build->insns.at[build->insns.nr - 1].len) {
		pfx_vec_push(&build->insns, make_insn(build, disasm, at, &text));
		name_operand(build, &build->insns.at[build->insns.nr - 1]);
	}
	pfx_disasm_free(disasm);
	pfx_str_fini(&text);
	return 0;
}

uint32_t pfx_code_find(const struct pfx_code *code, uint64_t addr)
{
	uint32_t low = 0, high = code->nr_insns, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (code->insns[mid].addr + code->insns[mid].len <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < code->nr_insns && code->insns[low].addr <= addr ? low : PFX_CODE_NONE;
}
