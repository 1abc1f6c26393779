/* SPDX-License-Identifier: MIT */
/*
 * Filling the build-id cache. Files appear under their final name only when they are complete, so
 * that two recorders, or one that was killed, leave nothing half-written behind. Names come from
 * the kernel's maps: they may contain anything; what leads out of the cache is refused.
 */
#include "sym/keep.h"

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
#include "sym/keep_internal.h"

#define COPY_CHUNK (64u << 10)

bool pfx_keep_dir(const char *dir, char **ret)
{
	const char *home = getenv("HOME");

	if (dir && (!*dir || strcmp(dir, "/dev/null") == 0))
		return false;
	if (!dir && (!home || !*home))
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

static int copy_bytes(int from, int to)
{
	char *chunk = pfx_malloc(COPY_CHUNK);
	ssize_t got;
	int rc = 0;

	do {
		got = pfx_read_full(from, chunk, COPY_CHUNK);
		if (got < 0)
			rc = (int)got;
		else if (got > 0)
			rc = pfx_write_full(to, chunk, (size_t)got);
	} while (got == (ssize_t)COPY_CHUNK && rc == 0);
	free(chunk);
	return rc;
}

/* Who may not read the one may not read the other. */
static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out, rc;
	struct stat st;

	if (in < 0)
		return -errno;
	if (fstat(in, &st) < 0)
		st.st_mode = 0;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (st.st_mode & 0755) | 0600);
	rc = out < 0 ? -errno : copy_bytes(in, out);
	close(in);
	if (out >= 0)
		close(out);
	if (rc < 0 && out >= 0)
		unlink(to);
	return rc;
}

/* Files below /proc cannot be linked, and other file systems and owners may forbid it. */
static int link_or_copy(const char *from, const char *to)
{
	return link(from, to) == 0 ? 0 : copy_file(from, to);
}

static int put_bytes(const char *to, const void *data, size_t size)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), rc;

	if (fd < 0)
		return -errno;
	rc = pfx_write_full(fd, data, size);
	close(fd);
	if (rc < 0)
		unlink(to);
	return rc;
}

/* DIR/.build-id/xx/yyyy -> ../../NAME/ID */
static int put_link(const char *dir, const char *name, const char *id)
{
	char *link = pfx_strfmt("%s/.build-id/%.2s/%s", dir, id, id + 2);
	char *target = pfx_strfmt("../../%s/%s", name + (*name == '/'), id);
	int rc = pfx_keep_make_parents(link);

	if (rc == 0 && symlink(target, link) < 0 && errno != EEXIST)
		rc = -errno;
	free(link);
	free(target);
	return rc;
}

/* What is to be kept: a file, or bytes when @from is NULL. */
struct source {
	const char *from;
	const void *data;
	size_t size;
};

static int put_entry(const char *path, const struct source *source)
{
	char *part = pfx_strfmt("%s.%d", path, (int)getpid());
	int rc = pfx_keep_make_parents(path);

	if (rc == 0)
		rc = source->from ? link_or_copy(source->from, part)
				  : put_bytes(part, source->data, source->size);
	if (rc == 0 && rename(part, path) < 0) {
		rc = -errno;
		unlink(part);
	}
	/* Renaming one hard link onto another of the same file leaves both. */
	if (rc == 0)
		unlink(part);
	free(part);
	return rc;
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

static int keep(const char *dir, const char *name, const struct pfx_build_id *id,
		const struct source *source, const char *what)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1];
	char *path;
	int rc = 0;

	if (id->size < 2 || !pfx_keep_can_name(name))
		return -EINVAL;
	pfx_build_id_text(id, text);
	path = pfx_strfmt("%s/%s/%s/%s", dir, name + (*name == '/'), text, what);
	if (access(path, F_OK) < 0)
		rc = put_entry(path, source);
	if (rc == 0)
		rc = put_link(dir, name, text);
	free(path);
	return rc;
}

static int explain(int rc, const char *dir, const char *name, struct pfx_error *err)
{
	char shown[256], shown_dir[256];

	if (rc == 0)
		return 0;
	return pfx_error_sys(err, -rc, "cannot keep a copy of '%s' in '%s'",
			     pfx_escape(shown, sizeof(shown), name),
			     pfx_escape(shown_dir, sizeof(shown_dir), dir));
}

int pfx_keep_file(const char *dir, const char *name, const struct pfx_build_id *id,
		  const char *from, const char *what, struct pfx_error *err)
{
	struct source source = {.from = from};

	return explain(keep(dir, name, id, &source, what), dir, name, err);
}

int pfx_keep_bytes(const char *dir, const char *name, const struct pfx_build_id *id,
		   const struct pfx_keep_bytes *bytes, struct pfx_error *err)
{
	struct source source = {.data = bytes->data, .size = bytes->size};

	return explain(keep(dir, name, id, &source, bytes->what), dir, name, err);
}
