/* SPDX-License-Identifier: MIT */
/*
 * A program's ELF files, kept open. Which file it is and whether it is the right build is decided
 * where symbols are loaded; what is read from it is not known here.
 */
#include "sym/binary.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sym/elf_internal.h"

struct pfx_binary {
	struct pfx_elf runtime, debug;
	struct pfx_build_id build_id;
	struct pfx_sym_options options; /* the strings are borrowed by who opened it */
	char *path;
	bool looked_for_debug;
};

/* libelf notes in the headers which sections it has unpacked: let it, in our copy of the pages. */
static bool let_write(const struct pfx_elf *elf)
{
	return !elf->map.size ||
	       !mprotect((void *)(uintptr_t)elf->map.data, elf->map.size, PROT_READ | PROT_WRITE);
}

int pfx_binary_open(struct pfx_binary **ret, const struct pfx_sym_request *request,
		    const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_binary *binary = pfx_calloc(1, sizeof(*binary));
	int rc = pfx_elf_open_runtime(request, options, &binary->runtime, err);

	if (!rc && !let_write(&binary->runtime)) {
		rc = pfx_error_sys(err, errno, "cannot keep an ELF file in memory");
		pfx_elf_close(&binary->runtime);
	}
	if (rc) {
		free(binary);
		return rc;
	}
	binary->build_id = binary->runtime.build_id;
	binary->options = *options;
	binary->path = pfx_strdup(request->path ? request->path : "");
	binary->looked_for_debug = request->kind != PFX_SYM_FILE;
	*ret = binary;
	return 0;
}

void pfx_binary_free(struct pfx_binary *binary)
{
	if (!binary)
		return;
	pfx_elf_close(&binary->runtime);
	pfx_elf_close(&binary->debug);
	free(binary->path);
	free(binary);
}

struct Elf *pfx_binary_elf(const struct pfx_binary *binary)
{
	return binary->runtime.elf;
}

struct Elf *pfx_binary_debug_elf(struct pfx_binary *binary)
{
	char *path = NULL;

	if (!binary->looked_for_debug) {
		binary->looked_for_debug = true;
		pfx_debugfile_open(&binary->runtime, binary->path, &binary->build_id,
				   &binary->options, &binary->debug, &path);
		free(path);
		if (!let_write(&binary->debug))
			pfx_elf_close(&binary->debug);
	}
	return binary->debug.elf;
}

bool pfx_binary_vaddr(const struct pfx_binary *binary, uint64_t offset, uint64_t *ret)
{
	size_t i;

	for (i = 0; i < binary->runtime.nr_segments; i++) {
		const struct pfx_elf_segment *seg = &binary->runtime.segments[i];

		if (offset - seg->offset >= seg->filesz)
			continue;
		*ret = offset - seg->offset + seg->vaddr;
		return true;
	}
	return false;
}

bool pfx_binary_has_section(struct pfx_binary *binary, bool debug, const char *name)
{
	if (!debug)
		return pfx_elf_section(&binary->runtime, name) != NULL;
	return pfx_binary_debug_elf(binary) && pfx_elf_section(&binary->debug, name) != NULL;
}
