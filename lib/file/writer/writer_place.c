/* SPDX-License-Identifier: MIT */
/*
 * The path of an output, and whether the file still exists. Links are followed here step by step,
 * so that in a directory that others may write to, links, files or named pipes of other users are
 * refused; the object that was checked is the one that is opened. A link in /proc is an inherited
 * descriptor (/dev/stdout): it is opened directly.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "base/words.h"
#include "writer_internal.h"

#define LINKS_MAX    40 /* the kernel's limit */
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

static char *dir_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? pfx_strndup(path, (size_t)(slash - path) + 1) : pfx_strdup(".");
}

/* Owned by the user, by root, or under sudo by the user who called it. */
static bool is_trusted(uid_t uid)
{
	const char *word = geteuid() ? NULL : pfx_environment("SUDO_UID");
	uint64_t asked;

	return !uid || uid == geteuid() || (word && pfx_parse_u64(word, &asked) && uid == asked);
}

/* Whether another user may have planted it. A file of another user in a directory of its owner is
 * harmless: it is only renamed. */
static bool is_planted(const char *dir, const struct stat *entry)
{
	bool moved = S_ISREG(entry->st_mode) || S_ISDIR(entry->st_mode);
	struct stat st;

	if (is_trusted(entry->st_uid) || stat(dir, &st) < 0)
		return false;
	return (st.st_mode & OTHERS_WRITE) || (!moved && !is_trusted(st.st_uid));
}

static const char *kind_of(mode_t mode)
{
	if (S_ISLNK(mode))
		return "a link";
	if (S_ISFIFO(mode))
		return "a named pipe";
	return S_ISDIR(mode) ? "a directory" : "a file";
}

static int refuse(const char *path, const struct stat *entry, struct pfx_error *err)
{
	char name[256];

	pfx_error_set(err, EACCES, "'%s' is %s of another user (%u), where others may write",
		      pfx_escape(name, sizeof(name), path), kind_of(entry->st_mode),
		      (unsigned)entry->st_uid);
	pfx_error_hint(err, "remove it, or write to a directory of your own");
	return -EACCES;
}

static bool is_of_proc(const char *dir)
{
	struct statfs fs;

	return statfs(dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Take one step: true if @place->path was a link and was replaced by its target. */
static bool follow(struct pfx_writer_place *place, const char *dir)
{
	char target[PATH_MAX];
	ssize_t len = readlink(place->path, target, sizeof(target) - 1);
	char *next;

	if (len <= 0)
		return false;
	target[len] = '\0';
	next = target[0] == '/' || !strchr(place->path, '/') ? pfx_strdup(target)
							     : pfx_strfmt("%s%s", dir, target);
	free(place->path);
	place->path = next;
	return true;
}

static int look(struct pfx_writer_place *place, bool *ret_again, struct pfx_error *err)
{
	char *dir = dir_of(place->path);
	int rc = 0;

	*ret_again = false;
	place->exists = lstat(place->path, &place->st) == 0;
	if (place->exists && is_planted(dir, &place->st))
		rc = refuse(place->path, &place->st, err);
	else if (place->exists && S_ISLNK(place->st.st_mode) && is_of_proc(dir))
		place->is_given = stat(place->path, &place->st) == 0;
	else if (place->exists && S_ISLNK(place->st.st_mode))
		*ret_again = follow(place, dir);
	free(dir);
	return rc;
}

int pfx_place_find(struct pfx_writer_place *place, const char *path, struct pfx_error *err)
{
	char name[256];
	bool again = true;
	int rc = 0, i;

	*place = (struct pfx_writer_place){.path = pfx_strdup(path)};
	for (i = 0; i < LINKS_MAX && again && rc >= 0; i++)
		rc = look(place, &again, err);
	if (rc >= 0 && again)
		rc = pfx_error_sys(err, ELOOP, "cannot write '%s'",
				   pfx_escape(name, sizeof(name), path));
	if (rc < 0)
		pfx_place_fini(place);
	return rc;
}

void pfx_place_fini(struct pfx_writer_place *place)
{
	free(place->path);
	place->path = NULL;
}

int pfx_writer_follow(const char *path, char **ret, struct pfx_error *err)
{
	struct pfx_writer_place place;
	int rc = pfx_place_find(&place, path, err);

	*ret = rc < 0 ? NULL : place.path;
	return rc;
}

/* Open a stream. A named pipe is opened write-only, since otherwise a missing reader would go
 * unnoticed; and non-blocking, since the caller waits. */
static int open_stream(const struct pfx_writer_place *place)
{
	int follow = place->is_given ? 0 : O_NOFOLLOW;
	int wait = S_ISFIFO(place->st.st_mode) ? O_NONBLOCK : 0;
	int fd = open(place->path, O_WRONLY | O_NOCTTY | O_CLOEXEC | follow | wait);

	if (fd < 0)
		return wait && errno == ENXIO ? -EAGAIN : -errno;
	if (wait)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int open_plain(const struct pfx_writer_place *place)
{
	const int how = O_RDWR | O_CLOEXEC;
	int fd;

	if (place->is_given)
		fd = open(place->path, how | O_TRUNC);
	else if (place->exists && is_trusted(place->st.st_uid))
		fd = open(place->path, how | O_NOFOLLOW);
	else if (place->exists && unlink(place->path) < 0)
		return -errno;
	else
		fd = open(place->path, how | O_CREAT | O_EXCL, 0600);
	return fd < 0 ? -errno : fd;
}

/* Returns @fd if it is the object that was checked, not a replacement. */
static int check_same(const struct pfx_writer_place *place, int fd)
{
	struct stat st;

	if (fd < 0 ||
	    (fstat(fd, &st) == 0 && st.st_dev == place->st.st_dev && st.st_ino == place->st.st_ino))
		return fd;
	close(fd);
	return -EAGAIN;
}

int pfx_place_open(const struct pfx_writer_place *place)
{
	bool is_plain = !place->exists || S_ISREG(place->st.st_mode);
	int fd = is_plain ? open_plain(place) : open_stream(place);

	if (place->exists && (!is_plain || is_trusted(place->st.st_uid)))
		fd = check_same(place, fd);
	return fd;
}

/* --- outputs that are not recordings --- */

/* Truncated only after the check that it is the same file. */
static int open_file(const struct pfx_writer_place *place, enum pfx_output_how how)
{
	int more = how == PFX_OUTPUT_APPEND || place->is_given ? O_APPEND : 0, fd;

	if (!place->exists) {
		fd = open(place->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | more, 0666);
		return fd >= 0 ? fd : errno == EEXIST ? -EAGAIN : -errno;
	}
	if (how == PFX_OUTPUT_NEW && !place->is_given)
		return -EEXIST;
	if (!place->is_given)
		more |= O_NOFOLLOW;
	fd = open(place->path, O_WRONLY | O_CLOEXEC | more);
	fd = check_same(place, fd < 0 ? -errno : fd);
	if (fd >= 0 && !(more & O_APPEND) && ftruncate(fd, 0) < 0) {
		close(fd);
		return -errno;
	}
	return fd;
}

int pfx_output_file_open(const char *path, enum pfx_output_how how, struct pfx_error *err)
{
	bool is_plain;
	char shown[256];
	struct pfx_writer_place place;
	int rc = pfx_place_find(&place, path, err);

	if (rc < 0)
		return rc;
	is_plain = !place.exists || S_ISREG(place.st.st_mode);
	rc = is_plain ? open_file(&place, how) : check_same(&place, open_stream(&place));
	pfx_place_fini(&place);
	if (rc < 0 && rc != -EAGAIN)
		pfx_error_sys(err, -rc, "cannot write '%s'",
			      pfx_escape(shown, sizeof(shown), path));
	return rc;
}

/* --- while writing --- */

static int gone(struct pfx_error *err, const char *path, const char *what)
{
	char name[256];

	return pfx_error_set(err, ESTALE, "'%s' was %s while it was written",
			     pfx_escape(name, sizeof(name), path), what);
}

/* The kernel's path of an open file; false if it has none. */
static bool name_of_fd(int fd, char *out, size_t size)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, out, size - 1);
	out[len > 0 ? len : 0] = '\0';
	return len > 0;
}

/* Inode numbers are not unique on all file systems (network, FUSE): the names decide. */
static bool has_name(int fd, const char *path, const struct stat *st, char *now, size_t size)
{
	struct stat other;
	char *real;
	bool same;

	if (stat(path, &other) == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino)
		return true;
	real = realpath(path, NULL);
	same = name_of_fd(fd, now, size) && real && strcmp(real, now) == 0;
	free(real);
	return same;
}

int pfx_output_check_size(int fd, const char *path, uint64_t size, struct pfx_error *err)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size < size) {
		gone(err, path, "truncated");
		pfx_error_hint(err, "what was recorded is incomplete");
		return -ESTALE;
	}
	return 0;
}

int pfx_output_check_name(int fd, const char *path, struct pfx_error *err)
{
	char now[PATH_MAX] = "", shown[PATH_MAX];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return 0;
	if (!st.st_nlink) {
		gone(err, path, "removed");
		pfx_error_hint(err, "nothing is left of the recording");
		return -ESTALE;
	}
	if (has_name(fd, path, &st, now, sizeof(now)))
		return 0;
	gone(err, path, "renamed");
	pfx_error_hint(err, "the recording is '%s' now", pfx_escape(shown, 400, now));
	return -ESTALE;
}
