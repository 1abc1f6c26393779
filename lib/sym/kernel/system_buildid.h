/* SPDX-License-Identifier: MIT */
/* Build IDs of the running system: its kernel, modules and vdso. */
#ifndef PFX_SYM_SYSTEM_BUILDID_H
#define PFX_SYM_SYSTEM_BUILDID_H

#include "sym/elf/buildid.h"

#define PFX_VDSO_NAME "[vdso]"

/* The build ID of the kernel or a module, by its recorded name: "[kernel.kallsyms]_text", "[snd]",
 * "/lib/modules/.../snd.ko.xz". */
int pfx_system_build_id(const char *name, struct pfx_build_id *ret);
int pfx_system_build_id_of_vdso(struct pfx_build_id *ret);
/* The first pages of this process's vdso, with its headers and notes; NULL: none. */
const void *pfx_system_vdso(size_t *ret_size);

#endif
