/* SPDX-License-Identifier: MIT */
/*
 * Paths and file names of the build-ID cache. Names come from the kernel's maps and from archives:
 * names that lead out of the cache are refused.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "sym/cache/keep.h"
#include "sym/cache/keep_internal.h"

#define TARGET_START "../../"

bool pfx_keep_dir(const char *dir, char **ret)
{
	const char *home = pfx_home();

	if (dir && (!*dir || strcmp(dir, "/dev/null") == 0))
		return false;
	if (!dir && !home)
		return false;
	*ret = dir ? pfx_strdup(dir) : pfx_strfmt("%s/.debug", home);
	return true;
}

int pfx_keep_make_parents(const char *path)
{
	char *copy = pfx_strdup(path), *slash;
	int rc = 0;

	for (slash = strchr(copy + 1, '/'); slash && rc == 0; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			rc = -errno;
		*slash = '/';
	}
	free(copy);
	return rc;
}

const char *const pfx_keep_parts[] = {"elf",     "debug",   "kallsyms", "vdso", "map",
				      "jitdump", "vmlinux", "dwp",      NULL};

const char *pfx_keep_split_name(uint64_t id, char ret[PFX_KEEP_SPLIT_SIZE])
{
	snprintf(ret, PFX_KEEP_SPLIT_SIZE, PFX_KEEP_SPLIT_START "%016llx", (unsigned long long)id);
	return ret;
}

bool pfx_keep_is_part(const char *word)
{
	size_t i, start = strlen(PFX_KEEP_SPLIT_START);

	for (i = 0; pfx_keep_parts[i]; i++)
		if (!strcmp(pfx_keep_parts[i], word))
			return true;
	return !strncmp(word, PFX_KEEP_SPLIT_START, start) && strlen(word + start) == 16 &&
	       strspn(word + start, "0123456789abcdef") == 16;
}

bool pfx_keep_can_name(const char *name)
{
	size_t n;

	for (;; name += n + 1) {
		n = strcspn(name, "/");
		if (n == 2 && !strncmp(name, "..", 2))
			return false;
		if (!name[n])
			return true;
	}
}

char *pfx_keep_name_of_target(const char *target, const char *id)
{
	size_t start = strlen(TARGET_START), len = strlen(target), tail = strlen(id) + 1;

	if (strncmp(target, TARGET_START, start) || len <= start + tail ||
	    target[len - tail] != '/' || strcmp(target + len - tail + 1, id) ||
	    !pfx_keep_can_name(target + start))
		return NULL;
	return pfx_strfmt("%s%.*s", target[start] == '[' ? "" : "/", (int)(len - start - tail),
			  target + start);
}
