/* SPDX-License-Identifier: MIT */
/*
 * Adds binaries to the build-ID cache, and removes them, by the paths that a user names. Each build
 * that is added, replaced or removed is reported to an observer.
 */
#ifndef PFX_SYM_KEEPING_H
#define PFX_SYM_KEEPING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sym/cache/keep.h"

struct pfx_fetch_watch;

enum pfx_keep_step {
	PFX_KEEP_ADDED,
	PFX_KEEP_UPDATED,
	PFX_KEEP_REMOVED,
	PFX_KEEP_DEBUG_FETCHED, /* the debug file of a stripped binary was downloaded, too */
	PFX_KEEP_OTHER_BUILD,   /* before ADDED: the copy was of another build and was replaced */
};

/* Everything is borrowed. */
struct pfx_keeping {
	const char *dir; /* of the cache */
	uint64_t pid;    /* resolve paths in the mount namespace of this process; 0: in ours */
	const struct pfx_fetch_watch *watch; /* NULL: do not download debug files */
	void (*on_step)(void *context, enum pfx_keep_step step, const struct pfx_kept *build);
	void *context;
};

/* All return 0, or -errno with a message. */

/* Add the file @path; with @update replace the copy in the cache. */
int pfx_keeping_add(const struct pfx_keeping *keeping, const char *path, bool update,
		    struct pfx_error *err);
/* Remove the build that the file @path has now. -ENOENT: not in the cache. */
int pfx_keeping_remove(const struct pfx_keeping *keeping, const char *path, struct pfx_error *err);
/* Remove all builds of @path, which need not exist any more. -ENOENT: there are none. */
int pfx_keeping_purge(const struct pfx_keeping *keeping, const char *path, struct pfx_error *err);
/* Remove everything, copies of kernel code included. */
int pfx_keeping_purge_all(const struct pfx_keeping *keeping, struct pfx_error *err);

/* Copies the running kernel's code into the new directory @dir; @root is NULL. */
typedef int (*pfx_copy_kernel_fn)(const char *root, const char *dir, struct pfx_error *err);
/* Add the symbols of the running kernel, and its code if @copy is not NULL. */
int pfx_keeping_add_kernel(const struct pfx_keeping *keeping, pfx_copy_kernel_fn copy,
			   struct pfx_error *err);

#endif
