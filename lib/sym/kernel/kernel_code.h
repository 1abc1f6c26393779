/* SPDX-License-Identifier: MIT */
/*
 * The code of a kernel and its modules, by recorded address: from a copy of kernel memory stored
 * with the recording, from /proc/kcore while the kernel still runs, or from its image, which has no
 * modules and lacks run-time patches. Owns its descriptor.
 */
#ifndef PFX_SYM_KERNEL_CODE_H
#define PFX_SYM_KERNEL_CODE_H

#include "sym/find/request.h"
#include "sym/table/symtab.h"

struct pfx_kernel_code;

/* @tab: the kernel's symbols, whose source is also used for code. -ENOENT: no code of that kernel
 * was found. */
int pfx_kernel_code_open(struct pfx_kernel_code **ret, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, const struct pfx_symtab *tab,
			 struct pfx_error *err);
/* The path of the file that has it. */
const char *pfx_kernel_code_path(const struct pfx_kernel_code *code);
/* Copy at most @size bytes from @addr; returns the number of available bytes. */
size_t pfx_kernel_code_read(const struct pfx_kernel_code *code, uint64_t addr, void *to,
			    size_t size);
void pfx_kernel_code_free(struct pfx_kernel_code *code);

#endif
