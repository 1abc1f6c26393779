/* SPDX-License-Identifier: MIT */
/*
 * Debug information of a kernel module. The file is not linked: its addresses are relative to
 * sections, and libdwfl relocates them to the sections' load addresses. libdwfl needs a file
 * descriptor, so the module is copied into a memfd.
 */
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "sym/dwarf/lines_internal.h"

struct pfx_module_dwarf {
	Dwfl *dwfl;
	Dwarf *dwarf; /* owned by libdwfl */
	const uint64_t *sections;
	size_t nr_sections;
	int fd;
};

static int give_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		    char **ret_name, Elf **ret)
{
	struct pfx_module_dwarf *module = *userdata;
	int fd = module->fd;

	(void)mod;
	(void)name;
	(void)base;
	*ret_name = NULL;
	*ret = NULL;
	module->fd = -1;
	return fd;
}

static int give_no_debug_file(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			      const char *file, const char *link, GElf_Word crc, char **ret)
{
	(void)mod;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)ret;
	return -1;
}

/* Sections that were not loaded keep address 0. */
static int give_address(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			const char *section, GElf_Word i, const GElf_Shdr *header, Dwarf_Addr *ret)
{
	const struct pfx_module_dwarf *module = *userdata;

	(void)mod;
	(void)name;
	(void)base;
	(void)section;
	(void)header;
	*ret = i < module->nr_sections ? module->sections[i] : UINT64_MAX;
	return 0;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = give_elf,
	.find_debuginfo = give_no_debug_file,
	.section_address = give_address,
};

static int file_of(const struct pfx_binary *binary)
{
	size_t size;
	const uint8_t *bytes = pfx_binary_bytes(binary, &size);
	int fd = bytes ? memfd_create("pfx-module", MFD_CLOEXEC) : -1;

	if (fd >= 0 && pfx_write_full(fd, bytes, size)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The lowest and the highest load address. */
static void range_of(const struct pfx_module_dwarf *module, Dwarf_Addr *ret_low,
		     Dwarf_Addr *ret_high)
{
	size_t i;

	*ret_low = UINT64_MAX;
	*ret_high = 0;
	for (i = 0; i < module->nr_sections; i++) {
		if (module->sections[i] == UINT64_MAX)
			continue;
		if (module->sections[i] < *ret_low)
			*ret_low = module->sections[i];
		if (module->sections[i] + 1 > *ret_high)
			*ret_high = module->sections[i] + 1;
	}
}

static bool open_module(struct pfx_module_dwarf *module)
{
	Dwarf_Addr low, high, bias;
	Dwfl_Module *mod;
	void **userdata;

	module->dwfl = dwfl_begin(&callbacks);
	range_of(module, &low, &high);
	if (!module->dwfl || low >= high)
		return false;
	dwfl_report_begin(module->dwfl);
	mod = dwfl_report_module(module->dwfl, "module", low, high);
	if (!mod || dwfl_report_end(module->dwfl, NULL, NULL))
		return false;
	dwfl_module_info(mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = module;
	module->dwarf = dwfl_module_getdwarf(mod, &bias);
	return module->dwarf != NULL;
}

struct pfx_module_dwarf *pfx_module_dwarf_new(struct pfx_binary *binary)
{
	struct pfx_module_dwarf *module = pfx_calloc(1, sizeof(*module));

	module->sections = pfx_binary_sections(binary, &module->nr_sections);
	module->fd = file_of(binary);
	if (module->fd >= 0 && open_module(module))
		return module;
	pfx_module_dwarf_free(module);
	return NULL;
}

void pfx_module_dwarf_free(struct pfx_module_dwarf *module)
{
	if (!module)
		return;
	dwfl_end(module->dwfl);
	if (module->fd >= 0)
		close(module->fd);
	free(module);
}

Dwarf *pfx_module_dwarf_get(const struct pfx_module_dwarf *module)
{
	return module->dwarf;
}
