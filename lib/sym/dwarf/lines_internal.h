/* SPDX-License-Identifier: MIT */
/* The reader of debug information for lines.c: either lines_with_libdw.c or
 * lines_without_libdw.c. */
#ifndef PFX_SYM_LINES_INTERNAL_H
#define PFX_SYM_LINES_INTERNAL_H

#include "base/arena.h"
#include "base/hash.h"
#include "sym/dwarf/lines.h"
#include "sym/find/binary.h"
#include "sym/table/source.h"

#define PFX_INLINED_MAX 256 /* nested inlined functions; compilers stay far below */

struct pfx_debug_info;

/* Borrows @binary. NULL: it has no debug information, or no library is built in. Results are
 * allocated from @arena. */
struct pfx_debug_info *pfx_debug_info_new(struct pfx_binary *binary, struct pfx_arena *arena,
					  bool keep_names);
void pfx_debug_info_free(struct pfx_debug_info *info);
bool pfx_debug_info_is_built_in(void);
/* @ret_end: up to this address the answer is the same. */
bool pfx_debug_info_source(struct pfx_debug_info *info, uint64_t vaddr, struct pfx_source *ret,
			   uint64_t *ret_end);
/* Stores at most PFX_INLINED_MAX functions in @ret. @ret_end: as above. */
uint32_t pfx_debug_info_inlined(struct pfx_debug_info *info, uint64_t vaddr,
				struct pfx_inlined *ret, uint64_t *ret_end);
bool pfx_debug_info_call(struct pfx_debug_info *info, const struct pfx_inlined *inlined,
			 struct pfx_source *ret);
bool pfx_debug_info_is_split(struct pfx_debug_info *info);
void pfx_debug_info_splits(struct pfx_debug_info *info, struct pfx_split_list *ret);
/* For the units of these addresses. */
void pfx_debug_info_splits_at(struct pfx_debug_info *info, const uint64_t *vaddrs, size_t nr,
			      struct pfx_split_list *ret);
/* See pfx_lines_gaps(). */
struct pfx_split_gaps pfx_debug_info_gaps(const struct pfx_debug_info *info);

/* --- debug information of a kernel module, relocated to its load addresses --- */

struct pfx_module_dwarf;
struct Dwarf;

/* NULL: not readable. */
struct pfx_module_dwarf *pfx_module_dwarf_new(struct pfx_binary *binary);
void pfx_module_dwarf_free(struct pfx_module_dwarf *module);
/* libdw's handle; its addresses are those of the recording. */
struct Dwarf *pfx_module_dwarf_get(const struct pfx_module_dwarf *module);

/* --- the contents of struct pfx_lines, for the type reader (lines.c) --- */

/* The debug information of @lines, and its lock. NULL: not from an ELF file. */
/* See pfx_lines_frames(), pfx_lines_rows(); addresses are virtual. */
uint32_t pfx_debug_info_frames(struct pfx_debug_info *info, uint64_t vaddr,
			       struct pfx_line_frame *ret);
uint64_t pfx_debug_info_unit_number(struct pfx_debug_info *info, uint64_t vaddr);
uint32_t pfx_debug_info_rows(struct pfx_debug_info *info, uint64_t low, uint64_t high,
			     uint64_t *ret, uint32_t max);
struct pfx_debug_info *pfx_lines_info(const struct pfx_lines *lines);
struct pfx_binary *pfx_lines_binary(const struct pfx_lines *lines);
void pfx_lines_lock(struct pfx_lines *lines);
void pfx_lines_unlock(struct pfx_lines *lines);

#endif
