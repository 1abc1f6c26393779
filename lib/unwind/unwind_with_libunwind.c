/* SPDX-License-Identifier: MIT */
/*
 * Unwinds stack dumps by libunwind's remote interface: memory is the stack dump and the contents of
 * ELF files, registers are the sample's. The library is built for one machine only. Files are
 * untrusted: the memory reads per frame are bounded, so that cyclic information ends. Few stacks
 * need the library: it is loaded on first use.
 */
#include <dlfcn.h>
#include <elf.h>
#include <libunwind.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/dl.h"
#include "unwind/walk_internal.h"

#define READS_MAX (1u << 14) /* words read for one frame; real ones need some hundreds */

#define HEADER_FIXED 4    /* version and three encodings */
#define ENC_UDATA4   0x03 /* encoding of the number of entries, as libunwind expects it */
#define ENC_TABLE    0x3b /* entries of two 4-byte numbers, relative to the header */

/* The library exports this function for users with tables of their own, but no header declares
 * it. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *info,
				       unw_proc_info_t *ret, int need_unwind_info, void *arg);

#define TEXT_OF(x)  TEXT_OF_(x)
#define TEXT_OF_(x) #x

static struct {
	__typeof__(&unw_create_addr_space) create_addr_space;
	__typeof__(&unw_destroy_addr_space) destroy_addr_space;
	__typeof__(&unw_set_caching_policy) set_caching_policy;
	__typeof__(&unw_flush_cache) flush_cache;
	__typeof__(&unw_init_remote) init_remote;
	__typeof__(&unw_step) step;
	__typeof__(&unw_get_reg) get_reg;
	__typeof__(&UNW_OBJ(dwarf_search_unwind_table)) dwarf_search_unwind_table;
	bool is_loaded;
} library;
static pthread_once_t library_once = PTHREAD_ONCE_INIT;

#define LOOK_UP(handle, name)                                                    \
	pfx_dl_function(handle, TEXT_OF(UNW_OBJ(name)), (void *)&(library.name), \
			sizeof(library.name))

static void load(void)
{
	void *handle = dlopen("libunwind-" TEXT_OF(UNW_TARGET) ".so.8", RTLD_NOW | RTLD_LOCAL);

	library.is_loaded = handle && LOOK_UP(handle, create_addr_space) &&
			    LOOK_UP(handle, destroy_addr_space) &&
			    LOOK_UP(handle, set_caching_policy) && LOOK_UP(handle, flush_cache) &&
			    LOOK_UP(handle, init_remote) && LOOK_UP(handle, step) &&
			    LOOK_UP(handle, get_reg) && LOOK_UP(handle, dwarf_search_unwind_table);
}

/* Tables made here get addresses that no program uses. */
#define MADE_AT    (1ull << 63)
#define MADE_SHIFT 32 /* bits of the address range of each table */

/* The table of a program's .eh_frame_hdr, in virtual addresses. */
struct table {
	uint64_t header, entries;
	uint32_t nr;               /* 0: no table */
	struct pfx_eh_entry *made; /* replaces a missing table; `entries` is its made-up address */
};

struct pfx_libunwind {
	unw_addr_space_t space;
	uint64_t stamp;        /* of the maps for which the address space's cache is valid */
	struct pfx_walk *walk; /* the current one */
	uint64_t nr_reads;
	struct pfx_walk_image image; /* that contained the last word */
	const uint8_t *bytes;        /* of the image's file */
	size_t size;
	struct pfx_hash tables;             /* address of a struct pfx_binary -> struct table * */
	PFX_VEC(const struct table *) made; /* by index of their address range */
	struct pfx_arena arena;
};

/* --- memory --- */

static bool find_image(struct pfx_libunwind *u, uint64_t addr)
{
	if (addr >= u->image.start && addr < u->image.end)
		return u->bytes != NULL;
	u->bytes = NULL;
	if (!pfx_walk_image(u->walk, addr, &u->image))
		return false;
	u->bytes = pfx_binary_bytes(u->image.binary, &u->size);
	return u->bytes != NULL;
}

static bool read_file(struct pfx_libunwind *u, uint64_t addr, unw_word_t *ret)
{
	uint64_t offset, left;

	if (!find_image(u, addr))
		return false;
	offset = addr - u->image.start + u->image.offset;
	if (offset >= u->size)
		return false;
	left = u->size - offset;
	*ret = 0;
	memcpy(ret, u->bytes + offset, left < sizeof(*ret) ? (size_t)left : sizeof(*ret));
	return true;
}

/* A word of a table made here. */
static bool read_made(const struct pfx_libunwind *u, uint64_t addr, unw_word_t *ret)
{
	uint64_t i = (addr - MADE_AT) >> MADE_SHIFT, at = addr & ((1ull << MADE_SHIFT) - 1);

	if (addr < MADE_AT || i >= u->made.nr ||
	    at + sizeof(*ret) > u->made.at[i]->nr * sizeof(struct pfx_eh_entry))
		return false;
	memcpy(ret, (const uint8_t *)u->made.at[i]->made + at, sizeof(*ret));
	return true;
}

static int access_mem(unw_addr_space_t space, unw_word_t addr, unw_word_t *value, int write,
		      void *arg)
{
	struct pfx_libunwind *u = arg;
	uint64_t loaded;
	bool beyond = u->walk->state.beyond;

	if (write || ++u->nr_reads > READS_MAX)
		return -UNW_EINVAL;
	if (pfx_frame_load(&u->walk->state, addr, sizeof(*value), &loaded)) {
		*value = (unw_word_t)pfx_walk_word(u->walk, loaded);
		return 0;
	}
	if (!read_made(u, addr, value) && !read_file(u, addr, value))
		return -UNW_EINVAL;
	u->walk->state.beyond = beyond;
	return 0;
}

/* --- registers: libunwind uses DWARF numbers for those that it accesses --- */

static int access_reg(unw_addr_space_t space, unw_regnum_t reg, unw_word_t *value, int write,
		      void *arg)
{
	const struct pfx_libunwind *u = arg;
	const struct pfx_frame_state *state = &u->walk->state;

	if (write)
		return -UNW_EREADONLYREG;
	if (reg == UNW_REG_IP) {
		*value = (unw_word_t)state->pc;
		return 0;
	}
	if (reg == UNW_REG_SP)
		reg = state->arch->sp;
	if (reg < 0 || !pfx_frame_has(state, (unsigned)reg))
		return -UNW_EBADREG;
	*value = (unw_word_t)pfx_walk_word(u->walk, state->regs[reg]);
	return 0;
}

static int access_fpreg(unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value, int write,
			void *arg)
{
	return -UNW_EBADREG;
}

/* --- tables --- */

/* version, encodings of: the pointer to .eh_frame, the number of entries, the table */
static void read_table(const struct pfx_binary_part *part, struct table *ret)
{
	struct pfx_cursor c = pfx_cursor_make(part->at, part->size, false);
	uint8_t version = pfx_cursor_u8(&c), pointer = pfx_cursor_u8(&c);
	uint8_t count = pfx_cursor_u8(&c), table = pfx_cursor_u8(&c);
	unsigned pointer_size = (pointer & 7) == 4 ? 8 : 4;
	uint32_t nr;

	if (version != 1 || count != ENC_UDATA4 || table != ENC_TABLE ||
	    ((pointer & 7) != 3 && (pointer & 7) != 4))
		return;
	(void)(pointer_size == 8 ? pfx_cursor_u64(&c) : pfx_cursor_u32(&c));
	nr = pfx_cursor_u32(&c);
	if (c.failed || nr > (part->size - HEADER_FIXED - pointer_size - 4) / 8)
		return;
	*ret = (struct table){part->vaddr, part->vaddr + HEADER_FIXED + pointer_size + 4, nr};
}

static void make_table(struct pfx_libunwind *u, const struct pfx_binary *binary, struct table *ret)
{
	ret->made = pfx_eh_table_make(binary, &ret->header, &ret->nr);
	if (!ret->made)
		return;
	ret->entries = MADE_AT + ((uint64_t)u->made.nr << MADE_SHIFT);
	pfx_vec_push(&u->made, ret);
}

static const struct table *table_of(struct pfx_libunwind *u, const struct pfx_walk_image *image)
{
	uint64_t *at = pfx_hash_add(&u->tables, (uintptr_t)image->binary, NULL);
	struct pfx_binary_part part;
	struct table *table;

	if (*at)
		return (const struct table *)(uintptr_t)*at;
	table = pfx_arena_new(&u->arena, struct table);
	*at = (uintptr_t)table;
	if (pfx_binary_part(image->binary, PT_GNU_EH_FRAME, &part))
		read_table(&part, table);
	if (!table->nr && sizeof(unw_word_t) == 8)
		make_table(u, image->binary, table);
	return table;
}

/* The tables of a JIT function are read at addresses after its code, which may belong to the next
 * function in memory. */
static void use_image(struct pfx_libunwind *u, const struct pfx_walk_image *image)
{
	u->bytes = pfx_binary_bytes(image->binary, &u->size);
	u->image = *image;
	if (u->bytes)
		u->image.end = image->start - image->offset + u->size;
}

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *ret,
			  int need_unwind_info, void *arg)
{
	struct pfx_libunwind *u = arg;
	unw_dyn_info_t info = {.format = UNW_INFO_FORMAT_REMOTE_TABLE};
	struct pfx_walk_image image;
	const struct table *table;
	uint64_t vaddr, bias;

	if (!pfx_walk_image(u->walk, ip, &image) ||
	    !pfx_binary_vaddr(image.binary, ip - image.start + image.offset, &vaddr))
		return -UNW_ENOINFO;
	table = table_of(u, &image);
	if (!table->nr)
		return -UNW_ENOINFO;
	if (image.is_jit)
		use_image(u, &image);
	bias = ip - vaddr;
	info.start_ip = (unw_word_t)image.start;
	info.end_ip = (unw_word_t)image.end;
	info.u.rti.segbase = (unw_word_t)(table->header + bias);
	info.u.rti.table_data = (unw_word_t)(table->entries + (table->made ? 0 : bias));
	info.u.rti.table_len = (unw_word_t)table->nr * 8 / sizeof(unw_word_t);
	return library.dwarf_search_unwind_table(space, ip, &info, ret, need_unwind_info, arg);
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *arg)
{
}

static int get_dyn_info_list_addr(unw_addr_space_t space, unw_word_t *ret, void *arg)
{
	return -UNW_ENOINFO;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t space, unw_word_t addr, char *name, size_t size,
			 unw_word_t *ret_offset, void *arg)
{
	return -UNW_ENOINFO;
}

static unw_accessors_t accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = put_unwind_info,
	.get_dyn_info_list_addr = get_dyn_info_list_addr,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = access_fpreg,
	.resume = resume,
	.get_proc_name = get_proc_name,
};

/* --- the walk --- */

const char *pfx_libunwind_machine(void)
{
	pthread_once(&library_once, load);
	return library.is_loaded ? TEXT_OF(UNW_TARGET) : NULL;
}

bool pfx_libunwind_can(const struct pfx_unwind_arch *arch)
{
	const char *machine = arch ? pfx_libunwind_machine() : NULL;

	return machine && arch == pfx_unwind_arch_find(machine, sizeof(unw_word_t) == 8 ? 2 : 1);
}

static struct pfx_libunwind *get(struct pfx_walk *walk)
{
	struct pfx_unwinder *unwinder = &walk->resolver->unwinder;
	struct pfx_libunwind *u = unwinder->libunwind;

	if (!u) {
		u = unwinder->libunwind = pfx_calloc(1, sizeof(*u));
		u->space = library.create_addr_space(&accessors, 0);
		if (u->space)
			library.set_caching_policy(u->space, UNW_CACHE_GLOBAL);
	} else if (u->space && u->stamp != walk->stamp) {
		library.flush_cache(u->space, 0, 0);
	}
	u->stamp = walk->stamp;
	u->walk = walk;
	u->nr_reads = 0;
	u->image = (struct pfx_walk_image){0};
	u->bytes = NULL;
	return u;
}

void pfx_libunwind_free(struct pfx_libunwind *u)
{
	size_t i;

	if (!u)
		return;
	if (u->space)
		library.destroy_addr_space(u->space);
	for (i = 0; i < u->made.nr; i++)
		free(u->made.at[i]->made);
	pfx_vec_free(&u->made);
	pfx_hash_fini(&u->tables);
	pfx_arena_clear(&u->arena);
	free(u);
}

enum pfx_unwind_end pfx_libunwind_walk(struct pfx_walk *walk)
{
	struct pfx_libunwind *u = get(walk);
	unw_cursor_t cursor;
	unw_word_t pc = (unw_word_t)walk->state.pc;
	bool exact = true, signal;
	int rc;

	if (!u->space || library.init_remote(&cursor, u->space, u)) {
		pfx_walk_add(walk, pc, true);
		return PFX_UNWIND_BAD_CFI;
	}
	for (;;) {
		signal = pfx_walk_is_signal(walk, pc - !exact);
		if (!pfx_walk_add(walk, pc, exact || signal))
			return PFX_UNWIND_COMPLETE;
		exact = signal;
		walk->state.beyond = false;
		u->nr_reads = 0;
		rc = library.step(&cursor);
		if (rc < 0)
			return pfx_walk_why(walk, pc - !exact);
		if (!rc || library.get_reg(&cursor, UNW_REG_IP, &pc) || !pc)
			return PFX_UNWIND_COMPLETE;
	}
}
