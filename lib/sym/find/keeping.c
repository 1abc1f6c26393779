/* SPDX-License-Identifier: MIT */
/* From paths to builds in the cache and out of it. keep.c implements the cache's layout. */
#include "sym/find/keeping.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "sym/find/keep_debug.h"

/* As the process sees it. The descriptor stays open: its path is the result. */
static int find_inside(const struct pfx_keeping *keeping, const char *word, char **ret,
		       struct pfx_error *err)
{
	char root[64], shown[256];
	int fd;

	pfx_escape(shown, sizeof(shown), word);
	if (*word != '/')
		return pfx_error_set(err, EINVAL, "'%s' is not an absolute path", shown);
	snprintf(root, sizeof(root), "/proc/%llu/root", (unsigned long long)keeping->pid);
	fd = pfx_open_found(pfx_find_inside(root, word, 0));
	if (fd < 0)
		return pfx_error_sys(err, -fd, "cannot open '%s' of process %llu", shown,
				     (unsigned long long)keeping->pid);
	*ret = pfx_strfmt("/proc/self/fd/%d", fd);
	return 0;
}

/* The file of a word, and the name under which it is kept; the caller frees both. */
static int find_file(const struct pfx_keeping *keeping, const char *word, char **ret_path,
		     char **ret_name, struct pfx_error *err)
{
	char resolved[PATH_MAX], shown[256];

	if (keeping->pid) {
		*ret_name = pfx_strdup(word);
		return find_inside(keeping, word, ret_path, err);
	}
	if (!realpath(word, resolved))
		return pfx_error_sys(err, errno, "cannot open '%s'",
				     pfx_escape(shown, sizeof(shown), word));
	*ret_path = pfx_strdup(resolved);
	*ret_name = pfx_strdup(resolved);
	return 0;
}

static void report(const struct pfx_keeping *keeping, enum pfx_keep_step step,
		   const struct pfx_kept *build)
{
	keeping->on_step(keeping->context, step, build);
}

static int keep(const struct pfx_keeping *keeping, const struct pfx_kept *build, const char *path,
		const char *what, struct pfx_error *err)
{
	int rc = pfx_keep_file(keeping->dir, build->name, &build->id, path, what, err);

	if (rc > 0)
		report(keeping, PFX_KEEP_OTHER_BUILD, build);
	return rc < 0 ? rc : 0;
}

static int put_build(const struct pfx_keeping *keeping, const struct pfx_kept *build,
		     const char *path, bool update, struct pfx_error *err)
{
	char *there = pfx_keep_find(keeping->dir, &build->id, "elf");
	int rc = 0;

	if (there && update)
		rc = pfx_keep_remove(keeping->dir, build, err);
	free(there);
	if (!rc)
		rc = keep(keeping, build, path, "elf", err);
	if (rc)
		return rc;
	report(keeping, update ? PFX_KEEP_UPDATED : PFX_KEEP_ADDED, build);
	if (keeping->watch &&
	    pfx_keep_debug(keeping->dir, build->name, &build->id, path, keeping->watch) > 0)
		report(keeping, PFX_KEEP_DEBUG_FETCHED, build);
	return 0;
}

/* The build of a file, whose name the caller frees as *@ret_path, also after an error. */
static int find_build(const struct pfx_keeping *keeping, const char *word, struct pfx_kept *ret,
		      char **ret_path, struct pfx_error *err)
{
	int rc;

	*ret = (struct pfx_kept){0};
	*ret_path = NULL;
	rc = find_file(keeping, word, ret_path, &ret->name, err);
	return rc ? rc : pfx_build_id_of_file(*ret_path, &ret->id, err);
}

int pfx_keeping_add(const struct pfx_keeping *keeping, const char *path, bool update,
		    struct pfx_error *err)
{
	struct pfx_kept build;
	char *found;
	int rc = find_build(keeping, path, &build, &found, err);

	if (!rc)
		rc = put_build(keeping, &build, found, update, err);
	free(build.name);
	free(found);
	return rc;
}

int pfx_keeping_remove(const struct pfx_keeping *keeping, const char *path, struct pfx_error *err)
{
	struct pfx_kept build;
	char *found;
	int rc = find_build(keeping, path, &build, &found, err);

	if (!rc)
		rc = pfx_keep_remove(keeping->dir, &build, err);
	if (!rc)
		report(keeping, PFX_KEEP_REMOVED, &build);
	free(build.name);
	free(found);
	return rc;
}

/* All builds of @name, or all there are when it is NULL. */
static int purge_name(const struct pfx_keeping *keeping, const char *name, struct pfx_error *err)
{
	struct pfx_kept_list list;
	char shown[256];
	size_t i, nr = 0;
	int rc = pfx_keep_list(keeping->dir, &list, err);

	for (i = 0; i < list.builds.nr && !rc; i++) {
		if (name && strcmp(list.builds.at[i].name, name))
			continue;
		nr++;
		rc = pfx_keep_remove(keeping->dir, &list.builds.at[i], err);
		if (!rc)
			report(keeping, PFX_KEEP_REMOVED, &list.builds.at[i]);
	}
	if (!rc && name && !nr)
		rc = pfx_error_set(err, ENOENT, "'%s' is not in the build-id cache",
				   pfx_escape(shown, sizeof(shown), name));
	pfx_keep_list_free(&list);
	return rc;
}

int pfx_keeping_purge(const struct pfx_keeping *keeping, const char *path, struct pfx_error *err)
{
	char resolved[PATH_MAX];

	if (keeping->pid || !realpath(path, resolved))
		return purge_name(keeping, path, err);
	return purge_name(keeping, resolved, err);
}

int pfx_keeping_purge_all(const struct pfx_keeping *keeping, struct pfx_error *err)
{
	int rc = purge_name(keeping, NULL, err);

	return rc ? rc : pfx_keep_remove_kcore(keeping->dir, err);
}

static int put_code(const struct pfx_keeping *keeping, const struct pfx_kept *kernel,
		    pfx_copy_kernel_fn copy, struct pfx_error *err)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32] = "", *dir;
	int rc;

	if (localtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S00", &tm);
	rc = pfx_keep_kcore_dir(keeping->dir, &kernel->id, stamp, &dir, err);
	if (rc)
		return rc;
	rc = copy(NULL, dir, err);
	if (rc)
		pfx_keep_drop_dir(keeping->dir, dir);
	free(dir);
	return rc;
}

int pfx_keeping_add_kernel(const struct pfx_keeping *keeping, pfx_copy_kernel_fn copy,
			   struct pfx_error *err)
{
	struct pfx_kept kernel = {.name = (char *)PFX_KERNEL_NAME};
	int rc = pfx_build_id_of_kernel(&kernel.id);

	if (rc)
		return pfx_error_sys(err, -rc, "the running kernel does not tell its build id");
	if (copy)
		rc = put_code(keeping, &kernel, copy, err);
	if (!rc)
		rc = keep(keeping, &kernel, "/proc/kallsyms", "kallsyms", err);
	if (!rc)
		report(keeping, PFX_KEEP_ADDED, &kernel);
	return rc;
}
