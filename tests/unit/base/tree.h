/* SPDX-License-Identifier: MIT */
/*
 * A temporary directory with files of the test's making: a stand-in for /proc and /sys.
 *	struct tree t; tree_init(&t); tree_file(&t, "/proc/cpuinfo", "..."); ... tree_fini(&t);
 */
#ifndef PFX_TESTS_TREE_H
#define PFX_TESTS_TREE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char root[64];
};

static inline void tree_init(struct tree *t)
{
	snprintf(t->root, sizeof(t->root), "/tmp/pfx-test-XXXXXX");
	if (!mkdtemp(t->root))
		abort();
}

static inline const char *tree_path(const struct tree *t, char *out, size_t size, const char *path)
{
	char *slash;

	if ((size_t)snprintf(out, size, "%s%s", t->root, path) >= size)
		abort();
	for (slash = out + strlen(t->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(out, 0755);
		*slash = '/';
	}
	return out;
}

/* A file of @size bytes, with the directories above it. */
static inline void tree_bytes(const struct tree *t, const char *path, const void *data, size_t size)
{
	char full[512];
	FILE *f = fopen(tree_path(t, full, sizeof(full), path), "w");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

static inline void tree_file(const struct tree *t, const char *path, const char *text)
{
	tree_bytes(t, path, text, strlen(text));
}

static inline int tree_remove_one(const char *path, const struct stat *st, int kind,
				  struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline void tree_fini(struct tree *t)
{
	nftw(t->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
