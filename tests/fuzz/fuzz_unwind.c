/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a program that a sample's stack is walked through: its headers, segments and call
 * frame information.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/walk_program.h"

#define SIZE_MAX_OF_FILE (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *name;
		uint64_t abi;
	} machines[] = {{"x86_64", 2}, {"aarch64", 2}, {"s390x", 2}, {"armv7l", 1}, {"i686", 1}};
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];
	size_t i;

	if (fd < 0 || !size || size > SIZE_MAX_OF_FILE || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		walk_all(machines[i].name, machines[i].abi, PFX_UNWIND_ROWS, path, size);
	close(fd);
	return 0;
}
