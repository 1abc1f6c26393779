/* SPDX-License-Identifier: MIT */
/*
 * Unwinds stack dumps by libdw: presents the sample as a process whose modules are the mapped
 * programs, with one thread that has the sample's registers, and with the stack dump as memory. The
 * state that libdw has built for the last sets of maps is kept.
 */
#include <elfutils/libdwfl.h>
#include <stdlib.h>

#include "sym/dwarf/cfi_tables.h"
#include "unwind/walk_internal.h"

#define KEPT 8 /* number of kept sets of maps */
#define TID  1 /* id of the only thread */

enum verdict {
	UNKNOWN,
	ALLOWED,
	REFUSED,
};

struct kept {
	uint64_t stamp, used;
	Dwfl *dwfl; /* NULL: free */
	bool attached;
};

struct pfx_libdw {
	struct kept kept[KEPT];
	uint64_t clock;
	struct pfx_hash allowed; /* address of a struct pfx_binary -> enum verdict */
	struct pfx_walk *walk;   /* the current one */
	Dwarf_Addr pc;           /* of the last frame */
	bool exact;
	bool full; /* max_stack is reached */
};

bool pfx_libdw_is_built_in(void)
{
	return true;
}

/* --- modules --- */

/* libdw closes the handle that it gets: opens a second one of the same file. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **ret_name, Elf **ret)
{
	struct pfx_binary *binary = *userdata;

	*ret = elf_begin(-1, ELF_C_READ, pfx_binary_elf(binary));
	return -1;
}

static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **ret)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
};

/* The range of virtual addresses of a program. */
static bool extent(Elf *elf, uint64_t *ret_low, uint64_t *ret_high)
{
	GElf_Phdr header;
	size_t i, nr;

	*ret_low = UINT64_MAX;
	*ret_high = 0;
	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		uint64_t low, high;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		low = header.p_align > 1 ? header.p_vaddr & -header.p_align : header.p_vaddr;
		high = header.p_vaddr + header.p_memsz;
		*ret_low = low < *ret_low ? low : *ret_low;
		*ret_high = high > *ret_high ? high : *ret_high;
	}
	return *ret_low < *ret_high;
}

/* Unpacks sections before the check, so that libdw later reads the bytes that were checked. */
static bool check_debug_frames(struct pfx_binary *binary)
{
	Dwarf *dwarf;
	bool ok;

	if (!pfx_binary_has_section(binary, false, ".debug_frame") &&
	    !pfx_binary_has_section(binary, false, ".zdebug_frame"))
		return true;
	dwarf = dwarf_begin_elf(pfx_binary_elf(binary), DWARF_C_READ, NULL);
	ok = dwarf && pfx_cfi_debug_frame_allowed(pfx_binary_elf(binary), true);
	dwarf_end(dwarf);
	return ok;
}

/* Whether libdw may read a program's call frame information: all of it, since libdw looks up by
 * itself. */
static bool is_allowed(struct pfx_libdw *libdw, struct pfx_binary *binary)
{
	uint64_t *at = pfx_hash_add(&libdw->allowed, (uintptr_t)binary, NULL);
	struct pfx_cfi_tables *tables;

	if (*at == UNKNOWN) {
		tables = pfx_cfi_tables_new(pfx_binary_elf(binary), true);
		*at = pfx_cfi_tables_allow_all(tables) && check_debug_frames(binary) ? ALLOWED
										     : REFUSED;
		pfx_cfi_tables_free(tables);
	}
	return *at == ALLOWED;
}

static void add_module(struct pfx_libdw *libdw, Dwfl *dwfl, const struct pfx_walk_image *image)
{
	uint64_t vaddr, low, high, bias;
	Dwfl_Module *module;
	void **userdata;

	if (!is_allowed(libdw, image->binary) ||
	    !pfx_binary_vaddr(image->binary, image->offset, &vaddr) ||
	    !extent(pfx_binary_elf(image->binary), &low, &high))
		return;
	bias = image->start - vaddr;
	if (low + bias ==
	    image->start) /* other images, such as JIT functions, have tables that are not mapped */
		high = image->end - bias;
	if (low + bias >= high + bias)
		return;
	module = dwfl_report_module(dwfl, image->dso->name, low + bias, high + bias);
	if (module && dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		*userdata = image->binary;
}

static Dwfl *report_modules(struct pfx_libdw *libdw, struct pfx_walk *walk)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);
	struct pfx_walk_image image;
	bool end = false;
	uint32_t i;

	if (!dwfl)
		return NULL;
	dwfl_report_begin(dwfl);
	for (i = 0; !end; i++)
		if (pfx_walk_image_at(walk, i, &image, &end))
			add_module(libdw, dwfl, &image);
	dwfl_report_end(dwfl, NULL, NULL);
	return dwfl;
}

/* --- the thread --- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	if (*thread)
		return 0;
	*thread = arg;
	return TID;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	*thread = arg;
	return tid == TID;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *ret, void *arg)
{
	struct pfx_libdw *libdw = arg;
	uint64_t value;

	if (!pfx_frame_load(&libdw->walk->state, addr, libdw->walk->state.arch->word, &value))
		return false;
	*ret = pfx_walk_word(libdw->walk, value);
	return true;
}

/* libdw refuses registers that it does not use on this machine; this is ignored. */
static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct pfx_libdw *libdw = arg;
	const struct pfx_frame_state *state = &libdw->walk->state;
	Dwarf_Word value;
	unsigned reg;

	for (reg = 0; reg < PFX_UNWIND_NR_REGS; reg++) {
		value = pfx_walk_word(libdw->walk, state->regs[reg]);
		if (pfx_frame_has(state, reg))
			dwfl_thread_state_registers(thread, (int)reg, 1, &value);
	}
	dwfl_thread_state_register_pc(thread, state->pc);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* The state for these maps; a new one replaces the least recently used. */
static struct kept *get_kept(struct pfx_libdw *libdw, struct pfx_walk *walk)
{
	struct kept *oldest = &libdw->kept[0];
	struct pfx_walk_image image;
	unsigned i;

	for (i = 0; i < KEPT; i++) {
		struct kept *kept = &libdw->kept[i];

		kept->used = kept->dwfl && kept->stamp == walk->stamp ? ++libdw->clock : kept->used;
		if (kept->dwfl && kept->stamp == walk->stamp)
			return kept;
		oldest = kept->used < oldest->used ? kept : oldest;
	}
	dwfl_end(oldest->dwfl);
	*oldest = (struct kept){walk->stamp, ++libdw->clock, report_modules(libdw, walk), false};
	if (oldest->dwfl && pfx_walk_image(walk, walk->state.pc, &image))
		oldest->attached = dwfl_attach_state(oldest->dwfl, pfx_binary_elf(image.binary), 1,
						     &thread_callbacks, libdw);
	else if (oldest->dwfl)
		oldest->attached =
			dwfl_attach_state(oldest->dwfl, NULL, 1, &thread_callbacks, libdw);
	return oldest;
}

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	struct pfx_libdw *libdw = arg;

	libdw->walk->state.beyond = false;
	if (!dwfl_frame_pc(frame, &libdw->pc, &libdw->exact))
		return DWARF_CB_ABORT;
	libdw->full = !pfx_walk_add(libdw->walk, libdw->pc, libdw->exact);
	return libdw->full ? DWARF_CB_ABORT : DWARF_CB_OK;
}

enum pfx_unwind_end pfx_libdw_walk(struct pfx_walk *walk)
{
	struct pfx_unwinder *unwinder = &walk->resolver->unwinder;
	struct pfx_libdw *libdw = unwinder->libdw;
	struct kept *kept;
	int rc = -1;

	if (!libdw)
		libdw = unwinder->libdw = pfx_calloc(1, sizeof(*libdw));
	libdw->walk = walk;
	libdw->pc = walk->state.pc;
	libdw->exact = true;
	libdw->full = false;
	kept = get_kept(libdw, walk);
	if (kept->attached)
		rc = dwfl_getthread_frames(kept->dwfl, TID, on_frame, libdw);
	if (!walk->nr)
		pfx_walk_add(walk, walk->state.pc, true);
	/* libdw treats a return address that it cannot read as the end of the stack */
	if ((!rc && !walk->state.beyond) || libdw->full)
		return PFX_UNWIND_COMPLETE;
	return pfx_walk_why(walk, libdw->pc - !libdw->exact);
}

void pfx_libdw_free(struct pfx_libdw *libdw)
{
	unsigned i;

	for (i = 0; libdw && i < KEPT; i++)
		dwfl_end(libdw->kept[i].dwfl);
	if (libdw)
		pfx_hash_fini(&libdw->allowed);
	free(libdw);
}
