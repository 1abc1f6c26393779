/* SPDX-License-Identifier: MIT */
/*
 * Searches the split debug information of a program's units: in a package, at the recorded paths,
 * next to the moved program, or in the build-ID cache, where archives store it. The unit id must
 * match. Does not decode units.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sym/dwarf/split_find_internal.h"

/* The recorded name (DW_AT_dwo_name); NULL: not a skeleton. */
static const char *split_name(Dwarf_Die *cu)
{
	Dwarf_Attribute name;

	if (!dwarf_attr(cu, DW_AT_dwo_name, &name) && !dwarf_attr(cu, DW_AT_GNU_dwo_name, &name))
		return NULL;
	return dwarf_formstring(&name);
}

/* The recorded path; NULL: not a skeleton. The caller frees. */
static char *split_path(Dwarf_Die *cu)
{
	const char *file = split_name(cu), *folder = NULL;
	Dwarf_Attribute dir;

	if (!file)
		return NULL;
	if (*file != '/' && dwarf_attr(cu, DW_AT_comp_dir, &dir))
		folder = dwarf_formstring(&dir);
	return folder ? pfx_strfmt("%s/%s", folder, file) : pfx_strdup(file);
}

/* libdw opens the file that a unit names without checking its type: opening a FIFO would block
 * forever, and opening a device may have side effects. */
char *pfx_split_named_file(Dwarf_Die *cu)
{
	char *path = split_path(cu);
	struct stat st;

	if (path && !stat(path, &st) && S_ISREG(st.st_mode))
		return path;
	free(path);
	return NULL;
}

/* --- data of the skeleton units --- */

/* The bytes of a section of the program, from @base. */
static struct pfx_slice section_from(Dwarf *dwarf, const char *name, uint64_t base)
{
	struct pfx_slice slice = {0};
	const char *found;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(dwarf_getelf(dwarf), &names))
		return slice;
	while ((scn = elf_nextscn(dwarf_getelf(dwarf), scn))) {
		found = gelf_getshdr(scn, &header)
				? elf_strptr(dwarf_getelf(dwarf), names, header.sh_name)
				: NULL;
		if (!found || strcmp(found, name) != 0 || header.sh_type == SHT_NOBITS)
			continue;
		data = elf_getdata(scn, NULL); /* unpacked by libdw */
		if (data && data->d_buf && base < data->d_size)
			slice = (struct pfx_slice){(uint8_t *)data->d_buf + base,
						   data->d_size - base};
		break;
	}
	return slice;
}

static uint64_t base_of(Dwarf_Die *cu, unsigned name, unsigned gnu_name)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if ((!dwarf_attr(cu, name, &attr) && !dwarf_attr(cu, gnu_name, &attr)) ||
	    dwarf_formudata(&attr, &word))
		return 0;
	return word;
}

/* @file may be NULL, or may be of another build. */
static struct pfx_split_unit *make_unit(Dwarf_Die *cu, uint64_t id,
					const struct pfx_split_file *file)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(cu->cu);
	struct pfx_split_skeleton skeleton = {.id = id};
	struct pfx_split_parts parts;
	Dwarf_Addr low;

	if (!file || !pfx_split_file_find(file, id, &parts))
		return NULL;
	skeleton.base = dwarf_lowpc(cu, &low) ? 0 : low;
	skeleton.addresses = section_from(dwarf, ".debug_addr",
					  base_of(cu, DW_AT_addr_base, DW_AT_GNU_addr_base));
	if (!parts.rnglists.at)
		skeleton.ranges =
			section_from(dwarf, ".debug_ranges",
				     base_of(cu, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base));
	return pfx_split_unit_new(&parts, &skeleton);
}

/* --- places --- */

/* Takes ownership of @path, which may be NULL. */
static bool try_place(Dwarf_Die *cu, uint64_t id, char *path, struct pfx_split_found *ret)
{
	ret->file = path ? pfx_split_file_open(path) : NULL;
	ret->unit = make_unit(cu, id, ret->file);
	if (ret->unit) {
		ret->path = path;
		return true;
	}
	if (ret->file && !ret->refused)
		ret->refused = path;
	else
		free(path);
	pfx_split_file_free(ret->file);
	ret->file = NULL;
	return false;
}

static bool find_file(const struct pfx_binary *binary, Dwarf_Die *cu, uint64_t id,
		      struct pfx_split_found *ret)
{
	char *places[PFX_BINARY_SPLIT_PLACES];
	const char *name = split_name(cu);
	unsigned i, nr = name ? pfx_binary_split_places(binary, name, id, places) : 0;
	bool found = false;

	for (i = 0; i < nr; i++)
		if (found)
			free(places[i]);
		else
			found = try_place(cu, id, places[i], ret);
	return found;
}

bool pfx_split_find(struct pfx_binary *binary, Dwarf_Die *cu, uint64_t id,
		    struct pfx_split_found *ret)
{
	const char *package;

	*ret = (struct pfx_split_found){0};
	ret->unit = make_unit(cu, id, pfx_binary_package(binary));
	if (ret->unit || try_place(cu, id, pfx_split_named_file(cu), ret) ||
	    find_file(binary, cu, id, ret))
		return true;
	package = pfx_binary_package_path(binary);
	if (package && !ret->refused)
		ret->refused = pfx_strdup(package);
	if (!ret->refused)
		ret->missing = split_path(cu);
	return false;
}

void pfx_split_found_fini(struct pfx_split_found *found)
{
	pfx_split_unit_free(found->unit);
	pfx_split_file_free(found->file);
	free(found->path);
	free(found->refused);
	free(found->missing);
	*found = (struct pfx_split_found){0};
}

/* --- all units --- */

static void add_unit(struct pfx_binary *binary, Dwarf_Die *cu, uint64_t id,
		     struct pfx_split_list *list)
{
	const struct pfx_split_file *package = pfx_binary_package(binary);
	struct pfx_split_found found = {0};
	struct pfx_split_parts parts;

	if (package && pfx_split_file_find(package, id, &parts))
		return;
	if (try_place(cu, id, pfx_split_named_file(cu), &found) ||
	    find_file(binary, cu, id, &found)) {
		pfx_vec_push(&list->files, ((struct pfx_split_place){id, found.path}));
		found.path = NULL;
	}
	pfx_split_found_fini(&found);
}

bool pfx_split_is_any(Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL))
		if (type == DW_UT_skeleton)
			return true;
	return false;
}

void pfx_split_list_add(struct pfx_binary *binary, Dwarf_Die *cu, struct pfx_split_list *to)
{
	uint8_t type;
	uint64_t id;

	if (!dwarf_cu_info(cu->cu, NULL, &type, NULL, NULL, &id, NULL, NULL) &&
	    type == DW_UT_skeleton)
		add_unit(binary, cu, id, to);
}

void pfx_split_list(struct pfx_binary *binary, Dwarf *dwarf, struct pfx_split_list *ret)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	*ret = (struct pfx_split_list){0};
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL))
		pfx_split_list_add(binary, &die, ret);
}
