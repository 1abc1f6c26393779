/* SPDX-License-Identifier: MIT */
/* Control groups as the kernel's counters know them: by a descriptor of their directory. */
#ifndef PFX_SYS_CGROUP_H
#define PFX_SYS_CGROUP_H

#include "base/alloc.h"
#include "base/error.h"

/* Open the directory of cgroup @name ("system.slice/x", a leading '/' may be there) in the
 * hierarchy that has the perf_event controller; *@ret_fd is the caller's. @root is a directory in
 * front of /proc, for tests (NULL: none). */
int pfx_cgroup_open(const char *name, const char *root, int *ret_fd, struct pfx_error *err);

/* Where the hierarchy is mounted, NULL when it is not; the caller frees. */
char *pfx_cgroup_mount(const char *root);

/* Names of cgroups; owned. */
struct pfx_cgroup_names {
	PFX_VEC(char *) names;
};
/* The cgroups that @words means, separated by commas: names, an empty one is the root, and extended
 * regular expressions, each of which has to fit some path. Each cgroup comes once. Whether names
 * exist is seen when they are opened. @ret has to be freed also after an error. */
int pfx_cgroup_find(const char *words, const char *root, struct pfx_cgroup_names *ret,
		    struct pfx_error *err);
void pfx_cgroup_names_fini(struct pfx_cgroup_names *names);

#endif
