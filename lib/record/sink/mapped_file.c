/* SPDX-License-Identifier: MIT */
#include "record/sink/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

/* The file of an O_PATH descriptor, which is closed. */
static int open_same(int at, uint64_t ino)
{
	int fd = pfx_open_found(at);
	struct stat st;

	if (fd < 0 || !ino || (!fstat(fd, &st) && st.st_ino == ino))
		return fd;
	close(fd);
	return -ESTALE;
}

int pfx_mapped_file_open(uint32_t pid, uint64_t start, uint64_t end, uint64_t ino)
{
	char path[96];
	int at;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)start,
		 (unsigned long long)end);
	at = open(path, O_PATH | O_CLOEXEC);
	return open_same(at < 0 ? -errno : at, ino);
}

int pfx_mapped_file_open_inside(uint32_t pid, const char *name, uint64_t ino)
{
	char root[32];

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	return open_same(pfx_find_inside(root, name, 0), ino);
}
