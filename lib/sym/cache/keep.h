/* SPDX-License-Identifier: MIT */
/*
 * The build-ID cache: copies of binaries by build ID, in perf's layout, so that a recording can be
 * read after a binary was rebuilt. The file is DIR/NAME/ID/elf (or kallsyms, vdso), and
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

/* Store the cache's directory in *@ret, which the caller frees: @dir, or ~/.debug when @dir is
 * NULL. False when the cache is disabled: no absolute $HOME, or @dir is empty or /dev/null. */
bool pfx_keep_dir(const char *dir, char **ret);
/* Whether a binary's name is safe as a path in the cache: it has no component "..". */
bool pfx_keep_can_name(const char *name);
/* Store the file @from under this name and build ID, as a hard link if possible. @what is "elf", or
 * "kallsyms" for the kernel's symbols. 0: stored, or already in the cache; 1: stored, and a file of
 * another build was replaced; -EBADMSG: @from is of another build and was not stored. */
int pfx_keep_file(const char *dir, const char *name, const struct pfx_build_id *id,
		  const char *from, const char *what, struct pfx_error *err);
/* The message for a result of 1, with the name. */
#define PFX_KEEP_REPLACED \
	"the copy of '%s' in the build-id cache was not of that build: it was replaced"
/* Bytes in memory, and the name of their file in the cache: "vdso", "map", "jitdump". */
struct pfx_keep_bytes {
	const void *data;
	size_t size;
	const char *what;
	unsigned mode; /* permissions of the file; 0: all may read it */
};
/* More bytes are not stored: -EFBIG. */
#define PFX_KEEP_BYTES_MAX (1u << 30)
/* Store bytes in the same way. */
int pfx_keep_bytes(const char *dir, const char *name, const struct pfx_build_id *id,
		   const struct pfx_keep_bytes *bytes, struct pfx_error *err);

/* --- reading and removing --- */

/* One build in the cache. */
struct pfx_kept {
	char *name; /* "/usr/bin/x", "[kernel.kallsyms]" */
	struct pfx_build_id id;
};

struct pfx_kept_list {
	PFX_VEC(struct pfx_kept) builds; /* ordered by id */
};

/* The names of the files of a build; ends with NULL. */
extern const char *const pfx_keep_parts[];
/* The name of a split unit's (.dwo) file in the cache, from the unit's id: into @ret. */
#define PFX_KEEP_SPLIT_SIZE 24
const char *pfx_keep_split_name(uint64_t id, char ret[PFX_KEEP_SPLIT_SIZE]);
/* Whether @word is the name of a file of a build: one of pfx_keep_parts, or a split unit. */
bool pfx_keep_is_part(const char *word);
/* List all builds in the cache; an empty list when there is no cache. */
int pfx_keep_list(const char *dir, struct pfx_kept_list *ret, struct pfx_error *err);
void pfx_keep_list_free(struct pfx_kept_list *list);
/* The path of a file of a build ("elf", "debug", "kallsyms"), which the caller frees; NULL: not in
 * the cache. */
char *pfx_keep_find(const char *dir, const struct pfx_build_id *id, const char *what);
/* Whether any file of a build is in the cache. */
bool pfx_keep_has(const char *dir, const struct pfx_build_id *id);
/* Remove a build: its files, its link, and directories that become empty. -ENOENT: not in the
 * cache. */
int pfx_keep_remove(const char *dir, const struct pfx_kept *build, struct pfx_error *err);
/* Create a directory for a copy of the kernel's code, named by the time @stamp (text); the caller
 * frees its path. */
int pfx_keep_kcore_dir(const char *dir, const struct pfx_build_id *id, const char *stamp,
		       char **ret, struct pfx_error *err);
/* Remove that directory after a failed copy. */
void pfx_keep_drop_dir(const char *dir, const char *path);
/* Remove all copies of kernel code. */
int pfx_keep_remove_kcore(const char *dir, struct pfx_error *err);
#endif
