/* SPDX-License-Identifier: MIT */
/*
 * Encodes the lines of a JIT function as DWARF 4: one unit without children, and its line program.
 * Rows are sorted by address; rows outside the code are dropped. Does not use ELF.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "jit_internal.h"

#define VERSION     4
#define OPCODE_BASE 10 /* no special opcodes are used */
#define ABBREV      1

struct row {
	uint64_t offset; /* in the code */
	uint32_t line, discriminator;
	uint32_t file;
	uint64_t order; /* keeps rows of one address in their original order */
};

struct rows {
	struct row *at;
	size_t nr, cap;
	struct pfx_intern files;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void collect(const struct pfx_jit_function *function, struct rows *rows)
{
	struct pfx_jit_debug debug = *function->debug;
	const struct pfx_jit_load *load = function->load;
	struct pfx_jit_line line;
	struct row *row;

	while (pfx_jit_debug_next(&debug, &line)) {
		if (line.addr < load->addr || line.addr - load->addr >= load->size || !*line.file)
			continue;
		row = pfx_vec_add(rows);
		row->offset = line.addr - load->addr;
		row->line = line.line;
		row->discriminator = line.discriminator;
		row->file = pfx_intern_str(&rows->files, line.file);
		row->order = rows->nr;
	}
	if (rows->nr)
		qsort(rows->at, rows->nr, sizeof(*rows->at), compare);
}

static void put_uleb(struct pfx_buffer *to, uint64_t v)
{
	do {
		pfx_buffer_u8(to, (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0)));
		v >>= 7;
	} while (v);
}

static void put_sleb(struct pfx_buffer *to, int64_t v)
{
	bool more = true;
	uint8_t byte;

	while (more) {
		byte = (uint8_t)(v & 0x7f);
		v >>= 7;
		more = !((v == 0 && !(byte & 0x40)) || (v == -1 && byte & 0x40));
		pfx_buffer_u8(to, byte | (more ? 0x80 : 0));
	}
}

static void put_address(struct pfx_buffer *to, unsigned size, uint64_t address)
{
	if (size == 8)
		pfx_buffer_u64(to, address);
	else
		pfx_buffer_u32(to, (uint32_t)address);
}

static void put_extended(struct pfx_buffer *to, uint8_t opcode, size_t size)
{
	pfx_buffer_u8(to, 0);
	put_uleb(to, size + 1);
	pfx_buffer_u8(to, opcode);
}

static size_t uleb_size(uint64_t v)
{
	size_t n = 1;

	while (v >>= 7)
		n++;
	return n;
}

static void put_row(struct pfx_buffer *to, const struct row *row, const struct row *before)
{
	if (row->offset != before->offset) {
		pfx_buffer_u8(to, DW_LNS_advance_pc);
		put_uleb(to, row->offset - before->offset);
	}
	if (row->file != before->file) {
		pfx_buffer_u8(to, DW_LNS_set_file);
		put_uleb(to, row->file + 1ull);
	}
	if (row->line != before->line) {
		pfx_buffer_u8(to, DW_LNS_advance_line);
		put_sleb(to, (int64_t)row->line - before->line);
	}
	if (row->discriminator) {
		put_extended(to, DW_LNE_set_discriminator, uleb_size(row->discriminator));
		put_uleb(to, row->discriminator);
	}
	pfx_buffer_u8(to, DW_LNS_copy);
}

static void put_program(struct pfx_buffer *to, const struct rows *rows, uint64_t size,
			unsigned address_size)
{
	struct row before = {.line = 1};
	size_t i;

	put_extended(to, DW_LNE_set_address, address_size);
	put_address(to, address_size, PFX_JIT_TEXT_OFFSET);
	for (i = 0; i < rows->nr; i++) {
		put_row(to, &rows->at[i], &before);
		before = rows->at[i];
	}
	pfx_buffer_u8(to, DW_LNS_advance_pc);
	put_uleb(to, size - before.offset);
	put_extended(to, DW_LNE_end_sequence, 0);
}

/* Sets the unit's length, which is known only now. */
static void end_unit(struct pfx_buffer *to, size_t start)
{
	pfx_buffer_patch32(to, start, (uint32_t)(to->len - start - 4));
}

static void put_lines(struct pfx_buffer *to, const struct rows *rows, uint64_t size,
		      unsigned address_size)
{
	static const uint8_t nr_operands[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
	size_t header;
	uint32_t i;

	pfx_buffer_u32(to, 0);
	pfx_buffer_u16(to, VERSION);
	header = to->len;
	pfx_buffer_u32(to, 0);
	pfx_buffer_u8(to, 1); /* minimum instruction length */
	pfx_buffer_u8(to, 1); /* maximum operations per instruction */
	pfx_buffer_u8(to, 1); /* default is_stmt */
	pfx_buffer_u8(to, 0); /* line_base and line_range, used only by special opcodes */
	pfx_buffer_u8(to, 1);
	pfx_buffer_u8(to, OPCODE_BASE);
	pfx_buffer_bytes(to, nr_operands, sizeof(nr_operands));
	pfx_buffer_u8(to, 0); /* no directories */
	for (i = 0; i < rows->files.nr; i++) {
		pfx_buffer_cstr(to, pfx_intern_get(&rows->files, i), 1);
		pfx_buffer_zeros(to, 3); /* directory, time, size */
	}
	pfx_buffer_u8(to, 0);
	pfx_buffer_patch32(to, header, (uint32_t)(to->len - header - 4));
	put_program(to, rows, size, address_size);
	end_unit(to, 0);
}

static void put_attribute(struct pfx_buffer *to, uint64_t name, uint64_t form)
{
	put_uleb(to, name);
	put_uleb(to, form);
}

static void put_abbrev(struct pfx_buffer *to)
{
	put_uleb(to, ABBREV);
	put_uleb(to, DW_TAG_compile_unit);
	pfx_buffer_u8(to, DW_CHILDREN_no);
	put_attribute(to, DW_AT_name, DW_FORM_string);
	put_attribute(to, DW_AT_low_pc, DW_FORM_addr);
	put_attribute(to, DW_AT_high_pc, DW_FORM_data8);
	put_attribute(to, DW_AT_stmt_list, DW_FORM_sec_offset);
	put_attribute(to, 0, 0);
	pfx_buffer_u8(to, 0);
}

static void put_info(struct pfx_buffer *to, const char *name, uint64_t size, unsigned address_size)
{
	pfx_buffer_u32(to, 0);
	pfx_buffer_u16(to, VERSION);
	pfx_buffer_u32(to, 0); /* offset in .debug_abbrev */
	pfx_buffer_u8(to, (uint8_t)address_size);
	put_uleb(to, ABBREV);
	pfx_buffer_cstr(to, name, 1);
	put_address(to, address_size, PFX_JIT_TEXT_OFFSET);
	pfx_buffer_u64(to, size);
	pfx_buffer_u32(to, 0); /* offset in .debug_line */
	end_unit(to, 0);
}

bool pfx_jit_dwarf_make(const struct pfx_jit_function *function, unsigned address_size,
			struct pfx_jit_dwarf *ret)
{
	bool swap = function->big_endian == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	uint64_t size = function->load->size;
	struct rows rows = {0};

	memset(ret, 0, sizeof(*ret));
	ret->abbrev.swap = ret->info.swap = ret->line.swap = swap;
	collect(function, &rows);
	if (rows.nr) {
		put_abbrev(&ret->abbrev);
		put_info(&ret->info, pfx_intern_get(&rows.files, 0), size, address_size);
		put_lines(&ret->line, &rows, size, address_size);
	}
	pfx_intern_fini(&rows.files);
	free(rows.at);
	return ret->line.len > 0;
}

void pfx_jit_dwarf_fini(struct pfx_jit_dwarf *dwarf)
{
	pfx_buffer_fini(&dwarf->abbrev);
	pfx_buffer_fini(&dwarf->info);
	pfx_buffer_fini(&dwarf->line);
}
