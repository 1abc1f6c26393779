/* SPDX-License-Identifier: MIT */
/*
 * The code of a kernel module from its file, by recorded address, for kernels whose memory is not
 * available. The file lacks addresses that the kernel fills in when it loads the module: those in
 * the module's own code and those of kernel symbols are filled in here, the others are known by
 * name only. Like an image of the kernel it lacks run-time patches.
 */
#ifndef PFX_SYM_MODULE_CODE_H
#define PFX_SYM_MODULE_CODE_H

#include "sym/find/request.h"
#include "sym/table/symtab.h"

struct pfx_module_code;

/* @kernel: the kernel's symbols at recorded addresses; NULL: unknown. -ENOENT: no file of the
 * recorded build was found. */
int pfx_module_code_open(struct pfx_module_code **ret, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, const struct pfx_symtab *kernel,
			 struct pfx_error *err);
void pfx_module_code_free(struct pfx_module_code *code);
/* Copy at most @size bytes from @addr; returns the number of available bytes. */
size_t pfx_module_code_read(const struct pfx_module_code *code, uint64_t addr, void *to,
			    size_t size);

/* An address that is not known. */
struct pfx_unlinked {
	uint64_t at;      /* where it is missing in the code */
	const char *name; /* of the symbol or section; untrusted text, lives as long as the code */
	int64_t addend;   /* added to its address */
	bool is_relative; /* the distance from @at is missing */
};
/* The one in the @size bytes at @addr; NULL: none. */
const struct pfx_unlinked *pfx_module_code_unlinked(const struct pfx_module_code *code,
						    uint64_t addr, size_t size);

#endif
