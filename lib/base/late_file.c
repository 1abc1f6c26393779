/* SPDX-License-Identifier: MIT */
/* link() cannot replace a file: a file without a name is first linked beside its path. */
#include "base/late_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define LINK_SIZE 32

static const char *own_link(char link[LINK_SIZE], int fd)
{
	snprintf(link, LINK_SIZE, "/proc/self/fd/%d", fd);
	return link;
}

/* -1: not possible here. */
static int open_unnamed(const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? pfx_strndup(path, (size_t)(slash - path) + 1) : pfx_strdup(".");
	char link[LINK_SIZE];
	int fd = open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, mode);

	free(dir);
	if (fd < 0 || access(own_link(link, fd), F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

static void late_file_fini(struct pfx_late_file *file)
{
	free(file->path);
	free(file->beside);
	*file = (struct pfx_late_file){.fd = -1};
}

int pfx_late_file_open(struct pfx_late_file *ret, const char *path, mode_t mode)
{
	int rc = 0;

	*ret = (struct pfx_late_file){
		.fd = open_unnamed(path, mode),
		.path = pfx_strdup(path),
		.beside = pfx_strfmt("%s.%d.part", path, (int)getpid()),
	};
	if (ret->fd >= 0)
		return 0;
	ret->fd = open(ret->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	ret->is_beside = ret->fd >= 0;
	if (ret->fd < 0) {
		rc = -errno;
		late_file_fini(ret);
	}
	return rc;
}

static int link_beside(struct pfx_late_file *file)
{
	char link[LINK_SIZE];

	unlink(file->beside); /* left by a killed program with the same pid */
	if (linkat(AT_FDCWD, own_link(link, file->fd), AT_FDCWD, file->beside, AT_SYMLINK_FOLLOW) <
	    0)
		return -errno;
	file->is_beside = true;
	return 0;
}

int pfx_late_file_close(struct pfx_late_file *file, int rc)
{
	if (file->fd < 0)
		return rc;
	if (!rc && !file->is_beside)
		rc = link_beside(file);
	if (close(file->fd) < 0 && !rc)
		rc = -errno;
	if (!rc && rename(file->beside, file->path) < 0)
		rc = -errno;
	if (rc && file->is_beside)
		unlink(file->beside);
	late_file_fini(file);
	return rc;
}
