/* SPDX-License-Identifier: MIT */
/* The files that belong to a recorded DSO: the one that ran, its debug file, images of the kernel.
 */
#ifndef PFX_SYM_FIND_INTERNAL_H
#define PFX_SYM_FIND_INTERNAL_H

#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"
#include "sym/find/request.h"

/* --- separate debug files --- */

/* Find the file with the full symbols of @runtime (recorded at @path), if there is one. True: *ret
 * is open and its path is in @ret_path. False: there may be one of another build. The caller frees
 * the path. */
bool pfx_debugfile_open(const struct pfx_elf *runtime, const char *path,
			const struct pfx_build_id *build_id, const struct pfx_sym_options *options,
			struct pfx_elf *ret, char **ret_path);
/* A file of the build-id cache: "elf", "debug", "vdso", "kallsyms" of a build; the caller frees. */
char *pfx_debugfile_cached(const struct pfx_sym_options *options,
			   const struct pfx_build_id *build_id, const char *what);

/* The file that ran, or the vdso's image: its build id is the one that was recorded. */
int pfx_elf_open_runtime(const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, struct pfx_elf *ret,
			 struct pfx_error *err);

/* --- symbols of files (load_file.c) --- */

/* Symbols of a program or library, of the vdso: each adds to @tab; 0, or a
 * negative errno with a sentence. */
int pfx_symtab_load_file(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, struct pfx_error *err);
int pfx_symtab_load_vdso(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, struct pfx_error *err);

/* --- images of the kernel (kernel_image.c) --- */

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
