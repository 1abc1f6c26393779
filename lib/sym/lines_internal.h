/* SPDX-License-Identifier: MIT */
/* What reads debug information for lines.c: one of lines_with_libdw.c, lines_without_libdw.c. */
#ifndef PFX_SYM_LINES_INTERNAL_H
#define PFX_SYM_LINES_INTERNAL_H

#include "base/arena.h"
#include "base/hash.h"
#include "sym/binary.h"
#include "sym/lines.h"

#define PFX_INLINED_MAX 256 /* functions inlined in one another; compilers stop far below */

struct pfx_debug_info;

/* Borrows @binary. NULL: it has no debug information, or no library for it is built in. What the
 * results consist of goes into @arena. */
struct pfx_debug_info *pfx_debug_info_new(struct pfx_binary *binary, struct pfx_arena *arena,
					  bool keep_names);
void pfx_debug_info_free(struct pfx_debug_info *info);
bool pfx_debug_info_is_built_in(void);
bool pfx_debug_info_source(struct pfx_debug_info *info, uint64_t vaddr, struct pfx_source *ret);
/* At most PFX_INLINED_MAX into @ret. */
uint32_t pfx_debug_info_inlined(struct pfx_debug_info *info, uint64_t vaddr,
				struct pfx_inlined *ret);
bool pfx_debug_info_call(struct pfx_debug_info *info, const struct pfx_inlined *inlined,
			 struct pfx_source *ret);
bool pfx_debug_info_is_split(struct pfx_debug_info *info);
void pfx_debug_info_splits(struct pfx_debug_info *info, struct pfx_split_list *ret);
/* Of the units of these addresses. */
void pfx_debug_info_splits_at(struct pfx_debug_info *info, const uint64_t *vaddrs, size_t nr,
			      struct pfx_split_list *ret);
/* See pfx_lines_gaps(). */
struct pfx_split_gaps pfx_debug_info_gaps(const struct pfx_debug_info *info);

/* --- debug information of a kernel module, which is told where its sections lie --- */

struct pfx_module_dwarf;
struct Dwarf;

/* NULL: it cannot be read. */
struct pfx_module_dwarf *pfx_module_dwarf_new(struct pfx_binary *binary);
void pfx_module_dwarf_free(struct pfx_module_dwarf *module);
/* libdw's handle; its addresses are those of the recording. */
struct Dwarf *pfx_module_dwarf_get(const struct pfx_module_dwarf *module);

/* --- lines of a jitdump (jit_source.c), by offsets in it --- */

struct pfx_jit_source;

int pfx_jit_source_new(struct pfx_jit_source **ret, const struct pfx_sym_request *request,
		       const struct pfx_sym_options *options, struct pfx_error *err);
void pfx_jit_source_free(struct pfx_jit_source *source);
bool pfx_jit_source_find(const struct pfx_jit_source *source, uint64_t offset,
			 struct pfx_source *ret);

#endif
