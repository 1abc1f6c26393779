/* SPDX-License-Identifier: MIT */
/*
 * The list of all CPUs, and accessors of their rows. The rows are in one file per CPU; this file
 * refers to them only by name.
 */
#include "arch/arch.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "arch/arch_internal.h"

#define DEFAULT_MASK ((1ull << 48) - 1) /* for most kernels, if maps do not require more */
#define KERNEL_HALF  (1ull << 55)       /* set in all kernel addresses, in no user address */

/* pfx's own ELF header, at the start of the loaded file; defined by the linker. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static const struct pfx_arch *const rows[] = {
	&pfx_arch_x86_64,      &pfx_arch_i386,   &pfx_arch_arm64,    &pfx_arch_arm64_compat,
	&pfx_arch_arm,         &pfx_arch_s390x,  &pfx_arch_s390,     &pfx_arch_ppc64,
	&pfx_arch_ppc,         &pfx_arch_mips64, &pfx_arch_mips,     &pfx_arch_riscv64,
	&pfx_arch_riscv32,     &pfx_arch_sparc,  &pfx_arch_parisc64, &pfx_arch_parisc,
	&pfx_arch_loongarch64, &pfx_arch_sh4,    &pfx_arch_m68k,     &pfx_arch_sparc64,
};

#define NR_ROWS (sizeof(rows) / sizeof(*rows))

const struct pfx_arch *pfx_arch_at(size_t i)
{
	return i < NR_ROWS ? rows[i] : NULL;
}

static size_t prefix_length(const char *prefix, const char *text)
{
	size_t len = 0;

	while (prefix[len] && prefix[len] == text[len])
		len++;
	return prefix[len] ? 0 : len;
}

/* The length of the row's longest name that is a prefix of @machine. */
static size_t match(const struct pfx_arch *row, const char *machine)
{
	const char *const *name;
	size_t len, best = 0;

	for (name = row->names; *name; name++) {
		len = prefix_length(*name, machine);
		if (len > best)
			best = len;
	}
	return best;
}

const struct pfx_arch *pfx_arch_find(const char *machine)
{
	const struct pfx_arch *found = NULL;
	size_t i, len, best = 0;

	for (i = 0; machine && i < NR_ROWS; i++) {
		len = match(rows[i], machine);
		if (len <= best)
			continue;
		best = len;
		found = rows[i];
		if (!machine[len]) /* exact match */
			break;
	}
	return found;
}

const struct pfx_arch *pfx_arch_of_elf(uint32_t e_machine)
{
	const struct pfx_arch *found = NULL;
	size_t i;

	for (i = 0; e_machine && i < NR_ROWS; i++) {
		if (rows[i]->e_machine != e_machine || (found && rows[i]->word <= found->word))
			continue;
		found = rows[i];
		if (found->word == 8)
			break;
	}
	return found;
}

const struct pfx_arch *pfx_arch_host(void)
{
	const struct pfx_arch *row;
	size_t i;

	for (i = 0; (row = pfx_arch_at(i)); i++)
		if (row->e_machine == __ehdr_start.e_machine && row->word == sizeof(void *))
			return row;
	return NULL;
}

/* --- registers in samples --- */

const char *pfx_arch_reg_name(const char *machine, unsigned bit)
{
	const struct pfx_arch *arch = pfx_arch_find(machine);

	return arch && bit < arch->nr_reg_names ? arch->reg_names[bit] : NULL;
}

static const struct pfx_arch_masks *host_masks(void)
{
	static const struct pfx_arch_masks none;
	const struct pfx_arch *host = pfx_arch_host();

	return host ? &host->masks : &none;
}

uint64_t pfx_arch_host_user_regs(void)
{
	return host_masks()->user;
}

uint64_t pfx_arch_host_vector_regs(void)
{
	return host_masks()->vector;
}

uint64_t pfx_arch_host_leaf_regs(void)
{
	return host_masks()->leaf;
}

uint64_t pfx_arch_host_frame_regs(void)
{
	return host_masks()->frame;
}

/* --- unwinding --- */

const struct pfx_unwind_arch *pfx_unwind_arch_find(const char *machine, uint64_t abi)
{
	const struct pfx_arch *arch = pfx_arch_find(machine);

	if (!arch || abi < 1 || abi > 2)
		return NULL;
	if (abi == 1 && arch->word == 8)
		arch = arch->narrow;
	else if (abi == 2 && arch->word == 4)
		arch = NULL;
	return arch ? arch->unwind : NULL;
}

uint64_t pfx_unwind_pc_mask(const struct pfx_unwind_arch *arch, uint64_t top)
{
	const uint8_t *bits = arch->address_bits;

	if (!bits)
		return arch->pc_mask;
	while (*bits && (top - 1) >> *bits)
		bits++;
	return *bits && top ? (1ull << *bits) - 1 : DEFAULT_MASK;
}

uint64_t pfx_unwind_strip(const struct pfx_unwind_arch *arch, uint64_t mask, uint64_t value)
{
	return arch->address_bits && value & KERNEL_HALF ? value | ~mask : value & mask;
}

uint16_t pfx_unwind_machine_number(const char *machine)
{
	const struct pfx_arch *arch = pfx_arch_find(machine);

	if (arch && arch->e_machine == EM_NONE)
		arch = arch->narrow;
	return arch ? arch->e_machine : EM_NONE;
}

const char *pfx_unwind_machine_name(uint32_t e_machine)
{
	const struct pfx_arch *arch = pfx_arch_of_elf(e_machine);

	return arch ? arch->name : NULL;
}

/* --- data types --- */

const struct pfx_data_arch *pfx_data_arch_find(const char *machine)
{
	const struct pfx_arch *arch = pfx_arch_find(machine);

	return arch ? arch->data : NULL;
}

uint8_t pfx_data_reg(const struct pfx_data_arch *arch, const char *name, uint8_t *ret_size)
{
	unsigned reg, form;

	for (reg = 0; reg < arch->nr_regs; reg++)
		for (form = 0; form < PFX_DATA_REG_NAMES && arch->names[reg][form]; form++) {
			if (strcmp(arch->names[reg][form], name) != 0)
				continue;
			*ret_size = (uint8_t)(arch->word >> form);
			return (uint8_t)reg;
		}
	return PFX_DATA_NO_REG;
}

/* --- ELF files --- */

bool pfx_elfsym_is_marker(const struct pfx_arch *arch, const char *name)
{
	return arch && arch->elf.is_marker && arch->elf.is_marker(name);
}

uint64_t pfx_elfsym_code_address(const struct pfx_arch *arch, uint64_t value)
{
	return arch && arch->elf.has_thumb_bit ? value & ~1ull : value;
}

bool pfx_elfsym_has_descriptors(const struct pfx_arch *arch, uint32_t e_flags)
{
	return arch && arch->elf.has_descriptors && arch->elf.has_descriptors(e_flags);
}

bool pfx_elfsym_is_irelative(const struct pfx_arch *arch, uint32_t type)
{
	return arch && type && arch->elf.irelative == type;
}

bool pfx_plt_decode(const struct pfx_arch *arch, const struct pfx_plt_code *code,
		    struct pfx_plt_entry *ret)
{
	return arch && arch->elf.decode_plt && arch->elf.decode_plt(code, ret);
}

uint32_t pfx_plt_step(const struct pfx_arch *arch)
{
	return arch ? arch->elf.plt_step : 0;
}

void pfx_plt_layout(const struct pfx_arch *arch, uint32_t *ret_header, uint32_t *ret_entry)
{
	*ret_header = arch ? arch->elf.plt_header : 0;
	*ret_entry = arch ? arch->elf.plt_entry : 0;
}
