/* SPDX-License-Identifier: MIT */
/* Build ids of what this machine runs: its kernel, the kernel's modules, the vdso. */
#ifndef PFX_SYM_SYSTEM_BUILDID_H
#define PFX_SYM_SYSTEM_BUILDID_H

#include "sym/elf/buildid.h"

#define PFX_KERNEL_NAME "[kernel.kallsyms]"
#define PFX_VDSO_NAME   "[vdso]"

/* Of the kernel or a module, named as in a recording: "[kernel.kallsyms]_text", "[snd]",
 * "/lib/modules/.../snd.ko.xz". */
int pfx_system_build_id(const char *name, struct pfx_build_id *ret);
int pfx_system_build_id_of_vdso(struct pfx_build_id *ret);
/* The start of the vdso as this process has it, enough for headers and notes; NULL: none. */
const void *pfx_system_vdso(size_t *ret_size);

#endif
