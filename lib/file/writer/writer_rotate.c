/* SPDX-License-Identifier: MIT */
/*
 * Renames the earlier recording to PATH.old. A directory is renamed, and an existing PATH.old
 * directory is removed, only if it contains nothing but the files of a recording.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "writer_internal.h"

bool pfx_writer_names(const char *name, bool inside_kcore)
{
	if (inside_kcore)
		return !strcmp(name, "kcore") || !strcmp(name, "kallsyms") ||
		       !strcmp(name, "modules");
	return !strcmp(name, "data") || !strncmp(name, "data.", 5) ||
	       !strncmp(name, "kcore_dir", 9);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

static int remove_dir(const char *path, bool inside_kcore);

static int remove_entry(const char *dir, const char *name, bool inside_kcore)
{
	char *path = pfx_strfmt("%s/%s", dir, name);
	int rc;

	if (!pfx_writer_names(name, inside_kcore))
		rc = -ENOTEMPTY;
	else if (is_directory(path))
		rc = inside_kcore ? -ENOTEMPTY : remove_dir(path, true);
	else
		rc = unlink(path) < 0 ? -errno : 0;
	free(path);
	return rc;
}

static int remove_dir(const char *path, bool inside_kcore)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int rc = 0;

	if (!dir)
		return -errno;
	while (!rc && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			rc = remove_entry(path, entry->d_name, inside_kcore);
	closedir(dir);
	if (!rc && rmdir(path) < 0)
		rc = -errno;
	return rc;
}

/* Directories with other files are not removed. */
static bool holds_only_ours(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool ours = dir;

	while (ours && (entry = readdir(dir)))
		ours = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		       pfx_writer_names(entry->d_name, false);
	if (dir)
		closedir(dir);
	return ours;
}

static int make_way(const char *path, const char *old, struct pfx_error *err)
{
	char name[256];
	int rc = 0;

	/* A file cannot be replaced by a directory. */
	if (!is_directory(old) && is_directory(path))
		unlink(old);
	if (!is_directory(old))
		return 0;
	if (holds_only_ours(old))
		rc = remove_dir(old, false);
	else
		rc = -ENOTEMPTY;
	if (!rc)
		return 0;
	pfx_error_sys(err, -rc, "cannot remove the earlier recording '%s'",
		      pfx_escape(name, sizeof(name), old));
	pfx_error_hint(err, "move it away, or name another file with -o FILE");
	return rc;
}

/* "-o /home" must not rename the home directories. */
static int refuse_foreign(const char *path, struct pfx_error *err)
{
	char name[256];

	pfx_error_set(err, EISDIR, "'%s' is a directory, and not one of a recording",
		      pfx_escape(name, sizeof(name), path));
	pfx_error_hint(err, "name a file with -o FILE");
	return -EISDIR;
}

int pfx_writer_rotate(const char *path, struct pfx_error *err)
{
	char *old, name[256];
	struct stat st;
	int rc;

	if (stat(path, &st) < 0 || !st.st_size || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return 0;
	if (S_ISDIR(st.st_mode) && !holds_only_ours(path))
		return refuse_foreign(path, err);
	old = pfx_strfmt("%s.old", path);
	rc = make_way(path, old, err);
	if (!rc && rename(path, old) < 0) {
		rc = -errno;
		pfx_error_sys(err, -rc, "cannot keep the earlier recording as '%s'",
			      pfx_escape(name, sizeof(name), old));
	}
	free(old);
	return rc ? rc : 1;
}

void pfx_writer_remove_dir(const char *path)
{
	if (holds_only_ours(path))
		remove_dir(path, false);
}

int pfx_writer_remove(const char *path)
{
	if (!is_directory(path))
		return unlink(path) < 0 ? -errno : 0;
	return holds_only_ours(path) ? remove_dir(path, false) : -ENOTEMPTY;
}

void pfx_writer_unrotate(const char *path)
{
	char *old = pfx_strfmt("%s.old", path);

	if (rename(old, path) < 0)
		unlink(path);
	free(old);
}
