/* SPDX-License-Identifier: MIT */
/* Reads the symbol tables of the binary and of its debug file by libelf, which checks indexes. */
#include "sym/find/code_marks.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct mark {
	uint64_t addr;
	uint8_t kind; /* enum pfx_code_mark */
};

struct pfx_code_marks {
	PFX_VEC(struct mark) at; /* by address */
};

/* A table that is being read. */
struct table {
	Elf *elf;
	Elf_Data *data;
	size_t nr, names;
};

static bool open_table(Elf *elf, uint32_t type, struct table *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != type)
			continue;
		*ret = (struct table){
			.elf = elf, .data = elf_getdata(section, NULL), .names = header.sh_link};
		ret->nr = ret->data && size ? ret->data->d_size / size : 0;
		return ret->nr > 0 && ret->nr < INT32_MAX;
	}
	return false;
}

static int mapping_kind(const char *name)
{
	if (!name || name[0] != '$' || !name[1] || (name[2] && name[2] != '.'))
		return -1;
	switch (name[1]) {
	case 'a':
	case 'x':
		return PFX_MARK_CODE;
	case 't':
		return PFX_MARK_THUMB;
	case 'd':
		return PFX_MARK_DATA;
	}
	return -1;
}

static void add_mapping_symbols(struct pfx_code_marks *marks, const struct table *table)
{
	GElf_Sym sym;
	int kind;
	size_t i;

	for (i = 1; i < table->nr; i++) {
		if (!gelf_getsym(table->data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		kind = mapping_kind(elf_strptr(table->elf, table->names, sym.st_name));
		if (kind >= 0)
			pfx_vec_push(&marks->at, ((struct mark){sym.st_value, (uint8_t)kind}));
	}
}

static void add_functions(struct pfx_code_marks *marks, const struct table *table)
{
	GElf_Sym sym;
	size_t i;

	for (i = 1; i < table->nr; i++)
		if (gelf_getsym(table->data, (int)i, &sym) && sym.st_shndx != SHN_UNDEF &&
		    GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			pfx_vec_push(&marks->at, ((struct mark){sym.st_value & ~1ull,
								sym.st_value & 1 ? PFX_MARK_THUMB
										 : PFX_MARK_CODE}));
}

static int by_address(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static void sort(struct pfx_code_marks *marks)
{
	size_t i, nr = 0;

	if (marks->at.nr)
		qsort(marks->at.at, marks->at.nr, sizeof(*marks->at.at), by_address);
	for (i = 0; i < marks->at.nr; i++)
		if (!nr || marks->at.at[i].kind != marks->at.at[nr - 1].kind)
			marks->at.at[nr++] = marks->at.at[i];
	marks->at.nr = nr;
}

struct pfx_code_marks *pfx_code_marks_new(struct pfx_binary *binary)
{
	struct pfx_code_marks *marks = pfx_calloc(1, sizeof(*marks));
	Elf *runtime = pfx_binary_elf(binary), *debug;
	struct table table;
	GElf_Ehdr header;

	if (!gelf_getehdr(runtime, &header) ||
	    (header.e_machine != EM_ARM && header.e_machine != EM_AARCH64))
		return marks;
	if (open_table(runtime, SHT_SYMTAB, &table))
		add_mapping_symbols(marks, &table);
	debug = marks->at.nr ? NULL : pfx_binary_debug_elf(binary);
	if (debug && open_table(debug, SHT_SYMTAB, &table))
		add_mapping_symbols(marks, &table);
	if (!marks->at.nr && header.e_machine == EM_ARM && open_table(runtime, SHT_DYNSYM, &table))
		add_functions(marks, &table);
	sort(marks);
	return marks;
}

void pfx_code_marks_free(struct pfx_code_marks *marks)
{
	if (!marks)
		return;
	pfx_vec_free(&marks->at);
	free(marks);
}

enum pfx_code_mark pfx_code_mark_at(const struct pfx_code_marks *marks, uint64_t vaddr,
				    uint64_t *ret_end)
{
	size_t low = 0, high = marks->at.nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (marks->at.at[mid].addr <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	*ret_end = low < marks->at.nr ? marks->at.at[low].addr : UINT64_MAX;
	return low ? marks->at.at[low - 1].kind : PFX_MARK_CODE;
}
