/* SPDX-License-Identifier: MIT */
/*
 * Unwinds stack dumps by libunwind's remote interface: memory is the stack dump and the contents of
 * ELF files, registers are the sample's. The library is built for one machine only. Files are
 * untrusted: the memory reads per frame are bounded, so that cyclic information ends, and the
 * library gets an index with one entry, whose records were checked as it will read them. Few stacks
 * need the library: it is loaded on first use.
 */
#include <dlfcn.h>
#include <elf.h>
#include <libunwind.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/cursor.h"
#include "base/dl.h"
#include "sym/dwarf/cfi_tables.h"
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

/* The address of the entry for the library, which no program uses. */
#define FOUND_AT (1ull << 63)

/* The index of a program's .eh_frame_hdr. */
struct table {
	uint64_t base;             /* virtual address that entries are relative to */
	const uint8_t *entries;    /* as struct pfx_eh_entry, not aligned */
	uint32_t nr;               /* 0: no table */
	struct pfx_eh_entry *made; /* replaces a missing table */
};

struct pfx_libunwind {
	unw_addr_space_t space;
	uint64_t stamp;        /* of the maps for which the address space's cache is valid */
	struct pfx_walk *walk; /* the current one */
	uint64_t nr_reads;
	struct pfx_walk_image image; /* that contained the last word */
	const uint8_t *bytes;        /* of the image's file */
	size_t size;
	struct pfx_hash tables; /* address of a struct pfx_binary -> struct table * */
	PFX_VEC(struct pfx_eh_entry *) made;
	struct pfx_eh_entry found; /* at FOUND_AT */
	uint8_t *records;          /* a CIE and an FDE */
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

static bool read_found(const struct pfx_libunwind *u, uint64_t addr, unw_word_t *ret)
{
	uint64_t at = addr - FOUND_AT;

	if (at > sizeof(u->found) - sizeof(*ret))
		return false;
	memcpy(ret, (const uint8_t *)&u->found + at, sizeof(*ret));
	return true;
}

static bool read_word(struct pfx_libunwind *u, uint64_t addr, unw_word_t *ret)
{
	uint64_t loaded;
	bool beyond = u->walk->state.beyond;

	if (pfx_frame_load(&u->walk->state, addr, sizeof(*ret), &loaded)) {
		*ret = (unw_word_t)pfx_walk_word(u->walk, loaded);
		return true;
	}
	if (!read_found(u, addr, ret) && !read_file(u, addr, ret))
		return false;
	u->walk->state.beyond = beyond;
	return true;
}

static int access_mem(unw_addr_space_t space, unw_word_t addr, unw_word_t *value, int write,
		      void *arg)
{
	struct pfx_libunwind *u = arg;

	return !write && ++u->nr_reads <= READS_MAX && read_word(u, addr, value) ? 0 : -UNW_EINVAL;
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
	*ret = (struct table){.base = part->vaddr, .entries = c.at, .nr = nr};
}

static void make_table(struct pfx_libunwind *u, const struct pfx_binary *binary, struct table *ret)
{
	ret->made = pfx_eh_table_make(binary, &ret->base, &ret->nr);
	ret->entries = (const uint8_t *)ret->made;
	if (ret->made)
		pfx_vec_push(&u->made, ret->made);
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

static struct pfx_eh_entry entry_at(const struct table *table, size_t i)
{
	struct pfx_eh_entry entry;

	memcpy(&entry, table->entries + i * sizeof(entry), sizeof(entry));
	return entry;
}

static bool find_entry(const struct table *table, uint64_t vaddr, struct pfx_eh_entry *ret)
{
	int64_t start = (int64_t)(vaddr - table->base);
	size_t behind = pfx_bisect(i, table->nr, entry_at(table, i).start <= start);

	if (behind)
		*ret = entry_at(table, behind - 1);
	return behind > 0;
}

/* --- records that the library may read --- */

/* Copies @size bytes as the library reads them: in words whose addresses are multiples of theirs.
 */
static bool copy(struct pfx_libunwind *u, uint64_t addr, uint8_t *to, size_t size)
{
	size_t skip, part;
	unw_word_t word;

	for (; size; addr += part, to += part, size -= part) {
		skip = addr % sizeof(word);
		part = sizeof(word) - skip < size ? sizeof(word) - skip : size;
		if (!read_word(u, addr - skip, &word))
			return false;
		memcpy(to, (const uint8_t *)&word + skip, part);
	}
	return true;
}

/* A record with its length: the number of bytes; 0: it cannot be read, or is too long. */
static size_t copy_record(struct pfx_libunwind *u, uint64_t addr, uint8_t *to)
{
	uint32_t len;

	if (!copy(u, addr, to, sizeof(len)))
		return 0;
	memcpy(&len, to, sizeof(len));
	if (len < sizeof(len) || len > PFX_CFI_RECORD_MAX || !copy(u, addr + 4, to + 4, len))
		return 0;
	return 4 + (size_t)len;
}

static unsigned last_register(const struct pfx_unwind_arch *arch)
{
	unsigned i, last = arch->pc == PFX_UNWIND_NO_REG ? 0 : arch->pc;

	for (i = 0; i < arch->nr_sample; i++)
		if (arch->to_dwarf[i] != PFX_UNWIND_NO_REG && arch->to_dwarf[i] > last)
			last = arch->to_dwarf[i];
	return last;
}

/* The FDE at @addr and its CIE, with the distance between the copies in place of their own. */
static bool is_allowed(struct pfx_libunwind *u, uint64_t addr)
{
	const struct pfx_unwind_arch *arch = u->walk->state.arch;
	uint8_t head[8];
	int32_t distance;
	size_t nr_cie, nr_fde;

	if (!u->records)
		u->records = pfx_malloc(2 * (PFX_CFI_RECORD_MAX + 4));
	if (!copy(u, addr, head, sizeof(head)))
		return false;
	memcpy(&distance, head + 4, 4);
	nr_cie = copy_record(u, addr + 4 - (uint64_t)(int64_t)distance, u->records);
	nr_fde = nr_cie ? copy_record(u, addr, u->records + nr_cie) : 0;
	if (nr_fde < sizeof(head))
		return false;
	distance = (int32_t)nr_cie + 4;
	memcpy(u->records + nr_cie + 4, &distance, 4);
	return pfx_cfi_record_allowed(u->records, nr_cie + nr_fde, nr_cie, arch->word,
				      last_register(arch));
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
	if (!find_entry(table, vaddr, &u->found))
		return -UNW_ENOINFO;
	if (image.is_jit)
		use_image(u, &image);
	bias = ip - vaddr;
	if (!is_allowed(u, table->base + bias + (uint64_t)(int64_t)u->found.fde))
		return -UNW_EBADFRAME;
	info.start_ip = (unw_word_t)image.start;
	info.end_ip = (unw_word_t)image.end;
	info.u.rti.segbase = (unw_word_t)(table->base + bias);
	info.u.rti.table_data = (unw_word_t)FOUND_AT;
	info.u.rti.table_len = sizeof(u->found) / sizeof(unw_word_t);
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
		free(u->made.at[i]);
	free(u->records);
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
