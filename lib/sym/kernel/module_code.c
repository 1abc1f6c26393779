/* SPDX-License-Identifier: MIT */
/*
 * Links the code sections of a module's file at the addresses where the kernel has placed them
 * (pfx_module_layout()). Files are untrusted: relocations outside of their section are ignored.
 */
#include "sym/kernel/module_code.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/bisect.h"
#include "base/compare.h"
#include "base/str.h"
#include "sym/elf/elf_internal.h"
#include "sym/find/find_internal.h"
#include "sym/find/symfs_internal.h"
#include "sym/kernel/module_link_internal.h"

struct part {
	uint32_t section;
	uint64_t addr;
	size_t size;
	uint8_t *bytes;
};

struct pfx_module_code {
	struct pfx_arena arena; /* bytes and names */
	PFX_VEC(struct part) parts;
	PFX_VEC(struct pfx_unlinked) unlinked; /* by address */
};

struct wanted {
	const char *name;
	uint64_t address; /* 0: not known */
};

/* A module's file while it is linked. */
struct linking {
	struct pfx_module_code *code;
	struct pfx_elf elf;            /* borrowed */
	uint64_t *layout;              /* by section; UINT64_MAX: not known */
	PFX_VEC(struct wanted) wanted; /* symbols outside of the module, sorted by name */
};

void pfx_module_code_free(struct pfx_module_code *code)
{
	if (!code)
		return;
	pfx_vec_free(&code->parts);
	pfx_vec_free(&code->unlinked);
	pfx_arena_clear(&code->arena);
	free(code);
}

/* --- symbols --- */

#define SYMBOL_MAX 512 /* bytes of a name, as in the kernel */

struct target {
	GElf_Sym symbol;
	const char *name;
	uint64_t address; /* valid if is_known */
	bool is_known;
};

static const char *name_of(const struct pfx_elf *elf, const struct pfx_elf_section *table,
			   const GElf_Sym *symbol)
{
	const char *name = elf_strptr(elf->elf, table->link, symbol->st_name);

	if (GELF_ST_TYPE(symbol->st_info) == STT_SECTION && symbol->st_shndx < elf->nr_sections)
		name = elf->sections[symbol->st_shndx].name;
	return name ? name : "";
}

/* The symbol of a relocation, by the symbol table that its section names. */
static bool find_target(const struct linking *l, const struct pfx_elf_section *relocations,
			const GElf_Rela *rela, struct target *ret)
{
	const struct pfx_elf_section *table;
	Elf_Data *data;

	*ret = (struct target){.name = ""};
	if (relocations->link >= l->elf.nr_sections)
		return false;
	table = &l->elf.sections[relocations->link];
	data = pfx_elf_data(&l->elf, table);
	if (!data || GELF_R_SYM(rela->r_info) > INT32_MAX ||
	    !gelf_getsym(data, (int)GELF_R_SYM(rela->r_info), &ret->symbol))
		return false;
	ret->name = name_of(&l->elf, table, &ret->symbol);
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct wanted *find_wanted(const struct linking *l, const char *name)
{
	const struct wanted key = {.name = name};

	return l->wanted.nr ? bsearch(&key, l->wanted.at, l->wanted.nr, sizeof(key), by_name)
			    : NULL;
}

static void set_address(const struct linking *l, struct target *target)
{
	uint16_t section = target->symbol.st_shndx;
	const struct wanted *wanted;

	if (section == SHN_UNDEF) {
		wanted = find_wanted(l, target->name);
		target->address = wanted ? wanted->address : 0;
		target->is_known = target->address != 0;
	} else if (section < l->elf.nr_sections && l->layout[section] != UINT64_MAX) {
		target->address = l->layout[section] + target->symbol.st_value;
		target->is_known = true;
	}
}

/* --- relocations --- */

typedef void visit_fn(struct linking *l, struct part *part,
		      const struct pfx_elf_section *relocations, const GElf_Rela *rela);

static struct part *find_part(const struct linking *l, uint32_t section)
{
	size_t i = pfx_bisect(k, l->code->parts.nr, l->code->parts.at[k].section < section);

	return i < l->code->parts.nr && l->code->parts.at[i].section == section
		       ? &l->code->parts.at[i]
		       : NULL;
}

static void visit_section(struct linking *l, const struct pfx_elf_section *from, visit_fn *each)
{
	struct part *part = find_part(l, from->info);
	Elf_Data *data = part ? pfx_elf_data(&l->elf, from) : NULL;
	int k, nr = data ? (int)(data->d_size / from->entry_size) : 0;
	GElf_Rela rela;

	for (k = 0; k < nr; k++)
		if (gelf_getrela(data, k, &rela))
			each(l, part, from, &rela);
}

/* Sections of a hostile file may overlap: no more relocations than fit into it. */
static void visit(struct linking *l, visit_fn *each)
{
	uint64_t left = pfx_elf_size(&l->elf);
	const struct pfx_elf_section *from;
	size_t i;

	for (i = 0; i < l->elf.nr_sections; i++) {
		from = &l->elf.sections[i];
		if (from->type != SHT_RELA || !from->entry_size || from->size > left ||
		    from->size / from->entry_size > INT32_MAX)
			continue;
		left -= from->size;
		visit_section(l, from, each);
	}
}

static void want(struct linking *l, struct part *part, const struct pfx_elf_section *relocations,
		 const GElf_Rela *rela)
{
	struct target target;

	(void)part;
	if (find_target(l, relocations, rela, &target) && target.symbol.st_shndx == SHN_UNDEF)
		pfx_vec_push(&l->wanted, (struct wanted){.name = target.name});
}

static void link_one(struct linking *l, struct part *part,
		     const struct pfx_elf_section *relocations, const GElf_Rela *rela)
{
	struct pfx_relocation relocation = {
		.machine = l->elf.ehdr.e_machine,
		.type = (uint32_t)GELF_R_TYPE(rela->r_info),
		.at = part->addr + rela->r_offset,
	};
	struct pfx_unlinked unlinked = {.at = relocation.at, .addend = rela->r_addend};
	struct target target;

	if (rela->r_offset >= part->size || !find_target(l, relocations, rela, &target))
		return;
	set_address(l, &target);
	relocation.value = target.address + (uint64_t)rela->r_addend;
	if (target.is_known && pfx_relocation_apply(&relocation, part->bytes + rela->r_offset,
						    part->size - rela->r_offset))
		return;
	if (strnlen(target.name, SYMBOL_MAX + 1) > SYMBOL_MAX)
		return; /* not a name of the kernel */
	unlinked.name = pfx_arena_strdup(&l->code->arena, target.name);
	unlinked.is_relative = pfx_relocation_is_relative(&relocation);
	pfx_vec_push(&l->code->unlinked, unlinked);
}

/* --- linking --- */

static void add_part(struct linking *l, const struct pfx_elf_section *section, uint64_t *left)
{
	struct part part = {.section = section->index, .addr = l->layout[section->index]};
	const uint8_t *bytes = pfx_elf_bytes(&l->elf, section, &part.size);

	if (part.addr == UINT64_MAX || !bytes || !part.size || part.size > *left)
		return;
	*left -= part.size;
	part.bytes = pfx_arena_alloc(&l->code->arena, part.size);
	memcpy(part.bytes, bytes, part.size);
	pfx_vec_push(&l->code->parts, part);
}

/* One pass over the kernel's symbols, which are sorted by address. */
static void look_up(struct linking *l, const struct pfx_symtab *kernel)
{
	const struct pfx_symbol *symbol;
	struct wanted *wanted;
	size_t i, nr = 0;

	if (l->wanted.nr)
		qsort(l->wanted.at, l->wanted.nr, sizeof(*l->wanted.at), by_name);
	for (i = 0; i < l->wanted.nr; i++)
		if (!nr || strcmp(l->wanted.at[nr - 1].name, l->wanted.at[i].name) != 0)
			l->wanted.at[nr++] = l->wanted.at[i];
	l->wanted.nr = nr;
	for (i = 0; kernel && nr && i < pfx_symtab_nr(kernel); i++) {
		symbol = pfx_symtab_at(kernel, i);
		wanted = find_wanted(l, symbol->name);
		if (wanted)
			wanted->address = symbol->start;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct pfx_unlinked *x = a, *y = b;

	return pfx_compare_u64(x->at, y->at);
}

static void link_all(struct linking *l, const struct pfx_symtab *kernel)
{
	struct pfx_module_code *code = l->code;
	uint64_t left = pfx_elf_size(&l->elf);
	size_t i;

	for (i = 0; i < l->elf.nr_sections; i++)
		add_part(l, &l->elf.sections[i], &left);
	visit(l, want);
	look_up(l, kernel);
	visit(l, link_one);
	if (code->unlinked.nr)
		qsort(code->unlinked.at, code->unlinked.nr, sizeof(*code->unlinked.at), by_address);
}

static struct pfx_module_code *link_file(struct pfx_elf *elf, uint64_t base,
					 const struct pfx_symtab *kernel)
{
	struct linking l = {.code = pfx_calloc(1, sizeof(*l.code)), .elf = *elf};

	l.layout = pfx_module_layout(elf, base);
	link_all(&l, kernel);
	pfx_vec_free(&l.wanted);
	free(l.layout);
	return l.code;
}

/* --- files --- */

/* Links the file at @path, which is freed, if it is the recorded build. */
static struct pfx_module_code *open_file(char *path, const struct pfx_sym_request *request,
					 const struct pfx_symtab *kernel)
{
	const struct pfx_build_id wanted =
		pfx_build_id_make(request->build_id, request->build_id_size);
	struct pfx_module_code *code = NULL;
	struct pfx_elf elf;

	if (!path || pfx_elf_open(path, &elf, NULL)) {
		free(path);
		return NULL;
	}
	if (elf.ehdr.e_type == ET_REL &&
	    (!wanted.size || pfx_build_id_same(&wanted, &elf.build_id)))
		code = link_file(&elf, request->module_addr, kernel);
	pfx_elf_close(&elf);
	free(path);
	return code;
}

int pfx_module_code_open(struct pfx_module_code **ret, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, const struct pfx_symtab *kernel,
			 struct pfx_error *err)
{
	const struct pfx_build_id wanted =
		pfx_build_id_make(request->build_id, request->build_id_size);
	char *recorded = NULL;

	*ret = NULL;
	if (request->module && request->module_addr) {
		recorded = pfx_module_recorded_path(request, options);
		*ret = open_file(recorded ? pfx_symfs_path(options, recorded) : NULL, request,
				 kernel);
		if (!*ret)
			*ret = open_file(pfx_debugfile_cached(options, &wanted, "elf"), request,
					 kernel);
		free(recorded);
	}
	return *ret ? 0 : pfx_error_set(err, ENOENT, "no file of the recorded module was found");
}

size_t pfx_module_code_read(const struct pfx_module_code *code, uint64_t addr, void *to,
			    size_t size)
{
	const struct part *part;
	size_t i, at;

	for (i = 0; i < code->parts.nr; i++) {
		part = &code->parts.at[i];
		if (addr < part->addr || addr - part->addr >= part->size)
			continue;
		at = (size_t)(addr - part->addr);
		size = size < part->size - at ? size : part->size - at;
		memcpy(to, part->bytes + at, size);
		return size;
	}
	return 0;
}

const struct pfx_unlinked *pfx_module_code_unlinked(const struct pfx_module_code *code,
						    uint64_t addr, size_t size)
{
	size_t i = pfx_bisect(k, code->unlinked.nr, code->unlinked.at[k].at < addr);

	return i < code->unlinked.nr && code->unlinked.at[i].at - addr < size
		       ? &code->unlinked.at[i]
		       : NULL;
}
