/* SPDX-License-Identifier: MIT */
/*
 * BPF_PROG_INFO and BPF_BTF: programs and type information from the kernel.
 *
 *	BPF_PROG_INFO	u32 n; {u32 info size, data size; u64 arrays; info, data}[n]
 *	BPF_BTF		u32 n; {u32 id, size; data}[n]
 *
 * `info` is the kernel's struct bpf_prog_info; its pointers hold offsets into `data`. Either
 * section may be empty. event/bpf.c extracts the functions. Sections 7.25 and 7.26 of
 * Documentation/file-format.md.
 */
#include "event/bpf.h"
#include "feature_internal.h"

/* struct bpf_prog_info */
enum {
	INFO_TYPE = 0,
	INFO_ID = 4,
};

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

static void add_function(struct pfx_bpf_names *names, const struct pfx_env_bpf_prog *prog,
			 uint32_t i, struct pfx_str *to)
{
	struct pfx_bpf_function function;

	if (!pfx_bpf_function(names, prog, i, &function))
		return;
	pfx_bpf_symbol(&function, to);
	pfx_str_addf(to, " addr 0x%llx size %u\n", (unsigned long long)function.addr, function.len);
}

static void text_prog(struct pfx_bpf_names *names, const struct pfx_env_bpf_prog *prog, uint32_t nr,
		      struct pfx_str *to)
{
	uint32_t i;

	if (!nr)
		return;
	pfx_str_addf(to, "# bpf_prog_info %u:", prog->id);
	if (nr == 1) {
		pfx_str_addc(to, ' ');
		add_function(names, prog, 0, to);
		return;
	}
	pfx_str_addc(to, '\n');
	for (i = 0; i < nr; i++) {
		pfx_str_addf(to, "# \tsub_prog %u: ", i);
		add_function(names, prog, i, to);
	}
}

void pfx_feature_text_bpf(const struct pfx_meta *meta, struct pfx_str *to)
{
	struct pfx_bpf_names *names = pfx_bpf_names_new(meta);
	const struct pfx_env_bpf_prog *prog = meta->env.bpf_progs;
	uint32_t i;

	for (i = 0; i < meta->env.nr_bpf_progs; i++, prog++)
		text_prog(names, prog, pfx_bpf_nr_functions(meta, prog), to);
	pfx_bpf_names_free(names);
}

void pfx_feature_text_btf(const struct pfx_meta *meta, struct pfx_str *to)
{
	uint32_t i;

	for (i = 0; i < meta->env.nr_btfs; i++)
		pfx_str_addf(to, "# btf info of id %u\n", meta->env.btfs[i].id);
}
