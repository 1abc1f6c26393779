/* SPDX-License-Identifier: MIT */
/* Used when libdw is not built in: no types. */
#include "sym/types/types_internal.h"

struct pfx_type_table *pfx_type_table_new(struct pfx_debug_info *info, struct pfx_arena *arena)
{
	(void)info;
	(void)arena;
	return NULL;
}

void pfx_type_table_free(struct pfx_type_table *table)
{
	(void)table;
}

const struct pfx_type *pfx_type_get(struct pfx_type_table *table, uint32_t id)
{
	static const struct pfx_type no_type = {.name = ""};

	(void)table;
	(void)id;
	return &no_type;
}

bool pfx_type_function_read(struct pfx_type_table *table, uint64_t vaddr,
			    struct pfx_type_function *ret)
{
	(void)table;
	(void)vaddr;
	(void)ret;
	return false;
}

void pfx_type_function_fini(struct pfx_type_function *function)
{
	(void)function;
}

bool pfx_type_global_find(struct pfx_type_table *table, uint64_t vaddr, uint32_t *ret_type,
			  uint64_t *ret_offset)
{
	(void)table;
	(void)vaddr;
	(void)ret_type;
	(void)ret_offset;
	return false;
}

uint32_t pfx_type_returned(struct pfx_type_table *table, uint64_t vaddr)
{
	(void)table;
	(void)vaddr;
	return 0;
}

bool pfx_type_cfa(struct pfx_type_table *table, uint64_t vaddr, uint8_t *ret_reg,
		  int64_t *ret_offset)
{
	(void)table;
	(void)vaddr;
	(void)ret_reg;
	(void)ret_offset;
	return false;
}
