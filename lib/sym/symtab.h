/* SPDX-License-Identifier: MIT */
/*
 * Symbol tables: address to name for one dso. A table is loaded once and then only read; names live
 * in its arena. Addresses are the dso's own: file offsets for user files (as struct pfx_location
 * has them), run-time addresses for the kernel and its modules, and for perf maps.
 */
#ifndef PFX_SYM_SYMTAB_H
#define PFX_SYM_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pfx_symbol {
	uint64_t start, end; /* end exclusive */
	const char *name;    /* demangled unless asked otherwise; foreign text */
	char binding;        /* 'g' global, 'l' local, 'w' weak */
	bool is_func;
	bool is_inlined; /* not in any table: a function inlined in the one that starts here */
};

struct pfx_symtab;

/* The symbol that covers @addr, or NULL. */
const struct pfx_symbol *pfx_symtab_find(const struct pfx_symtab *tab, uint64_t addr);
/* All of them, in the order of their addresses. */
size_t pfx_symtab_nr(const struct pfx_symtab *tab);
const struct pfx_symbol *pfx_symtab_at(const struct pfx_symtab *tab, size_t i);
/* Where the symbols came from (a path), "" when none were found. */
const char *pfx_symtab_source(const struct pfx_symtab *tab);
/* Why it has the names that the program exports alone, as a part of a sentence; "" when it has all
 * that there are. */
const char *pfx_symtab_lack(const struct pfx_symtab *tab);
/* How far the symbols of a kernel were moved from where their source has them. */
uint64_t pfx_symtab_moved(const struct pfx_symtab *tab);
void pfx_symtab_free(struct pfx_symtab *tab);

struct pfx_fetch_watch; /* sym/debuginfod.h */
struct pfx_jit_view;    /* sym/jit_files.h */

enum pfx_sym_kind {
	PFX_SYM_FILE,
	PFX_SYM_KERNEL,
	PFX_SYM_MODULE,
	PFX_SYM_VDSO,
	PFX_SYM_PERF_MAP,
	PFX_SYM_JITDUMP, /* addresses are offsets in the jitdump */
};

/* Where to look; paths are borrowed. Zero is the default. */
struct pfx_sym_options {
	const char *symfs;       /* a directory in front of every path */
	bool symfs_flat;         /* all files lie in it, whatever their recorded folder */
	const char *vmlinux;     /* use this kernel image */
	const char *kallsyms;    /* use this file instead of /proc/kallsyms */
	const char *kcore;       /* a copy of the kernel's memory, for its code */
	const char *buildid_dir; /* NULL: ~/.debug */
	/* The same of a virtual machine's kernel; a folder with PID/proc/kallsyms of several. */
	const char *guest_vmlinux, *guest_kallsyms, *guest_mount;
	bool no_demangle;
	bool demangle_kernel; /* names of the kernel and its modules, too */
	bool demangle_full;   /* with parameters */
	bool no_modules;      /* no symbols of kernel modules */
	bool ignore_vmlinux;
	const struct pfx_fetch_watch *fetch; /* NULL: ask no debuginfod server */
	bool force;                          /* take perf maps that belong to other users */
};

/* What is wanted. */
struct pfx_sym_request {
	enum pfx_sym_kind kind;
	const char *path; /* as recorded */
	const uint8_t
		*build_id; /* NULL or build_id_size bytes: symbols of another build are refused */
	uint8_t build_id_size;
	int32_t pid;                     /* PERF_MAP, JITDUMP: whose */
	const struct pfx_jit_view *view; /* PERF_MAP, JITDUMP: NULL is as the process sees it now */
	const char *osrelease;    /* KERNEL, MODULE: release that was recorded, NULL unknown */
	const char *arch;         /* machine that was recorded ("x86_64"), NULL unknown */
	uint64_t kernel_ref_addr; /* KERNEL: address of the reference symbol when recorded */
	const char *kernel_ref_name;
	const char *module;             /* MODULE: "[name]" */
	const uint8_t *kernel_build_id; /* MODULE: of its kernel, NULL unknown; with that come
					   kernel_ref_addr and kernel_ref_name */
	uint8_t kernel_build_id_size;
	uint64_t module_addr; /* MODULE: where it began when recorded, 0 unknown */
};

/* Load symbols from the best place there is. Always gives a table, empty when nothing was found; a
 * sentence in @err (may be NULL) then says why. 0, or the reason as a negative errno. */
int pfx_symtab_load(struct pfx_symtab **ret, const struct pfx_sym_request *request,
		    const struct pfx_sym_options *options, struct pfx_error *err);

#endif
