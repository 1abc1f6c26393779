/* SPDX-License-Identifier: MIT */
/* The file is allocated before it is mapped: a full disk is an error of a function, not a signal.
 */
#include "base/paged/paged.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"

#define STEP ((size_t)1 << 20) /* sizes of files are a multiple of it */

int pfx_open_unnamed(void)
{
	const char *dir = pfx_environment("TMPDIR");
	char *path;
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	path = pfx_strfmt("%s/pfx-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	else
		fd = -errno;
	free(path);
	return fd;
}

/* The file of @fd as memory; NULL if it cannot have that size. */
static void *map_file(int fd, size_t size)
{
	void *at;

	if (posix_fallocate(fd, 0, (off_t)size))
		return NULL;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void *begin_file(struct pfx_paged *array, size_t size)
{
	int fd = pfx_open_unnamed();
	void *at = fd < 0 ? NULL : map_file(fd, size);

	if (!at) {
		array->has_failed = true;
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (array->size)
		memcpy(at, array->at, array->size);
	free(array->at);
	array->file = fd + 1;
	array->size = size;
	return array->at = at;
}

/* Back to plain memory. */
static void *leave_file(struct pfx_paged *array, size_t size)
{
	void *at = pfx_malloc(size);

	memcpy(at, array->at, array->size);
	pfx_paged_free(array);
	*array = (struct pfx_paged){.at = at, .size = size, .has_failed = true};
	return at;
}

static void *grow_file(struct pfx_paged *array, size_t size)
{
	void *at = map_file(array->file - 1, size);

	if (!at)
		return leave_file(array, size);
	munmap(array->at, array->size);
	array->size = size;
	return array->at = at;
}

void *pfx_paged_grow(struct pfx_paged *array, size_t size)
{
	size_t whole = (size + STEP - 1) / STEP * STEP;

	if (size <= array->size && array->at)
		return array->at;
	if (array->file)
		return grow_file(array, whole);
	if (size > PFX_PAGED_ABOVE && !array->has_failed && begin_file(array, whole))
		return array->at;
	array->at = pfx_realloc(array->at, size ? size : 1);
	array->size = size;
	return array->at;
}

void pfx_paged_drop(const struct pfx_paged *array)
{
	if (array->file)
		madvise(array->at, array->size, MADV_DONTNEED);
}

void pfx_paged_free(struct pfx_paged *array)
{
	if (array->file) {
		munmap(array->at, array->size);
		close(array->file - 1);
	} else {
		free(array->at);
	}
	*array = (struct pfx_paged){0};
}
