/* SPDX-License-Identifier: MIT */
/* Finds the files of a recorded DSO: the runtime file, its debug file, kernel images. */
#ifndef PFX_SYM_FIND_INTERNAL_H
#define PFX_SYM_FIND_INTERNAL_H

#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"
#include "sym/find/request.h"

/* --- separate debug files --- */

/* Find the file with the full symbols of @runtime (recorded at @path). True: *ret is open and its
 * path is in @ret_path, which the caller frees. False: not found; @ret_path may then be the path of
 * a file of another build. */
bool pfx_debugfile_open(const struct pfx_elf *runtime, const char *path,
			const struct pfx_build_id *build_id, const struct pfx_sym_options *options,
			struct pfx_elf *ret, char **ret_path);
/* The path of a file of a build in the build-ID cache: "elf", "debug", "vdso", "kallsyms"; the
 * caller frees. */
char *pfx_debugfile_cached(const struct pfx_sym_options *options,
			   const struct pfx_build_id *build_id, const char *what);

/* Open the runtime file, or the vdso's image; its build ID must be the recorded one. */
int pfx_elf_open_runtime(const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, struct pfx_elf *ret,
			 struct pfx_error *err);

/* --- symbols of files (load_file.c) --- */

/* Add the symbols of a program or library, or of the vdso; 0, or a negative errno with a
 * message. */
int pfx_symtab_load_file(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, struct pfx_error *err);
int pfx_symtab_load_vdso(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, struct pfx_error *err);

/* --- images of the kernel (kernel_image.c) --- */

/* The @i-th candidate for the path of a kernel image; the caller frees it. NULL: no more. When the
 * path contains the release, it identifies the kernel if no build ID is known (@ret_by_release).
 * "": the recording lacks the release for this candidate. */
char *pfx_kernel_image_path(const struct pfx_sym_request *request,
			    const struct pfx_sym_options *options, size_t i, bool *ret_by_release);
/* The load addresses of a module's sections when its code begins at @base, UINT64_MAX: not loaded.
 * The caller frees it. */
uint64_t *pfx_module_layout(const struct pfx_elf *elf, uint64_t base);
/* The recorded path of a module's file: from the recording, else from the kernel's list of modules
 * (modules.dep), searched below options.symfs. NULL: unknown. The caller frees it. */
char *pfx_module_recorded_path(const struct pfx_sym_request *request,
			       const struct pfx_sym_options *options);
/* Open the kernel image with debug information. Its addresses are the recorded ones minus
 * @ret_shift. */
int pfx_kernel_open_debug(const struct pfx_sym_request *request,
			  const struct pfx_sym_options *options, struct pfx_elf *ret,
			  uint64_t *ret_shift, struct pfx_error *err);
/* Open the file of a module, or its debug file, that has debug information. */
int pfx_module_open_debug(const struct pfx_sym_request *request,
			  const struct pfx_sym_options *options, struct pfx_elf *ret,
			  struct pfx_error *err);

#endif
