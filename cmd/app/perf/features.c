/* SPDX-License-Identifier: MIT */
/* perf's names for what is built in: `perf version --build-options` and `check feature`. */
#include "cmd/app/perf/features.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "pfx_packages.h"

/* What pfx has without a library, and what it never has. */
#define ALWAYS ""
#define NEVER  NULL

/* @package: the macro of the optional library that does it in pfx. Some of perf's libraries are
 * another one here, or code of pfx: what counts is that the thing works. */
static const struct {
	const char *name, *macro, *package;
} rows[] = {
	{"dwarf", "HAVE_DWARF_SUPPORT", "PFX_HAVE_LIBDW"},
	{"dwarf_getlocations", "HAVE_DWARF_GETLOCATIONS_SUPPORT", "PFX_HAVE_LIBDW"},
	{"glibc", "HAVE_GLIBC_SUPPORT", ALWAYS},
	{"syscall_table", "HAVE_SYSCALL_TABLE_SUPPORT", ALWAYS},
	{"libbfd", "HAVE_LIBBFD_SUPPORT", NEVER},
	{"debuginfod", "HAVE_DEBUGINFOD_SUPPORT", "PFX_HAVE_DEBUGINFOD"},
	{"libelf", "HAVE_LIBELF_SUPPORT", "PFX_HAVE_LIBELF"},
	{"libnuma", "HAVE_LIBNUMA_SUPPORT", NEVER},
	{"numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", NEVER},
	{"libperl", "HAVE_LIBPERL_SUPPORT", NEVER},
	{"libpython", "HAVE_LIBPYTHON_SUPPORT", "PFX_HAVE_PYTHON"},
	{"libslang", "HAVE_SLANG_SUPPORT", "PFX_HAVE_NCURSESW"},
	{"libcrypto", "HAVE_LIBCRYPTO_SUPPORT", NEVER},
	{"libunwind", "HAVE_LIBUNWIND_SUPPORT", "PFX_HAVE_LIBUNWIND"},
	{"libdw-dwarf-unwind", "HAVE_DWARF_SUPPORT", "PFX_HAVE_LIBDW"},
	{"libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", "PFX_HAVE_CAPSTONE"},
	{"zlib", "HAVE_ZLIB_SUPPORT", "PFX_HAVE_ZLIB"},
	{"lzma", "HAVE_LZMA_SUPPORT", "PFX_HAVE_LZMA"},
	{"get_cpuid", "HAVE_AUXTRACE_SUPPORT", ALWAYS},
	{"auxtrace", "HAVE_AUXTRACE_SUPPORT", ALWAYS},
	{"bpf", "HAVE_LIBBPF_SUPPORT", NEVER},
	{"aio", "HAVE_AIO_SUPPORT", ALWAYS},
	{"zstd", "HAVE_ZSTD_SUPPORT", "PFX_HAVE_ZSTD"},
	{"libpfm4", "HAVE_LIBPFM", "PFX_HAVE_PFM"},
	{"libtraceevent", "HAVE_LIBTRACEEVENT", ALWAYS},
	{"dwarf-unwind-support", "HAVE_DWARF_UNWIND_SUPPORT", "PFX_HAVE_LIBDW"},
};

static bool is_on(const char *package)
{
	size_t i;

	if (!package || !*package)
		return package;
	for (i = 0; i < sizeof(pfx_packages) / sizeof(*pfx_packages); i++)
		if (!strcmp(pfx_packages[i].macro, package))
			return pfx_packages[i].is_on;
	return false;
}

const struct pfx_built_in *pfx_built_in_at(size_t i)
{
	static struct pfx_built_in feature;

	if (i >= sizeof(rows) / sizeof(*rows))
		return NULL;
	feature = (struct pfx_built_in){rows[i].name, rows[i].macro, is_on(rows[i].package)};
	return &feature;
}

const struct pfx_built_in *pfx_built_in_find(const char *name, size_t len)
{
	const struct pfx_built_in *feature;
	size_t i;

	for (i = 0; (feature = pfx_built_in_at(i)); i++)
		if (strlen(feature->name) == len && !strncasecmp(feature->name, name, len))
			return feature;
	return NULL;
}

void pfx_built_in_print(const struct pfx_built_in *feature)
{
	printf("%22s: [ %-3s ]  # %s\n", feature->name, feature->is_on ? "on" : "OFF",
	       feature->macro);
}
