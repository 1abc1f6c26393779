/* SPDX-License-Identifier: MIT */
/*
 * Loaded in front of pfx: the file that PFX_SHRINK_FILE names becomes PFX_SHRINK_TO bytes long in
 * the moment in which it was mapped the PFX_SHRINK_AT'th time (1: the first), before anybody looks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_the_file(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void shrink(int fd)
{
	static int seen;
	const char *path = getenv("PFX_SHRINK_FILE"), *to = getenv("PFX_SHRINK_TO"),
		   *at = getenv("PFX_SHRINK_AT");

	if (!path || fd < 0 || !is_the_file(fd, path) || ++seen != (at ? atoi(at) : 1))
		return;
	/* Who reads the maps of a program that ends keeps its memory, and so its file, for a
	 * moment. */
	while (truncate(path, to ? atol(to) : 0)) {
		if (errno != ETXTBSY)
			abort();
		usleep(1000);
	}
}

/* Both names of the call; the headers may have made one of the other. */
void *map(void *addr, size_t size, int prot, int flags, int fd, off_t offset) __asm__("mmap");
void *map64(void *addr, size_t size, int prot, int flags, int fd, off_t offset) __asm__("mmap64");

void *map64(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *at = (void *)syscall(SYS_mmap, addr, size, prot, flags, fd, offset);

	if (at != MAP_FAILED)
		shrink(fd);
	return at;
}

void *map(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	return map64(addr, size, prot, flags, fd, offset);
}
