/* SPDX-License-Identifier: MIT */
/*
 * BPF_PROG_INFO and BPF_BTF: programs and type information that the kernel gave the recorder.
 *
 *	BPF_PROG_INFO	u32 n; {u32 info size, data size; u64 arrays; info, data}[n]
 *	BPF_BTF		u32 n; {u32 id, size; data}[n]
 *
 * `info` is the kernel's struct bpf_prog_info, of which the offsets below are used; its pointers
 * hold offsets into `data`. Either section may be empty. The names of a program's functions are in
 * its BTF, which many programs may share: it is walked once. Sections 7.25 and 7.26 of
 * Documentation/file-format.md.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "feature_internal.h"

/* struct bpf_prog_info */
enum {
	INFO_TYPE = 0,
	INFO_ID = 4,
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
	INFO_NR_TAGS = 180,
	INFO_TAGS = 184,
	INFO_SIZE = 192, /* what must be there to name functions */
};
#define TAG_SIZE      8
#define FUNCTIONS_MAX 256 /* the kernel allows no more in a program */
#define NAME_MAX_SIZE 512 /* of a symbol of the kernel */
#define BTF_TYPE_SIZE 12  /* and what its kind has behind that */

bool pfx_feature_decode_bpf(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t nr = pfx_cursor_left(c) ? pfx_cursor_u32(c) : 0, i;
	struct pfx_env_bpf_prog *progs, *prog;

	if (!pfx_cursor_fits(c, nr, 16))
		return false;
	progs = pfx_arena_array(&meta->arena, struct pfx_env_bpf_prog, nr);
	for (i = 0, prog = progs; i < nr; i++, prog++) {
		prog->info_len = pfx_cursor_u32(c);
		prog->data_len = pfx_cursor_u32(c);
		prog->arrays = pfx_cursor_u64(c);
		prog->info = pfx_cursor_bytes(c, prog->info_len);
		prog->data = pfx_cursor_bytes(c, prog->data_len);
		if (!prog->info || !prog->data)
			return false;
		if (prog->info_len < INFO_ID + 4)
			continue;
		prog->type = pfx_load32(prog->info + INFO_TYPE, c->swap);
		prog->id = pfx_load32(prog->info + INFO_ID, c->swap);
	}
	meta->env.bpf_progs = progs;
	meta->env.nr_bpf_progs = nr;
	return true;
}

bool pfx_feature_decode_btf(struct pfx_meta *meta, struct pfx_cursor *c)
{
	uint32_t nr = pfx_cursor_left(c) ? pfx_cursor_u32(c) : 0, i;
	struct pfx_env_btf *btfs;

	if (!pfx_cursor_fits(c, nr, 8))
		return false;
	btfs = pfx_arena_array(&meta->arena, struct pfx_env_btf, nr);
	for (i = 0; i < nr; i++) {
		btfs[i].id = pfx_cursor_u32(c);
		btfs[i].size = pfx_cursor_u32(c);
		btfs[i].data = pfx_cursor_bytes(c, btfs[i].size);
	}
	if (!pfx_cursor_ok(c))
		return false;
	meta->env.btfs = btfs;
	meta->env.nr_btfs = nr;
	return true;
}

/* Bytes behind the 12 of a BTF type, by its kind and number of members. */
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

/* Where the types and names of a BTF are. */
struct btf_index {
	uint32_t *names; /* of each type: its place in the strings. NULL: not walked yet */
	uint32_t nr;
	struct pfx_cursor strings;
};

/* What text_prog() and its steps share. */
struct bpf_text {
	const struct pfx_meta *meta;
	struct pfx_str *to;
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

/* The name of type number @wanted of the BTF @id, NULL when there is no such BTF; *@ret_size is 0
 * when there is no such type. */
static const char *btf_name(struct bpf_text *text, uint32_t id, uint32_t wanted, size_t *ret_size)
{
	const uint64_t *at = id ? pfx_hash_get(&text->btfs, id) : NULL;
	struct btf_index *index;
	struct pfx_cursor c;

	*ret_size = 0;
	if (!at)
		return NULL;
	index = &text->indexes[*at - 1];
	if (!index->names)
		walk_btf(&text->meta->env.btfs[*at - 1], text->meta->swap, index);
	if (!wanted || wanted > index->nr)
		return "";
	c = index->strings;
	pfx_cursor_skip(&c, index->names[wanted - 1]);
	if (pfx_cursor_ok(&c))
		*ret_size = strnlen((const char *)c.at, pfx_cursor_left(&c) < NAME_MAX_SIZE
								? pfx_cursor_left(&c)
								: NAME_MAX_SIZE);
	return (const char *)c.at;
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

/* The first function has the program's name where nothing knows better; NULL: none. */
static const char *function_name(struct bpf_text *text, const struct pfx_env_bpf_prog *prog,
				 uint32_t i, size_t *ret_size)
{
	bool swap = text->meta->swap;
	uint32_t size = pfx_load32(prog->info + INFO_FUNC_REC_SIZE, swap);
	const uint8_t *record = element(prog, INFO_FUNCS, i, size, swap);
	const char *name = NULL;

	if (record && size >= 8 && i < pfx_load32(prog->info + INFO_NR_FUNCS, swap))
		name = btf_name(text, pfx_load32(prog->info + INFO_BTF_ID, swap),
				pfx_load32(record + 4, swap), ret_size);
	if (name || i)
		return name;
	name = (const char *)prog->info + INFO_NAME;
	*ret_size = strnlen(name, INFO_NAME_SIZE);
	return name;
}

static void add_function(struct bpf_text *text, const struct pfx_env_bpf_prog *prog, uint32_t i)
{
	bool swap = text->meta->swap;
	const uint8_t *tag = element(prog, INFO_TAGS, i, TAG_SIZE, swap);
	const uint8_t *addr = element(prog, INFO_KSYMS, i, 8, swap);
	const uint8_t *len = element(prog, INFO_FUNC_LENS, i, 4, swap);
	const char *name;
	size_t size = 0;
	unsigned k;

	if (!tag || !addr || !len)
		return;
	pfx_str_add(text->to, "bpf_prog_");
	for (k = 0; k < TAG_SIZE; k++)
		pfx_str_hex0(text->to, tag[k], 2);
	name = function_name(text, prog, i, &size);
	if (name && size) {
		pfx_str_addc(text->to, '_');
		pfx_str_add_escaped(text->to, name, size);
	}
	pfx_str_addf(text->to, " addr 0x%llx size %u\n", (unsigned long long)pfx_load64(addr, swap),
		     pfx_load32(len, swap));
}

static void text_prog(struct bpf_text *text, const struct pfx_env_bpf_prog *prog)
{
	bool swap = text->meta->swap;
	uint32_t nr, i;

	if (prog->info_len < INFO_SIZE)
		return;
	nr = pfx_load32(prog->info + INFO_NR_TAGS, swap);
	if (nr != pfx_load32(prog->info + INFO_NR_KSYMS, swap) ||
	    nr != pfx_load32(prog->info + INFO_NR_FUNC_LENS, swap) || !nr || nr > FUNCTIONS_MAX)
		return;
	pfx_str_addf(text->to, "# bpf_prog_info %u: ", prog->id);
	if (nr == 1) {
		add_function(text, prog, 0);
		return;
	}
	pfx_str_addc(text->to, '\n');
	for (i = 0; i < nr; i++) {
		pfx_str_addf(text->to, "# \tsub_prog %u: ", i);
		add_function(text, prog, i);
	}
}

void pfx_feature_text_bpf(const struct pfx_meta *meta, struct pfx_str *to)
{
	const struct pfx_env *env = &meta->env;
	struct bpf_text text = {.meta = meta, .to = to};
	uint32_t i;

	text.indexes = pfx_calloc(env->nr_btfs + 1u, sizeof(*text.indexes));
	for (i = env->nr_btfs; i--;) /* the first of an id counts */
		*pfx_hash_add(&text.btfs, env->btfs[i].id, NULL) = i + 1;
	for (i = 0; i < env->nr_bpf_progs; i++)
		text_prog(&text, &env->bpf_progs[i]);
	for (i = 0; i < env->nr_btfs; i++)
		free(text.indexes[i].names);
	free(text.indexes);
	pfx_hash_fini(&text.btfs);
}

void pfx_feature_text_btf(const struct pfx_meta *meta, struct pfx_str *to)
{
	uint32_t i;

	for (i = 0; i < meta->env.nr_btfs; i++)
		pfx_str_addf(to, "# btf info of id %u\n", meta->env.btfs[i].id);
}
