/* SPDX-License-Identifier: MIT */
/*
 * Converts a split unit into a complete one: a copy of its bytes in which the unit id is replaced
 * by the skeleton's base address, and a copy of its abbreviations with that change. All other
 * sections refer to memory that exists already. The input is untrusted: malformed units are
 * refused.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "sym/dwarf/split_unit_internal.h"

#define ID_SIZE 8

struct pfx_split_unit {
	Elf *elf;
	Dwarf *dwarf;
	uint8_t *info, *abbrev;
	size_t info_size, abbrev_size;
};

/* Positions in the bytes of the unit. */
struct layout {
	size_t size;    /* of the unit in its section */
	size_t type_at; /* of the unit type; 0: DWARF 4 has none */
	size_t abbrev_at;
	size_t die_at; /* the unit DIE: its code, then its attributes */
	size_t code_size;
	uint64_t code, abbrev;
	uint8_t offset_size, address_size;
};

/* The declaration of the unit DIE in the abbreviation table. */
struct declaration {
	size_t at, end;    /* from its code to the end of its attributes */
	size_t specs;      /* the first attribute */
	size_t id, id_end; /* DWARF 4: the attribute with the unit id; 0: none */
	size_t id_value;   /* DWARF 4: position of its value after the code of the DIE */
};

static uint64_t read_offset(struct pfx_cursor *c, uint8_t size)
{
	return size == 8 ? pfx_cursor_u64(c) : pfx_cursor_u32(c);
}

static size_t position(const struct pfx_cursor *c, struct pfx_slice in)
{
	return (size_t)(c->at - in.at);
}

/* --- reading --- */

static bool read_head(struct pfx_cursor *c, struct pfx_slice info, uint64_t id, struct layout *ret)
{
	uint64_t length = pfx_cursor_u32(c);
	uint16_t version;
	uint8_t type = 0;

	ret->offset_size = length == UINT32_MAX ? 8 : 4;
	if (length == UINT32_MAX)
		length = pfx_cursor_u64(c);
	if (length > pfx_cursor_left(c))
		return false;
	c->end = c->at + length;
	ret->size = position(c, info) + (size_t)length;
	version = pfx_cursor_u16(c);
	if (version == 5) {
		ret->type_at = position(c, info);
		type = pfx_cursor_u8(c);
		ret->address_size = pfx_cursor_u8(c);
	}
	ret->abbrev_at = position(c, info);
	ret->abbrev = read_offset(c, ret->offset_size);
	if (version == 4)
		ret->address_size = pfx_cursor_u8(c);
	else if (version != 5 || type != DW_UT_split_compile || pfx_cursor_u64(c) != id)
		return false;
	ret->die_at = position(c, info);
	ret->code = pfx_cursor_uleb(c);
	ret->code_size = position(c, info) - ret->die_at;
	return pfx_cursor_ok(c) && ret->code && (ret->address_size == 8 || ret->address_size == 4);
}

/* Skips the value of an attribute that a unit DIE may have. */
static bool skip_value(struct pfx_cursor *c, uint64_t form, uint8_t offset_size)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		pfx_cursor_skip(c, 1);
		return true;
	case DW_FORM_data2:
	case DW_FORM_strx2:
		pfx_cursor_skip(c, 2);
		return true;
	case DW_FORM_data4:
	case DW_FORM_strx4:
		pfx_cursor_skip(c, 4);
		return true;
	case DW_FORM_data8:
		pfx_cursor_skip(c, 8);
		return true;
	case DW_FORM_sec_offset:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
		pfx_cursor_skip(c, offset_size);
		return true;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_addr_index:
		(void)pfx_cursor_uleb(c);
		return true;
	case DW_FORM_string:
		(void)pfx_cursor_cstr(c);
		return true;
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return true;
	default:
		return false;
	}
}

/* One attribute of a declaration; false after the last one. */
static bool read_spec(struct pfx_cursor *c, uint64_t *ret_name, uint64_t *ret_form)
{
	*ret_name = pfx_cursor_uleb(c);
	*ret_form = pfx_cursor_uleb(c);
	if (*ret_form == DW_FORM_implicit_const)
		(void)pfx_cursor_uleb(c);
	return pfx_cursor_ok(c) && (*ret_name || *ret_form);
}

/* Skips a declaration's code up to its attributes; 0 after the last one. */
static uint64_t read_code(struct pfx_cursor *c)
{
	uint64_t code = pfx_cursor_uleb(c);

	if (code) {
		(void)pfx_cursor_uleb(c); /* tag */
		(void)pfx_cursor_u8(c);
	}
	return pfx_cursor_ok(c) ? code : 0;
}

static bool find_declaration(struct pfx_slice abbrev, const struct layout *layout,
			     struct declaration *ret)
{
	struct pfx_cursor c = pfx_cursor_make(abbrev.at, abbrev.size, false);
	uint64_t code, name, form;

	if (layout->abbrev > abbrev.size)
		return false;
	pfx_cursor_skip(&c, (size_t)layout->abbrev);
	do {
		*ret = (struct declaration){.at = position(&c, abbrev)};
		code = read_code(&c);
		ret->specs = position(&c, abbrev);
		while (code && read_spec(&c, &name, &form))
			;
		ret->end = position(&c, abbrev);
	} while (code && code != layout->code && pfx_cursor_ok(&c));
	return code && pfx_cursor_ok(&c);
}

/* In DWARF 4 the unit id is an attribute of the unit DIE (DW_AT_GNU_dwo_id). */
static bool find_id(struct pfx_cursor info, const struct pfx_split_parts *parts, uint64_t id,
		    const struct layout *layout, struct declaration *ret)
{
	struct pfx_cursor c =
		pfx_cursor_make(parts->abbrev.at + ret->specs, ret->end - ret->specs, false);
	const uint8_t *values = info.at;
	uint64_t name, form;

	for (ret->id = ret->specs; read_spec(&c, &name, &form); ret->id = ret->id_end) {
		ret->id_end = position(&c, parts->abbrev);
		if (name == DW_AT_GNU_dwo_id && form == DW_FORM_data8) {
			ret->id_value = (size_t)(info.at - values);
			return pfx_cursor_u64(&info) == id && pfx_cursor_ok(&info);
		}
		if (!skip_value(&info, form, layout->offset_size))
			return false;
	}
	return false;
}

static bool read_unit(const struct pfx_split_parts *parts, uint64_t id, struct layout *layout,
		      struct declaration *declaration)
{
	struct pfx_cursor c = pfx_cursor_make(parts->info.at, parts->info.size, parts->swap);

	*layout = (struct layout){0};
	if (!read_head(&c, parts->info, id, layout) ||
	    !find_declaration(parts->abbrev, layout, declaration))
		return false;
	return layout->type_at || find_id(c, parts, id, layout, declaration);
}

/* A file without an index may have more units before the wanted one. */
static bool find_unit(struct pfx_split_parts *parts, uint64_t id, struct layout *layout,
		      struct declaration *declaration)
{
	while (!read_unit(parts, id, layout, declaration)) {
		if (!layout->size || layout->size >= parts->info.size)
			return false;
		parts->info.at += layout->size;
		parts->info.size -= layout->size;
	}
	return true;
}

/* --- writing --- */

static void put_word(uint8_t *to, uint64_t value, uint8_t size, bool swap)
{
	uint32_t half = (uint32_t)value;

	if (swap) {
		value = __builtin_bswap64(value);
		half = __builtin_bswap32(half);
	}
	memcpy(to, size == 8 ? (void *)&value : (void *)&half, size);
}

/* The unit DIE gets an address in place of the unit id, which is as long or longer. */
static void make_info(struct pfx_split_unit *unit, const struct pfx_split_parts *parts,
		      const struct layout *layout, const struct declaration *declaration,
		      uint64_t base)
{
	size_t at = layout->die_at + layout->code_size + declaration->id_value;

	unit->info_size = layout->size;
	unit->info = pfx_malloc(layout->size);
	memcpy(unit->info, parts->info.at, layout->size);
	put_word(unit->info + layout->abbrev_at, 0, layout->offset_size, false);
	if (layout->type_at) {
		unit->info[layout->type_at] = DW_UT_compile;
		memmove(unit->info + layout->die_at - ID_SIZE, unit->info + layout->die_at,
			layout->code_size);
		at -= ID_SIZE;
	}
	memset(unit->info + at, 0, ID_SIZE);
	put_word(unit->info + at, base, layout->address_size, parts->swap);
}

static size_t put_bytes(uint8_t *to, const uint8_t *from, size_t size)
{
	memcpy(to, from, size);
	return size;
}

/* The unit's declaration comes first, with the address as its first attribute (DWARF 5) or in place
 * of the unit id (DWARF 4); with short addresses, a dummy attribute fills the remaining bytes. */
static void make_abbrev(struct pfx_split_unit *unit, const struct pfx_split_parts *parts,
			const struct layout *layout, const struct declaration *declaration)
{
	static const uint8_t address[] = {DW_AT_low_pc, DW_FORM_addr};
	static const uint8_t filler[] = {0x80, 0x40, DW_FORM_data4}; /* DW_AT_lo_user */
	size_t from = (size_t)layout->abbrev, end = parts->abbrev.size;
	size_t id = layout->type_at ? declaration->specs : declaration->id;
	size_t id_end = layout->type_at ? declaration->specs : declaration->id_end;
	const uint8_t *bytes = parts->abbrev.at;
	uint8_t *to;

	unit->abbrev = to = pfx_malloc(end - from + sizeof(address) + sizeof(filler));
	to += put_bytes(to, bytes + declaration->at, id - declaration->at);
	to += put_bytes(to, address, sizeof(address));
	if (layout->address_size == 4)
		to += put_bytes(to, filler, sizeof(filler));
	to += put_bytes(to, bytes + id_end, declaration->end - id_end);
	to += put_bytes(to, bytes + from, declaration->at - from);
	to += put_bytes(to, bytes + declaration->end, end - declaration->end);
	unit->abbrev_size = (size_t)(to - unit->abbrev);
}

/* --- the ELF file for libdw --- */

/* libelf needs a file to create an image; it is never written to. */
static Elf *new_elf(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_WRITE, NULL);
	if (elf)
		elf_cntl(elf, ELF_C_FDDONE);
	if (fd >= 0)
		close(fd);
	return elf;
}

static bool begin_elf(struct pfx_split_unit *unit, const struct pfx_split_parts *parts)
{
	GElf_Ehdr header;

	unit->elf = new_elf();
	if (!unit->elf || !gelf_newehdr(unit->elf, parts->elf_class) ||
	    !gelf_getehdr(unit->elf, &header))
		return false;
	header.e_ident[EI_DATA] = parts->elf_data;
	header.e_type = ET_REL;
	header.e_machine = parts->elf_machine;
	header.e_version = EV_CURRENT;
	header.e_shstrndx = 1;
	return gelf_update_ehdr(unit->elf, &header) != 0;
}

static bool add_section(struct pfx_split_unit *unit, uint32_t name, uint32_t type,
			struct pfx_slice bytes)
{
	Elf_Scn *scn;
	Elf_Data *data;
	GElf_Shdr header;

	if (!bytes.at)
		return true;
	scn = elf_newscn(unit->elf);
	data = scn ? elf_newdata(scn) : NULL;
	if (!data || !gelf_getshdr(scn, &header))
		return false;
	data->d_buf = (void *)(uintptr_t)bytes.at;
	data->d_size = bytes.size;
	data->d_type = ELF_T_BYTE;
	data->d_align = 1;
	data->d_version = EV_CURRENT;
	header.sh_name = name;
	header.sh_type = type;
	header.sh_size = bytes.size;
	return gelf_update_shdr(scn, &header) != 0;
}

static bool add_sections(struct pfx_split_unit *unit, const struct pfx_split_parts *parts,
			 const struct pfx_split_skeleton *skeleton)
{
	static const char names[] = "\0.shstrtab\0.debug_info\0.debug_abbrev\0.debug_str\0"
				    ".debug_str_offsets\0.debug_addr\0.debug_rnglists\0"
				    ".debug_ranges";
	const struct pfx_slice slices[] = {
		{(const uint8_t *)names, sizeof(names)},
		{unit->info, unit->info_size},
		{unit->abbrev, unit->abbrev_size},
		parts->strings,
		parts->str_offsets,
		skeleton->addresses,
		parts->rnglists,
		skeleton->ranges,
	};
	const char *name = names + 1;
	size_t i;

	for (i = 0; i < sizeof(slices) / sizeof(*slices); i++, name += strlen(name) + 1)
		if (!add_section(unit, (uint32_t)(name - names), i ? SHT_PROGBITS : SHT_STRTAB,
				 slices[i]))
			return false;
	return true;
}

struct pfx_split_unit *pfx_split_unit_new(const struct pfx_split_parts *parts,
					  const struct pfx_split_skeleton *skeleton)
{
	struct pfx_split_parts own = *parts;
	struct declaration declaration;
	struct pfx_split_unit *unit;
	struct layout layout;

	if (!find_unit(&own, skeleton->id, &layout, &declaration))
		return NULL;
	unit = pfx_calloc(1, sizeof(*unit));
	make_info(unit, &own, &layout, &declaration, skeleton->base);
	make_abbrev(unit, &own, &layout, &declaration);
	if (begin_elf(unit, &own) && add_sections(unit, &own, skeleton))
		unit->dwarf = dwarf_begin_elf(unit->elf, DWARF_C_READ, NULL);
	if (unit->dwarf)
		return unit;
	pfx_split_unit_free(unit);
	return NULL;
}

void pfx_split_unit_free(struct pfx_split_unit *unit)
{
	if (!unit)
		return;
	dwarf_end(unit->dwarf);
	elf_end(unit->elf);
	free(unit->info);
	free(unit->abbrev);
	free(unit);
}

Dwarf *pfx_split_unit_dwarf(const struct pfx_split_unit *unit)
{
	return unit->dwarf;
}
