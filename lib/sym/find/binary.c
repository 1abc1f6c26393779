/* SPDX-License-Identifier: MIT */
/*
 * The opened ELF files of a program. load_file.c and kernel_image.c decide which files are used and
 * check that they are the right build; this file does not decode their contents.
 */
#include "sym/find/binary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/cache/debuginfod_internal.h"
#include "sym/cache/keep.h"
#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"
#include "sym/elf/split_internal.h"
#include "sym/find/find_internal.h"
#include "sym/find/request.h"
#include "sym/find/symfs_internal.h"

struct pfx_binary {
	struct pfx_elf runtime, debug, alt;
	struct pfx_build_id build_id;
	struct pfx_sym_options options; /* the caller of pfx_binary_open() owns the strings */
	char *path;                     /* as recorded */
	char *debug_path, *alt_path, *package_path; /* where the files were found */
	char *refused_debug;                        /* a debug file of another build, or NULL */
	bool looked_for_debug;
	struct pfx_split_file *package;
	bool looked_for_package;
	enum pfx_sym_kind kind;
	uint64_t shift;     /* KERNEL: load address minus link address */
	uint64_t *sections; /* MODULE: load addresses of its sections */
};

static int open_file(struct pfx_binary *binary, const struct pfx_sym_request *request,
		     const struct pfx_sym_options *options, struct pfx_error *err)
{
	int rc;

	switch (request->kind) {
	case PFX_SYM_KERNEL:
		return pfx_kernel_open_debug(request, options, &binary->runtime, &binary->shift,
					     err);
	case PFX_SYM_MODULE:
		rc = pfx_module_open_debug(request, options, &binary->runtime, err);
		if (!rc)
			binary->sections =
				pfx_module_layout(&binary->runtime, request->module_addr);
		return rc;
	default:
		return pfx_elf_open_runtime(request, options, &binary->runtime, err);
	}
}

int pfx_binary_open(struct pfx_binary **ret, const struct pfx_sym_request *request,
		    const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_binary *binary = pfx_calloc(1, sizeof(*binary));
	int rc = open_file(binary, request, options, err);

	if (!rc && !pfx_elf_let_write(&binary->runtime)) {
		rc = pfx_error_sys(err, errno, "cannot keep an ELF file in memory");
		pfx_elf_close(&binary->runtime);
	}
	if (rc) {
		free(binary->sections);
		free(binary);
		return rc;
	}
	binary->kind = request->kind;
	binary->build_id = binary->runtime.build_id;
	binary->options = *options;
	binary->path = pfx_strdup(request->path ? request->path : "");
	binary->looked_for_debug = request->kind != PFX_SYM_FILE;
	*ret = binary;
	return 0;
}

int pfx_binary_open_image(struct pfx_binary **ret, uint8_t *image, size_t size,
			  struct pfx_error *err)
{
	struct pfx_binary *binary = pfx_calloc(1, sizeof(*binary));
	int rc = pfx_elf_open_image(image, size, &binary->runtime, err);

	if (rc) {
		free(image);
		free(binary);
		return rc;
	}
	binary->runtime.unpacked = image;
	binary->path = pfx_strdup("");
	binary->looked_for_debug = true;
	*ret = binary;
	return 0;
}

void pfx_binary_free(struct pfx_binary *binary)
{
	if (!binary)
		return;
	pfx_elf_close(&binary->runtime);
	pfx_elf_close(&binary->debug);
	pfx_elf_close(&binary->alt);
	pfx_split_file_free(binary->package);
	free(binary->path);
	free(binary->debug_path);
	free(binary->alt_path);
	free(binary->refused_debug);
	free(binary->package_path);
	free(binary->sections);
	free(binary);
}

struct Elf *pfx_binary_elf(const struct pfx_binary *binary)
{
	return binary->runtime.elf;
}

struct Elf *pfx_binary_debug_elf(struct pfx_binary *binary)
{
	if (!binary->looked_for_debug) {
		binary->looked_for_debug = true;
		if (!pfx_debugfile_open(&binary->runtime, binary->path, &binary->build_id,
					&binary->options, &binary->debug, &binary->debug_path)) {
			binary->refused_debug = binary->debug_path;
			binary->debug_path = NULL;
		}
		if (!pfx_elf_let_write(&binary->debug))
			pfx_elf_close(&binary->debug);
	}
	return binary->debug.elf;
}

const char *pfx_binary_debug_path(struct pfx_binary *binary)
{
	return pfx_binary_debug_elf(binary) ? binary->debug_path : NULL;
}

const char *pfx_binary_refused_debug(struct pfx_binary *binary)
{
	pfx_binary_debug_elf(binary);
	return binary->refused_debug;
}

/* Takes ownership of @path, which may be NULL. */
static bool try_alt(struct pfx_binary *binary, char *path, const struct pfx_build_id *id)
{
	struct pfx_elf *alt = &binary->alt;
	bool ok = path && !pfx_elf_open(path, alt, NULL);

	if (ok && pfx_build_id_same(&alt->build_id, id) && pfx_elf_let_write(alt)) {
		binary->alt_path = path;
		return true;
	}
	pfx_elf_close(alt);
	free(path);
	return false;
}

/* Resolves the name relative to the file that contains it. */
static char *alt_by_name(const struct pfx_binary *binary, const char *name)
{
	const char *from = binary->debug_path ? binary->debug_path : binary->path;
	const char *slash = strrchr(from, '/');

	if (*name == '/')
		return pfx_symfs_path(&binary->options, name);
	return pfx_strfmt("%.*s/%s", slash ? (int)(slash - from) : 0, from, name);
}

struct Elf *pfx_binary_alt_elf(struct pfx_binary *binary, const char *name,
			       const struct pfx_build_id *id)
{
	const struct pfx_sym_options *options = &binary->options;
	char text[2 * PFX_BUILD_ID_SIZE + 1];

	if (binary->alt.elf || id->size < 2 || !*name)
		return binary->alt.elf;
	pfx_build_id_text(id, text);
	if (try_alt(binary, alt_by_name(binary, name), id) ||
	    try_alt(binary, pfx_debugfile_cached(options, id, "debug"), id) ||
	    try_alt(binary,
		    pfx_strfmt("%s/usr/lib/debug/.build-id/%.2s/%s.debug", pfx_symfs_dir(options),
			       text, text + 2),
		    id))
		return binary->alt.elf;
	try_alt(binary, pfx_debuginfod_fetch(options->fetch, PFX_FETCH_DEBUG, id, name), id);
	return binary->alt.elf;
}

/* the section holds a name, NUL, build ID */
static bool read_alt_link(const struct pfx_elf *elf, struct pfx_binary_alt *ret)
{
	size_t size, len;
	const uint8_t *bytes = pfx_elf_bytes(elf, pfx_elf_section(elf, ".gnu_debugaltlink"), &size);

	len = bytes ? strnlen((const char *)bytes, size) : 0;
	if (!len || len == size || size - len - 1 > PFX_BUILD_ID_SIZE)
		return false;
	ret->name = (const char *)bytes;
	ret->id.size = (uint8_t)(size - len - 1);
	memcpy(ret->id.data, bytes + len + 1, ret->id.size);
	return true;
}

bool pfx_binary_alt(struct pfx_binary *binary, struct pfx_binary_alt *ret)
{
	pfx_binary_debug_elf(binary);
	if ((!binary->debug.elf || !read_alt_link(&binary->debug, ret)) &&
	    !read_alt_link(&binary->runtime, ret))
		return false;
	pfx_binary_alt_elf(binary, ret->name, &ret->id);
	ret->path = binary->alt_path;
	return ret->path != NULL;
}

/* Takes ownership of @path, which may be NULL. */
static bool try_package(struct pfx_binary *binary, char *path)
{
	binary->package = path ? pfx_split_file_open(path) : NULL;
	if (binary->package)
		binary->package_path = path;
	else
		free(path);
	return binary->package != NULL;
}

/* A package has the name of the program or of its debug file, with ".dwp". */
static void find_package(struct pfx_binary *binary)
{
	const char *symfs = pfx_symfs_dir(&binary->options), *debug = binary->debug_path;
	const char *path = pfx_symfs_part(&binary->options, binary->path);
	size_t len = debug ? strlen(debug) : 0;

	if (try_package(binary, pfx_strfmt("%s%s.dwp", symfs, path)) ||
	    try_package(binary, pfx_debugfile_cached(&binary->options, &binary->build_id, "dwp")) ||
	    !debug || try_package(binary, pfx_strfmt("%s.dwp", debug)))
		return;
	if (len > 6 && !strcmp(debug + len - 6, ".debug"))
		try_package(binary, pfx_strfmt("%.*s.dwp", (int)len - 6, debug));
}

const struct pfx_split_file *pfx_binary_package(struct pfx_binary *binary)
{
	if (!binary->looked_for_package) {
		binary->looked_for_package = true;
		find_package(binary);
	}
	return binary->package;
}

const char *pfx_binary_package_path(struct pfx_binary *binary)
{
	pfx_binary_debug_elf(binary);
	return pfx_binary_package(binary) ? binary->package_path : NULL;
}

unsigned pfx_binary_split_places(const struct pfx_binary *binary, const char *name, uint64_t id,
				 char *ret[PFX_BINARY_SPLIT_PLACES])
{
	const char *symfs = pfx_symfs_dir(&binary->options), *base = strrchr(name, '/');
	const char *path = pfx_symfs_part(&binary->options, binary->path);
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;
	char part[PFX_KEEP_SPLIT_SIZE], *cached;
	unsigned nr = 0;

	if (*name != '/')
		ret[nr++] = pfx_strfmt("%s%.*s/%s", symfs, dir, path, name);
	else if (*symfs)
		ret[nr++] = pfx_symfs_path(&binary->options, name);
	if (base)
		ret[nr++] = pfx_strfmt("%s%.*s%s", symfs, dir, path, base);
	cached = pfx_debugfile_cached(&binary->options, &binary->build_id,
				      pfx_keep_split_name(id, part));
	if (cached)
		ret[nr++] = cached;
	return nr;
}

bool pfx_binary_vaddr(const struct pfx_binary *binary, uint64_t offset, uint64_t *ret)
{
	bool is_kernel = binary->kind == PFX_SYM_KERNEL || binary->kind == PFX_SYM_MODULE;
	size_t i;

	*ret = offset - binary->shift;
	if (is_kernel)
		return true;
	for (i = 0; i < binary->runtime.nr_segments; i++) {
		const struct pfx_elf_segment *seg = &binary->runtime.segments[i];

		if (offset - seg->offset >= seg->filesz)
			continue;
		*ret = offset - seg->offset + seg->vaddr;
		return true;
	}
	return false;
}

const uint64_t *pfx_binary_sections(const struct pfx_binary *binary, size_t *ret_nr)
{
	*ret_nr = binary->runtime.nr_sections;
	return binary->sections;
}

bool pfx_binary_offset(const struct pfx_binary *binary, uint64_t vaddr, uint64_t *ret)
{
	return pfx_elf_offset(&binary->runtime, vaddr, ret);
}

uint64_t pfx_binary_entry(const struct pfx_binary *binary)
{
	return binary->runtime.ehdr.e_entry;
}

bool pfx_binary_is_fixed(const struct pfx_binary *binary)
{
	return binary->runtime.ehdr.e_type == ET_EXEC;
}

uint16_t pfx_binary_machine(const struct pfx_binary *binary, bool *ret_is_little)
{
	*ret_is_little = binary->runtime.ehdr.e_ident[EI_DATA] == ELFDATA2LSB;
	return binary->runtime.ehdr.e_machine;
}

const uint8_t *pfx_binary_bytes(const struct pfx_binary *binary, size_t *ret_size)
{
	const char *bytes = elf_rawfile(binary->runtime.elf, ret_size);

	if (!bytes)
		*ret_size = 0;
	return (const uint8_t *)bytes;
}

bool pfx_binary_part(const struct pfx_binary *binary, uint32_t type, struct pfx_binary_part *ret)
{
	GElf_Phdr header;
	const uint8_t *bytes;
	size_t i, nr, size;

	bytes = pfx_binary_bytes(binary, &size);
	if (!bytes || elf_getphdrnum(binary->runtime.elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(binary->runtime.elf, (int)i, &header) || header.p_type != type)
			continue;
		if (header.p_offset > size || header.p_filesz > size - header.p_offset)
			return false;
		*ret = (struct pfx_binary_part){header.p_vaddr, bytes + header.p_offset,
						(size_t)header.p_filesz};
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

bool pfx_binary_section(const struct pfx_binary *binary, const char *name,
			struct pfx_binary_part *ret)
{
	const struct pfx_elf_section *section = pfx_elf_section(&binary->runtime, name);

	if (!section || section->flags & SHF_COMPRESSED)
		return false;
	ret->vaddr = section->addr;
	ret->at = pfx_elf_bytes(&binary->runtime, section, &ret->size);
	return ret->at != NULL;
}

bool pfx_binary_constant(const struct pfx_binary *binary, uint64_t vaddr,
			 struct pfx_binary_part *ret)
{
	const uint64_t changes = SHF_WRITE | SHF_EXECINSTR | SHF_COMPRESSED;
	const struct pfx_elf_section *section;
	size_t i;

	for (i = 1; i < binary->runtime.nr_sections; i++) {
		section = &binary->runtime.sections[i];
		if (section->type != SHT_PROGBITS || !(section->flags & SHF_ALLOC) ||
		    section->flags & changes || vaddr - section->addr >= section->size)
			continue;
		ret->at = pfx_elf_bytes(&binary->runtime, section, &ret->size);
		if (!ret->at || vaddr - section->addr >= ret->size)
			return false;
		ret->vaddr = vaddr;
		ret->at += vaddr - section->addr;
		ret->size -= (size_t)(vaddr - section->addr);
		return true;
	}
	return false;
}
