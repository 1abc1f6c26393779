/* SPDX-License-Identifier: MIT */
/*
 * Adds files to the build-ID cache. A file gets its final name only when it is complete, so that
 * two recorders at once, or a killed one, leave no partial files. Names come from the kernel's maps
 * and may contain anything; names that lead out of the cache are refused.
 */
#include "sym/cache/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "sym/cache/keep_internal.h"
#include "sym/elf/buildid.h"

#define COPY_CHUNK (64u << 10)

/* Copies @size bytes from the current offsets; stops early when the source was truncated. */
static int copy_range(int from, int to, uint64_t size)
{
	char *chunk = pfx_malloc(COPY_CHUNK);
	ssize_t got;
	size_t want;
	int rc = 0;

	do {
		want = size < COPY_CHUNK ? (size_t)size : COPY_CHUNK;
		got = pfx_read_full(from, chunk, want);
		if (got < 0)
			rc = (int)got;
		else if (got > 0)
			rc = pfx_write_full(to, chunk, (size_t)got);
		size -= want;
	} while (size && got == (ssize_t)want && rc == 0);
	free(chunk);
	return rc;
}

/* Keeps holes sparse. Copies only the initial size of a file that grows. */
static int copy_data(int from, int to, uint64_t size)
{
	off_t at = 0, end;
	int rc = 0;

	while (rc == 0 && (uint64_t)at < size && (at = lseek(from, at, SEEK_DATA)) >= 0) {
		end = lseek(from, at, SEEK_HOLE);
		if (end < 0 || (uint64_t)end > size)
			end = (off_t)size;
		if (end <= at)
			break;
		if (lseek(from, at, SEEK_SET) < 0 || lseek(to, at, SEEK_SET) < 0)
			return -errno;
		rc = copy_range(from, to, (uint64_t)(end - at));
		at = end;
	}
	if (rc == 0 && ftruncate(to, (off_t)size) < 0)
		rc = -errno;
	return rc;
}

/* For files below /proc, which have st_size 0 and no holes. */
static int copy_bytes(int from, int to, uint64_t size)
{
	if (!size || (lseek(from, 0, SEEK_DATA) < 0 && errno != ENXIO))
		return copy_range(from, to, size ? size : UINT64_MAX);
	return copy_data(from, to, size);
}

/* The copy keeps the source's permissions. */
static int copy_file(const char *from, const char *to)
{
	struct stat st;
	int in = pfx_open_plain(from, 0, &st), out, rc;

	if (in < 0)
		return in;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (st.st_mode & 0755) | 0600);
	rc = out < 0 ? -errno : copy_bytes(in, out, (uint64_t)st.st_size);
	close(in);
	if (out >= 0)
		close(out);
	if (rc < 0 && out >= 0)
		unlink(to);
	return rc;
}

/* Files below /proc cannot be hard-linked, and a link may fail because of another file system or
 * owner. */
static int link_or_copy(const char *from, const char *to)
{
	return link(from, to) == 0 ? 0 : copy_file(from, to);
}

static int put_bytes(const char *to, const struct pfx_keep_bytes *bytes)
{
	mode_t mode = bytes->mode ? (bytes->mode & 0644) | 0600 : 0644;
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), rc;

	if (fd < 0)
		return -errno;
	rc = pfx_write_full(fd, bytes->data, bytes->size);
	close(fd);
	if (rc < 0)
		unlink(to);
	return rc;
}

/* The contents to store: a file, or bytes when @from is NULL. */
struct source {
	const char *from;
	const struct pfx_keep_bytes *bytes;
	const struct pfx_build_id *id;
	const char *what;
};

/* Checks the contents before the rename to the final name, when no one can change the copy. */
static int put_entry(const char *path, const struct source *source)
{
	char *part = pfx_strfmt("%s.%d", path, (int)getpid());
	int rc = pfx_keep_make_parents(path);

	unlink(part); /* left by a killed recorder with the same pid */
	if (rc == 0)
		rc = source->from ? link_or_copy(source->from, part)
				  : put_bytes(part, source->bytes);
	if (rc == 0 && !pfx_keep_is_right(part, source->id, source->what)) {
		rc = -EBADMSG;
		unlink(part);
	}
	if (rc == 0 && rename(part, path) < 0) {
		rc = -errno;
		unlink(part);
	}
	/* rename() does nothing when both names are hard links to the same file */
	if (rc == 0)
		unlink(part);
	free(part);
	return rc;
}

/* 1: a file of another build was replaced. */
static int put_where_needed(const char *path, const struct source *source)
{
	bool was_there = access(path, F_OK) == 0;
	int rc = was_there && pfx_keep_is_right(path, source->id, source->what);

	if (rc)
		return 0;
	rc = put_entry(path, source);
	return rc < 0 ? rc : was_there;
}

/* Creates or replaces a symbolic link atomically. */
static int put_link(const char *link, const char *name, const char *id)
{
	char *target = pfx_strfmt("../../%s/%s", name + (*name == '/'), id);
	char *part = pfx_strfmt("%s.%d", link, (int)getpid());
	int rc = pfx_keep_make_parents(link);

	unlink(part);
	if (rc == 0 && symlink(target, part) < 0)
		rc = -errno;
	if (rc == 0 && rename(part, link) < 0) {
		rc = -errno;
		unlink(part);
	}
	free(part);
	free(target);
	return rc;
}

/* Whether the index has a link for this build to a directory in the cache. */
static bool is_indexed(const char *link, const char *id)
{
	char target[PATH_MAX], *name;
	ssize_t n = readlink(link, target, sizeof(target) - 1);
	struct stat st;
	bool good;

	if (stat(link, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	if (n <= 0)
		return true; /* points to a directory */
	target[n] = '\0';
	name = pfx_keep_name_of_target(target, id);
	good = name != NULL;
	free(name);
	return good;
}

/* Creates DIR/.build-id/xx/yyyy -> ../../NAME/ID, which readers use to find the file at @path. If
 * the build is already indexed under another name, that link stays, and the file is also stored in
 * the directory it points to. */
static int put_index(const char *dir, const char *name, const char *path,
		     const struct source *source)
{
	const struct source kept = {.from = path, .id = source->id, .what = source->what};
	char text[2 * PFX_BUILD_ID_SIZE + 1], *link, *indexed;
	int rc;

	pfx_build_id_text(source->id, text);
	link = pfx_strfmt("%s/.build-id/%.2s/%s", dir, text, text + 2);
	indexed = pfx_strfmt("%s/%s", link, source->what);
	rc = is_indexed(link, text) ? put_where_needed(indexed, &kept) : put_link(link, name, text);
	free(indexed);
	free(link);
	return rc;
}

static int keep(const char *dir, const char *name, const struct source *source)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1];
	char *path;
	int replaced, rc;

	if (source->id->size < 2 || !pfx_keep_can_name(name))
		return -EINVAL;
	pfx_build_id_text(source->id, text);
	path = pfx_strfmt("%s/%s/%s/%s", dir, name + (*name == '/'), text, source->what);
	rc = replaced = put_where_needed(path, source);
	if (rc >= 0)
		rc = put_index(dir, name, path, source);
	free(path);
	return rc < 0 ? rc : replaced || rc;
}

static int explain(int rc, const char *dir, const char *name, struct pfx_error *err)
{
	char shown[256], shown_dir[256];

	if (rc >= 0)
		return rc;
	pfx_escape(shown, sizeof(shown), name);
	if (rc == -EBADMSG)
		return pfx_error_set(err, EBADMSG,
				     "'%s' is not kept: it is not the build that it is named as",
				     shown);
	return pfx_error_sys(err, -rc, "cannot keep a copy of '%s' in '%s'", shown,
			     pfx_escape(shown_dir, sizeof(shown_dir), dir));
}

int pfx_keep_file(const char *dir, const char *name, const struct pfx_build_id *id,
		  const char *from, const char *what, struct pfx_error *err)
{
	struct source source = {.from = from, .id = id, .what = what};

	return explain(keep(dir, name, &source), dir, name, err);
}

int pfx_keep_bytes(const char *dir, const char *name, const struct pfx_build_id *id,
		   const struct pfx_keep_bytes *bytes, struct pfx_error *err)
{
	struct source source = {.bytes = bytes, .id = id, .what = bytes->what};
	int rc = bytes->size > PFX_KEEP_BYTES_MAX ? -EFBIG : keep(dir, name, &source);

	return explain(rc, dir, name, err);
}
