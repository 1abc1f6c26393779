/* SPDX-License-Identifier: MIT */
/*
 * Rows for JIT code whose jitdump has unwind tables. The tables of a function refer to its code as
 * if they were mapped right after it: an ELF image in memory, made on first use, has this layout.
 * Addresses are offsets in the jitdump.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "sym/jit/jit_elf.h"
#include "sym/jit/jit_files.h"
#include "unwind/rows/rows_internal.h"

struct function {
	struct pfx_jit_load load;
	struct pfx_jit_unwinding unwinding;
	uint64_t offset; /* of the code in the jitdump */
	struct pfx_rows *rows;
	bool looked_for;
};

struct pfx_jit_rows {
	const struct pfx_unwind_arch *arch;
	struct pfx_jit_file file;
	PFX_VEC(struct function) functions; /* those with tables, sorted by offset */
	uint32_t machine;
	bool big_endian;
};

static const struct pfx_unwind_row row_none = {.kind = PFX_ROW_NONE};

/* Tables precede the LOAD record of their function. */
static void read_functions(struct pfx_jit_rows *rows, struct pfx_jitdump *dump)
{
	struct pfx_jit_unwinding unwinding = {0};
	struct pfx_jit_record record;

	while (pfx_jitdump_next(dump, &record)) {
		if (record.type == PFX_JIT_UNWINDING) {
			unwinding = record.unwinding;
		} else if (record.type == PFX_JIT_LOAD) {
			if (record.load.size && unwinding.size > unwinding.header_size)
				pfx_vec_push(
					&rows->functions,
					((struct function){.load = record.load,
							   .unwinding = unwinding,
							   .offset = (uint64_t)(record.load.code -
										rows->file.data)}));
			unwinding = (struct pfx_jit_unwinding){0};
		}
	}
}

struct pfx_jit_rows *pfx_jit_rows_new(const struct pfx_sym_request *request,
				      const struct pfx_sym_options *options,
				      const struct pfx_unwind_arch *arch)
{
	struct pfx_jit_rows *rows = pfx_calloc(1, sizeof(*rows));
	struct pfx_jitdump dump;

	rows->arch = arch;
	if (pfx_jit_file_read(request, options, &rows->file, NULL) ||
	    pfx_jitdump_init(&dump, rows->file.data, rows->file.size, NULL)) {
		pfx_jit_rows_free(rows);
		return NULL;
	}
	rows->machine = dump.machine ? dump.machine : arch->e_machine;
	rows->big_endian = dump.rest.swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	read_functions(rows, &dump);
	return rows;
}

void pfx_jit_rows_free(struct pfx_jit_rows *rows)
{
	size_t i;

	if (!rows)
		return;
	for (i = 0; i < rows->functions.nr; i++)
		pfx_rows_free(rows->functions.at[i].rows);
	pfx_vec_free(&rows->functions);
	pfx_jit_file_free(&rows->file);
	free(rows);
}

static struct function *find_function(const struct pfx_jit_rows *rows, uint64_t offset)
{
	struct function *at = rows->functions.at;
	size_t behind = pfx_bisect(i, rows->functions.nr, at[i].offset <= offset);

	if (!behind || offset - at[behind - 1].offset >= at[behind - 1].load.size)
		return NULL;
	return &at[behind - 1];
}

static struct pfx_rows *make_rows(const struct pfx_jit_rows *rows, const struct function *f)
{
	const struct pfx_jit_function function = {
		.load = &f->load,
		.unwinding = &f->unwinding,
		.machine = rows->machine,
		.big_endian = rows->big_endian,
	};
	struct pfx_binary *binary;
	uint8_t *image;
	size_t size;

	if (pfx_jit_elf_image(&function, &image, &size, NULL) ||
	    pfx_binary_open_image(&binary, image, size, NULL))
		return NULL;
	return pfx_rows_new(binary, rows->arch);
}

/* The rows of the function at @offset, and the offset in its ELF image; NULL: no tables. */
static struct pfx_rows *rows_at(struct pfx_jit_rows *rows, uint64_t offset, uint64_t *ret_offset)
{
	struct function *function = find_function(rows, offset);

	if (!function)
		return NULL;
	if (!function->looked_for) {
		function->looked_for = true;
		function->rows = make_rows(rows, function);
	}
	*ret_offset = PFX_JIT_TEXT_OFFSET + offset - function->offset;
	return function->rows;
}

const struct pfx_unwind_row *pfx_jit_rows_find(struct pfx_jit_rows *rows, uint64_t offset)
{
	uint64_t at;
	struct pfx_rows *function = rows_at(rows, offset, &at);

	return function ? pfx_rows_find(function, at) : &row_none;
}

struct pfx_binary *pfx_jit_rows_binary(struct pfx_jit_rows *rows, uint64_t offset,
				       uint64_t *ret_offset)
{
	struct pfx_rows *function = rows_at(rows, offset, ret_offset);

	return function ? pfx_rows_binary(function) : NULL;
}
