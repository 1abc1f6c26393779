/* SPDX-License-Identifier: MIT */
/*
 * A copy of the running kernel's code: the text of kernel and modules from /proc/kcore as an ELF
 * file, with kallsyms and modules.
 */
#ifndef PFX_SYS_KCORE_H
#define PFX_SYS_KCORE_H

#include "base/error.h"

/* Make the directory @dir with the files kcore, kallsyms and modules; readable only for the owner.
 * @root is a prefix of /proc, for tests (NULL: none). On errors, nothing remains. */
int pfx_kcore_copy(const char *root, const char *dir, struct pfx_error *err);
/* Remove such a copy; does nothing if there is none. */
void pfx_kcore_remove(const char *dir);

#endif
