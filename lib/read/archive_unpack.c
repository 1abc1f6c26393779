/* SPDX-License-Identifier: MIT */
/*
 * Unpacks untrusted archives into a build-ID cache. The names in an archive identify a build and
 * the kind of file, but are not used as paths; the cache's links are created here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "file/pack/tar.h"
#include "read/archive.h"
#include "sym/cache/keep.h"

#define INDEX ".build-id"

struct unpacking {
	struct pfx_tar_reader *tar;
	const char *dir, *recording;
	char *sources; /* directory for them; NULL: none is unpacked */
	struct pfx_archive_counts *counts;
};

/* The parsed name of an entry. */
struct meaning {
	char *name; /* of the binary */
	struct pfx_build_id id;
	const char *what; /* name of the file in the cache ("elf", "debug", ...) */
};

/* Whether all components between slashes are non-empty and not "..". */
static bool is_plain_path(const char *path)
{
	size_t n;

	for (;; path += n + 1) {
		n = strcspn(path, "/");
		if (!n || (n == 1 && path[0] == '.') || (n == 2 && !strncmp(path, "..", 2)))
			return false;
		if (!path[n])
			return true;
	}
}

/* Parses "usr/bin/x/0123/elf". When true, the caller frees the name. */
static bool understand(const char *path, struct meaning *ret)
{
	const char *part, *id;

	if (!is_plain_path(path) || !strncmp(path, INDEX, strlen(INDEX)))
		return false;
	part = strrchr(path, '/');
	if (!part || !pfx_keep_is_part(part + 1))
		return false;
	ret->what = part + 1;
	for (id = part; id > path && id[-1] != '/'; id--)
		;
	if (id <= path + 1 || !pfx_build_id_parse(id, (size_t)(part - id), &ret->id))
		return false;
	ret->name = pfx_strfmt("%s%.*s", *path == '[' ? "" : "/", (int)(id - path - 1), path);
	return true;
}

static int write_entry(struct unpacking *u, const char *to, struct pfx_error *err)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), rc;
	char shown[256];

	if (fd < 0)
		return pfx_error_sys(err, errno, "cannot make '%s'",
				     pfx_escape(shown, sizeof(shown), to));
	rc = pfx_tar_copy(u->tar, fd, err);
	close(fd);
	if (rc)
		unlink(to);
	return rc;
}

static void note_first(char first[256], uint64_t *nr, const struct meaning *meaning)
{
	if (!(*nr)++)
		pfx_escape(first, 256, meaning->name);
}

/* Stores a file in the cache. A file that is not the build in its name is skipped, and reading
 * continues. */
static int take_binary(struct unpacking *u, const struct meaning *meaning, struct pfx_error *err)
{
	char *part = pfx_strfmt("%s/unpack-%d", u->dir, (int)getpid());
	int rc = write_entry(u, part, err);

	if (!rc) {
		rc = pfx_keep_file(u->dir, meaning->name, &meaning->id, part, meaning->what, err);
		unlink(part);
		if (rc == -EBADMSG)
			note_first(u->counts->wrong, &u->counts->nr_wrong, meaning);
		else if (rc > 0)
			note_first(u->counts->replaced, &u->counts->nr_replaced, meaning);
		u->counts->nr_files += rc >= 0;
		rc = rc == -EBADMSG || rc > 0 ? 0 : rc;
	}
	free(part);
	return rc;
}

/* Creates the directories of a directory recording, below its root. */
static int make_dirs(char *path, size_t from)
{
	char *slash;

	for (slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/* An existing directory could have links to other places, and is not meant for files that an
 * archive chooses. */
static int make_new_dir(const char *path, struct pfx_error *err)
{
	char shown[256];
	int rc;

	if (!mkdir(path, 0700))
		return 0;
	rc = pfx_error_sys(err, errno, "cannot make '%s'", pfx_escape(shown, sizeof(shown), path));
	if (rc == -EEXIST)
		pfx_error_hint(err, "-o names another place for the recording");
	return rc;
}

static int take_recording(struct unpacking *u, const char *rest, struct pfx_error *err)
{
	char *to, shown[256];
	int rc = *rest && !u->counts->has_recording ? make_new_dir(u->recording, err) : 0;

	if (rc)
		return rc;
	to = pfx_strfmt("%s%s", u->recording, rest);
	rc = *rest ? make_dirs(to, strlen(u->recording) + 1) : 0;
	if (rc)
		pfx_error_sys(err, -rc, "cannot make '%s'", pfx_escape(shown, sizeof(shown), to));
	else
		rc = write_entry(u, to, err);
	if (rc == -EEXIST)
		pfx_error_hint(err, "-o names another place for the recording");
	free(to);
	u->counts->has_recording |= !rc;
	return rc;
}

/* @rest begins with a slash. Skips files over the limits, and those whose names exclude each other
 * or do not suit the file system. */
static int take_source(struct unpacking *u, const struct pfx_tar_entry *entry, const char *rest,
		       struct pfx_error *err)
{
	struct pfx_archive_counts *counts = u->counts;
	char *to;
	int rc;

	if (counts->nr_sources == PFX_ARCHIVE_NR_SOURCES_MAX ||
	    entry->size > PFX_ARCHIVE_SOURCE_SIZE_MAX ||
	    entry->size > PFX_ARCHIVE_SOURCES_SIZE_MAX - counts->sources_size) {
		counts->nr_skipped++;
		return 0;
	}
	rc = counts->nr_sources ? 0 : make_new_dir(u->sources, err);
	if (rc)
		return rc;
	counts->nr_sources++;
	counts->sources_size += entry->size;
	to = pfx_strfmt("%s%s", u->sources, rest);
	rc = make_dirs(to, strlen(u->sources) + 1);
	if (!rc)
		rc = write_entry(u, to, err);
	free(to);
	if (rc != -EEXIST && rc != -ENOTDIR && rc != -EISDIR && rc != -ENAMETOOLONG)
		return rc;
	counts->nr_skipped++;
	return 0;
}

/* What follows @root in the name of an entry: "", "/..." or NULL if it is not in @root. */
static const char *below(const char *name, const char *root)
{
	size_t len = strlen(root);
	bool is_in = !strncmp(name, root, len) && (!name[len] || name[len] == '/');

	return is_in && is_plain_path(name) ? name + len : NULL;
}

static int take_entry(struct unpacking *u, const struct pfx_tar_entry *entry, struct pfx_error *err)
{
	const char *name = entry->name, *rest;
	struct meaning meaning;
	int rc;

	if (!entry->is_file)
		return 0;
	while (!strncmp(name, "./", 2))
		name += 2;
	rest = below(name, PFX_ARCHIVE_RECORDING);
	if (rest)
		return u->recording ? take_recording(u, rest, err) : 0;
	rest = below(name, PFX_ARCHIVE_SOURCES);
	if (rest && *rest)
		return u->sources ? take_source(u, entry, rest, err) : 0;
	if (!understand(name, &meaning)) {
		u->counts->nr_skipped++;
		return 0;
	}
	rc = take_binary(u, &meaning, err);
	free(meaning.name);
	return rc;
}

int pfx_archive_unpack(const char *path, const char *dir, const char *recording,
		       struct pfx_archive_counts *ret, struct pfx_error *err)
{
	struct unpacking u = {.dir = dir, .recording = recording, .counts = ret};
	struct pfx_tar_entry entry;
	char shown[256];
	int rc;

	*ret = (struct pfx_archive_counts){0};
	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		return pfx_error_sys(err, errno, "cannot make '%s'",
				     pfx_escape(shown, sizeof(shown), dir));
	rc = pfx_tar_open(&u.tar, path, err);
	if (rc)
		return rc;
	u.sources = recording ? pfx_archive_sources_of(recording) : NULL;
	while ((rc = pfx_tar_next(u.tar, &entry, err)) > 0) {
		rc = take_entry(&u, &entry, err);
		if (rc)
			break;
	}
	pfx_tar_reader_free(u.tar);
	free(u.sources);
	return rc;
}
