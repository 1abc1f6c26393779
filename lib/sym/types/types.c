/* SPDX-License-Identifier: MIT */
/*
 * Data types by instruction address: analyzes a function's code and debug information once, and
 * stores the access of each of its instructions. Does not use DWARF or instruction encodings
 * directly.
 */
#include "sym/types/types.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "base/bisect.h"
#include "sym/types/types_internal.h"

#define OPS_MAX  (1 << 16) /* of one function; the rest of a longer one is not analyzed */
#define INSN_MAX 16        /* maximum length in bytes */

/* Results for one address range of a function. */
struct piece {
	uint64_t low, high;
	const struct pfx_access *at; /* sorted by address */
	size_t nr;
	bool is_bare; /* code without debug information */
};

struct pfx_types {
	struct pfx_lines *lines;
	struct pfx_binary *binary;
	const struct pfx_data_arch *arch;
	struct pfx_decoder *decoder;
	struct pfx_type_table *table;
	struct pfx_arena arena;
	PFX_VEC(struct piece) pieces; /* sorted by address, not overlapping */
};

static const struct pfx_data_arch *arch_of(struct pfx_binary *binary)
{
	const struct pfx_arch *arch;
	GElf_Ehdr header;

	if (!gelf_getehdr(pfx_binary_elf(binary), &header))
		return NULL;
	arch = pfx_arch_of_elf(header.e_machine);
	return arch ? arch->data : NULL;
}

int pfx_types_new(struct pfx_types **ret, struct pfx_lines *lines, struct pfx_error *err)
{
	struct pfx_binary *binary = pfx_lines_binary(lines);
	const struct pfx_data_arch *arch = binary ? arch_of(binary) : NULL;
	struct pfx_decoder *decoder;
	struct pfx_types *types;
	int rc;

	if (!binary)
		return pfx_error_set(err, ENODATA, "there are no types of data");
	if (!arch)
		return pfx_error_set(err, ENOTSUP, "code for this machine is not followed");
	rc = pfx_decoder_new(&decoder, arch, err);
	if (rc)
		return rc;
	types = pfx_calloc(1, sizeof(*types));
	types->lines = lines;
	types->binary = binary;
	types->arch = arch;
	types->decoder = decoder;
	types->table = pfx_type_table_new(pfx_lines_info(lines), &types->arena);
	if (!types->table) {
		pfx_types_free(types);
		return pfx_error_set(err, ENODATA, "there are no types of data");
	}
	*ret = types;
	return 0;
}

void pfx_types_free(struct pfx_types *types)
{
	if (!types)
		return;
	pfx_type_table_free(types->table);
	pfx_decoder_free(types->decoder);
	pfx_vec_free(&types->pieces);
	pfx_arena_clear(&types->arena);
	free(types);
}

/* --- analyzing a function --- */

/* Instructions of a function, while they are decoded. */
struct ops {
	struct pfx_op *at;
	size_t nr, cap;
};

static void decode_range(struct pfx_types *types, const struct pfx_type_range *range,
			 struct ops *ops)
{
	uint64_t offset, left, at = range->low;
	const uint8_t *bytes;
	struct pfx_op *op;
	size_t size;

	bytes = pfx_binary_bytes(types->binary, &size);
	if (!bytes || !pfx_binary_offset(types->binary, range->low, &offset) || offset >= size)
		return;
	left = range->high - range->low;
	if (left > size - offset)
		left = size - offset;
	while (left && ops->nr < OPS_MAX) {
		op = pfx_vec_add(ops);
		pfx_decode(types->decoder, bytes + offset, (size_t)left, at, op);
		if (!op->len) { /* undecodable: its effect is unknown */
			op->len = 1;
			op->kind = PFX_OP_END;
		}
		offset += op->len;
		at += op->len;
		left -= op->len;
	}
}

static void insert_piece(struct pfx_types *types, struct piece piece)
{
	size_t i = types->pieces.nr;

	pfx_vec_push(&types->pieces, piece);
	for (; i && types->pieces.at[i - 1].low > piece.low; i--)
		types->pieces.at[i] = types->pieces.at[i - 1];
	types->pieces.at[i] = piece;
}

/* Stores the accesses of each range of the function; both lists are sorted by address. */
static void add_pieces(struct pfx_types *types, const struct pfx_type_function *function,
		       const struct pfx_access *accesses, size_t nr)
{
	const struct pfx_type_range *range;
	struct piece piece;
	size_t i, at = 0;

	for (i = 0; i < function->ranges.nr; i++) {
		range = &function->ranges.at[i];
		piece = (struct piece){.low = range->low, .high = range->high, .at = accesses + at};
		for (; at < nr && accesses[at].addr < range->high; at++)
			piece.nr++;
		insert_piece(types, piece);
	}
}

static void read_function(struct pfx_types *types, const struct pfx_type_function *function)
{
	struct pfx_type_code code = {.arch = types->arch};
	struct pfx_access *accesses;
	struct ops ops = {0};
	uint64_t behind = 0;
	size_t i, nr;

	for (i = 0; i < function->ranges.nr; i++) {
		if (function->ranges.at[i].low < behind)
			continue; /* compilers make no overlapping ranges */
		behind = function->ranges.at[i].high;
		decode_range(types, &function->ranges.at[i], &ops);
	}
	code.ops = ops.at;
	code.nr = ops.nr;
	accesses = pfx_calloc(ops.nr + 1, sizeof(*accesses));
	nr = pfx_type_flow(types->table, function, &code, accesses);
	add_pieces(types, function,
		   pfx_arena_memdup(&types->arena, accesses, nr * sizeof(*accesses)), nr);
	free(accesses);
	pfx_vec_free(&ops);
}

/* The last piece that begins at or before the address; it may end before the address. */
static const struct piece *search_piece(const struct pfx_types *types, uint64_t vaddr)
{
	const struct piece *at = types->pieces.at;
	size_t behind = pfx_bisect(i, types->pieces.nr, at[i].low <= vaddr);

	return behind && vaddr < at[behind - 1].high ? &at[behind - 1] : NULL;
}

/* NULL: no debug information. */
static const struct piece *find_piece(struct pfx_types *types, uint64_t vaddr)
{
	const struct piece *piece = search_piece(types, vaddr);
	struct pfx_type_function function;

	if (piece)
		return piece->is_bare ? NULL : piece;
	if (pfx_type_function_read(types->table, vaddr, &function)) {
		read_function(types, &function);
		pfx_type_function_fini(&function);
	}
	piece = search_piece(types, vaddr);
	if (!piece)
		insert_piece(types,
			     (struct piece){.low = vaddr, .high = vaddr + 1, .is_bare = true});
	return piece;
}

/* --- look-ups --- */

static const struct pfx_access *find_access(const struct piece *piece, uint64_t vaddr)
{
	size_t at = pfx_bisect(i, piece->nr, piece->at[i].addr < vaddr);

	return at < piece->nr && piece->at[at].addr == vaddr ? &piece->at[at] : NULL;
}

static struct pfx_data data_of(struct pfx_types *types, const struct pfx_access *access)
{
	struct pfx_data data = {.kind = access->kind, .type = "", .member = ""};
	const struct pfx_type *type;
	struct pfx_str path = {0};

	if (access->kind != PFX_DATA_TYPE)
		return data;
	type = pfx_type_get(types->table, access->type);
	data.type = type->name;
	data.type_id = access->type;
	data.size = type->size;
	data.offset = access->offset;
	pfx_type_walk(types->table, access->type, access->offset, access->size, &path);
	data.member = pfx_arena_strndup(&types->arena, pfx_str_get(&path), path.len);
	pfx_str_fini(&path);
	return data;
}

/* For code without debug information. */
static enum pfx_data_kind kind_alone(struct pfx_types *types, uint64_t vaddr)
{
	struct pfx_type_range range = {vaddr, vaddr + INSN_MAX};
	enum pfx_data_kind kind = PFX_DATA_UNKNOWN;
	struct ops ops = {0};

	decode_range(types, &range, &ops);
	if (ops.nr)
		kind = pfx_types_of_op(types->arch, &ops.at[0]);
	pfx_vec_free(&ops);
	return kind;
}

static struct pfx_data find(struct pfx_types *types, uint64_t vaddr)
{
	struct pfx_data data = {.kind = PFX_DATA_UNKNOWN, .type = "", .member = ""};
	const struct piece *piece = find_piece(types, vaddr);
	const struct pfx_access *access;

	if (!piece) {
		data.kind = kind_alone(types, vaddr);
		return data;
	}
	access = find_access(piece, vaddr);
	return access ? data_of(types, access) : data;
}

struct pfx_data pfx_types_find(struct pfx_types *types, uint64_t offset)
{
	struct pfx_data data = {.kind = PFX_DATA_UNKNOWN, .type = "", .member = ""};
	uint64_t vaddr;

	pfx_lines_lock(types->lines);
	if (pfx_binary_vaddr(types->binary, offset, &vaddr))
		data = find(types, vaddr);
	pfx_lines_unlock(types->lines);
	return data;
}

bool pfx_types_cover(struct pfx_types *types, uint64_t offset)
{
	uint64_t vaddr;
	bool covers;

	pfx_lines_lock(types->lines);
	covers = pfx_binary_vaddr(types->binary, offset, &vaddr) && find_piece(types, vaddr);
	pfx_lines_unlock(types->lines);
	return covers;
}

uint32_t pfx_types_layout(struct pfx_types *types, uint32_t type_id,
			  const struct pfx_data_member **ret)
{
	uint32_t nr;

	pfx_lines_lock(types->lines);
	nr = pfx_type_layout(types->table, &types->arena, type_id, ret);
	pfx_lines_unlock(types->lines);
	return nr;
}

const char *pfx_data_name(const struct pfx_data *data)
{
	switch (data->kind) {
	case PFX_DATA_TYPE:
		return data->type;
	case PFX_DATA_STACK:
		return "(stack operation)";
	case PFX_DATA_CANARY:
		return "(stack canary)";
	default:
		return "(unknown)";
	}
}
