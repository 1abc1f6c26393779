/* SPDX-License-Identifier: MIT */
/*
 * Disassembly. Bytes that the disassembler does not know become byte directives as long as an
 * instruction of that machine, so that decoding continues at an instruction.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bisect.h"
#include "base/str.h"
#include "code/code_internal.h"
#include "sym/kernel/module_code.h"

#define DATA_ROW   4  /* bytes of constants in a row */
#define INDEX_STEP 64 /* bytes of code for an element of the index */

/* --- unknown instructions --- */

/* Length of the instruction at the start of @at, by the machine's encoding alone. x86 instructions
 * have any length: 1, so that decoding continues with the next byte. */
static unsigned unknown_length(const struct pfx_code_kind *kind, const uint8_t *at, size_t left)
{
	const char *machine = kind->machine;
	unsigned len = 4;

	if (!machine || !strncmp(machine, "x86", 3) || !strcmp(machine, "i386") ||
	    !strcmp(machine, "i686"))
		len = 1;
	else if (kind->is_thumb)
		len = left > 1 && at[1] >= 0xe8 ? 4 : 2;
	else if (!strncmp(machine, "s390", 4))
		len = at[0] < 0x40 ? 2 : at[0] < 0xc0 ? 4 : 6;
	else if (!strncmp(machine, "riscv", 5))
		len = (at[0] & 3) == 3 ? 4 : 2;
	return len < left ? len : (unsigned)left;
}

/* Rows of data end at addresses that are multiples of their size. */
static unsigned data_length(uint64_t addr, size_t left)
{
	unsigned len = DATA_ROW - (unsigned)(addr % DATA_ROW);

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

/* Code of one kind that is being decoded. */
struct decoding {
	struct pfx_code_build *build;
	struct pfx_disasm *disasm; /* NULL: everything becomes bytes */
	struct pfx_code_kind kind;
	size_t end; /* of this kind, as offset in the function */
	struct pfx_str text;
};

/* The file of a kernel module lacks some addresses: what the code has there is no address. */
static void note_unlinked(const struct pfx_code_build *build, struct pfx_code_insn *insn)
{
	struct pfx_place place = pfx_code_place(build, insn->addr);
	const struct pfx_unlinked *unlinked =
		pfx_place_unlinked(build->resolver, &place, insn->len);
	int64_t offset;

	if (!unlinked)
		return;
	offset = unlinked->addend;
	if (unlinked->is_relative && unlinked->at != place.ip) /* from the next instruction on */
		offset += (int64_t)(place.ip + insn->len - unlinked->at);
	insn->is_unlinked = true;
	insn->has_target = insn->is_data = insn->takes_address = false;
	insn->target = 0;
	if (offset < 0)
		return;
	insn->name = unlinked->name;
	insn->name_offset = (uint64_t)offset;
}

/* In other programs numbers are not addresses. */
static void note_number(const struct pfx_code_kind *kind, struct pfx_code_insn *insn)
{
	insn->is_number = kind->is_fixed;
	if (!insn->is_number)
		insn->has_target = insn->is_data = insn->takes_address = false;
}

static struct pfx_code_insn make_insn(struct decoding *decoding, size_t offset)
{
	struct pfx_code_build *build = decoding->build;
	const uint8_t *at = build->bytes + offset;
	size_t left = decoding->end - offset;
	struct pfx_code_insn insn = {
		.addr = build->begin.addr + build->shift + offset,
		.bytes = at,
		.target_insn = PFX_CODE_NONE,
		.line = PFX_CODE_NONE,
		.inlined = PFX_CODE_NONE,
	};
	struct pfx_str *text = &decoding->text;
	struct pfx_insn read = {0};

	pfx_str_clear(text);
	if (decoding->disasm && !decoding->kind.is_data)
		read = pfx_disasm_one(decoding->disasm, at, left, insn.addr, text);
	if (!read.len) {
		pfx_str_clear(text);
		read.len = decoding->kind.is_data ? data_length(insn.addr, left)
						  : unknown_length(&decoding->kind, at, left);
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
	insn.takes_address = read.takes_address;
	if (read.is_number)
		note_number(&decoding->kind, &insn);
	if (read.value_kind)
		pfx_vec_push(&build->values,
			     ((struct pfx_code_numbers){(uint32_t)build->insns.nr, read.value_kind,
							read.value_size, read.nr_values,
							decoding->kind.is_big}));
	if (read.has_page)
		pfx_vec_push(&build->pages,
			     ((struct pfx_code_page){(uint32_t)build->insns.nr, read.page_from}));
	note_unlinked(build, &insn);
	insn.text = pfx_arena_strndup(&build->code->arena, pfx_str_get(text), text->len);
	return insn;
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

/* The kind of the code from @offset on. */
static void choose_kind(struct decoding *decoding, size_t offset)
{
	struct pfx_code_build *build = decoding->build;
	struct pfx_place place = build->begin;

	place.addr += offset;
	place.ip += offset;
	decoding->kind = pfx_place_code_kind(build->resolver, &place);
	decoding->end = build->size;
	if (decoding->kind.size < build->size - offset)
		decoding->end = offset + (size_t)decoding->kind.size;
	if (decoding->disasm)
		pfx_disasm_use_thumb(decoding->disasm, decoding->kind.is_thumb);
}

void pfx_code_decoder_fini(struct pfx_code_decoder *decoder)
{
	pfx_disasm_free(decoder->disasm);
	memset(decoder, 0, sizeof(*decoder));
}

/* @decoder has a disassembler of this kind, if there is one. */
static void open_decoder(struct pfx_code_decoder *decoder, const struct pfx_code_kind *kind,
			 bool intel)
{
	const char *machine = kind->machine ? kind->machine : "";

	if (decoder->disasm && !strcmp(decoder->machine, machine) &&
	    decoder->is_64bit == kind->is_64bit && decoder->intel == intel) {
		pfx_disasm_restart(decoder->disasm);
		return;
	}
	pfx_code_decoder_fini(decoder);
	if (pfx_disasm_new(&decoder->disasm, machine, kind->is_64bit, NULL)) {
		decoder->disasm = NULL;
		return;
	}
	pfx_disasm_use_intel(decoder->disasm, intel);
	snprintf(decoder->machine, sizeof(decoder->machine), "%s", machine);
	decoder->is_64bit = kind->is_64bit;
	decoder->intel = intel;
}

static void open_disasm(struct decoding *decoding, struct pfx_code_decoder *decoder)
{
	choose_kind(decoding, 0);
	open_decoder(decoder, &decoding->kind, decoding->build->options->intel);
	decoding->disasm = decoder->disasm;
	choose_kind(decoding, 0);
}

/* The first instruction that ends after the beginning of each INDEX_STEP bytes: a search over all
 * instructions of a large function waits for memory in each step. */
static void make_index(struct pfx_code_build *build)
{
	uint32_t nr = (uint32_t)(build->size / INDEX_STEP) + 1, i = 0, k;
	uint32_t *index = pfx_arena_array(&build->code->arena, uint32_t, nr);
	const struct pfx_code_insn *insns = build->insns.at;

	for (k = 0; k < nr; k++) {
		while (i + 1 < build->insns.nr &&
		       insns[i].addr + insns[i].len <= insns[0].addr + (uint64_t)k * INDEX_STEP)
			i++;
		index[k] = i;
	}
	build->code->index = index;
	build->code->nr_index = nr;
}

int pfx_code_decode(struct pfx_code_build *build, struct pfx_error *err)
{
	struct pfx_code_decoder own = {0}, *shared = build->options->decoder;
	struct decoding decoding = {.build = build};
	int rc = read_bytes(build, err);
	struct pfx_code_insn insn;
	size_t at;

	if (rc < 0)
		return rc;
	open_disasm(&decoding, shared ? shared : &own);
	build->code->machine = decoding.kind.machine;
	build->code->has_disassembler = decoding.disasm != NULL;
	for (at = 0; at < build->size; at += build->insns.at[build->insns.nr - 1].len) {
		if (at == decoding.end)
			choose_kind(&decoding, at);
		insn = make_insn(&decoding, at); /* it knows its number by those before it */
		pfx_vec_push(&build->insns, insn);
	}
	make_index(build);
	pfx_code_decoder_fini(&own);
	pfx_str_fini(&decoding.text);
	return 0;
}

uint32_t pfx_code_find(const struct pfx_code *code, uint64_t addr)
{
	uint32_t low = 0, high = code->nr_insns, at;
	uint64_t step;

	if (!high || addr < code->insns[0].addr)
		return PFX_CODE_NONE;
	if (code->index) {
		step = (addr - code->insns[0].addr) / INDEX_STEP;
		if (step >= code->nr_index)
			return PFX_CODE_NONE;
		low = code->index[step];
		if (step + 1 < code->nr_index)
			high = code->index[step + 1] + 1;
	}
	at = low +
	     (uint32_t)pfx_bisect(i, high - low,
				  code->insns[low + i].addr + code->insns[low + i].len <= addr);
	return at < code->nr_insns && code->insns[at].addr <= addr ? at : PFX_CODE_NONE;
}
