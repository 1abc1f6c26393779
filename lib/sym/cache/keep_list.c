/* SPDX-License-Identifier: MIT */
/*
 * Lists and removes the contents of the build-ID cache. Its index are the links
 * DIR/.build-id/xx/yyyy -> ../../NAME/ID; other links are ignored, so that nothing outside the
 * cache is ever removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sym/cache/keep.h"
#include "sym/cache/keep_internal.h"
#include "sym/elf/buildid.h"

#define DEPTH_MAX  3 /* of nested directories to remove */
#define KCORE_NAME "[kernel.kcore]"

static void add_link(struct pfx_kept_list *list, int dir, const char *first, const char *rest)
{
	char target[PATH_MAX], *id = pfx_strfmt("%s%s", first, rest);
	struct pfx_kept build;
	ssize_t n = readlinkat(dir, rest, target, sizeof(target) - 1);

	if (n > 0 && pfx_build_id_parse(id, strlen(id), &build.id)) {
		target[n] = '\0';
		build.name = pfx_keep_name_of_target(target, id);
		if (build.name)
			pfx_vec_push(&list->builds, build);
	}
	free(id);
}

static void add_dir(struct pfx_kept_list *list, int top, const char *first)
{
	int fd = openat(top, first, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add_link(list, fd, first, entry->d_name);
	if (dir)
		closedir(dir);
}

static int compare(const void *a, const void *b)
{
	const struct pfx_kept *x = a, *y = b;
	int rc = memcmp(x->id.data, y->id.data, sizeof(x->id.data));

	return rc ? rc : strcmp(x->name, y->name);
}

int pfx_keep_list(const char *dir, struct pfx_kept_list *ret, struct pfx_error *err)
{
	char *path = pfx_strfmt("%s/.build-id", dir), shown[256];
	DIR *top = opendir(path);
	struct dirent *entry;
	int rc = 0;

	*ret = (struct pfx_kept_list){0};
	if (!top && errno != ENOENT)
		rc = pfx_error_sys(err, errno, "cannot read '%s'",
				   pfx_escape(shown, sizeof(shown), path));
	while (top && (entry = readdir(top)))
		if (strlen(entry->d_name) == 2 && entry->d_name[0] != '.')
			add_dir(ret, dirfd(top), entry->d_name);
	if (top)
		closedir(top);
	if (ret->builds.nr)
		qsort(ret->builds.at, ret->builds.nr, sizeof(*ret->builds.at), compare);
	free(path);
	return rc;
}

void pfx_keep_list_free(struct pfx_kept_list *list)
{
	size_t i;

	for (i = 0; i < list->builds.nr; i++)
		free(list->builds.at[i].name);
	pfx_vec_free(&list->builds);
}

char *pfx_keep_find(const char *dir, const struct pfx_build_id *id, const char *what)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1], *path;

	if (id->size < 2)
		return NULL;
	pfx_build_id_text(id, text);
	path = pfx_strfmt("%s/.build-id/%.2s/%s/%s", dir, text, text + 2, what);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

bool pfx_keep_has(const char *dir, const struct pfx_build_id *id)
{
	bool found = false;
	size_t i;
	char *path;

	for (i = 0; pfx_keep_parts[i] && !found; i++) {
		path = pfx_keep_find(dir, id, pfx_keep_parts[i]);
		found = path != NULL;
		free(path);
	}
	return found;
}

/* --- removing --- */

/* Removes a directory and its contents without following links. */
static int remove_tree(int at, const char *name, int depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (!rc && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(fd, entry->d_name, 0) < 0)
			rc = depth < DEPTH_MAX ? remove_tree(fd, entry->d_name, depth + 1) : -errno;
	}
	closedir(dir);
	if (!rc && unlinkat(at, name, AT_REMOVEDIR) < 0)
		rc = -errno;
	return rc;
}

/* Removes empty parent directories of @path, up to but not including @dir. */
static void remove_empty(char *path, size_t dir_len)
{
	char *slash = strrchr(path, '/');

	while (slash && slash > path + dir_len) {
		*slash = '\0';
		if (rmdir(path) < 0)
			return;
		slash = strrchr(path, '/');
	}
}

int pfx_keep_remove(const char *dir, const struct pfx_kept *build, struct pfx_error *err)
{
	const char *name = build->name + (*build->name == '/');
	char text[2 * PFX_BUILD_ID_SIZE + 1], shown[256];
	char *link, *path;
	int rc;

	if (build->id.size < 2 || !*name || !pfx_keep_can_name(name))
		return pfx_error_set(err, EINVAL, "'%s' cannot be in the build-id cache",
				     pfx_escape(shown, sizeof(shown), build->name));
	pfx_build_id_text(&build->id, text);
	link = pfx_strfmt("%s/.build-id/%.2s/%s", dir, text, text + 2);
	path = pfx_strfmt("%s/%s/%s", dir, name, text);
	rc = remove_tree(AT_FDCWD, path, 0);
	if (!rc || rc == -ENOENT)
		rc = unlink(link) < 0 ? -errno : 0;
	remove_empty(path, strlen(dir));
	remove_empty(link, strlen(dir));
	free(link);
	free(path);
	if (rc)
		return pfx_error_sys(err, -rc, "cannot remove '%s' from the build-id cache",
				     pfx_escape(shown, sizeof(shown), build->name));
	return 0;
}

/* --- copies of kernel code: DIR/[kernel.kcore]/ID/STAMP --- */

int pfx_keep_kcore_dir(const char *dir, const struct pfx_build_id *id, const char *stamp,
		       char **ret, struct pfx_error *err)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1], shown[256];
	char *path;
	int rc;

	pfx_build_id_text(id, text);
	path = pfx_strfmt("%s/" KCORE_NAME "/%s/%s", dir, text, stamp);
	rc = pfx_keep_make_parents(path);
	if (!rc) {
		*ret = path;
		return 0;
	}
	pfx_error_sys(err, -rc, "cannot make '%s'", pfx_escape(shown, sizeof(shown), path));
	free(path);
	return rc;
}

void pfx_keep_drop_dir(const char *dir, const char *path)
{
	char *copy = pfx_strdup(path);

	rmdir(path);
	remove_empty(copy, strlen(dir));
	free(copy);
}

int pfx_keep_remove_kcore(const char *dir, struct pfx_error *err)
{
	char *path = pfx_strfmt("%s/" KCORE_NAME, dir), shown[256];
	int rc = remove_tree(AT_FDCWD, path, 0);

	if (rc && rc != -ENOENT)
		pfx_error_sys(err, -rc, "cannot remove '%s'",
			      pfx_escape(shown, sizeof(shown), path));
	free(path);
	return rc == -ENOENT ? 0 : rc;
}
