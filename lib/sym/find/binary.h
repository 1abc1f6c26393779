/* SPDX-License-Identifier: MIT */
/*
 * The ELF files behind a program, a library or the vdso, for who reads other things from them than
 * symbols: the file that ran (checked by its build id) and the file with its debug information. A
 * binary owns both until it is freed.
 */
#ifndef PFX_SYM_BINARY_H
#define PFX_SYM_BINARY_H

#include "sym/elf/buildid.h"
#include "sym/find/request.h"
#include "sym/table/symtab.h"

struct Elf; /* libelf's handle, with <libelf.h> also called Elf */
struct pfx_binary;
struct pfx_split_file; /* of this folder */

/* Find the files of @request (kinds FILE and VDSO; KERNEL and MODULE where they have debug
 * information). 0 when at least the file that ran is there. */
int pfx_binary_open(struct pfx_binary **ret, const struct pfx_sym_request *request,
		    const struct pfx_sym_options *options, struct pfx_error *err);
/* The same of an image in memory, which the binary then owns; else it is freed. */
int pfx_binary_open_image(struct pfx_binary **ret, uint8_t *image, size_t size,
			  struct pfx_error *err);
void pfx_binary_free(struct pfx_binary *binary);
/* Borrowed. The bytes may be written to, as libraries do that unpack sections; the files stay as
 * they are. The debug file is NULL where there is none. It is looked for when first asked for. */
struct Elf *pfx_binary_elf(const struct pfx_binary *binary);
struct Elf *pfx_binary_debug_elf(struct pfx_binary *binary);
/* Where the debug file is; NULL: there is none. */
const char *pfx_binary_debug_path(struct pfx_binary *binary);
/* Where there is none: the first file in its place that is of another build; NULL: no file. */
const char *pfx_binary_refused_debug(struct pfx_binary *binary);
/* A file that several debug files share a part of theirs in, by the name and build id that they
 * say; NULL when it is not there. Owned by the binary. */
struct Elf *pfx_binary_alt_elf(struct pfx_binary *binary, const char *name,
			       const struct pfx_build_id *id);
/* That file as a name in the debug file (or in the one that ran) says it; false when it is not
 * there or not spoken of. All is owned by the binary. */
struct pfx_binary_alt {
	const char *name, *path; /* foreign text; where it was found */
	struct pfx_build_id id;
};
bool pfx_binary_alt(struct pfx_binary *binary, struct pfx_binary_alt *ret);
/* The package of split debug information that belongs to the program; NULL: there is none. It is
 * looked for when first asked for. */
const struct pfx_split_file *pfx_binary_package(struct pfx_binary *binary);
const char *pfx_binary_package_path(struct pfx_binary *binary);
/* Where else than at @name, as the program has it, the file with the other half of its unit @id may
 * be: moved together with the program, or in the build-id cache. Returns how many places, which the
 * caller frees. */
#define PFX_BINARY_SPLIT_PLACES 3
unsigned pfx_binary_split_places(const struct pfx_binary *binary, const char *name, uint64_t id,
				 char *ret[PFX_BINARY_SPLIT_PLACES]);
/* The virtual address that the file that ran is entered at; 0: none. */
uint64_t pfx_binary_entry(const struct pfx_binary *binary);
/* The bytes of the file that ran, as they are in it. */
const uint8_t *pfx_binary_bytes(const struct pfx_binary *binary, size_t *ret_size);

/* A part of the file that ran which its program headers tell of. */
struct pfx_binary_part {
	uint64_t vaddr;
	const uint8_t *at; /* in the file, all @size bytes of it */
	size_t size;
};

/* The first with a program header of this type (PT_*); false when there is none. */
bool pfx_binary_part(const struct pfx_binary *binary, uint32_t type, struct pfx_binary_part *ret);
/* The section of that name, where it is in the file as it is in memory. */
bool pfx_binary_section(const struct pfx_binary *binary, const char *name,
			struct pfx_binary_part *ret);
/* The virtual address of a byte of the file that ran, or of an address of the kernel's as recorded;
 * false when in no segment. */
bool pfx_binary_vaddr(const struct pfx_binary *binary, uint64_t offset, uint64_t *ret);
/* The reverse. */
bool pfx_binary_offset(const struct pfx_binary *binary, uint64_t vaddr, uint64_t *ret);
/* Where the sections of a module were loaded, UINT64_MAX: nowhere; NULL: it is none. */
const uint64_t *pfx_binary_sections(const struct pfx_binary *binary, size_t *ret_nr);
/* Whether the file that ran, or (@debug) the debug file, has a section of that name. */
bool pfx_binary_has_section(struct pfx_binary *binary, bool debug, const char *name);

#endif
