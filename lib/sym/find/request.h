/* SPDX-License-Identifier: MIT */
/* Which symbols or debug information is wanted, and where to look for it. */
#ifndef PFX_SYM_REQUEST_H
#define PFX_SYM_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

struct pfx_fetch_watch; /* sym/cache/debuginfod.h */
struct pfx_jit_view;    /* sym/jit/jit_files.h */

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

#endif
