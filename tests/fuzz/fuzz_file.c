/* SPDX-License-Identifier: MIT */
/* Any bytes as a file, mapped. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pfx_reader_options options = {.force = true};
	struct pfx_reader *reader;
	struct pfx_error err;
	char path[64];
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || pfx_write_full(fd, data, size))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!pfx_reader_open(&reader, path, &options, &err))
		read_everything(reader);
	close(fd);
	return 0;
}
