/* SPDX-License-Identifier: MIT */
/*
 * Opens files of processes that may have another root directory. Symbolic links in such a root are
 * untrusted: a link to /etc/shadow must resolve within that root. Device files are not opened,
 * because opening a device may have side effects.
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

/* Kernels before 5.6 have no openat2(); there, a symbolic link in the last component is refused. */
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
