/* SPDX-License-Identifier: MIT */
/* An unnamed file that reserves disk space. */
#include "record/file/reserve.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

int pfx_reserve(const char *path, uint64_t bytes)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? pfx_strndup(path, (size_t)(slash - path) + 1) : pfx_strdup(".");
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	free(dir);
	if (fd >= 0 && fallocate(fd, 0, 0, (off_t)bytes) < 0)
		pfx_reserve_release(&fd);
	return fd;
}

void pfx_reserve_release(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
