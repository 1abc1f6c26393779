/* SPDX-License-Identifier: MIT */
/*
 * A copy of the running kernel's code for later: its text and that of its modules out of
 * /proc/kcore as an ELF file, with the symbols and modules beside it.
 */
#ifndef PFX_SYS_KCORE_H
#define PFX_SYS_KCORE_H

#include "base/error.h"

/* Make the directory @dir with the files kcore, kallsyms and modules; only the owner can read them.
 * @root is a directory in front of /proc, for tests (NULL: none). On an error nothing is left. */
int pfx_kcore_copy(const char *root, const char *dir, struct pfx_error *err);
/* Remove such a copy; quietly nothing where there is none. */
void pfx_kcore_remove(const char *dir);

#endif
