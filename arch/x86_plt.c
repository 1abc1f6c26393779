/* SPDX-License-Identifier: MIT */
/*
 * Decodes PLT entries of x86 by their instructions: they jump through the GOT slot that a
 * relocation names, in any order that the linker chose.
 */
#include <elf.h>
#include <string.h>

#include "arch/arch_internal.h"

#define ENTRY_SIZE 16 /* if the section header does not contain it */

/*
 * [endbr] [bnd] jmp *slot, as ff 25 with an address (64-bit: relative to the next instruction) or
 * ff a3 with an offset from .got.plt in ebx. With .plt.sec, an entry of .plt only pushes the index
 * of its relocation: [endbr] push imm32.
 */
bool pfx_x86_decode_plt(bool is_64bit, const struct pfx_plt_code *code, struct pfx_plt_entry *ret)
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
							       : ENTRY_SIZE};
	if (p[at] == 0x68 && at) {
		ret->by_index = true;
		ret->slot = pfx_load_le32(p + at + 1) / (is_64bit ? 1 : sizeof(Elf32_Rel));
		return true;
	}
	word = pfx_load_le32(p + at + 2);
	if (p[at] == 0xff && p[at + 1] == 0x25)
		ret->slot =
			is_64bit ? code->addr + at + 6 + (uint64_t)(int64_t)(int32_t)word : word;
	else if (!is_64bit && p[at] == 0xff && p[at + 1] == 0xa3)
		ret->slot = (uint32_t)(code->got + word);
	else
		return false;
	return true;
}
