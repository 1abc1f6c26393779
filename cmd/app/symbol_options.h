/* SPDX-License-Identifier: MIT */
/* The options about where symbols come from, for commands that show samples. */
#ifndef PFX_CMD_SYMBOL_OPTIONS_H
#define PFX_CMD_SYMBOL_OPTIONS_H

#include <limits.h>
#include <stddef.h>

#include "base/error.h"
#include "cli/options.h"
#include "cmd/app/fetch.h"
#include "sym/find/request.h"
#include "sym/table/symtab.h"

struct pfx_symbol_options {
	struct pfx_sym_options sym;
	const char *symfs_words; /* as given: a directory, optionally with a layout after a comma */
	char symfs[PATH_MAX];    /* the directory; sym points to it */
	bool guest_code; /* --guest-code: guest code is in the process that runs the guest */
};

#define PFX_SYMBOL_AT(base, field) ((base) + offsetof(struct pfx_symbol_options, field))

/* Rows of an option table; @base is the offset of the struct above in the command's options. */
#define PFX_OPT_SYMBOL_FILES(base)                                                                   \
	{PFX_OPT_STRING, 'k',                                                                        \
	 "vmlinux",      PFX_SYMBOL_AT(base, sym.vmlinux),                                           \
	 "file",         "kernel image to take symbols from"},                                       \
		{PFX_OPT_STRING, 0,                                                                  \
		 "kallsyms",     PFX_SYMBOL_AT(base, sym.kallsyms),                                  \
		 "file",         "list of kernel symbols to use"},                                   \
		PFX_OPT_DEBUGINFOD,                                                                  \
		{PFX_OPT_STRING,  0,                                                                 \
		 "guestkallsyms", PFX_SYMBOL_AT(base, sym.guest_kallsyms),                           \
		 "file",          "list of symbols of a virtual machine's kernel"},                  \
		{PFX_OPT_STRING, 0,                                                                  \
		 "guestvmlinux", PFX_SYMBOL_AT(base, sym.guest_vmlinux),                             \
		 "file",         "image of a virtual machine's kernel"},                             \
		{PFX_OPT_STRING, 0,                                                                  \
		 "guestmount",   PFX_SYMBOL_AT(base, sym.guest_mount),                               \
		 "dir",          "directory with symbols of several guests: dir/PID/proc/kallsyms"}, \
		{PFX_OPT_ABSENT, 0, "guestmodules",                                                  \
		 .help = "the recording contains the addresses of a guest's modules",                \
		 .hidden = true},                                                                    \
		{PFX_OPT_BOOL, 0,                                                                    \
		 "guest-code", PFX_SYMBOL_AT(base, guest_code),                                      \
		 NULL,         "look up guest addresses in the process that runs the guest"},        \
		{PFX_OPT_STRING,                                                                     \
		 0,                                                                                  \
		 "symfs",                                                                            \
		 PFX_SYMBOL_AT(base, symfs_words),                                                   \
		 "dir[,layout]",                                                                     \
		 "look for binaries below this directory; layout: hierarchy, by "                    \
		 "their whole path (the default), or flat, by their name alone"},                    \
		{PFX_OPT_BOOL,  0,                                                                   \
		 "no-demangle", PFX_SYMBOL_AT(base, sym.no_demangle),                                \
		 NULL,          "do not demangle C++, Rust and D names"},                            \
	{                                                                                            \
		PFX_OPT_BOOL, 0, "demangle-kernel", PFX_SYMBOL_AT(base, sym.demangle_kernel),        \
			NULL, "demangle names of the kernel, too"                                    \
	}

/* The same of commands that read modules and images of the kernel. */
#define PFX_OPT_IGNORE_VMLINUX(base)                                                              \
	{                                                                                         \
		PFX_OPT_BOOL, 0, "ignore-vmlinux", PFX_SYMBOL_AT(base, sym.ignore_vmlinux), NULL, \
			"do not look for kernel images"                                           \
	}
/* @at: the offset of a bool. */
#define PFX_OPT_MODULES(at)                                            \
	{                                                              \
		PFX_OPT_BOOL, 'm', "modules", at, NULL,                \
			"take symbols of kernel modules (the default)" \
	}

/* Parses the value of --symfs. -EINVAL, with a caret, if the layout is invalid. */
int pfx_symbol_options_parse(struct pfx_symbol_options *options, struct pfx_error *err);
/* Checks that a file or directory in an option exists. */
int pfx_symbol_options_check(const struct pfx_symbol_options *options, struct pfx_error *err);

#endif
