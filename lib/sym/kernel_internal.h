/* SPDX-License-Identifier: MIT */
/* Shared by the files about the kernel's symbols. */
#ifndef PFX_SYM_KERNEL_INTERNAL_H
#define PFX_SYM_KERNEL_INTERNAL_H

#include "sym/elf_internal.h"

/* Add the symbols of the kernel, or of one module ("[name]"), from a file like /proc/kallsyms. */
int pfx_kallsyms_read(struct pfx_symtab *tab, const char *path, const char *module,
		      struct pfx_error *err);
/* Move all symbols. */
void pfx_kernel_shift(struct pfx_symtab *tab, uint64_t by);
/* Move all symbols so that the one called @name lies at @addr; nothing without either. */
void pfx_kernel_relocate(struct pfx_symtab *tab, const char *name, uint64_t addr);

#endif
