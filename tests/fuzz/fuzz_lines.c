/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a program, a kernel or a module whose debug information is read: lines, inlined
 * functions and the calls of them, for addresses all over the file.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/ask_lines.h"
#include "sym/find/request.h"

#define SIZE_MAX_OF_FILE (1u << 20)
#define MODULE_AT        0xffffffffc0123000ull
#define STEPS            512 /* addresses that are asked for */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same bytes as a program, the kernel and a module. */
static size_t read_as(enum pfx_sym_kind kind, const char *path, size_t size)
{
	struct pfx_sym_options options = {.buildid_dir = ""};
	struct pfx_sym_request request = {
		.kind = kind,
		.path = path,
		.module = "[mod]",
		.module_addr = MODULE_AT,
	};
	uint64_t base = kind == PFX_SYM_MODULE ? MODULE_AT : 0;

	options.vmlinux = kind == PFX_SYM_KERNEL ? path : NULL;
	return ask_lines(&request, &options, base, size, STEPS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	size_t sum = 0;
	char path[64];

	if (fd < 0 || !size || size > SIZE_MAX_OF_FILE || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	sum += read_as(PFX_SYM_FILE, path, size);
	sum += read_as(PFX_SYM_KERNEL, path, size);
	sum += read_as(PFX_SYM_MODULE, path, size);
	if (sum == SIZE_MAX) /* so that all of the results are read */
		puts("much");
	close(fd);
	return 0;
}
