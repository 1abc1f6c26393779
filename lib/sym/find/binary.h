/* SPDX-License-Identifier: MIT */
/*
 * The ELF files of a program, a library or the vdso, for readers of more than symbols: the runtime
 * file, which is the file that was mapped (checked by its build ID), and the file with its debug
 * information. A binary owns both until it is freed.
 */
#ifndef PFX_SYM_BINARY_H
#define PFX_SYM_BINARY_H

#include "sym/elf/buildid.h"
#include "sym/find/request.h"
#include "sym/table/symtab.h"

struct Elf; /* libelf's handle, with <libelf.h> also called Elf */
struct pfx_binary;
struct pfx_split_file; /* private to sym/ */

/* Find the files of @request (kinds FILE and VDSO; KERNEL and MODULE if they have debug
 * information). 0 if at least the runtime file was found. */
int pfx_binary_open(struct pfx_binary **ret, const struct pfx_sym_request *request,
		    const struct pfx_sym_options *options, struct pfx_error *err);
/* The same for an image in memory. Takes ownership of @image, which is freed on failure. */
int pfx_binary_open_image(struct pfx_binary **ret, uint8_t *image, size_t size,
			  struct pfx_error *err);
void pfx_binary_free(struct pfx_binary *binary);
/* Borrowed. Libraries may write to the mapped bytes, for example to unpack sections; the files are
 * not changed. The debug file is searched on first use; NULL: not found. */
struct Elf *pfx_binary_elf(const struct pfx_binary *binary);
struct Elf *pfx_binary_debug_elf(struct pfx_binary *binary);
/* The path of the debug file; NULL: not found. */
const char *pfx_binary_debug_path(struct pfx_binary *binary);
/* If no debug file was found: the first candidate that was refused because it is another build;
 * NULL: none. */
const char *pfx_binary_refused_debug(struct pfx_binary *binary);
/* A supplementary file (made by dwz) that several debug files share, by the name and build ID from
 * the debug file; NULL when not found. Owned by the binary. */
struct Elf *pfx_binary_alt_elf(struct pfx_binary *binary, const char *name,
			       const struct pfx_build_id *id);
/* The reference to that file in the debug file (or the runtime file); false when the reference or
 * the file is missing. The binary owns all strings. */
struct pfx_binary_alt {
	const char *name, *path; /* name: untrusted text; path: where it was found */
	struct pfx_build_id id;
};
bool pfx_binary_alt(struct pfx_binary *binary, struct pfx_binary_alt *ret);
/* The program's package of split debug information (.dwp); NULL: not found. It is searched on first
 * use. */
const struct pfx_split_file *pfx_binary_package(struct pfx_binary *binary);
const char *pfx_binary_package_path(struct pfx_binary *binary);
/* More places to search for the split unit @id than its recorded @name: relative to the program's
 * present directory, or in the build-ID cache. Returns the number of paths, which the caller
 * frees. */
#define PFX_BINARY_SPLIT_PLACES 3
unsigned pfx_binary_split_places(const struct pfx_binary *binary, const char *name, uint64_t id,
				 char *ret[PFX_BINARY_SPLIT_PLACES]);
/* The virtual address of the runtime file's entry point; 0: none. */
uint64_t pfx_binary_entry(const struct pfx_binary *binary);
/* Its machine (EM_*), and whether it is little-endian. */
uint16_t pfx_binary_machine(const struct pfx_binary *binary, bool *ret_is_little);
/* Whether it runs at the addresses in the file: it is not position-independent. */
bool pfx_binary_is_fixed(const struct pfx_binary *binary);
/* The bytes of the runtime file. */
const uint8_t *pfx_binary_bytes(const struct pfx_binary *binary, size_t *ret_size);

/* A part of the runtime file that a program header describes. */
struct pfx_binary_part {
	uint64_t vaddr;
	const uint8_t *at; /* in the file; all @size bytes are there */
	size_t size;
};

/* The first part with a program header of this type (PT_*); false when there is none. */
bool pfx_binary_part(const struct pfx_binary *binary, uint32_t type, struct pfx_binary_part *ret);
/* The section with this name, if the runtime file has its contents as they are in memory. */
bool pfx_binary_section(const struct pfx_binary *binary, const char *name,
			struct pfx_binary_part *ret);
/* The rest of the section of constants that contains @vaddr: neither code nor writable. False:
 * there is none. */
bool pfx_binary_constant(const struct pfx_binary *binary, uint64_t vaddr,
			 struct pfx_binary_part *ret);
/* The virtual address of an offset in the runtime file, or of a recorded kernel address; false when
 * no segment contains it. */
bool pfx_binary_vaddr(const struct pfx_binary *binary, uint64_t offset, uint64_t *ret);
/* The reverse. */
bool pfx_binary_offset(const struct pfx_binary *binary, uint64_t vaddr, uint64_t *ret);
/* The load addresses of a module's sections, UINT64_MAX: not loaded; NULL: not a module. */
const uint64_t *pfx_binary_sections(const struct pfx_binary *binary, size_t *ret_nr);
/* Whether the runtime file, or (@debug) the debug file, has a section with this name. */
bool pfx_binary_has_section(struct pfx_binary *binary, bool debug, const char *name);

#endif
