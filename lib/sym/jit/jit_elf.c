/* SPDX-License-Identifier: MIT */
/*
 * Writes the ELF file of a JIT function through libelf. Virtual addresses equal file offsets; the
 * code is at PFX_JIT_TEXT_OFFSET. Unwind tables follow the code at the next multiple of 8, because
 * their relative references rely on that distance:
 *
 *	header, program headers | .text | .eh_frame .eh_frame_hdr | .debug_* | note, symbols,
 *	strings
 */
#include "sym/jit/jit_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/sha1.h"
#include "base/str.h"
#include "jit_internal.h"
#include "sym/elf/buildid.h"

#define SECTIONS_MAX 16
#define NR_PHDRS     2
#define EH_ALIGN     8
#define TEXT_ALIGN   16

struct output {
	Elf *elf;
	const struct pfx_jit_function *function;
	bool is_64bit, swap;
	uint64_t offset;         /* end of the last section */
	struct pfx_buffer names; /* section names */
	struct pfx_buffer note;
	struct pfx_buffer strings; /* symbol names */
	struct pfx_jit_dwarf dwarf;
	size_t text, symtab, strtab; /* section numbers */
	uint64_t eh_hdr, loaded_end; /* offsets */
	Elf_Data *names_data;
	uint8_t symbols[2 * sizeof(Elf64_Sym)];
};

struct section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	const void *data;
	size_t size;
	uint64_t align;
	uint64_t entry_size;
};

static bool is_64bit(uint32_t machine)
{
	const struct pfx_arch *arch = pfx_arch_of_elf(machine);

	return !arch || arch->word == 8;
}

static uint64_t align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) & ~(align - 1);
}

uint64_t pfx_jit_mapped_size(const struct pfx_jit_function *function)
{
	uint64_t size = function->load->size;

	if (function->unwinding && function->unwinding->mapped_size)
		size = align_up(size, EH_ALIGN) + function->unwinding->mapped_size;
	return size;
}

static int elf_failed(struct pfx_error *err)
{
	return pfx_error_set(err, EIO, "%s", elf_errmsg(-1));
}

static uint32_t add_name(struct output *out, const char *name)
{
	uint32_t at = (uint32_t)out->names.len;

	pfx_buffer_cstr(&out->names, name, 1);
	return at;
}

/* Append a section; returns its number, or 0. */
static size_t add_section(struct output *out, const struct section *section)
{
	Elf_Scn *scn = elf_newscn(out->elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	bool is_allocated = section->flags & SHF_ALLOC;
	GElf_Shdr shdr;

	if (!data || !gelf_getshdr(scn, &shdr))
		return 0;
	out->offset = align_up(out->offset, section->align);
	shdr.sh_name = add_name(out, section->name);
	shdr.sh_type = section->type;
	shdr.sh_flags = section->flags;
	shdr.sh_offset = out->offset;
	shdr.sh_addr = is_allocated ? out->offset : 0;
	shdr.sh_size = section->size;
	shdr.sh_addralign = section->align;
	shdr.sh_entsize = section->entry_size;
	data->d_buf = (void *)section->data;
	data->d_size = section->size;
	data->d_align = section->align;
	data->d_type = section->type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	out->offset += section->size;
	if (is_allocated)
		out->loaded_end = out->offset;
	if (section->type == SHT_STRTAB)
		out->names_data = data;
	return gelf_update_shdr(scn, &shdr) ? elf_ndxscn(scn) : 0;
}

static bool add_bytes(struct output *out, const char *name, uint64_t flags,
		      const struct pfx_buffer *bytes)
{
	const struct section section = {.name = name,
					.type = SHT_PROGBITS,
					.flags = flags,
					.data = bytes->at,
					.size = bytes->len,
					.align = 1};

	return add_section(out, &section);
}

static bool add_text(struct output *out)
{
	const struct pfx_jit_load *load = out->function->load;
	const struct section text = {.name = ".text",
				     .type = SHT_PROGBITS,
				     .flags = SHF_ALLOC | SHF_EXECINSTR,
				     .data = load->code,
				     .size = load->size,
				     .align = TEXT_ALIGN};

	out->text = add_section(out, &text);
	return out->text;
}

/* The search table (.eh_frame_hdr) follows .eh_frame without padding. */
static bool add_unwinding(struct output *out)
{
	const struct pfx_jit_unwinding *unwinding = out->function->unwinding;
	struct section section = {
		.name = ".eh_frame", .type = SHT_PROGBITS, .flags = SHF_ALLOC, .align = EH_ALIGN};

	if (!unwinding || !unwinding->size)
		return true;
	section.data = unwinding->data;
	section.size = unwinding->size - unwinding->header_size;
	if (!add_section(out, &section))
		return false;
	if (!unwinding->header_size)
		return true;
	out->eh_hdr = out->offset;
	section.name = ".eh_frame_hdr";
	section.data = unwinding->data + section.size;
	section.size = unwinding->header_size;
	section.align = 1;
	return add_section(out, &section);
}

static bool add_lines(struct output *out)
{
	if (!out->function->debug ||
	    !pfx_jit_dwarf_make(out->function, out->is_64bit ? 8 : 4, &out->dwarf))
		return true;
	return add_bytes(out, ".debug_abbrev", 0, &out->dwarf.abbrev) &&
	       add_bytes(out, ".debug_info", 0, &out->dwarf.info) &&
	       add_bytes(out, ".debug_line", 0, &out->dwarf.line);
}

static void make_build_id(const struct output *out, struct pfx_build_id *ret)
{
	const struct pfx_jit_function *function = out->function;
	const struct pfx_jit_load *load = function->load;
	struct pfx_sha1 sha;

	pfx_sha1_init(&sha);
	pfx_sha1_add(&sha, &function->machine, sizeof(function->machine));
	pfx_sha1_add(&sha, &load->addr, sizeof(load->addr));
	pfx_sha1_add(&sha, load->name, strlen(load->name) + 1);
	pfx_sha1_add(&sha, load->code, load->size);
	if (out->dwarf.line.len)
		pfx_sha1_add(&sha, out->dwarf.line.at, out->dwarf.line.len);
	if (function->unwinding)
		pfx_sha1_add(&sha, function->unwinding->data, function->unwinding->size);
	ret->size = PFX_SHA1_SIZE;
	pfx_sha1_end(&sha, ret->data);
}

static bool add_note(struct output *out, struct pfx_build_id *ret_id)
{
	struct section section = {.name = ".note.gnu.build-id", .type = SHT_NOTE, .align = 4};

	make_build_id(out, ret_id);
	pfx_buffer_u32(&out->note, 4);
	pfx_buffer_u32(&out->note, ret_id->size);
	pfx_buffer_u32(&out->note, NT_GNU_BUILD_ID);
	pfx_buffer_cstr(&out->note, "GNU", 4);
	pfx_buffer_bytes(&out->note, ret_id->data, ret_id->size);
	section.data = out->note.at;
	section.size = out->note.len;
	return add_section(out, &section);
}

static bool add_symbol(struct output *out)
{
	size_t size = gelf_fsize(out->elf, ELF_T_SYM, 1, EV_CURRENT);
	struct section symbols = {.name = ".symtab",
				  .type = SHT_SYMTAB,
				  .data = out->symbols,
				  .size = 2 * size,
				  .align = 8,
				  .entry_size = size};
	struct section strings = {.name = ".strtab", .type = SHT_STRTAB, .align = 1};
	GElf_Sym symbol = {.st_name = 1,
			   .st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
			   .st_shndx = (uint16_t)out->text,
			   .st_value = PFX_JIT_TEXT_OFFSET,
			   .st_size = out->function->load->size};

	pfx_buffer_u8(&out->strings, 0);
	pfx_buffer_cstr(&out->strings, out->function->load->name, 1);
	strings.data = out->strings.at;
	strings.size = out->strings.len;
	out->symtab = add_section(out, &symbols);
	out->strtab = add_section(out, &strings);
	return out->symtab && out->strtab &&
	       gelf_update_sym(elf_getdata(elf_getscn(out->elf, out->symtab), NULL), 1, &symbol);
}

/* sh_link and sh_info: the string table, and the number of local symbols. */
static bool link_symbols(struct output *out)
{
	Elf_Scn *scn = elf_getscn(out->elf, out->symtab);
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr))
		return false;
	shdr.sh_link = (uint32_t)out->strtab;
	shdr.sh_info = 1;
	return gelf_update_shdr(scn, &shdr);
}

static bool add_headers(struct output *out, size_t names)
{
	GElf_Ehdr ehdr;
	GElf_Phdr load = {.p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_offset = PFX_JIT_TEXT_OFFSET,
			  .p_vaddr = PFX_JIT_TEXT_OFFSET,
			  .p_paddr = PFX_JIT_TEXT_OFFSET,
			  .p_filesz = out->loaded_end - PFX_JIT_TEXT_OFFSET,
			  .p_memsz = out->loaded_end - PFX_JIT_TEXT_OFFSET,
			  .p_align = TEXT_ALIGN};
	GElf_Phdr frames = {.p_type = PT_NULL};

	if (out->eh_hdr) {
		frames.p_type = PT_GNU_EH_FRAME;
		frames.p_flags = PF_R;
		frames.p_offset = frames.p_vaddr = frames.p_paddr = out->eh_hdr;
		frames.p_filesz = frames.p_memsz = out->function->unwinding->header_size;
		frames.p_align = 4;
	}
	if (!gelf_getehdr(out->elf, &ehdr))
		return false;
	ehdr.e_ident[EI_DATA] = out->function->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	ehdr.e_machine = (uint16_t)out->function->machine;
	ehdr.e_type = ET_DYN;
	ehdr.e_version = EV_CURRENT;
	ehdr.e_phoff = gelf_fsize(out->elf, ELF_T_EHDR, 1, EV_CURRENT);
	ehdr.e_shoff = align_up(out->offset, 8);
	ehdr.e_shstrndx = (uint16_t)names;
	return gelf_update_ehdr(out->elf, &ehdr) && gelf_update_phdr(out->elf, 0, &load) &&
	       gelf_update_phdr(out->elf, 1, &frames);
}

/* Adding the section adds its own name: the size is set last. */
static size_t add_names(struct output *out)
{
	struct section section = {.name = ".shstrtab", .type = SHT_STRTAB, .align = 1};
	size_t index = add_section(out, &section);
	Elf_Scn *scn = elf_getscn(out->elf, index);
	GElf_Shdr shdr;

	if (!index || !gelf_getshdr(scn, &shdr))
		return 0;
	shdr.sh_size = out->names_data->d_size = out->names.len;
	out->names_data->d_buf = out->names.at;
	out->offset += out->names.len;
	return gelf_update_shdr(scn, &shdr) ? index : 0;
}

static bool build(struct output *out, struct pfx_build_id *ret_id)
{
	size_t names;

	if (!gelf_newehdr(out->elf, out->is_64bit ? ELFCLASS64 : ELFCLASS32) ||
	    !gelf_newphdr(out->elf, NR_PHDRS))
		return false;
	elf_flagelf(out->elf, ELF_C_SET, ELF_F_LAYOUT);
	out->offset = PFX_JIT_TEXT_OFFSET;
	pfx_buffer_u8(&out->names, 0);
	if (!add_text(out) || !add_unwinding(out) || !add_lines(out) || !add_note(out, ret_id) ||
	    !add_symbol(out))
		return false;
	names = add_names(out);
	return names && link_symbols(out) && add_headers(out, names) &&
	       elf_update(out->elf, ELF_C_WRITE) >= 0;
}

static int write_to(int fd, const struct pfx_jit_function *function, struct pfx_build_id *ret_id,
		    struct pfx_error *err)
{
	bool swap = function->big_endian == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	struct output out = {.function = function,
			     .is_64bit = is_64bit(function->machine),
			     .swap = swap,
			     .note = {.swap = swap}};
	int rc = 0;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return elf_failed(err);
	out.elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!out.elf || !build(&out, ret_id))
		rc = elf_failed(err);
	elf_end(out.elf);
	pfx_buffer_fini(&out.names);
	pfx_buffer_fini(&out.note);
	pfx_buffer_fini(&out.strings);
	pfx_jit_dwarf_fini(&out.dwarf);
	return rc;
}

static int read_back(int fd, uint8_t **ret, size_t *ret_size)
{
	off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *image = size > 0 ? pfx_malloc((size_t)size) : NULL;

	if (!image || pread(fd, image, (size_t)size, 0) != size) {
		free(image);
		return -EIO;
	}
	*ret = image;
	*ret_size = (size_t)size;
	return 0;
}

int pfx_jit_elf_image(const struct pfx_jit_function *function, uint8_t **ret, size_t *ret_size,
		      struct pfx_error *err)
{
	struct pfx_build_id id;
	int fd = memfd_create("jit", MFD_CLOEXEC), rc;

	if (fd < 0)
		return pfx_error_sys(err, errno, "cannot make a file in memory");
	rc = write_to(fd, function, &id, err);
	if (!rc)
		rc = read_back(fd, ret, ret_size);
	close(fd);
	return rc;
}

int pfx_jit_elf_write(const char *path, const struct pfx_jit_function *function,
		      struct pfx_build_id *ret_id, struct pfx_error *err)
{
	struct pfx_error why;
	char shown[256];
	int fd, rc;

	*ret_id = (struct pfx_build_id){0};
	if (unlink(path) < 0 && errno != ENOENT)
		fd = -1;
	else
		fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
	if (fd < 0)
		return pfx_error_sys(err, errno, "cannot write '%s'",
				     pfx_escape(shown, sizeof(shown), path));
	rc = write_to(fd, function, ret_id, &why);
	close(fd);
	if (!rc)
		return 0;
	unlink(path);
	return pfx_error_set(err, -rc, "cannot write '%s': %s",
			     pfx_escape(shown, sizeof(shown), path), why.text);
}
