/* SPDX-License-Identifier: MIT */
/*
 * Split debug information: units in separate files (.dwo), or in a package of many (.dwp). The
 * program has a skeleton of each unit with the same unit id.
 */
#ifndef PFX_SYM_SPLIT_INTERNAL_H
#define PFX_SYM_SPLIT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pfx_slice {
	const uint8_t *at; /* NULL: the section is missing */
	size_t size;
};

/* A unit's contribution to each section. */
struct pfx_split_parts {
	struct pfx_slice info, abbrev, str_offsets, rnglists;
	struct pfx_slice strings; /* shared by all units */
	uint8_t elf_class, elf_data;
	uint16_t elf_machine;
	bool swap;
};

struct pfx_split_file;

/* Open a .dwo or .dwp file. NULL: not found, or not split debug information. A file without an
 * index is one unit. */
struct pfx_split_file *pfx_split_file_open(const char *path);
void pfx_split_file_free(struct pfx_split_file *file);
/* Find the unit with this id; false: not found. The parts are borrowed. */
bool pfx_split_file_find(const struct pfx_split_file *file, uint64_t id,
			 struct pfx_split_parts *ret);

/* The index of a package, from its section (.debug_cu_index). */
struct pfx_split_index {
	struct pfx_slice bytes;
	bool swap;
	uint16_t version; /* 2: the GNU extension of DWARF 4, 5: DWARF 5 */
	uint32_t nr_columns, nr_units, nr_slots;
};

/* Column numbers (DW_SECT_*) by version of the index. */
enum pfx_split_column {
	PFX_SPLIT_INFO,
	PFX_SPLIT_ABBREV,
	PFX_SPLIT_STR_OFFSETS,
	PFX_SPLIT_RNGLISTS,
	PFX_SPLIT_NR_COLUMNS,
};

struct pfx_split_range {
	uint32_t offset, size; /* size 0: no contribution */
};

bool pfx_split_index_open(struct pfx_split_index *index, struct pfx_slice bytes, bool swap);
/* The unit's contributions, by column. */
bool pfx_split_index_find(const struct pfx_split_index *index, uint64_t id,
			  struct pfx_split_range ret[PFX_SPLIT_NR_COLUMNS]);

#endif
