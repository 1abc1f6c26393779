/* SPDX-License-Identifier: MIT */
/* Cgroups for counters, which identify them by a descriptor of their directory. */
#ifndef PFX_SYS_CGROUP_H
#define PFX_SYS_CGROUP_H

#include "base/alloc.h"
#include "base/error.h"

/* Open the directory of cgroup @name ("system.slice/x", a leading '/' is optional) in the hierarchy
 * that has the perf_event controller; *@ret_fd is the caller's. @root is a prefix of /proc, for
 * tests (NULL: none). */
int pfx_cgroup_open(const char *name, const char *root, int *ret_fd, struct pfx_error *err);

/* The mount point of the hierarchy, NULL if not mounted; the caller frees. */
char *pfx_cgroup_mount(const char *root);

/* Names of cgroups; owned. */
struct pfx_cgroup_names {
	PFX_VEC(char *) names;
};
/* The cgroups of the comma-separated @words: names (an empty one is the root) and extended regular
 * expressions, each of which must match some path. Each cgroup is returned once. Names are not
 * checked for existence. Free @ret also after errors. */
int pfx_cgroup_find(const char *words, const char *root, struct pfx_cgroup_names *ret,
		    struct pfx_error *err);
void pfx_cgroup_names_fini(struct pfx_cgroup_names *names);

#endif
