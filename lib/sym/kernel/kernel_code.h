/* SPDX-License-Identifier: MIT */
/*
 * The code of a kernel and its modules, at the addresses that were recorded: from a copy of its
 * memory that came with the recording, from /proc/kcore while it runs, or from its image, which
 * has no modules and does not know what the kernel patched in itself. Owns its descriptor.
 */
#ifndef PFX_SYM_KERNEL_CODE_H
#define PFX_SYM_KERNEL_CODE_H

#include "sym/find/request.h"
#include "sym/table/symtab.h"

struct pfx_kernel_code;

/* @tab has the kernel's symbols, and tells which image they are from. -ENOENT: nothing of that
 * kernel is at hand. */
int pfx_kernel_code_open(struct pfx_kernel_code **ret, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, const struct pfx_symtab *tab,
			 struct pfx_error *err);
/* Copy at most @size bytes from @addr on; returns how many there are. */
size_t pfx_kernel_code_read(const struct pfx_kernel_code *code, uint64_t addr, void *to,
			    size_t size);
void pfx_kernel_code_free(struct pfx_kernel_code *code);

#endif
