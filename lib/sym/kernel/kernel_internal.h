/* SPDX-License-Identifier: MIT */
/* Shared by the files that load kernel symbols. */
#ifndef PFX_SYM_KERNEL_INTERNAL_H
#define PFX_SYM_KERNEL_INTERNAL_H

#include "sym/find/find_internal.h"
#include "sym/find/request.h"

/* Add the symbols of the kernel, or of one module ("[name]"), from a file like /proc/kallsyms. */
int pfx_kallsyms_read(struct pfx_symtab *tab, const char *path, const char *module,
		      struct pfx_error *err);
/* The address of a kernel symbol in such a file; 0: not found. */
uint64_t pfx_kallsyms_address(const char *path, const char *name);
/* Whether the running kernel is the one in @request. */
bool pfx_kernel_is_running(const struct pfx_sym_request *request);
/* Add @by to the addresses of all symbols. */
void pfx_kernel_shift(struct pfx_symtab *tab, uint64_t by);
/* Move all symbols so that the symbol @name is at @addr; no effect when the name or the address is
 * missing. */
void pfx_kernel_relocate(struct pfx_symtab *tab, const char *name, uint64_t addr);
/* Add the symbols of the kernel, or of a module; 0, or a negative errno with a message. */
int pfx_symtab_load_kernel(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			   const struct pfx_sym_options *options, struct pfx_error *err);
int pfx_symtab_load_module(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			   const struct pfx_sym_options *options, struct pfx_error *err);
/* Whether the kernel or a module may have a function of this name; false: surely not. */
bool pfx_kernel_may_have(const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, const char *name);

#endif
