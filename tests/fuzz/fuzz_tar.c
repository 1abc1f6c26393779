/* SPDX-License-Identifier: MIT */
/* Any bytes as an archive: every entry, and what is in every other one. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "file/pack/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sum;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct pfx_tar_reader *tar;
	struct pfx_tar_entry entry;
	unsigned nr = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size && !pfx_tar_open(&tar, path, NULL)) {
		while (pfx_tar_next(tar, &entry, NULL) > 0) {
			sum += strlen(entry.name) + (entry.link ? strlen(entry.link) : 0);
			if (nr++ % 2 && pfx_tar_copy(tar, null, NULL))
				break;
		}
		pfx_tar_reader_free(tar);
	}
	close(null);
	close(fd);
	return 0;
}
