/* SPDX-License-Identifier: MIT */
/*
 * BPF_PROG_INFO and BPF_BTF: programs and type information that the kernel gave the recorder.
 *
 *	BPF_PROG_INFO	u32 n; {u32 info size, data size; u64 arrays; info, data}[n]
 *	BPF_BTF		u32 n; {u32 id, size; data}[n]
 *
 * `info` is the kernel's struct bpf_prog_info, of which the offsets below are used; its pointers
 * hold offsets into `data`. Either section may be empty. The names of a program's functions are in
 * its BTF, which is walked as far as the wanted type. Sections 7.25 and 7.26 of
 * Documentation/file-format.md.
 */
#include <string.h>

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

/* The name of type number @wanted, "" when there is none. */
static const char *btf_name(const struct pfx_env_btf *btf, uint32_t wanted, bool swap)
{
	struct pfx_cursor c = pfx_cursor_make(btf->data, btf->size, swap), types, names;
	uint32_t header, type_at, type_size, name_at, name_size, id, info, name = 0;

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
	names = pfx_cursor_sub(&names, name_size);
	for (id = 1; id <= wanted && pfx_cursor_ok(&types); id++) {
		name = pfx_cursor_u32(&types);
		info = pfx_cursor_u32(&types);
		pfx_cursor_skip(&types, 4);
		if (id < wanted)
			pfx_cursor_skip(&types, btf_tail(info));
	}
	pfx_cursor_skip(&names, name);
	return pfx_cursor_ok(&c) && pfx_cursor_ok(&types) ? pfx_cursor_cstr(&names) : "";
}

static const struct pfx_env_btf *find_btf(const struct pfx_env *env, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < env->nr_btfs; i++)
		if (env->btfs[i].id == id)
			return &env->btfs[i];
	return NULL;
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

static const char *function_name(const struct pfx_meta *meta, const struct pfx_env_bpf_prog *prog,
				 uint32_t i)
{
	uint32_t id = pfx_load32(prog->info + INFO_BTF_ID, meta->swap);
	const struct pfx_env_btf *btf = id ? find_btf(&meta->env, id) : NULL;
	uint32_t size = pfx_load32(prog->info + INFO_FUNC_REC_SIZE, meta->swap);
	const uint8_t *record = element(prog, INFO_FUNCS, i, size, meta->swap);

	if (!btf || !record || size < 8 || i >= pfx_load32(prog->info + INFO_NR_FUNCS, meta->swap))
		return NULL;
	return btf_name(btf, pfx_load32(record + 4, meta->swap), meta->swap);
}

static void add_function(const struct pfx_meta *meta, const struct pfx_env_bpf_prog *prog,
			 uint32_t i, struct pfx_str *to)
{
	const uint8_t *tag = element(prog, INFO_TAGS, i, TAG_SIZE, meta->swap);
	const uint8_t *addr = element(prog, INFO_KSYMS, i, 8, meta->swap);
	const uint8_t *len = element(prog, INFO_FUNC_LENS, i, 4, meta->swap);
	const char *name = function_name(meta, prog, i);
	unsigned k;

	if (!tag || !addr || !len)
		return;
	if (!name && !i)
		name = (const char *)prog->info + INFO_NAME;
	pfx_str_add(to, "bpf_prog_");
	for (k = 0; k < TAG_SIZE; k++)
		pfx_str_hex0(to, tag[k], 2);
	if (name && *name) {
		pfx_str_addc(to, '_');
		pfx_str_add_escaped(to, name,
				    name == (const char *)prog->info + INFO_NAME
					    ? strnlen(name, INFO_NAME_SIZE)
					    : strlen(name));
	}
	pfx_str_addf(to, " addr 0x%llx size %u\n", (unsigned long long)pfx_load64(addr, meta->swap),
		     pfx_load32(len, meta->swap));
}

static void text_prog(const struct pfx_meta *meta, const struct pfx_env_bpf_prog *prog,
		      struct pfx_str *to)
{
	uint32_t nr, i;

	if (prog->info_len < INFO_SIZE)
		return;
	nr = pfx_load32(prog->info + INFO_NR_TAGS, meta->swap);
	if (nr != pfx_load32(prog->info + INFO_NR_KSYMS, meta->swap) ||
	    nr != pfx_load32(prog->info + INFO_NR_FUNC_LENS, meta->swap) || !nr ||
	    nr > FUNCTIONS_MAX)
		return;
	pfx_str_addf(to, "# bpf_prog_info %u: ", prog->id);
	if (nr == 1) {
		add_function(meta, prog, 0, to);
		return;
	}
	pfx_str_addc(to, '\n');
	for (i = 0; i < nr; i++) {
		pfx_str_addf(to, "# \tsub_prog %u: ", i);
		add_function(meta, prog, i, to);
	}
}

void pfx_feature_text_bpf(const struct pfx_meta *meta, struct pfx_str *to)
{
	uint32_t i;

	for (i = 0; i < meta->env.nr_bpf_progs; i++)
		text_prog(meta, &meta->env.bpf_progs[i], to);
}

void pfx_feature_text_btf(const struct pfx_meta *meta, struct pfx_str *to)
{
	uint32_t i;

	for (i = 0; i < meta->env.nr_btfs; i++)
		pfx_str_addf(to, "# btf info of id %u\n", meta->env.btfs[i].id);
}
