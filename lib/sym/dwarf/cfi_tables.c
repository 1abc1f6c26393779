/* SPDX-License-Identifier: MIT */
/*
 * Checks call frame information before a library reads it, and lists the functions that it
 * describes. Finds records in the same way as libdw, so that both read the same bytes: the section
 * .eh_frame with an index in a preceding section; without section headers, PT_GNU_EH_FRAME. Input
 * that readers interpret in different ways is refused.
 *
 *	index	u8 version, encodings of: address of the frames, number, entries; then these
 *	record	u32 length; u32 0 (CIE), else the distance back to the CIE (FDE). In .debug_frame
 *		~0 (CIE), else the offset of the CIE; if the length is ~0 too, u64 length and word
 *	CIE	u8 version; augmentation NUL; uleb factor of code, sleb of data; register of the
 *		return address; "z": uleb length, data by letter; instructions
 *	FDE	address and size of the code; "z": uleb length, data; instructions
 */
#include "sym/dwarf/cfi_tables.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/cursor.h"
#include "base/hash.h"

#define REGISTERS_MAX 8192       /* register numbers; the highest known ones are RISC-V's CSRs */
#define DEPTH_MAX     64         /* nested DW_CFA_remember_state; compilers use two or three */
#define COPIED_MAX    (1u << 20) /* registers that DW_CFA_remember_state copies in one function */
#define LEB_MAX       9          /* bytes of a LEB128 number that overflows in no reader */
#define INDEX_HEAD    12
#define INDEX_ENTRY   8

#define ENC_SIZE   0x0f
#define ENC_BASE   0x70
#define ENC_PCREL  0x10
#define ENC_SDATA4 0x0b
#define ENC_TABLE  0x3b /* entries of two 4-byte numbers, relative to the index (datarel sdata4) */
#define ENC_OMIT   0xff

enum verdict {
	UNKNOWN,
	SANE,
	REFUSED,
};

/* A sequence of records. */
struct area {
	const uint8_t *at;
	size_t size;
	uint64_t vaddr;
	bool is_debug; /* .debug_frame, else .eh_frame */
	bool swap;
	bool evaluates; /* its reader evaluates expressions */
	unsigned word;
	uint64_t last_reg; /* that another register may be in */
};

struct pfx_cfi_tables {
	struct area area;
	const uint8_t *index; /* entries; NULL: no index, records are searched in sequence */
	uint32_t nr;          /* number of entries */
	uint64_t base;        /* base of their relative addresses */
	bool is_odd;          /* has tables in formats that are not supported here */
	enum verdict order;   /* SANE: entries are sorted, without duplicate addresses */
	enum verdict all;
	struct pfx_hash checked;                    /* offset of an FDE -> enum verdict */
	PFX_VEC(struct pfx_cfi_function) functions; /* sorted by address */
	bool has_functions;                         /* `functions` was filled */
};

struct record {
	size_t offset, next;
	bool is_cie, is_end;
	size_t cie; /* of an FDE: the offset of its CIE */
	struct pfx_cursor body;
};

/* The parts of a CIE that its FDEs use. */
struct common {
	uint8_t encoding;
	bool has_size; /* FDEs contain the size of their augmentation data */
	struct pfx_cursor code;
};

/* --- reading --- */

/* Readers differ in when they report an overflow: longer numbers are refused. */
static uint64_t read_leb(struct pfx_cursor *c)
{
	const uint8_t *start = c->at;
	uint64_t value = pfx_cursor_uleb(c);

	if (c->at - start > LEB_MAX)
		c->failed = true;
	return value;
}

static uint64_t read_size(struct pfx_cursor *c, uint8_t encoding, unsigned word)
{
	uint8_t size = encoding & ENC_SIZE;

	if (!size)
		size = word == 8 ? DW_EH_PE_udata8 : DW_EH_PE_udata4;
	switch (size) {
	case DW_EH_PE_udata2:
		return pfx_cursor_u16(c);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int64_t)(int16_t)pfx_cursor_u16(c);
	case DW_EH_PE_udata4:
		return pfx_cursor_u32(c);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int64_t)(int32_t)pfx_cursor_u32(c);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return pfx_cursor_u64(c);
	default:
		c->failed = true;
		return 0;
	}
}

/* False: not a valid record. */
static bool read_record(const struct area *area, size_t offset, struct record *ret)
{
	struct pfx_cursor c;
	uint64_t length, id;
	bool is_wide; /* 64-bit DWARF, which compilers use only in .debug_frame */

	*ret = (struct record){.offset = offset, .is_end = true};
	if (offset > area->size)
		return false;
	if (area->size - offset < 4)
		return true;
	c = pfx_cursor_make(area->at + offset, area->size - offset, area->swap);
	length = pfx_cursor_u32(&c);
	if (!length && !area->is_debug)
		return true;
	is_wide = length == UINT32_MAX && area->is_debug;
	if (is_wide)
		length = pfx_cursor_u64(&c);
	if (length < (is_wide ? 8 : 4) || length > PFX_CFI_RECORD_MAX ||
	    length > pfx_cursor_left(&c))
		return false;
	ret->is_end = false;
	ret->next = offset + (is_wide ? 12 : 4) + (size_t)length;
	ret->body = pfx_cursor_sub(&c, (size_t)length);
	id = is_wide ? pfx_cursor_u64(&ret->body) : pfx_cursor_u32(&ret->body);
	ret->is_cie = id == (!area->is_debug ? 0 : is_wide ? UINT64_MAX : UINT32_MAX);
	ret->cie = area->is_debug ? id : offset + 4 - id;
	return true;
}

/* Of any base, but not aligned: readers differ in where that one ends. */
static bool skip_pointer(const struct area *area, struct pfx_cursor *c)
{
	uint8_t encoding = pfx_cursor_u8(c);

	(void)read_size(c, encoding & ENC_SIZE, area->word);
	return (encoding & ENC_BASE) != DW_EH_PE_aligned;
}

/* Parses augmentation data up to 'R', the encoding of addresses. */
static bool read_letters(const struct area *area, struct pfx_cursor *c, const char *letters,
			 uint8_t *ret)
{
	for (; *letters && *letters != 'R'; letters++) {
		if (*letters == 'L')
			pfx_cursor_skip(c, 1);
		else if (*letters == 'P' ? !skip_pointer(area, c) : *letters != 'S')
			return false;
	}
	*ret = *letters ? pfx_cursor_u8(c) : DW_EH_PE_absptr;
	return pfx_cursor_ok(c) && (*ret & ~(ENC_SIZE | ENC_PCREL)) == 0;
}

/* Parses the CIE header up to the augmentation data; returns the augmentation string. */
static const char *read_head(const struct area *area, struct pfx_cursor *c)
{
	uint8_t version = pfx_cursor_u8(c);
	const char *letters = pfx_cursor_cstr(c);
	uint64_t reg;

	if (version != 1 && version != 3 && (version != 4 || !area->is_debug))
		c->failed = true;
	if (version == 4 && (pfx_cursor_u8(c) != area->word || pfx_cursor_u8(c)))
		c->failed = true;
	(void)read_leb(c);
	(void)read_leb(c);
	reg = version == 1 ? pfx_cursor_u8(c) : read_leb(c);
	if (reg >= REGISTERS_MAX || (*letters && *letters != 'z'))
		c->failed = true;
	return letters;
}

static bool read_common(const struct area *area, size_t offset, struct common *ret)
{
	struct pfx_cursor c, data;
	struct record record;
	const char *letters;

	*ret = (struct common){.encoding = DW_EH_PE_absptr};
	if (!read_record(area, offset, &record) || record.is_end || !record.is_cie)
		return false;
	c = record.body;
	letters = read_head(area, &c);
	if (!pfx_cursor_ok(&c))
		return false;
	if (*letters == 'z') {
		ret->has_size = true;
		data = pfx_cursor_sub(&c, (size_t)read_leb(&c));
		if (!pfx_cursor_ok(&c) || !read_letters(area, &data, letters + 1, &ret->encoding))
			return false;
	}
	ret->code = c;
	return true;
}

/* Leaves @c at the first instruction. */
static bool read_bounds(const struct area *area, const struct common *common, struct pfx_cursor *c,
			struct pfx_cfi_function *ret)
{
	uint64_t field = area->vaddr + (uint64_t)(c->at - area->at);

	ret->start = read_size(c, common->encoding, area->word);
	ret->end = read_size(c, common->encoding & ENC_SIZE, area->word);
	if (common->encoding & ENC_PCREL)
		ret->start += field;
	if (area->word == 4)
		ret->start &= UINT32_MAX;
	ret->end += ret->start;
	if (common->has_size)
		pfx_cursor_skip(c, (size_t)read_leb(c));
	return pfx_cursor_ok(c);
}

/* --- instructions --- */

struct program {
	const struct area *area;
	uint8_t encoding;
	unsigned depth, nr_remembered;
	uint64_t highest; /* highest register number */
};

static bool check_up_to(struct program *p, struct pfx_cursor *c, uint64_t last)
{
	uint64_t reg = read_leb(c);

	p->highest = reg > p->highest ? reg : p->highest;
	return reg <= last;
}

static bool check_register(struct program *p, struct pfx_cursor *c)
{
	return check_up_to(p, c, REGISTERS_MAX - 1);
}

static bool check_number(struct pfx_cursor *c)
{
	(void)read_leb(c);
	return true;
}

/* Skips the operands of an operation; false: it is unknown. */
static bool skip_operands(const struct area *area, uint8_t op, struct pfx_cursor *c)
{
	static const uint8_t sizes[] = {
		[DW_OP_const1u] = 1, [DW_OP_const1s] = 1, [DW_OP_const2u] = 2, [DW_OP_const2s] = 2,
		[DW_OP_const4u] = 4, [DW_OP_const4s] = 4, [DW_OP_const8u] = 8, [DW_OP_const8s] = 8,
		[DW_OP_pick] = 1,    [DW_OP_bra] = 2,     [DW_OP_skip] = 2,
	};

	if (op == DW_OP_addr)
		pfx_cursor_skip(c, area->word);
	else if (op < sizeof(sizes) && sizes[op])
		pfx_cursor_skip(c, sizes[op]);
	else if (op == DW_OP_deref_size)
		pfx_cursor_skip(c, 1);
	else if (op == DW_OP_constu || op == DW_OP_consts || op == DW_OP_plus_uconst ||
		 op == DW_OP_regx || op == DW_OP_bregx || (op >= DW_OP_breg0 && op <= DW_OP_breg31))
		(void)read_leb(c);
	else
		return op == DW_OP_deref || (op >= DW_OP_dup && op <= DW_OP_xor) ||
		       (op >= DW_OP_eq && op <= DW_OP_reg31) || op == DW_OP_nop ||
		       op == DW_OP_call_frame_cfa || op == DW_OP_stack_value;
	if (op == DW_OP_bregx)
		(void)read_leb(c);
	return true;
}

/* A jump may lead into an operand, where the byte of a division must not be then, either. */
static bool check_expression(const struct area *area, struct pfx_cursor c)
{
	bool jumps = false, has_byte = memchr(c.at, DW_OP_div, pfx_cursor_left(&c));
	uint8_t op;

	while (pfx_cursor_ok(&c) && pfx_cursor_left(&c)) {
		op = pfx_cursor_u8(&c);
		jumps = jumps || op == DW_OP_bra || op == DW_OP_skip;
		if (op == DW_OP_div || !skip_operands(area, op, &c))
			return false;
	}
	return pfx_cursor_ok(&c) && !(jumps && has_byte);
}

static bool check_block(const struct program *p, struct pfx_cursor *c)
{
	struct pfx_cursor block = pfx_cursor_sub(c, (size_t)read_leb(c));

	return !p->area->evaluates || (pfx_cursor_ok(c) && check_expression(p->area, block));
}

static bool check_place(struct program *p, uint8_t op, struct pfx_cursor *c)
{
	static const uint8_t sizes[] = {
		[DW_CFA_advance_loc1] = 1,
		[DW_CFA_advance_loc2] = 2,
		[DW_CFA_advance_loc4] = 4,
	};

	if (op == DW_CFA_set_loc)
		(void)read_size(c, p->encoding, p->area->word);
	else
		pfx_cursor_skip(c, sizes[op]);
	return true;
}

static bool check_state(struct program *p, uint8_t op)
{
	p->nr_remembered += op == DW_CFA_remember_state;
	if (op == DW_CFA_remember_state)
		return ++p->depth <= DEPTH_MAX;
	p->depth -= p->depth > 0;
	return true;
}

/* False: the instruction is invalid or not allowed. */
static bool check_extended(struct program *p, uint8_t op, struct pfx_cursor *c)
{
	switch (op) {
	case DW_CFA_nop:
	case 0x2c: /* arm64: DW_CFA_AARCH64_negate_ra_state_with_pc */
	case DW_CFA_GNU_window_save:
		return true;
	case DW_CFA_set_loc:
	case DW_CFA_advance_loc1:
	case DW_CFA_advance_loc2:
	case DW_CFA_advance_loc4:
		return check_place(p, op, c);
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		return check_state(p, op);
	case DW_CFA_restore_extended:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_def_cfa_register:
		return check_register(p, c);
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case 0x2f: /* DW_CFA_GNU_negative_offset_extended */
		return check_register(p, c) && check_number(c);
	case DW_CFA_register:
		return check_register(p, c) && check_up_to(p, c, p->area->last_reg);
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_GNU_args_size:
		return check_number(c);
	case DW_CFA_def_cfa_expression:
		return check_block(p, c);
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		return check_register(p, c) && check_block(p, c);
	default:
		return false;
	}
}

static bool check_program(struct program *p, struct pfx_cursor c)
{
	uint8_t op;

	while (pfx_cursor_ok(&c) && pfx_cursor_left(&c)) {
		op = pfx_cursor_u8(&c);
		if (op >> 6 == DW_CFA_offset >> 6)
			(void)read_leb(&c);
		else if (!(op >> 6) && !check_extended(p, op, &c))
			return false;
	}
	return pfx_cursor_ok(&c) && (p->highest + 1) * p->nr_remembered <= COPIED_MAX;
}

/* --- records --- */

static bool check_record(const struct area *area, const struct record *record)
{
	struct common common;
	struct program program = {.area = area};
	struct pfx_cursor c = record->body;
	struct pfx_cfi_function bounds;

	if (!read_common(area, record->is_cie ? record->offset : record->cie, &common))
		return false;
	program.encoding = common.encoding;
	if (!check_program(&program, common.code))
		return false;
	return record->is_cie ||
	       (read_bounds(area, &common, &c, &bounds) && check_program(&program, c));
}

static bool check_area(const struct area *area)
{
	struct record record = {0};

	do {
		if (!read_record(area, record.next, &record))
			return false;
		if (!record.is_end && !check_record(area, &record))
			return false;
	} while (!record.is_end);
	return true;
}

static bool check_fde(struct pfx_cfi_tables *tables, size_t offset)
{
	uint64_t *at = pfx_hash_add(&tables->checked, offset, NULL);
	struct record record;

	if (*at == UNKNOWN)
		*at = read_record(&tables->area, offset, &record) && !record.is_end &&
				      check_record(&tables->area, &record)
			      ? SANE
			      : REFUSED;
	return *at == SANE;
}

/* --- the index --- */

static uint64_t entry_word(const struct pfx_cfi_tables *tables, size_t i, unsigned field)
{
	const uint8_t *at = tables->index + i * INDEX_ENTRY + 4 * field;

	return tables->base + (uint64_t)(int64_t)(int32_t)pfx_load32(at, tables->area.swap);
}

static bool is_in_order(struct pfx_cfi_tables *tables)
{
	size_t i;

	if (tables->order == UNKNOWN) {
		tables->order = SANE;
		for (i = 1; i < tables->nr && tables->order == SANE; i++)
			if (entry_word(tables, i, 0) <= entry_word(tables, i - 1, 0))
				tables->order = REFUSED;
	}
	return tables->order == SANE;
}

/* The offset of the FDE of entry @i. */
static size_t entry_fde(const struct pfx_cfi_tables *tables, size_t i)
{
	return (size_t)(entry_word(tables, i, 1) - tables->area.vaddr);
}

/* The last entry that starts at or below @vaddr; false: none. */
static bool find_entry(const struct pfx_cfi_tables *tables, uint64_t vaddr, size_t *ret)
{
	size_t behind = pfx_bisect(i, tables->nr, entry_word(tables, i, 0) <= vaddr);

	*ret = behind - 1;
	return behind > 0;
}

/* Reads the index at @vaddr, which contains the address of the frames. False: a library would find
 * no frames. */
static bool read_index(struct pfx_cfi_tables *tables, const uint8_t *bytes, size_t size,
		       uint64_t vaddr, uint64_t *ret_frames)
{
	struct pfx_cursor c = pfx_cursor_make(bytes, size, tables->area.swap);
	uint8_t version = pfx_cursor_u8(&c), pointer = pfx_cursor_u8(&c);
	uint8_t count = pfx_cursor_u8(&c), entries = pfx_cursor_u8(&c);

	if (!pfx_cursor_ok(&c) || version != 1)
		return false;
	*ret_frames = vaddr + 4 + (uint64_t)(int64_t)(int32_t)pfx_cursor_u32(&c);
	if (pointer != (ENC_PCREL | ENC_SDATA4) || !pfx_cursor_ok(&c) ||
	    (tables->area.word == 4 && *ret_frames > UINT32_MAX))
		tables->is_odd = true;
	if (tables->is_odd || count == ENC_OMIT || entries == ENC_OMIT)
		return true;
	tables->nr = pfx_cursor_u32(&c);
	if (count != DW_EH_PE_udata4 || entries != ENC_TABLE || !pfx_cursor_ok(&c) ||
	    tables->nr > (size - INDEX_HEAD) / INDEX_ENTRY)
		tables->is_odd = true;
	else if (tables->nr)
		tables->index = bytes + INDEX_HEAD;
	tables->base = vaddr;
	return true;
}

/* --- finding the tables --- */

static void set_area(struct pfx_cfi_tables *tables, const uint8_t *at, size_t size, uint64_t vaddr)
{
	tables->area.at = at;
	tables->area.size = size;
	tables->area.vaddr = vaddr;
}

static void use_sections(struct pfx_cfi_tables *tables, Elf_Scn *frames, Elf_Scn *index)
{
	Elf_Data *data = elf_rawdata(frames, NULL), *head = index ? elf_rawdata(index, NULL) : NULL;
	GElf_Shdr shdr, head_shdr;
	uint64_t vaddr;

	if (!data || !data->d_buf || !gelf_getshdr(frames, &shdr) || shdr.sh_type != SHT_PROGBITS)
		return;
	set_area(tables, data->d_buf, data->d_size, shdr.sh_addr);
	if (!head || !head->d_buf || !gelf_getshdr(index, &head_shdr))
		return;
	if (!read_index(tables, head->d_buf, head->d_size, head_shdr.sh_addr, &vaddr))
		tables->area.size = 0;
	else if (vaddr != shdr.sh_addr)
		tables->index = NULL;
}

/* True: there is a section .eh_frame. */
static bool find_sections(struct pfx_cfi_tables *tables, Elf *elf)
{
	Elf_Scn *scn = NULL, *index = NULL;
	const char *name;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) || !names)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		if (name && !strcmp(name, ".eh_frame_hdr"))
			index = scn;
		if (!name || strcmp(name, ".eh_frame") != 0)
			continue;
		use_sections(tables, scn, index);
		return true;
	}
	return false;
}

static void use_segment(struct pfx_cfi_tables *tables, Elf *elf, const GElf_Phdr *phdr)
{
	const uint8_t *bytes;
	uint64_t frames, offset;
	size_t size;

	bytes = (const uint8_t *)elf_rawfile(elf, &size);
	if (!bytes || phdr->p_offset > size || phdr->p_filesz > size - phdr->p_offset ||
	    !read_index(tables, bytes + phdr->p_offset, phdr->p_filesz, phdr->p_vaddr, &frames))
		return;
	offset = frames - phdr->p_vaddr + phdr->p_offset;
	if (offset < size)
		set_area(tables, bytes + offset, size - offset, frames);
}

static void find_segment(struct pfx_cfi_tables *tables, Elf *elf)
{
	GElf_Phdr phdr;
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr))
		return;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_GNU_EH_FRAME)
			continue;
		use_segment(tables, elf, &phdr);
		return;
	}
}

static void set_shape(struct area *area, Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);
	bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	area->swap = ident && (ident[EI_DATA] == ELFDATA2MSB) != is_big;
	area->word = ident && ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	area->last_reg = REGISTERS_MAX - 1;
}

struct pfx_cfi_tables *pfx_cfi_tables_new(struct Elf *elf, bool evaluates)
{
	struct pfx_cfi_tables *tables = pfx_calloc(1, sizeof(*tables));

	set_shape(&tables->area, elf);
	tables->area.evaluates = evaluates;
	if (!find_sections(tables, elf))
		find_segment(tables, elf);
	return tables;
}

void pfx_cfi_tables_free(struct pfx_cfi_tables *tables)
{
	if (!tables)
		return;
	pfx_hash_fini(&tables->checked);
	pfx_vec_free(&tables->functions);
	free(tables);
}

/* --- look-ups --- */

static bool check_all(struct pfx_cfi_tables *tables)
{
	size_t i;

	if (!tables->index)
		return check_area(&tables->area);
	for (i = 0; i < tables->nr; i++)
		if (!check_fde(tables, entry_fde(tables, i)))
			return false;
	return true;
}

bool pfx_cfi_tables_allow_all(struct pfx_cfi_tables *tables)
{
	if (tables->all == UNKNOWN)
		tables->all = !tables->is_odd && check_all(tables) ? SANE : REFUSED;
	return tables->all == SANE;
}

bool pfx_cfi_tables_allow(struct pfx_cfi_tables *tables, uint64_t vaddr)
{
	size_t i;

	if (!tables->index || tables->is_odd || !is_in_order(tables))
		return pfx_cfi_tables_allow_all(tables);
	return !find_entry(tables, vaddr, &i) || check_fde(tables, entry_fde(tables, i));
}

static bool fde_bounds(const struct area *area, const struct record *record,
		       struct pfx_cfi_function *ret)
{
	struct pfx_cursor c = record->body;
	struct common common;

	ret->record = record->offset;
	return !record->is_end && !record->is_cie && read_common(area, record->cie, &common) &&
	       read_bounds(area, &common, &c, ret) && ret->start < ret->end;
}

static int by_start(const void *x, const void *y)
{
	const struct pfx_cfi_function *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

static void read_functions(struct pfx_cfi_tables *tables)
{
	struct record record = {0};
	struct pfx_cfi_function bounds;

	if (tables->has_functions)
		return;
	tables->has_functions = true;
	while (read_record(&tables->area, record.next, &record) && !record.is_end)
		if (fde_bounds(&tables->area, &record, &bounds))
			pfx_vec_push(&tables->functions, bounds);
	if (tables->functions.nr)
		qsort(tables->functions.at, tables->functions.nr, sizeof(bounds), by_start);
}

static bool find_function(struct pfx_cfi_tables *tables, uint64_t vaddr,
			  struct pfx_cfi_function *ret)
{
	struct record record;
	size_t i;

	if (tables->index && is_in_order(tables))
		return find_entry(tables, vaddr, &i) &&
		       read_record(&tables->area, entry_fde(tables, i), &record) &&
		       fde_bounds(&tables->area, &record, ret);
	read_functions(tables);
	i = pfx_bisect(k, tables->functions.nr, tables->functions.at[k].start <= vaddr);
	if (i)
		*ret = tables->functions.at[i - 1];
	return i > 0;
}

const struct pfx_cfi_function *pfx_cfi_tables_all(struct pfx_cfi_tables *tables, size_t *ret_nr,
						  uint64_t *ret_vaddr)
{
	read_functions(tables);
	*ret_nr = tables->functions.nr;
	*ret_vaddr = tables->area.vaddr;
	return tables->functions.at;
}

bool pfx_cfi_tables_function(struct pfx_cfi_tables *tables, uint64_t vaddr, uint64_t *ret_start,
			     uint64_t *ret_end)
{
	struct pfx_cfi_function bounds;

	if (!find_function(tables, vaddr, &bounds) ||
	    vaddr - bounds.start >= bounds.end - bounds.start)
		return false;
	*ret_start = bounds.start;
	*ret_end = bounds.end;
	return true;
}

bool pfx_cfi_debug_frame_allowed(struct Elf *elf, bool evaluates)
{
	struct area area = {.is_debug = true, .evaluates = evaluates};
	Elf_Scn *scn = NULL;
	const char *name;
	Elf_Data *data;
	GElf_Shdr shdr;
	size_t names;

	set_shape(&area, elf);
	if (elf_getshdrstrndx(elf, &names))
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		if (!name ||
		    (strcmp(name, ".debug_frame") != 0 && strcmp(name, ".zdebug_frame") != 0))
			continue;
		data = elf_rawdata(scn, NULL);
		area.at = data ? data->d_buf : NULL;
		area.size = area.at ? data->d_size : 0;
		if (!check_area(&area))
			return false;
	}
	return true;
}

bool pfx_cfi_record_allowed(const uint8_t *bytes, size_t size, size_t offset, unsigned word,
			    unsigned last_reg)
{
	const struct area area = {
		.at = bytes, .size = size, .evaluates = true, .word = word, .last_reg = last_reg};
	struct record record;

	return read_record(&area, offset, &record) && !record.is_end && !record.is_cie &&
	       check_record(&area, &record);
}
