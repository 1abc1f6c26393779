/* SPDX-License-Identifier: MIT */
/*
 * Unpacking archives that may come from strangers: into the build-id cache for good, or into a
 * directory of our own for one run. The names in an archive say which build of what a file is,
 * never where it is written; the links of the cache are made anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/archive.h"
#include "cmd/commands.h"
#include "file/tar.h"
#include "sym/keep.h"

#define INDEX     ".build-id"
#define OPEN_DIRS 8 /* descriptors while a directory is removed */

struct unpacking {
	struct pfx_tar_reader *tar;
	const char *dir, *recording;
	struct pfx_archive_counts *counts;
};

/* What the name of an entry means. */
struct meaning {
	char *name; /* of the binary */
	struct pfx_build_id id;
	const char *what; /* what the file of a build is called in the cache */
};

/* Plain words between the slashes: no "..", none empty. */
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

/* "usr/bin/x/0123/elf"; the name is for the caller to free when it is true. */
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

static int take_binary(struct unpacking *u, const struct meaning *meaning, struct pfx_error *err)
{
	char *part = pfx_strfmt("%s/unpack-%d", u->dir, (int)getpid());
	int rc = write_entry(u, part, err);

	if (!rc) {
		rc = pfx_keep_file(u->dir, meaning->name, &meaning->id, part, meaning->what, err);
		unlink(part);
	}
	free(part);
	u->counts->nr_files += !rc;
	return rc;
}

/* The directories of a recording that is one, below where it goes. */
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

static int take_recording(struct unpacking *u, const char *below, struct pfx_error *err)
{
	char *to = pfx_strfmt("%s%s", u->recording, below), shown[256];
	int rc = *below ? make_dirs(to, strlen(u->recording)) : 0;

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

static int take_entry(struct unpacking *u, const struct pfx_tar_entry *entry, struct pfx_error *err)
{
	size_t len = strlen(PFX_ARCHIVE_RECORDING);
	const char *name = entry->name;
	struct meaning meaning;
	int rc;

	if (!entry->is_file)
		return 0;
	while (!strncmp(name, "./", 2))
		name += 2;
	if (!strncmp(name, PFX_ARCHIVE_RECORDING, len) && (!name[len] || name[len] == '/') &&
	    is_plain_path(name))
		return u->recording ? take_recording(u, name + len, err) : 0;
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
	while ((rc = pfx_tar_next(u.tar, &entry, err)) > 0) {
		rc = take_entry(&u, &entry, err);
		if (rc)
			break;
	}
	pfx_tar_reader_free(u.tar);
	return rc;
}

/* --- for one run --- */

static char used_dir[256]; /* empty: none */
static pid_t owner;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	remove(path);
	return 0;
}

static void remove_used(void)
{
	if (*used_dir && getpid() == owner)
		nftw(used_dir, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
}

/* A child that waits for our end, which closes the pipe, and removes what we cannot remove then. */
static void wait_for_end(int fd)
{
	int null = open("/dev/null", O_RDWR);
	char byte;
	ssize_t n;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	owner = getpid();
	remove_used();
	_exit(0);
}

static int clean_up_at_end(struct pfx_error *err)
{
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return pfx_error_sys(err, errno, "cannot make a pipe");
	child = fork();
	if (!child) {
		close(fds[1]);
		wait_for_end(fds[0]);
	}
	close(fds[0]);
	if (child < 0)
		return pfx_error_sys(err, errno, "cannot start a process");
	owner = getpid();
	atexit(remove_used);
	return 0;
}

/* Where the unpacked archive lies; both strings live as long as the program. */
static char cache_dir[sizeof(used_dir) + 32], recording[sizeof(used_dir) + 32];

static int begin_use(struct pfx_error *err)
{
	const char *tmp = getenv("TMPDIR");

	tmp = tmp && *tmp && strlen(tmp) < sizeof(used_dir) - 32 ? tmp : "/tmp";
	snprintf(used_dir, sizeof(used_dir), "%s/pfx-archive-XXXXXX", tmp);
	if (!mkdtemp(used_dir)) {
		*used_dir = '\0';
		return pfx_error_sys(err, errno, "cannot make a directory in '%s'", tmp);
	}
	snprintf(cache_dir, sizeof(cache_dir), "%s/cache", used_dir);
	snprintf(recording, sizeof(recording), "%s/" PFX_ARCHIVE_RECORDING, used_dir);
	return clean_up_at_end(err);
}

int pfx_archive_use(const char *path, const char **ret, struct pfx_error *err)
{
	struct pfx_archive_counts counts;
	char shown[256];
	int rc = *used_dir ? pfx_error_set(err, EINVAL, "one archive at a time can be read")
			   : begin_use(err);

	if (!rc)
		rc = pfx_archive_unpack(path, cache_dir, recording, &counts, err);
	if (rc)
		return rc;
	pfx_globals.buildid_dir = cache_dir;
	*ret = recording;
	if (counts.has_recording)
		return 0;
	pfx_error_set(err, ENODATA, "there is no recording in '%s'",
		      pfx_escape(shown, sizeof(shown), path));
	pfx_error_hint(err, "unpack it with 'pfx archive --unpack' and read the recording itself");
	return -ENODATA;
}
