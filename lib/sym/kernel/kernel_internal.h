/* SPDX-License-Identifier: MIT */
/* Shared by the files about the kernel's symbols. */
#ifndef PFX_SYM_KERNEL_INTERNAL_H
#define PFX_SYM_KERNEL_INTERNAL_H

#include "sym/find/find_internal.h"
#include "sym/find/request.h"

/* Add the symbols of the kernel, or of one module ("[name]"), from a file like /proc/kallsyms. */
int pfx_kallsyms_read(struct pfx_symtab *tab, const char *path, const char *module,
		      struct pfx_error *err);
/* The address of a symbol of the kernel in such a file; 0: it is not there. */
uint64_t pfx_kallsyms_address(const char *path, const char *name);
/* Whether the kernel below us is the one that @request wants. */
bool pfx_kernel_is_running(const struct pfx_sym_request *request);
/* Move all symbols. */
void pfx_kernel_shift(struct pfx_symtab *tab, uint64_t by);
/* Move all symbols so that the one called @name lies at @addr; nothing without either. */
void pfx_kernel_relocate(struct pfx_symtab *tab, const char *name, uint64_t addr);
/* Symbols of the kernel, of a module: each adds to @tab; 0, or a
 * negative errno with a sentence. */
int pfx_symtab_load_kernel(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			   const struct pfx_sym_options *options, struct pfx_error *err);
int pfx_symtab_load_module(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			   const struct pfx_sym_options *options, struct pfx_error *err);

#endif
