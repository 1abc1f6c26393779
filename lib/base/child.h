/* SPDX-License-Identifier: MIT */
/* Helper processes that pfx started. */
#ifndef PFX_BASE_CHILD_H
#define PFX_BASE_CHILD_H

#include <sys/types.h>

/* Wait for the child process @pid, which was asked to exit. A stopped child is continued first;
 * after @patience_ms the child is killed. */
void pfx_child_end(pid_t pid, unsigned patience_ms);

#endif
