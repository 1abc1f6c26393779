/* SPDX-License-Identifier: MIT */
/*
 * Split debug information: units of the compiler that stand in a file of their own (.dwo), or in a
 * package of many (.dwp), while the program has a skeleton of each, told by the same number.
 */
#ifndef PFX_SYM_SPLIT_INTERNAL_H
#define PFX_SYM_SPLIT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pfx_slice {
	const uint8_t *at; /* NULL: there is none */
	size_t size;
};

/* What one unit has in each section. */
struct pfx_split_parts {
	struct pfx_slice info, abbrev, str_offsets, rnglists;
	struct pfx_slice strings; /* of all units */
	uint8_t elf_class, elf_data;
	uint16_t elf_machine;
	bool swap;
};

struct pfx_split_file;

/* NULL: not there, or nothing of the kind. A file without an index is one unit. */
struct pfx_split_file *pfx_split_file_open(const char *path);
void pfx_split_file_free(struct pfx_split_file *file);
/* The unit of that number, or false. The parts are borrowed. */
bool pfx_split_file_find(const struct pfx_split_file *file, uint64_t id,
			 struct pfx_split_parts *ret);

/* The index of a package, as its section has it. */
struct pfx_split_index {
	struct pfx_slice bytes;
	bool swap;
	uint16_t version; /* 2: GNU's with DWARF 4, 5: DWARF 5's */
	uint32_t nr_columns, nr_units, nr_slots;
};

/* Kinds of columns, as files say them, by the index's version. */
enum pfx_split_column {
	PFX_SPLIT_INFO,
	PFX_SPLIT_ABBREV,
	PFX_SPLIT_STR_OFFSETS,
	PFX_SPLIT_RNGLISTS,
	PFX_SPLIT_NR_COLUMNS,
};

struct pfx_split_range {
	uint32_t offset, size; /* size 0: nothing in that section */
};

bool pfx_split_index_open(struct pfx_split_index *index, struct pfx_slice bytes, bool swap);
/* Where the parts of the unit @id are, by column. */
bool pfx_split_index_find(const struct pfx_split_index *index, uint64_t id,
			  struct pfx_split_range ret[PFX_SPLIT_NR_COLUMNS]);

#endif
