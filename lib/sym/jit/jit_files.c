/* SPDX-License-Identifier: MIT */
/*
 * Finds perf maps and jitdumps and checks that they can be trusted. A process in a container has
 * another pid and other files in its namespaces: these are tried first. Does not parse the files.
 */
#include "sym/jit/jit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"
#include "sym/find/find_internal.h"
#include "sym/find/request.h"
#include "sym/find/symfs_internal.h"

#define STATUS_MAX 65536
#define MAP_PREFIX "/tmp/perf-"
#define SIZE_LIMIT (2ull << 30) /* of a file; typical large files have some hundred megabytes */

/* The pid in the process's own namespace: the last number of "NSpid:" in /proc/PID/status. */
static int32_t inner_pid(int32_t pid)
{
	char path[64], *text, *at, *end;
	int32_t inner = pid;
	long value;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (pfx_read_plain_file(path, STATUS_MAX, &text, NULL, NULL))
		return pid;
	at = strstr(text, "\nNSpid:");
	for (at = at ? at + 7 : NULL; at; at = end) {
		value = strtol(at, &end, 10);
		if (end == at || memchr(at, '\n', (size_t)(end - at)))
			break;
		inner = (int32_t)value;
	}
	free(text);
	return inner;
}

bool pfx_jit_view_of(int32_t pid, struct pfx_jit_view *ret)
{
	struct stat process;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &process) < 0)
		return false;
	snprintf(ret->root, sizeof(ret->root), "/proc/%d/root", pid);
	ret->tmp = "tmp/";
	ret->file[0] = '\0';
	ret->owner = process.st_uid;
	ret->pid = inner_pid(pid);
	return true;
}

/* Root, or the user that runs pfx. */
static bool is_trusted(uid_t owner)
{
	const char *sudo = geteuid() ? NULL : pfx_environment("SUDO_UID");

	return !owner || owner == geteuid() || (sudo && strtoul(sudo, NULL, 10) == owner);
}

/* A candidate for a file's path. */
struct place {
	char *root;     /* NULL: in this process's root; else the (untrusted) root directory of the
			   process */
	char *name;     /* NULL: no candidate */
	bool is_inside; /* the process's user may have chosen what is mounted there */
};

/* A user can mount any file into the root directory of a process of his, also one that only root
 * may read: there, only his own files are believed. */
static bool is_believed(const struct stat *file, const struct pfx_jit_view *view,
			const struct place *place)
{
	return (view && view->owner == file->st_uid) ||
	       (!place->is_inside && is_trusted(file->st_uid));
}

static int find_place(const struct place *place, int flags)
{
	int at;

	if (place->root)
		return pfx_find_inside(place->root, place->name, flags);
	at = open(place->name, O_PATH | O_CLOEXEC | flags);
	return at < 0 ? -errno : at;
}

/* Returns a descriptor or a negative errno. Another user's symbolic link could lead to a file that
 * pfx may read but that user may not: it is followed only to files that the link's owner owns (else
 * -ELOOP). */
static int open_place(const struct place *place, bool force)
{
	int at = find_place(place, O_NOFOLLOW);
	struct stat link, file;

	if (at < 0)
		return at;
	if (fstat(at, &link) < 0 || !S_ISLNK(link.st_mode))
		return pfx_open_found(at);
	close(at);
	at = find_place(place, 0);
	if (at < 0 || force || is_trusted(link.st_uid))
		return pfx_open_found(at);
	if (fstat(at, &file) < 0 || file.st_uid != link.st_uid) {
		close(at);
		return -ELOOP;
	}
	return pfx_open_found(at);
}

/* Opens the file and checks its type and owner; a descriptor or a negative errno. */
static int open_checked(const struct place *place, const struct pfx_sym_request *request,
			bool force, struct stat *ret, struct pfx_error *err)
{
	int fd = open_place(place, force), rc = 0;
	char shown[256];

	pfx_escape(shown, sizeof(shown), place->name);
	if (fd == -ELOOP) {
		pfx_error_set(err, ELOOP, "'%s' is a link of another user", shown);
		pfx_error_hint(err, "-f follows it all the same");
		return -ELOOP;
	}
	if (fd == -EINVAL)
		return pfx_error_set(err, EINVAL, "'%s' is not a regular file", shown);
	if (fd < 0)
		return pfx_error_sys(err, -fd, "cannot open '%s'", shown);
	if (fstat(fd, ret) < 0) {
		rc = pfx_error_sys(err, errno, "cannot open '%s'", shown);
	} else if (!force && !is_believed(ret, request->view, place)) {
		rc = pfx_error_set(err, EACCES, "'%s' belongs to user %u, not to %sprocess %d",
				   shown, ret->st_uid, place->is_inside ? "" : "you, root or ",
				   request->pid);
		pfx_error_hint(err, "-f takes it all the same");
	} else if ((uint64_t)ret->st_size > SIZE_LIMIT) {
		rc = pfx_error_set(err, EFBIG, "'%s' is larger than %llu MiB", shown,
				   SIZE_LIMIT >> 20);
	}
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

/* Reads the data between two holes, starting at @from; returns the offset after it, or a negative
 * errno. */
static off_t read_piece(int fd, struct pfx_jit_file *ret, off_t from, off_t end)
{
	off_t start = lseek(fd, from, SEEK_DATA), stop;
	ssize_t n;

	if (start < 0)
		return errno == ENXIO ? end : -errno;
	stop = lseek(fd, start, SEEK_HOLE);
	if (stop < 0 || stop > end)
		stop = end;
	if (start >= stop)
		return end;
	if (lseek(fd, start, SEEK_SET) < 0)
		return -errno;
	n = pfx_read_full(fd, ret->data + start, (size_t)(stop - start));
	if (n < 0)
		return n;
	ret->nr_data += (size_t)n;
	return n < stop - start ? end : stop;
}

/* Holes in the file take no memory. */
static int read_open(int fd, size_t size, struct pfx_jit_file *ret)
{
	off_t at = 0;

	ret->data = pfx_alloc_checked((uint64_t)size + 1, 1, SIZE_MAX);
	if (!ret->data)
		return -ENOMEM;
	while (at >= 0 && at < (off_t)size)
		at = read_piece(fd, ret, at, (off_t)size);
	if (at >= 0)
		return 0;
	pfx_free_and_null((void **)&ret->data);
	return (int)at;
}

static int open_named(const struct place *place, const struct pfx_sym_request *request, bool force,
		      struct pfx_jit_file *ret, struct pfx_error *err)
{
	struct stat st;
	int fd = open_checked(place, request, force, &st, err);

	if (fd < 0)
		return fd;
	ret->fd = fd;
	ret->size = (size_t)st.st_size;
	ret->mode = st.st_mode & 0777;
	ret->path = place->root
			    ? pfx_strfmt("%s/%s", place->root, place->name + (*place->name == '/'))
			    : pfx_strdup(place->name);
	return 0;
}

const char *pfx_jit_file_kept_as(enum pfx_sym_kind kind)
{
	return kind == PFX_SYM_JITDUMP ? "jitdump" : "map";
}

static char *kept_path(const struct pfx_sym_request *request, const struct pfx_sym_options *options)
{
	struct pfx_build_id id = pfx_build_id_make(request->build_id, request->build_id_size);

	return pfx_debugfile_cached(options, &id, pfx_jit_file_kept_as(request->kind));
}

/* The file in the process's own mount namespace. */
static struct place inside_place(const struct pfx_sym_request *request)
{
	const struct pfx_jit_view *view = request->view;

	if (!view)
		return (struct place){0};
	if (request->kind == PFX_SYM_PERF_MAP)
		return (struct place){pfx_strdup(view->root),
				      pfx_strfmt("%sperf-%d.map", view->tmp, view->pid), true};
	if (view->file[0])
		return (struct place){NULL, pfx_strdup(view->file), true};
	return (struct place){pfx_strfmt("/proc/%d/root", request->pid), pfx_strdup(request->path),
			      true};
}

static char *outside_path(const struct pfx_sym_request *request,
			  const struct pfx_sym_options *options)
{
	char name[64];

	if (request->path && (request->kind == PFX_SYM_JITDUMP ||
			      !strncmp(request->path, MAP_PREFIX, strlen(MAP_PREFIX))))
		return pfx_symfs_path(options, request->path);
	snprintf(name, sizeof(name), MAP_PREFIX "%d.map", request->pid);
	return pfx_symfs_path(options, name);
}

int pfx_jit_file_open(const struct pfx_sym_request *given, const struct pfx_sym_options *options,
		      struct pfx_jit_file *ret, struct pfx_error *err)
{
	struct pfx_sym_request request = *given;
	struct pfx_jit_view view;
	struct place places[3] = {0};
	size_t i, nr = sizeof(places) / sizeof(*places);
	int rc = -ENOENT;

	*ret = (struct pfx_jit_file){0};
	if (!request.view && !options->symfs && pfx_jit_view_of(request.pid, &view))
		request.view = &view;
	places[0].name = kept_path(&request, options);
	places[1] = inside_place(&request);
	places[2].name = outside_path(&request, options);
	for (i = 0; i < nr && rc; i++)
		if (places[i].name)
			rc = open_named(&places[i], &request, options->force || i == 0, ret, err);
	for (i = 0; i < nr; i++) {
		free(places[i].root);
		free(places[i].name);
	}
	return rc;
}

int pfx_jit_file_read(const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		      struct pfx_jit_file *ret, struct pfx_error *err)
{
	int rc = pfx_jit_file_open(request, options, ret, err);
	char shown[256];

	if (rc)
		return rc;
	rc = read_open(ret->fd, ret->size, ret);
	close(ret->fd);
	if (rc) {
		pfx_error_sys(err, -rc, "cannot read '%s'",
			      pfx_escape(shown, sizeof(shown), ret->path));
		pfx_jit_file_free(ret);
	}
	return rc;
}

void pfx_jit_file_free(struct pfx_jit_file *file)
{
	free(file->path);
	free(file->data);
	*file = (struct pfx_jit_file){0};
}
