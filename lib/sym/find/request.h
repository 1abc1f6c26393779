/* SPDX-License-Identifier: MIT */
/* Describes which symbols or debug information to look up, and where. */
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

/* Where to search; paths are borrowed. A zeroed struct selects the defaults. */
struct pfx_sym_options {
	const char *symfs;       /* a directory that is put before every path */
	bool symfs_flat;         /* all files are directly in symfs, without their directories */
	const char *vmlinux;     /* use this kernel image */
	const char *kallsyms;    /* use this file instead of /proc/kallsyms */
	const char *kcore;       /* a copy of the kernel's memory, to read its code */
	const char *buildid_dir; /* NULL: ~/.debug */
	/* The same for guest kernels; guest_mount is a directory with PID/proc/kallsyms for several
	 * guests. */
	const char *guest_vmlinux, *guest_kallsyms, *guest_mount;
	bool no_demangle;
	bool demangle_kernel; /* demangle names of the kernel and its modules, too */
	bool demangle_full;   /* with parameters */
	bool no_modules;      /* no symbols of kernel modules */
	bool ignore_vmlinux;
	const struct pfx_fetch_watch *fetch; /* NULL: no downloads from debuginfod servers */
	bool force;                          /* use perf maps of other users */
};

/* What to look up. */
struct pfx_sym_request {
	enum pfx_sym_kind kind;
	const char *path;        /* as recorded */
	const uint8_t *build_id; /* build_id_size bytes of the required build, or NULL */
	uint8_t build_id_size;
	int32_t pid;                     /* PERF_MAP, JITDUMP: of the process */
	const struct pfx_jit_view *view; /* PERF_MAP, JITDUMP: NULL: the process's present view */
	const char *osrelease;           /* KERNEL, MODULE: recorded kernel release, NULL unknown */
	const char *arch;                /* recorded machine ("x86_64"), NULL unknown */
	uint64_t kernel_ref_addr;        /* KERNEL: recorded address of the reference symbol */
	const char *kernel_ref_name;
	const char *module;             /* MODULE: "[name]" */
	const uint8_t *kernel_build_id; /* MODULE: build ID of its kernel, NULL unknown; requires
					   kernel_ref_addr and kernel_ref_name */
	uint8_t kernel_build_id_size;
	uint64_t module_addr; /* MODULE: recorded load address, 0 unknown */
};

#endif
