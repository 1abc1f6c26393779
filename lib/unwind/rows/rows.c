/* SPDX-License-Identifier: MIT */
/*
 * The rows of one dso, by address. A row is made on first use and kept. Does not use samples or
 * processes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "unwind/rows/rows_internal.h"

#define EPILOGUE_MAX 64 /* bytes of code that are looked at for a return */

struct pfx_rows {
	struct pfx_binary *binary;
	const struct pfx_unwind_arch *arch;
	struct pfx_cfi *cfi;
	struct pfx_hash by_offset; /* file offset -> struct pfx_unwind_row * */
	struct pfx_arena arena;
};

struct pfx_rows *pfx_rows_new(struct pfx_binary *binary, const struct pfx_unwind_arch *arch)
{
	struct pfx_rows *rows = pfx_calloc(1, sizeof(*rows));

	rows->binary = binary;
	rows->arch = arch;
	return rows;
}

void pfx_rows_free(struct pfx_rows *rows)
{
	if (!rows)
		return;
	pfx_cfi_free(rows->cfi);
	pfx_binary_free(rows->binary);
	pfx_hash_fini(&rows->by_offset);
	pfx_arena_clear(&rows->arena);
	free(rows);
}

struct pfx_binary *pfx_rows_binary(const struct pfx_rows *rows)
{
	return rows->binary;
}

const struct pfx_unwind_arch *pfx_rows_arch(const struct pfx_rows *rows)
{
	return rows->arch;
}

/* Whether the fast path of frame.c applies, as for nearly all rows. */
static bool is_plain(const struct pfx_unwind_row *row)
{
	unsigned i;

	if (row->kind != PFX_ROW_RULES)
		return false;
	for (i = 0; i < row->nr_rules; i++)
		if (row->rules[i].how != PFX_ROW_CFA_LOAD && row->rules[i].how != PFX_ROW_CFA_VALUE)
			return false;
	return row->cfa.how == PFX_ROW_REG_VALUE;
}

static bool is_restored(const struct pfx_rows *rows, uint64_t offset)
{
	const struct pfx_unwind_arch *arch = rows->arch;
	const uint8_t *bytes;
	size_t size;

	if (!arch->has_red_zone)
		return true;
	if (!arch->returns)
		return false;
	bytes = pfx_binary_bytes(rows->binary, &size);
	if (offset >= size)
		return false;
	size -= offset;
	return arch->returns(bytes + offset, size < EPILOGUE_MAX ? size : EPILOGUE_MAX);
}

static const struct pfx_unwind_row *make_row(struct pfx_rows *rows, uint64_t offset)
{
	struct pfx_unwind_row *row = pfx_arena_new(&rows->arena, struct pfx_unwind_row);
	uint64_t vaddr;

	row->kind = PFX_ROW_NONE;
	if (!pfx_binary_vaddr(rows->binary, offset, &vaddr))
		return row;
	if (!rows->cfi)
		rows->cfi = pfx_cfi_new(rows->binary);
	pfx_cfi_row(rows->cfi, rows->arch, vaddr, &rows->arena, row);
	if (row->kind == PFX_ROW_NONE && rows->arch->has_exidx)
		pfx_exidx_row(rows->binary, rows->arch, vaddr, &rows->arena, row);
	row->is_plain = is_plain(row);
	row->is_restored = is_restored(rows, offset);
	return row;
}

const struct pfx_unwind_row *pfx_rows_find(struct pfx_rows *rows, uint64_t offset)
{
	uint64_t *at = pfx_hash_add(&rows->by_offset, offset, NULL);

	if (!*at)
		*at = (uintptr_t)make_row(rows, offset);
	return (const struct pfx_unwind_row *)(uintptr_t)*at;
}
