/* SPDX-License-Identifier: MIT */
/*
 * Files of other processes that may have another root directory. What such a process has linked
 * where is its own choice: a link to /etc/shadow means its own one. Device files are not opened,
 * because opening alone may do something.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"

/* Where the kernel is too old (before 5.6), links are not followed at the end of a name. */
int pfx_find_inside(const char *root, const char *name, int flags)
{
	struct open_how how = {.flags = (uint64_t)(O_PATH | O_CLOEXEC | flags),
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd, rc;

	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(dir, name + (*name == '/'), O_PATH | O_CLOEXEC | O_NOFOLLOW | flags);
	rc = fd < 0 ? -errno : fd;
	close(dir);
	return rc;
}

int pfx_open_found(int at)
{
	char path[64];
	struct stat st;
	int fd = -1, rc = 0;

	if (at < 0)
		return at;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	if (fstat(at, &st) < 0)
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = -EINVAL;
	else if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		rc = -errno;
	close(at);
	return rc ? rc : fd;
}
