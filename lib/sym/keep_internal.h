/* SPDX-License-Identifier: MIT */
/* Shared by the files about the build-id cache. */
#ifndef PFX_SYM_KEEP_INTERNAL_H
#define PFX_SYM_KEEP_INTERNAL_H

/* Make the directory that @path is in, and those above. */
int pfx_keep_make_parents(const char *path);

#endif
