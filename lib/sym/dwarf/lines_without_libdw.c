/* SPDX-License-Identifier: MIT */
/* Used when libdw is not built in: no source lines, no inlined functions. */
#include "sym/dwarf/lines_internal.h"
#include "sym/table/source.h"

struct pfx_debug_info *pfx_debug_info_new(struct pfx_binary *binary, struct pfx_arena *arena,
					  bool keep_names)
{
	(void)binary;
	(void)arena;
	(void)keep_names;
	return NULL;
}

void pfx_debug_info_free(struct pfx_debug_info *info)
{
	(void)info;
}

bool pfx_debug_info_is_built_in(void)
{
	return false;
}

bool pfx_debug_info_is_split(struct pfx_debug_info *info)
{
	(void)info;
	return false;
}

void pfx_debug_info_splits(struct pfx_debug_info *info, struct pfx_split_list *ret)
{
	(void)info;
	*ret = (struct pfx_split_list){0};
}

void pfx_debug_info_splits_at(struct pfx_debug_info *info, const uint64_t *vaddrs, size_t nr,
			      struct pfx_split_list *ret)
{
	(void)info;
	(void)vaddrs;
	(void)nr;
	*ret = (struct pfx_split_list){0};
}

struct pfx_split_gaps pfx_debug_info_gaps(const struct pfx_debug_info *info)
{
	(void)info;
	return (struct pfx_split_gaps){0};
}

bool pfx_debug_info_source(struct pfx_debug_info *info, uint64_t vaddr, struct pfx_source *ret,
			   uint64_t *ret_end)
{
	(void)info;
	(void)ret;
	*ret_end = vaddr + 1;
	return false;
}

uint32_t pfx_debug_info_inlined(struct pfx_debug_info *info, uint64_t vaddr,
				struct pfx_inlined *ret, uint64_t *ret_end)
{
	(void)info;
	(void)ret;
	*ret_end = vaddr + 1;
	return 0;
}

bool pfx_debug_info_call(struct pfx_debug_info *info, const struct pfx_inlined *inlined,
			 struct pfx_source *ret)
{
	(void)info;
	(void)inlined;
	(void)ret;
	return false;
}

uint32_t pfx_debug_info_frames(struct pfx_debug_info *info, uint64_t vaddr,
			       struct pfx_line_frame *ret)
{
	(void)info;
	(void)vaddr;
	(void)ret;
	return 0;
}

uint64_t pfx_debug_info_unit_number(struct pfx_debug_info *info, uint64_t vaddr)
{
	(void)info;
	(void)vaddr;
	return 0;
}

uint32_t pfx_debug_info_rows(struct pfx_debug_info *info, uint64_t low, uint64_t high,
			     uint64_t *ret, uint32_t max)
{
	(void)info;
	(void)low;
	(void)high;
	(void)ret;
	(void)max;
	return 0;
}
