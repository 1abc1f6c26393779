/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a jitdump whose functions have unwind tables: rows for addresses all over the file,
 * and a step to the caller by each of them.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sym/find/request.h"
#include "unwind/rows/rows_internal.h"

#define SIZE_MAX_OF_FILE (1u << 16)
#define STEPS            128 /* addresses that are asked for */
#define STACK            0x7fff0000ull

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sum;

static void step(const struct pfx_unwind_arch *arch, const struct pfx_unwind_row *row,
		 const uint8_t *data, size_t size)
{
	struct pfx_frame_state state = {
		.arch = arch, .pc = STACK, .stack_start = STACK, .stack = data, .stack_size = size};
	unsigned i;

	if (row->kind != PFX_ROW_RULES)
		return;
	for (i = 0; i < 32; i++)
		pfx_frame_set(&state, i, STACK + 8 * i);
	sum += pfx_frame_step(&state, row) + state.pc;
}

static void ask(const char *path, const char *machine, const uint8_t *data, size_t size)
{
	const struct pfx_sym_options options = {.buildid_dir = "", .force = true};
	const struct pfx_sym_request request = {.kind = PFX_SYM_JITDUMP, .path = path, .pid = -1};
	const struct pfx_unwind_arch *arch = pfx_unwind_arch_find(machine, 2);
	struct pfx_jit_rows *rows = pfx_jit_rows_new(&request, &options, arch);
	size_t i;

	for (i = 0; rows && i < size; i += size / STEPS + 1)
		step(arch, pfx_jit_rows_find(rows, i), data, size);
	pfx_jit_rows_free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	if (fd >= 0 && size && size <= SIZE_MAX_OF_FILE && write(fd, data, size) == (ssize_t)size) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ask(path, "x86_64", data, size);
		ask(path, "aarch64", data, size);
	}
	close(fd);
	return 0;
}
