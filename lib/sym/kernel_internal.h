/* SPDX-License-Identifier: MIT */
/* Shared by the files about the kernel's symbols. */
#ifndef PFX_SYM_KERNEL_INTERNAL_H
#define PFX_SYM_KERNEL_INTERNAL_H

#include "sym/elf_internal.h"

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

/* --- images (kernel_image.c) --- */

/* The @i'th place where an image of the kernel may be; the caller frees it. NULL: there are no
 * more. A path with the release in it is worth as much as a build id that is not known. "": the
 * recording does not tell enough for this one. */
char *pfx_kernel_image_path(const struct pfx_sym_request *request,
			    const struct pfx_sym_options *options, size_t i, bool *ret_by_release);
/* Where the sections of a module lie when it is loaded at @base, UINT64_MAX: not loaded. The caller
 * frees it. */
uint64_t *pfx_module_layout(const struct pfx_elf *elf, uint64_t base);
/* Where the file of the module was when it was recorded: as the recording says, else by the list of
 * modules of that kernel (modules.dep), which is looked for below options.symfs. NULL: nobody
 * knows. The caller frees it. */
char *pfx_module_recorded_path(const struct pfx_sym_request *request,
			       const struct pfx_sym_options *options);
/* Open the kernel's image that has debug information. Recorded addresses minus @ret_shift are its
 * own. */
int pfx_kernel_open_debug(const struct pfx_sym_request *request,
			  const struct pfx_sym_options *options, struct pfx_elf *ret,
			  uint64_t *ret_shift, struct pfx_error *err);
/* Open the file of a module, or its debug file, that has debug information. */
int pfx_module_open_debug(const struct pfx_sym_request *request,
			  const struct pfx_sym_options *options, struct pfx_elf *ret,
			  struct pfx_error *err);

#endif
