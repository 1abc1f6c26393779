/* SPDX-License-Identifier: MIT */
/* Plain system calls with retries after EINTR and short transfers. No knowledge of formats. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/guard.h"
#include "base/str.h"

#define HUGE_PAGE ((size_t)2 << 20) /* the smallest huge page of the page cache */

ssize_t pfx_read_full(int fd, void *data, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = read(fd, (char *)data + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

void pfx_fill_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

enum { UNDECIDED, ALLOWED, DENIED };

static atomic_int decision;

void pfx_use_environment(bool allowed)
{
	atomic_store(&decision, allowed ? ALLOWED : DENIED);
}

void pfx_environment_is_private(void)
{
	int expected = UNDECIDED;

	atomic_compare_exchange_strong(&decision, &expected, DENIED);
}

const char *pfx_environment(const char *name)
{
	return atomic_load(&decision) == DENIED ? NULL : getenv(name);
}

const char *pfx_home(void)
{
	const char *home = pfx_environment("HOME");

	return home && home[0] == '/' ? home : NULL;
}

int pfx_write_full(int fd, const void *data, size_t size)
{
	const char *p = data;
	ssize_t n;

	while (size) {
		n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int pfx_pwrite_full(int fd, const void *data, size_t size, off_t offset)
{
	const char *p = data;
	ssize_t n;

	while (size) {
		n = pwrite(fd, p, size, offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		offset += n;
		size -= (size_t)n;
	}
	return 0;
}

#define READ_STEP 4096

/* Files below /proc and /sys have st_size 0, so read until the end; the size of others saves moving
 * what was read. */
static int read_all(int fd, size_t limit, struct pfx_str *ret)
{
	struct stat st;
	ssize_t n;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    (uint64_t)st.st_size <= limit)
		pfx_str_reserve(ret, (size_t)st.st_size + READ_STEP);
	for (;;) {
		pfx_str_reserve(ret, READ_STEP);
		n = read(fd, ret->at + ret->len, ret->cap - ret->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		ret->len += (size_t)n;
		if (ret->len > limit)
			return -EFBIG;
	}
	ret->at[ret->len] = '\0';
	return 0;
}

/* Fallback without /proc: opens without blocking, but opening a device may have side effects. */
static int open_quietly(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

int pfx_open_plain(const char *path, int flags, struct stat *ret)
{
	int at = open(path, O_PATH | O_CLOEXEC | flags), fd = at < 0 ? -errno : pfx_open_found(at);
	struct stat st;

	if (fd == -ENOENT && at >= 0) /* /proc is not mounted */
		fd = open_quietly(path, flags);
	if (fd < 0 || fstat(fd, ret ? ret : &st) == 0)
		return fd;
	close(fd);
	return -EIO;
}

/* Closes @fd. A negative @fd is the errno of a failed open and is returned. */
static int read_opened(int fd, const char *path, size_t limit, struct pfx_str *ret,
		       struct pfx_error *err)
{
	char name[256];
	int rc;

	pfx_escape(name, sizeof(name), path);
	if (fd < 0)
		return pfx_error_sys(err, -fd, "cannot open '%s'", name);
	rc = read_all(fd, limit, ret);
	close(fd);
	return rc ? pfx_error_sys(err, -rc, "cannot read '%s'", name) : 0;
}

/* On success the caller gets the text, otherwise it is freed. */
static int give_text(struct pfx_str *text, int rc, char **ret, size_t *ret_size)
{
	if (rc) {
		pfx_str_fini(text);
		return rc;
	}
	*ret = text->at;
	if (ret_size)
		*ret_size = text->len;
	return 0;
}

int pfx_read_file(const char *path, size_t limit, char **ret, size_t *ret_size,
		  struct pfx_error *err)
{
	struct pfx_str text = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = read_opened(fd < 0 ? -errno : fd, path, limit, &text, err);

	return give_text(&text, rc, ret, ret_size);
}

int pfx_read_plain_file(const char *path, size_t limit, char **ret, size_t *ret_size,
			struct pfx_error *err)
{
	struct pfx_str text = {0};
	int rc = read_opened(pfx_open_plain(path, 0, NULL), path, limit, &text, err);

	return give_text(&text, rc, ret, ret_size);
}

int pfx_check_readable(const char *option, const char *path, struct pfx_error *err)
{
	char shown[256];

	if (!path || !access(path, R_OK))
		return 0;
	return pfx_error_sys(err, errno, "%s: cannot read '%s'", option,
			     pfx_escape(shown, sizeof(shown), path));
}

int pfx_check_directory(const char *option, const char *path, struct pfx_error *err)
{
	char shown[256];
	struct stat st;

	if (!path || (!stat(path, &st) && S_ISDIR(st.st_mode)))
		return 0;
	return pfx_error_set(err, ENOTDIR, "%s: '%s' is not a directory", option,
			     pfx_escape(shown, sizeof(shown), path));
}

int pfx_read_line(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = pfx_read_full(fd, line, size - 1);
	close(fd);
	if (n < 0)
		return (int)n;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

int pfx_read_u64(const char *path, uint64_t *ret)
{
	char line[64], *end;
	int rc = pfx_read_line(path, line, sizeof(line));

	if (rc)
		return rc;
	errno = 0;
	*ret = strtoull(line, &end, 0);
	return end == line || errno ? -EINVAL : 0;
}

static int map_anywhere(int fd, size_t size, struct pfx_mapping *ret)
{
	void *p;

	*ret = (struct pfx_mapping){0};
	if (!size)
		return 0;
	p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	*ret = (struct pfx_mapping){p, size};
	return 0;
}

int pfx_map_fd(int fd, size_t size, const char *path, struct pfx_mapping *ret)
{
	int rc = map_anywhere(fd, size, ret);

	pfx_guard_add(ret->data, ret->size, path);
	return rc;
}

/*
 * For random access: maps at an address that is not aligned to huge pages. Otherwise, where the
 * page cache has the file in huge pages, each access would map a whole huge page, and a program
 * with a gigabyte of debug information would add nearly all of it to the resident set size.
 */
static int map_for_looks(int fd, size_t size, struct pfx_mapping *ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (size + page - 1) / page * page;
	char *room, *at;
	int rc;

	if (size < HUGE_PAGE)
		return map_anywhere(fd, size, ret);
	*ret = (struct pfx_mapping){0};
	room = mmap(NULL, all + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return -errno;
	at = (uintptr_t)room % HUGE_PAGE ? room : room + page;
	munmap(at == room ? room + all : room, page);
	if (mmap(at, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
		rc = -errno;
		munmap(at, all);
		return rc;
	}
	*ret = (struct pfx_mapping){(uint8_t *)at, size};
	return 0;
}

int pfx_map_file(const char *path, struct pfx_mapping *ret, struct pfx_error *err)
{
	struct stat st;
	int fd = pfx_open_plain(path, 0, &st), rc = fd < 0 ? fd : 0;
	char name[256];

	*ret = (struct pfx_mapping){0};
	if (!rc)
		rc = map_for_looks(fd, (size_t)st.st_size, ret);
	if (fd >= 0)
		close(fd);
	pfx_escape(name, sizeof(name), path);
	if (fd == -EINVAL)
		pfx_error_set(err, EINVAL, "'%s' is not a regular file", name);
	else if (rc)
		pfx_error_sys(err, -rc, "cannot read '%s'", name);
	pfx_guard_add(ret->data, ret->size, path);
	return rc;
}

bool pfx_mapping_was_cut(const struct pfx_mapping *m)
{
	return pfx_guard_was_cut(m->data);
}

void pfx_unmap(struct pfx_mapping *m)
{
	if (m && m->data) {
		pfx_guard_remove(m->data);
		munmap((void *)m->data, m->size);
	}
	if (m)
		*m = (struct pfx_mapping){0};
}
