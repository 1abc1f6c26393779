/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as everything that names come from: a program, a kernel's image, a module, a list of
 * the kernel's symbols, a jitdump with its lines, a perf map; and as a program with static probes.
 * Names are asked for all over the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sym/dwarf/lines.h"
#include "sym/elf/buildid.h"
#include "sym/find/request.h"
#include "sym/jit/jit_elf.h"
#include "sym/jit/jit_files.h"
#include "sym/probe/sdt.h"
#include "sym/symtab_load.h"
#include "sym/table/symtab.h"

#define SIZE_MAX_OF_FILE (1u << 20)
#define STEPS            64 /* addresses that are asked for */
#define BASE             0xffffffffc0000000ull
#define FUNCTIONS_MAX    16 /* of a jitdump, that are made ELF files of */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t sum;

static void ask(const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		uint64_t base, size_t size)
{
	const struct pfx_symbol *symbol;
	struct pfx_symtab *tab;
	size_t i, nr;

	pfx_symtab_load(&tab, request, options, NULL);
	nr = pfx_symtab_nr(tab);
	for (i = 0; i < size; i += size / STEPS + 1) {
		symbol = pfx_symtab_find(tab, base + i);
		sum += symbol ? strlen(symbol->name) : 0;
	}
	for (i = 0; i < nr; i += nr / STEPS + 1)
		sum += strlen(pfx_symtab_at(tab, i)->name);
	pfx_symtab_free(tab);
}

static void ask_elf(const char *path, size_t size)
{
	struct pfx_sym_options options = {.buildid_dir = "", .symfs = ""};
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = path};
	struct pfx_build_id id;
	struct pfx_sdt sdt;

	ask(&request, &options, 0, size);
	request.kind = PFX_SYM_MODULE;
	request.module = "[fuzz]";
	request.module_addr = BASE;
	ask(&request, &options, BASE, size);
	request = (struct pfx_sym_request){.kind = PFX_SYM_KERNEL};
	options.vmlinux = path;
	ask(&request, &options, BASE, size);
	if (!pfx_sdt_read(path, &sdt, NULL))
		pfx_sdt_fini(&sdt);
	pfx_build_id_of_file(path, &id, NULL);
}

static void ask_kallsyms(const char *path)
{
	const struct pfx_sym_options options = {.buildid_dir = "", .kallsyms = path};
	struct pfx_sym_request request = {.kind = PFX_SYM_KERNEL, .module = "[fuzz]"};

	ask(&request, &options, BASE, STEPS);
	request.kind = PFX_SYM_MODULE;
	ask(&request, &options, BASE, STEPS);
}

static void make_elf_files(const uint8_t *data, size_t size)
{
	struct pfx_jit_unwinding unwinding = {0};
	struct pfx_jit_function function = {0};
	struct pfx_jit_debug debug = {0};
	struct pfx_jit_record record;
	struct pfx_jitdump dump;
	unsigned nr = 0;
	uint8_t *image;
	size_t made;

	if (pfx_jitdump_init(&dump, data, size, NULL))
		return;
	function.machine = dump.machine;
	while (nr < FUNCTIONS_MAX && pfx_jitdump_next(&dump, &record)) {
		if (record.type == PFX_JIT_UNWINDING) {
			unwinding = record.unwinding;
			function.unwinding = &unwinding;
		} else if (record.type == PFX_JIT_DEBUG_INFO) {
			debug = record.debug;
			function.debug = &debug;
		} else if (record.type == PFX_JIT_LOAD) {
			function.load = &record.load;
			if (!pfx_jit_elf_image(&function, &image, &made, NULL))
				free(image);
			function.unwinding = NULL;
			function.debug = NULL;
			nr++;
		}
	}
}

static void ask_jitdump(const char *path, size_t size)
{
	const struct pfx_sym_options options = {.buildid_dir = "", .force = true};
	const struct pfx_sym_request request = {.kind = PFX_SYM_JITDUMP, .path = path, .pid = -1};
	struct pfx_source source;
	struct pfx_lines *lines;
	size_t i;

	ask(&request, &options, 0, size);
	if (pfx_lines_open(&lines, &request, &options, NULL))
		return;
	for (i = 0; i < size; i += size / STEPS + 1)
		if (pfx_lines_source(lines, i, &source))
			sum += strlen(source.file);
	pfx_lines_free(lines);
}

/* As the process's own root directory has it. Addresses are those of its lines, which are small. */
static void ask_perf_map(const uint8_t *data, size_t size)
{
	const struct pfx_sym_options options = {.buildid_dir = "", .force = true};
	const struct pfx_jit_view view = {.root = "/dev/shm", .tmp = "", .pid = getpid()};
	const struct pfx_sym_request request = {
		.kind = PFX_SYM_PERF_MAP, .path = "//anon", .pid = view.pid, .view = &view};
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/dev/shm/perf-%d.map", (int)getpid());
	file = fopen(path, "w");
	if (!file)
		return;
	fwrite(data, 1, size, file);
	fclose(file);
	ask(&request, &options, 0, STEPS);
	ask(&request, &options, 0x1000, 1u << 16);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	if (fd >= 0 && size && size <= SIZE_MAX_OF_FILE && write(fd, data, size) == (ssize_t)size) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ask_elf(path, size);
		ask_kallsyms(path);
		ask_jitdump(path, size);
		make_elf_files(data, size);
		ask_perf_map(data, size);
	}
	if (sum == SIZE_MAX) /* so that all of the results are read */
		puts("much");
	close(fd);
	return 0;
}
