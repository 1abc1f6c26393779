/* SPDX-License-Identifier: MIT */
/* Helper processes of our own. */
#ifndef PFX_BASE_CHILD_H
#define PFX_BASE_CHILD_H

#include <sys/types.h>

/* Wait for the end of the child process @pid, which was asked to end. One that somebody stopped is
 * continued, and one that has not ended within @patience_ms is killed. */
void pfx_child_end(pid_t pid, unsigned patience_ms);

#endif
