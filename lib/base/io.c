/* SPDX-License-Identifier: MIT */
/* Plain system calls made complete. No knowledge of formats. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"

#define HUGE_PAGE ((size_t)2 << 20) /* the smallest there is of files */

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

/* Files below /proc and /sys tell no size, so read until the end. */
static int read_all(int fd, size_t limit, struct pfx_str *ret)
{
	ssize_t n;

	for (;;) {
		pfx_str_reserve(ret, 4096);
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

int pfx_read_file(const char *path, size_t limit, char **ret, size_t *ret_size,
		  struct pfx_error *err)
{
	struct pfx_str text = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char name[256];
	int rc;

	if (fd < 0) {
		rc = -errno;
		return pfx_error_sys(err, -rc, "cannot open '%s'",
				     pfx_escape(name, sizeof(name), path));
	}
	rc = read_all(fd, limit, &text);
	close(fd);
	if (rc) {
		pfx_str_fini(&text);
		return pfx_error_sys(err, -rc, "cannot read '%s'",
				     pfx_escape(name, sizeof(name), path));
	}
	*ret = text.at;
	if (ret_size)
		*ret_size = text.len;
	return 0;
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

int pfx_map_fd(int fd, size_t size, struct pfx_mapping *ret)
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

/*
 * The same for who looks at it here and there. Where the kernel has the file in huge pages, each
 * look would map one of these, and a program with a gigabyte of debug information would seem to
 * need all of it; at an address that no huge page fits to, only what is near the look is mapped.
 */
static int map_for_looks(int fd, size_t size, struct pfx_mapping *ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (size + page - 1) / page * page;
	char *room, *at;
	int rc;

	if (size < HUGE_PAGE)
		return pfx_map_fd(fd, size, ret);
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
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char name[256];
	struct stat st;
	int rc = 0;

	*ret = (struct pfx_mapping){0};
	if (fd < 0 || fstat(fd, &st) < 0)
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = -EINVAL;
	else
		rc = map_for_looks(fd, (size_t)st.st_size, ret);
	if (fd >= 0)
		close(fd);
	if (rc)
		pfx_error_sys(err, -rc, "cannot read '%s'", pfx_escape(name, sizeof(name), path));
	return rc;
}

void pfx_unmap(struct pfx_mapping *m)
{
	if (m && m->data)
		munmap((void *)m->data, m->size);
	if (m)
		*m = (struct pfx_mapping){0};
}
