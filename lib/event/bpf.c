/* SPDX-License-Identifier: MIT */
/*
 * Functions of BPF programs. The input is the kernel's struct bpf_prog_info; the offsets that are
 * used are below, and its pointers are offsets into the program's data. Names of functions are in
 * BTF, which several programs may share; each BTF is indexed once. This file does not query the
 * kernel. Sections 7.25 and 7.26 of Documentation/file-format.md.
 */
#include "event/bpf.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/hash.h"

/* struct bpf_prog_info */
enum {
	INFO_CODE_SIZE = 16,
	INFO_CODE = 24,
	INFO_NAME = 64,
	INFO_NAME_SIZE = 16,
	INFO_NR_KSYMS = 104,
	INFO_NR_FUNC_LENS = 108,
	INFO_KSYMS = 112,
	INFO_FUNC_LENS = 120,
	INFO_BTF_ID = 128,
	INFO_FUNC_REC_SIZE = 132,
	INFO_FUNCS = 136,
	INFO_NR_FUNCS = 144,
	INFO_NR_LINES = 148,
	INFO_LINES = 152,
	INFO_ADDRESSES = 160, /* of the lines */
	INFO_NR_ADDRESSES = 168,
	INFO_LINE_SIZE = 172,
	INFO_ADDRESS_SIZE = 176,
	INFO_NR_TAGS = 180,
	INFO_TAGS = 184,
	INFO_SIZE = 192, /* minimum size to name functions */
};
#define TAG_SIZE      8
#define CODE_BIT      1         /* in prog->arrays */
#define LINES_BITS    (3u << 6) /* lines and their addresses */
#define LINE_SIZE     16        /* u32 instruction, file, text; u32 line << 10 | column */
#define COLUMN_BITS   10
#define FUNCTIONS_MAX 256 /* the kernel's maximum per program */
#define NAME_MAX_SIZE 512 /* maximum size of a kernel symbol */
#define LINE_MAX_SIZE 4096
#define BTF_TYPE_SIZE 12 /* size of the extra data of its kind */

/* Bytes after the 12 of a BTF type, by its kind and number of members. */
static uint64_t btf_tail(uint32_t info)
{
	uint64_t nr = info & 0xffff;

	switch (info >> 24 & 0x1f) {
	case 1:  /* int */
	case 14: /* variable */
	case 17: /* declaration tag */
		return 4;
	case 3: /* array */
		return 12;
	case 4:  /* struct */
	case 5:  /* union */
	case 15: /* section */
	case 19: /* 64-bit enum */
		return 12 * nr;
	case 6:  /* enum */
	case 13: /* prototype */
		return 8 * nr;
	default:
		return 0;
	}
}

/* The types and names of a BTF. */
struct btf_index {
	uint32_t *names; /* offset of each type's name in the strings. NULL: not indexed yet */
	uint32_t nr;
	struct pfx_cursor strings;
};

struct pfx_bpf_names {
	const struct pfx_meta *meta;
	struct pfx_hash btfs;      /* id to number + 1 */
	struct btf_index *indexes; /* one for each BTF */
};

static void walk_btf(const struct pfx_env_btf *btf, bool swap, struct btf_index *ret)
{
	struct pfx_cursor c = pfx_cursor_make(btf->data, btf->size, swap), types, names;
	uint32_t header, type_at, type_size, name_at, name_size, name, info;

	pfx_cursor_skip(&c, 4);
	header = pfx_cursor_u32(&c);
	type_at = pfx_cursor_u32(&c);
	type_size = pfx_cursor_u32(&c);
	name_at = pfx_cursor_u32(&c);
	name_size = pfx_cursor_u32(&c);
	types = names = pfx_cursor_make(btf->data, btf->size, swap);
	pfx_cursor_skip(&types, (size_t)header + type_at);
	types = pfx_cursor_sub(&types, type_size);
	pfx_cursor_skip(&names, (size_t)header + name_at);
	ret->strings = pfx_cursor_sub(&names, name_size);
	ret->names = pfx_malloc((pfx_cursor_left(&types) / BTF_TYPE_SIZE + 1) * sizeof(uint32_t));
	while (pfx_cursor_ok(&c) && pfx_cursor_left(&types) >= BTF_TYPE_SIZE) {
		name = pfx_cursor_u32(&types);
		info = pfx_cursor_u32(&types);
		pfx_cursor_skip(&types, 4);
		ret->names[ret->nr++] = name;
		pfx_cursor_skip(&types, btf_tail(info));
	}
}

/* The types of the BTF @id; NULL if there is no BTF with that id. */
static struct btf_index *find_btf(struct pfx_bpf_names *names, uint32_t id)
{
	const uint64_t *at = id ? pfx_hash_get(&names->btfs, id) : NULL;
	struct btf_index *index;

	if (!at)
		return NULL;
	index = &names->indexes[*at - 1];
	if (!index->names)
		walk_btf(&names->meta->env.btfs[*at - 1], names->meta->swap, index);
	return index;
}

/* The string at @at, of at most @max bytes; of size 0 if there is none. */
static const char *string_at(const struct btf_index *index, uint32_t at, size_t max,
			     size_t *ret_size)
{
	struct pfx_cursor c = index->strings;

	*ret_size = 0;
	pfx_cursor_skip(&c, at);
	if (pfx_cursor_ok(&c))
		*ret_size = strnlen((const char *)c.at,
				    pfx_cursor_left(&c) < max ? pfx_cursor_left(&c) : max);
	return (const char *)c.at;
}

/* The name of type number @wanted of the BTF @id, NULL if there is no BTF with that id; *@ret_size
 * is 0 if there is no type with that number. */
static const char *btf_name(struct pfx_bpf_names *names, uint32_t id, uint32_t wanted,
			    size_t *ret_size)
{
	const struct btf_index *index = find_btf(names, id);

	*ret_size = 0;
	if (!index)
		return NULL;
	if (!wanted || wanted > index->nr)
		return "";
	return string_at(index, index->names[wanted - 1], NAME_MAX_SIZE, ret_size);
}

/* Element @i of an array in the program's data. */
static const uint8_t *element(const struct pfx_env_bpf_prog *prog, unsigned field, uint64_t i,
			      uint64_t size, bool swap)
{
	uint64_t at = pfx_load64(prog->info + field, swap);

	if (!size || at > prog->data_len || i >= (prog->data_len - at) / size)
		return NULL;
	return prog->data + at + i * size;
}

/* The program's name is the default name of the first function; NULL: none. */
static const char *function_name(struct pfx_bpf_names *names, const struct pfx_env_bpf_prog *prog,
				 uint32_t i, size_t *ret_size)
{
	bool swap = names->meta->swap;
	uint32_t size = pfx_load32(prog->info + INFO_FUNC_REC_SIZE, swap);
	const uint8_t *record = element(prog, INFO_FUNCS, i, size, swap);
	const char *name = NULL;

	if (record && size >= 8 && i < pfx_load32(prog->info + INFO_NR_FUNCS, swap))
		name = btf_name(names, pfx_load32(prog->info + INFO_BTF_ID, swap),
				pfx_load32(record + 4, swap), ret_size);
	if (name || i)
		return name;
	name = (const char *)prog->info + INFO_NAME;
	*ret_size = strnlen(name, INFO_NAME_SIZE);
	return name;
}

struct pfx_bpf_names *pfx_bpf_names_new(const struct pfx_meta *meta)
{
	struct pfx_bpf_names *names = pfx_calloc(1, sizeof(*names));
	uint32_t i;

	names->meta = meta;
	names->indexes = pfx_calloc(meta->env.nr_btfs + 1u, sizeof(*names->indexes));
	for (i = meta->env.nr_btfs; i--;) /* backwards: the first BTF of an id wins */
		*pfx_hash_add(&names->btfs, meta->env.btfs[i].id, NULL) = i + 1;
	return names;
}

void pfx_bpf_names_free(struct pfx_bpf_names *names)
{
	uint32_t i;

	if (!names)
		return;
	for (i = 0; i < names->meta->env.nr_btfs; i++)
		free(names->indexes[i].names);
	free(names->indexes);
	pfx_hash_fini(&names->btfs);
	free(names);
}

uint32_t pfx_bpf_nr_functions(const struct pfx_meta *meta, const struct pfx_env_bpf_prog *prog)
{
	bool swap = meta->swap;
	uint32_t nr;

	if (prog->info_len < INFO_SIZE)
		return 0;
	nr = pfx_load32(prog->info + INFO_NR_TAGS, swap);
	if (nr != pfx_load32(prog->info + INFO_NR_KSYMS, swap) ||
	    nr != pfx_load32(prog->info + INFO_NR_FUNC_LENS, swap) || nr > FUNCTIONS_MAX)
		return 0;
	return nr;
}

bool pfx_bpf_function(struct pfx_bpf_names *names, const struct pfx_env_bpf_prog *prog, uint32_t i,
		      struct pfx_bpf_function *ret)
{
	bool swap = names->meta->swap;
	const uint8_t *addr = element(prog, INFO_KSYMS, i, 8, swap);
	const uint8_t *len = element(prog, INFO_FUNC_LENS, i, 4, swap);

	*ret = (struct pfx_bpf_function){.tag = element(prog, INFO_TAGS, i, TAG_SIZE, swap)};
	if (!ret->tag || !addr || !len)
		return false;
	ret->addr = pfx_load64(addr, swap);
	ret->len = pfx_load32(len, swap);
	ret->name = function_name(names, prog, i, &ret->name_size);
	return true;
}

/* --- code and its source lines --- */

const uint8_t *pfx_bpf_code(const struct pfx_meta *meta, const struct pfx_env_bpf_prog *prog,
			    uint32_t i)
{
	uint64_t at = 0, size = 0;
	const uint8_t *len;
	uint32_t k;

	/* the code of all functions, one after another */
	for (k = 0; k <= i; k++) {
		at += size;
		len = element(prog, INFO_FUNC_LENS, k, 4, meta->swap);
		if (!len)
			return NULL;
		size = pfx_load32(len, meta->swap);
	}
	if (!(prog->arrays & CODE_BIT) || !size ||
	    at + size > pfx_load32(prog->info + INFO_CODE_SIZE, meta->swap) ||
	    !element(prog, INFO_CODE, at + size - 1, 1, meta->swap))
		return NULL;
	return element(prog, INFO_CODE, at, 1, meta->swap);
}

/* A string of the program's BTF. */
static const char *btf_string(struct pfx_bpf_names *names, const struct pfx_env_bpf_prog *prog,
			      uint32_t at, size_t *ret_size)
{
	struct btf_index *index =
		find_btf(names, pfx_load32(prog->info + INFO_BTF_ID, names->meta->swap));

	*ret_size = 0;
	return index ? string_at(index, at, LINE_MAX_SIZE, ret_size) : NULL;
}

bool pfx_bpf_line(struct pfx_bpf_names *names, const struct pfx_env_bpf_prog *prog, uint32_t i,
		  struct pfx_bpf_line *ret)
{
	bool swap = names->meta->swap;
	uint32_t size = pfx_load32(prog->info + INFO_LINE_SIZE, swap);
	uint32_t addr_size = pfx_load32(prog->info + INFO_ADDRESS_SIZE, swap);
	const uint8_t *addr = element(prog, INFO_ADDRESSES, i, addr_size, swap);
	const uint8_t *line = element(prog, INFO_LINES, i, size, swap);

	if ((prog->arrays & LINES_BITS) != LINES_BITS || size < LINE_SIZE || addr_size < 8 ||
	    !addr || !line || i >= pfx_load32(prog->info + INFO_NR_ADDRESSES, swap) ||
	    i >= pfx_load32(prog->info + INFO_NR_LINES, swap))
		return false;
	ret->addr = pfx_load64(addr, swap);
	ret->file = btf_string(names, prog, pfx_load32(line + 4, swap), &ret->file_size);
	ret->text = btf_string(names, prog, pfx_load32(line + 8, swap), &ret->text_size);
	ret->line = pfx_load32(line + 12, swap) >> COLUMN_BITS;
	return ret->file && ret->text;
}

void pfx_bpf_symbol(const struct pfx_bpf_function *function, struct pfx_str *to)
{
	unsigned k;

	pfx_str_add(to, "bpf_prog_");
	for (k = 0; k < TAG_SIZE; k++)
		pfx_str_hex0(to, function->tag[k], 2);
	if (!function->name || !function->name_size)
		return;
	pfx_str_addc(to, '_');
	pfx_str_add_escaped(to, function->name, function->name_size);
}
