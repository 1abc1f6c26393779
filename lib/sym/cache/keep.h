/* SPDX-License-Identifier: MIT */
/*
 * The build-id cache: copies of binaries by build id, laid out as perf does, so that a recording
 * can be read after a binary was rebuilt. DIR/NAME/ID/elf (kallsyms, vdso) holds the bytes, and
 * DIR/.build-id/xx/yyyy is a link to DIR/NAME/ID.
 */
#ifndef PFX_SYM_KEEP_H
#define PFX_SYM_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "sym/elf/buildid.h"

/* The cache's directory into *@ret, which the caller frees: @dir, or ~/.debug when it is NULL.
 * False when there is none to be kept: no absolute $HOME, or @dir is empty or /dev/null. */
bool pfx_keep_dir(const char *dir, char **ret);
/* Whether a binary of that name stays inside of the cache: no part of it is "..". */
bool pfx_keep_can_name(const char *name);
/* Keep the file @from under the name and id; a hard link where that works. @what is "elf", or
 * "kallsyms" for the kernel's symbols. 0: it is there now, or was there already; 1: in the place of
 * another file that was not this build; -EBADMSG: @from itself is not, and is not kept. */
int pfx_keep_file(const char *dir, const char *name, const struct pfx_build_id *id,
		  const char *from, const char *what, struct pfx_error *err);
/* What to print after a 1, with the name. */
#define PFX_KEEP_REPLACED \
	"the copy of '%s' in the build-id cache was not of that build: it was replaced"
/* Bytes in memory, and what they are called there: "vdso", "map", "jitdump". */
struct pfx_keep_bytes {
	const void *data;
	size_t size;
	const char *what;
};
/* Keep them in the same way. */
int pfx_keep_bytes(const char *dir, const char *name, const struct pfx_build_id *id,
		   const struct pfx_keep_bytes *bytes, struct pfx_error *err);

/* --- what is there --- */

/* One build in the cache. */
struct pfx_kept {
	char *name; /* "/usr/bin/x", "[kernel.kallsyms]" */
	struct pfx_build_id id;
};

struct pfx_kept_list {
	PFX_VEC(struct pfx_kept) builds; /* by id */
};

/* What the files of a build are called, NULL at the end. */
extern const char *const pfx_keep_parts[];
/* What the file with the half of a unit (.dwo) is called there, which has a number: into @ret. */
#define PFX_KEEP_SPLIT_SIZE 24
const char *pfx_keep_split_name(uint64_t id, char ret[PFX_KEEP_SPLIT_SIZE]);
/* Whether a file of a build is called so: one of the parts, or one with half of a unit. */
bool pfx_keep_is_part(const char *word);
/* All builds that the cache has; an empty list where there is no cache. */
int pfx_keep_list(const char *dir, struct pfx_kept_list *ret, struct pfx_error *err);
void pfx_keep_list_free(struct pfx_kept_list *list);
/* The path of a file of a build ("elf", "debug", "kallsyms"), which the caller frees; NULL: it is
 * not there. */
char *pfx_keep_find(const char *dir, const struct pfx_build_id *id, const char *what);
/* Forget a build: its files, its link, and directories that become empty. -ENOENT: not there. */
int pfx_keep_remove(const char *dir, const struct pfx_kept *build, struct pfx_error *err);
/* A new directory for a copy of the kernel's code, made at @stamp (text); the caller frees its
 * path.
 */
int pfx_keep_kcore_dir(const char *dir, const struct pfx_build_id *id, const char *stamp,
		       char **ret, struct pfx_error *err);
/* Take that directory back, when nothing came of the copy. */
void pfx_keep_drop_dir(const char *dir, const char *path);
/* Forget all copies of kernels' code. */
int pfx_keep_remove_kcore(const char *dir, struct pfx_error *err);
#endif
