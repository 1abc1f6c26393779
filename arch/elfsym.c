/* SPDX-License-Identifier: MIT */
/*
 * Peculiarities of the CPUs in ELF symbol tables, and the code of procedure linkage tables. An
 * entry of such a table is recognised by its instructions: they load from the slot that a
 * relocation names, whatever order the linker chose. Sources: the psABI of each CPU and its
 * instruction set.
 */
#include "arch/elfsym.h"

#include <elf.h>
#include <string.h>

#ifndef EM_RISCV
#define EM_RISCV 243
#endif
#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif
#define X86_ENTRY 16 /* where the section does not say */

bool pfx_elfsym_is_marker(uint16_t machine, const char *name)
{
	switch (machine) {
	case EM_ARM:
	case EM_AARCH64:
		return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
		       (!name[2] || name[2] == '.');
	case EM_RISCV:
		return (name[0] == '$' && (name[1] == 'x' || name[1] == 'd')) ||
		       !strncmp(name, "L0", 2) || !strncmp(name, ".L", 2);
	case EM_LOONGARCH:
		return !strncmp(name, "L0", 2) || !strncmp(name, ".L", 2);
	default:
		return false;
	}
}

uint64_t pfx_elfsym_code_address(uint16_t machine, uint64_t value)
{
	return machine == EM_ARM ? value & ~1ull : value;
}

bool pfx_elfsym_has_descriptors(uint16_t machine, uint32_t elf_flags)
{
	return machine == EM_PPC64 && (elf_flags & 3) < 2; /* ABI version 1, or not said */
}

bool pfx_elfsym_is_irelative(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_IRELATIVE;
	case EM_386:
		return type == R_386_IRELATIVE;
	case EM_AARCH64:
		return type == 1032; /* R_AARCH64_IRELATIVE */
	case EM_PPC64:
		return type == 248; /* R_PPC64_IRELATIVE */
	case EM_S390:
		return type == 61; /* R_390_IRELATIVE */
	case EM_RISCV:
		return type == 58; /* R_RISCV_IRELATIVE */
	default:
		return false;
	}
}

static uint32_t load_le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/*
 * x86: [endbr] [bnd] jmp *slot, as ff 25 with an address (64-bit: relative to the next instruction)
 * or ff a3 with an offset from .got.plt in ebx. With a second table beside it (.plt.sec) an entry
 * only pushes the number of its relocation: [endbr] push imm32.
 */
static bool decode_x86(bool is_64bit, const struct pfx_plt_code *code, struct pfx_plt_entry *ret)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	static const uint8_t endbr32[] = {0xf3, 0x0f, 0x1e, 0xfb};
	const uint8_t *p = code->at;
	size_t at = 0;
	uint32_t word;

	if (code->size < 16 && code->size < code->entry_size)
		return false;
	if (code->size >= 4 && (!memcmp(p, endbr64, 4) || !memcmp(p, endbr32, 4)))
		at = 4;
	if (at < code->size && p[at] == 0xf2)
		at++;
	if (code->size < at + 6)
		return false;
	*ret = (struct pfx_plt_entry){.size = code->entry_size ? (uint32_t)code->entry_size
							       : X86_ENTRY};
	if (p[at] == 0x68 && at) {
		ret->by_index = true;
		ret->slot = load_le32(p + at + 1) / (is_64bit ? 1 : sizeof(Elf32_Rel));
		return true;
	}
	word = load_le32(p + at + 2);
	if (p[at] == 0xff && p[at + 1] == 0x25)
		ret->slot =
			is_64bit ? code->addr + at + 6 + (uint64_t)(int64_t)(int32_t)word : word;
	else if (!is_64bit && p[at] == 0xff && p[at + 1] == 0xa3)
		ret->slot = (uint32_t)(code->got + word);
	else
		return false;
	return true;
}

/* arm64: [bti c] adrp x16, page; ldr x17, [x16, #offset]; ... br x17 */
static bool decode_arm64(const struct pfx_plt_code *code, struct pfx_plt_entry *ret)
{
	size_t at = code->size >= 4 && load_le32(code->at) == 0xd503245f ? 4 : 0;
	uint32_t adrp, ldr;
	uint64_t page;

	if (code->size < at + 16)
		return false;
	adrp = load_le32(code->at + at);
	ldr = load_le32(code->at + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (uint64_t)(adrp >> 5 & 0x7ffff) << 14 | (uint64_t)(adrp >> 29 & 3) << 12;
	if (page >> 32 & 1)
		page |= ~0ull << 33;
	*ret = (struct pfx_plt_entry){.size = (uint32_t)at + 16};
	ret->slot = ((code->addr + at) & ~0xfffull) + page + (ldr >> 10 & 0xfff) * 8;
	return true;
}

uint32_t pfx_plt_step(uint16_t machine)
{
	if (machine == EM_X86_64 || machine == EM_386)
		return 8;
	return machine == EM_AARCH64 ? 4 : 0;
}

bool pfx_plt_decode(uint16_t machine, const struct pfx_plt_code *code, struct pfx_plt_entry *ret)
{
	switch (machine) {
	case EM_X86_64:
		return decode_x86(true, code, ret);
	case EM_386:
		return decode_x86(false, code, ret);
	case EM_AARCH64:
		return decode_arm64(code, ret);
	default:
		return false;
	}
}

void pfx_plt_layout(uint16_t machine, uint32_t *ret_header, uint32_t *ret_entry)
{
	static const struct {
		uint16_t machine;
		uint8_t header, entry;
	} layouts[] = {
		{EM_ARM, 20, 12},   {EM_S390, 32, 32},     {EM_RISCV, 32, 16},
		{EM_SPARC, 48, 12}, {EM_SPARCV9, 128, 32}, {EM_LOONGARCH, 32, 16},
	};
	size_t i;

	*ret_header = *ret_entry = 0;
	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].machine == machine) {
			*ret_header = layouts[i].header;
			*ret_entry = layouts[i].entry;
		}
}
