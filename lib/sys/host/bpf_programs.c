/* SPDX-License-Identifier: MIT */
/*
 * BPF programs and their types (BTF), queried with bpf(). Each program is queried twice: for the
 * sizes of its arrays, then for the arrays, which are stored one after another in the order of
 * their bits; the pointers in bpf_prog_info become offsets.
 */
#include "sys/host/bpf_programs.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"

#define PROGRAMS_MAX  65536
#define INFO_SIZE_MAX 232         /* maximum size of bpf_prog_info in perf 6.1 */
#define BYTES_MAX     (16u << 20) /* maximum for one program's arrays, and for one BTF */

/* The arrays of a program that are recorded: code, and information to name its functions. */
#define AT(member) offsetof(struct bpf_prog_info, member)
static const struct array {
	unsigned bit;
	size_t pointer, count; /* offsets in bpf_prog_info */
	size_t record_size;    /* the same; 0: elements of `size` bytes */
	uint32_t size;
} arrays[] = {
	{0, AT(jited_prog_insns), AT(jited_prog_len), 0, 1},
	{3, AT(jited_ksyms), AT(nr_jited_ksyms), 0, 8},
	{4, AT(jited_func_lens), AT(nr_jited_func_lens), 0, 4},
	{5, AT(func_info), AT(nr_func_info), AT(func_info_rec_size), 0},
	{6, AT(line_info), AT(nr_line_info), AT(line_info_rec_size), 0},
	{7, AT(jited_line_info), AT(nr_jited_line_info), AT(jited_line_info_rec_size), 0},
	{8, AT(prog_tags), AT(nr_prog_tags), 0, BPF_TAG_SIZE},
};
#define NR_ARRAYS (sizeof(arrays) / sizeof(arrays[0]))

/* bpf_prog_info as filled by the kernel. */
union info {
	struct bpf_prog_info prog;
	uint8_t bytes[sizeof(struct bpf_prog_info)];
};

static long call_bpf(int command, union bpf_attr *attr)
{
	return syscall(__NR_bpf, command, attr, sizeof(*attr));
}

/* 1, 0 after the last program, or a negative errno. */
static int next_program(uint32_t *id)
{
	union bpf_attr attr = {.start_id = *id};

	if (call_bpf(BPF_PROG_GET_NEXT_ID, &attr))
		return errno == ENOENT ? 0 : -errno;
	*id = attr.next_id;
	return 1;
}

/* Query an object's info; *@size: in the buffer's, out the kernel's size. */
static bool describe(int fd, void *info, uint32_t *size)
{
	union bpf_attr attr = {0};

	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = *size;
	attr.info.info = (uintptr_t)info;
	if (call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		return false;
	*size = attr.info.info_len;
	return true;
}

static uint32_t get32(const union info *info, size_t at)
{
	uint32_t value;

	memcpy(&value, info->bytes + at, sizeof(value));
	return value;
}

static void put64(union info *info, size_t at, uint64_t value)
{
	memcpy(info->bytes + at, &value, sizeof(value));
}

static uint64_t bytes_of(const union info *info, const struct array *array)
{
	uint64_t size = array->record_size ? get32(info, array->record_size) : array->size;

	return (size * get32(info, array->count) + 7) & ~7ull;
}

/* Request the arrays whose sizes are in @sizes, into @data unless it is NULL: returns their total
 * size. */
static uint64_t lay_out(const union info *sizes, union info *ask, uint8_t *data, uint64_t *ret_bits)
{
	uint64_t total = 0;
	size_t i;

	*ret_bits = 0;
	for (i = 0; i < NR_ARRAYS; i++) {
		const struct array *array = &arrays[i];

		if (!bytes_of(sizes, array))
			continue;
		memcpy(ask->bytes + array->count, sizes->bytes + array->count, 4);
		if (array->record_size)
			memcpy(ask->bytes + array->record_size, sizes->bytes + array->record_size,
			       4);
		put64(ask, array->pointer, data ? (uintptr_t)(data + total) : total);
		*ret_bits |= 1ull << array->bit;
		total += bytes_of(sizes, array);
	}
	return total;
}

/* Convert the pointers to offsets. Clears the bits of arrays that the kernel did not fill. */
static void place(union info *info, const uint8_t *data, uint64_t *bits)
{
	uint64_t pointer;
	size_t i;

	for (i = 0; i < NR_ARRAYS; i++) {
		if (!(*bits >> arrays[i].bit & 1))
			continue;
		memcpy(&pointer, info->bytes + arrays[i].pointer, sizeof(pointer));
		put64(info, arrays[i].pointer, pointer - (uintptr_t)data);
	}
}

/* Whether no array grew between both queries, so that all fit. */
static bool fits(const union info *sizes, const union info *got)
{
	size_t i;

	for (i = 0; i < NR_ARRAYS; i++)
		if (bytes_of(got, &arrays[i]) > bytes_of(sizes, &arrays[i]))
			return false;
	return true;
}

static bool read_arrays(int fd, const union info *sizes, struct pfx_arena *arena,
			struct pfx_env_bpf_prog *ret)
{
	union info info = {0};
	uint32_t size = sizeof(info) < INFO_SIZE_MAX ? sizeof(info) : INFO_SIZE_MAX;
	uint64_t total = lay_out(sizes, &info, NULL, &ret->arrays);
	uint8_t *data;

	if (total > BYTES_MAX)
		return false;
	data = pfx_arena_alloc(arena, total + 1);
	lay_out(sizes, &info, data, &ret->arrays);
	if (!describe(fd, &info, &size) || !fits(sizes, &info))
		return false;
	place(&info, data, &ret->arrays);
	ret->info = pfx_arena_memdup(arena, info.bytes, size);
	ret->info_len = size;
	ret->data = data;
	ret->data_len = (uint32_t)total;
	ret->type = info.prog.type;
	ret->id = info.prog.id;
	return true;
}

/* One program; *@ret_btf is the id of its types, 0: none. */
static bool read_program(uint32_t id, struct pfx_arena *arena, struct pfx_env_bpf_prog *ret,
			 uint32_t *ret_btf)
{
	union bpf_attr attr = {.prog_id = id};
	int fd = (int)call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
	union info sizes = {0};
	uint32_t size = sizeof(sizes);
	bool ok;

	if (fd < 0)
		return false;
	ok = describe(fd, &sizes, &size) && read_arrays(fd, &sizes, arena, ret);
	*ret_btf = sizes.prog.btf_id;
	close(fd);
	return ok;
}

static bool read_btf(uint32_t id, struct pfx_arena *arena, struct pfx_env_btf *ret)
{
	union bpf_attr attr = {.btf_id = id};
	int fd = (int)call_bpf(BPF_BTF_GET_FD_BY_ID, &attr);
	struct bpf_btf_info info = {0};
	uint32_t size = sizeof(info);
	uint8_t *data;
	bool ok;

	if (fd < 0)
		return false;
	ok = describe(fd, &info, &size) && info.btf_size && info.btf_size <= BYTES_MAX;
	if (ok) {
		data = pfx_arena_alloc(arena, info.btf_size);
		*ret = (struct pfx_env_btf){id, info.btf_size, data};
		info = (struct bpf_btf_info){.btf = (uintptr_t)data, .btf_size = ret->size};
		size = sizeof(info);
		ok = describe(fd, &info, &size) && info.btf_size == ret->size;
	}
	close(fd);
	return ok;
}

/* The destination of a reading. */
struct reading {
	struct pfx_meta *meta;
	PFX_VEC(struct pfx_env_bpf_prog) progs;
	PFX_VEC(struct pfx_env_btf) btfs;
	uint32_t nr_progs_before;
};

static bool has_program(const struct reading *r, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < r->nr_progs_before; i++)
		if (r->progs.at[i].id == id)
			return true;
	return false;
}

static void add_btf(struct reading *r, uint32_t id)
{
	struct pfx_env_btf btf;
	size_t i;

	for (i = 0; i < r->btfs.nr; i++)
		if (r->btfs.at[i].id == id)
			return;
	if (id && read_btf(id, &r->meta->arena, &btf))
		pfx_vec_push(&r->btfs, btf);
}

static int add_programs(struct reading *r)
{
	struct pfx_env_bpf_prog prog;
	uint32_t id = 0, nr = 0, btf;
	int rc = 0;

	while (nr++ < PROGRAMS_MAX && (rc = next_program(&id)) > 0) {
		if (has_program(r, id) || !read_program(id, &r->meta->arena, &prog, &btf))
			continue;
		pfx_vec_push(&r->progs, prog);
		add_btf(r, btf);
	}
	return rc < 0 ? rc : 0;
}

int pfx_bpf_programs_read(struct pfx_meta *meta)
{
	struct pfx_env *env = &meta->env;
	struct reading r = {.meta = meta, .nr_progs_before = env->nr_bpf_progs};
	uint32_t i;
	int rc;

	for (i = 0; i < env->nr_bpf_progs; i++)
		pfx_vec_push(&r.progs, env->bpf_progs[i]);
	for (i = 0; i < env->nr_btfs; i++)
		pfx_vec_push(&r.btfs, env->btfs[i]);
	rc = add_programs(&r);
	if (r.progs.nr > env->nr_bpf_progs) {
		env->bpf_progs = pfx_arena_memdup(&meta->arena, r.progs.at,
						  r.progs.nr * sizeof(*r.progs.at));
		env->nr_bpf_progs = (uint32_t)r.progs.nr;
		pfx_env_set(env, PFX_FEAT_BPF_PROG_INFO);
	}
	if (r.btfs.nr > env->nr_btfs) {
		env->btfs =
			pfx_arena_memdup(&meta->arena, r.btfs.at, r.btfs.nr * sizeof(*r.btfs.at));
		env->nr_btfs = (uint32_t)r.btfs.nr;
		pfx_env_set(env, PFX_FEAT_BPF_BTF);
	}
	pfx_vec_free(&r.progs);
	pfx_vec_free(&r.btfs);
	return rc;
}
