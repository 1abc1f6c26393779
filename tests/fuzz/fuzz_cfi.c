/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the instructions of call frame information for one function of a program, which is
 * otherwise whole: the first byte chooses the machine and the unwinder, the last ones are code,
 * too.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/walk_program.h"
#include "unit/sym/cfi_make.h"

#define SIZE_MAX_OF_RULES 1024u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	const char *name;
	uint64_t abi;
	uint16_t e_machine;
	uint8_t word, ra;
} machines[] = {
	{"x86_64", 2, EM_X86_64, 8, 16},   {"i686", 1, EM_386, 4, 8},
	{"aarch64", 2, EM_AARCH64, 8, 30}, {"ppc64le", 2, EM_PPC64, 8, 65},
	{"armv7l", 1, EM_ARM, 4, 14},
};

static const enum pfx_unwind_style styles[] = {PFX_UNWIND_ROWS, PFX_UNWIND_LIBUNWIND,
					       PFX_UNWIND_LIBDW};

static void make_program(struct make_cfi *cfi, const uint8_t *rules, size_t size)
{
	size_t nr_code = size < sizeof(cfi->code) ? size : sizeof(cfi->code);

	make_cie(cfi, false);
	make_fde(cfi, 0x100, 0x700);
	make_bytes(cfi, rules, size);
	make_entry_end(cfi);
	cfi->code_at = 0x100;
	memcpy(cfi->code, rules + size - nr_code, nr_code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct make_cfi cfi = {0};
	char path[64];
	unsigned machine, style;
	int fd;

	if (size < 2 || size > SIZE_MAX_OF_RULES)
		return 0;
	machine = data[0] % (sizeof(machines) / sizeof(*machines));
	style = (data[0] >> 4) % (sizeof(styles) / sizeof(*styles));
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	cfi.machine = machines[machine].e_machine;
	cfi.word = machines[machine].word;
	cfi.ra = machines[machine].ra;
	make_program(&cfi, data + 1, size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	make_cfi_file(&cfi, path);
	walk_all(machines[machine].name, machines[machine].abi, styles[style], path, MAKE_SIZE);
	close(fd);
	return 0;
}
