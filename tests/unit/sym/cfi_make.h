/* SPDX-License-Identifier: MIT */
/*
 * Builds small ELF files with call frame information, for any machine, word size and byte order:
 * one segment that maps the whole file at MAKE_BASE, code from MAKE_CODE on, and an .eh_frame that
 * the test fills with the functions below, with its search table. test_unwind.c checks the unwinder
 * with them.
 */
#ifndef PFX_TESTS_CFI_MAKE_H
#define PFX_TESTS_CFI_MAKE_H

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

#define MAKE_BASE     0x400000u
#define MAKE_CODE     0x1000u
#define MAKE_FRAMES   0x2000u
#define MAKE_HEADER   0x2c00u /* .eh_frame_hdr */
#define MAKE_EXIDX    0x2e00u /* .ARM.exidx */
#define MAKE_EXTAB    0x2e80u
#define MAKE_NAMES    0x2f00u
#define MAKE_SECTIONS 0x2f80u
#define MAKE_SIZE     0x3100u

struct make_cfi {
	uint16_t machine;
	unsigned word; /* 4 or 8 bytes */
	bool big_endian;
	uint8_t ra;     /* DWARF number of the return address */
	uint32_t entry; /* offset of the entry point from MAKE_CODE; 0: none */
	uint8_t frames[0x800];
	size_t len;   /* of frames */
	size_t cie;   /* start of the current CIE */
	size_t start; /* start of the current entry */
	struct {
		uint32_t code, at; /* offsets: from MAKE_CODE, in frames */
	} fdes[64];                /* sorted by code */
	unsigned nr_fdes;
	uint32_t code_at; /* offset of @code from MAKE_CODE; all other code is zero */
	uint8_t code[16];
	uint8_t exidx[0x80], extab[0x80]; /* tables of ARM */
	size_t exidx_len, extab_len;
};

static inline void make_put(uint8_t *at, const struct make_cfi *m, uint64_t value, unsigned size)
{
	unsigned i;

	for (i = 0; i < size; i++)
		at[m->big_endian ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

static inline void make_byte(struct make_cfi *m, int value)
{
	m->frames[m->len++] = (uint8_t)value;
}

static inline void make_bytes(struct make_cfi *m, const void *data, size_t size)
{
	memcpy(m->frames + m->len, data, size);
	m->len += size;
}

static inline void make_word(struct make_cfi *m, uint64_t value, unsigned size)
{
	make_put(m->frames + m->len, m, value, size);
	m->len += size;
}

static inline void make_sleb(struct make_cfi *m, int64_t value)
{
	for (; value > 63 || value < -64; value >>= 7)
		make_byte(m, (int)(value & 0x7f) | 0x80);
	make_byte(m, (int)(value & 0x7f));
}

static inline void make_uleb(struct make_cfi *m, uint64_t value)
{
	for (; value > 127; value >>= 7)
		make_byte(m, (int)(value & 0x7f) | 0x80);
	make_byte(m, (int)value);
}

/* End the current entry: patch its length. */
static inline void make_entry_end(struct make_cfi *m)
{
	while ((m->len - m->start - 4) % m->word)
		make_byte(m, 0);
	make_put(m->frames + m->start, m, m->len - m->start - 4, 4);
}

/* A CIE for the FDEs that follow; @signal: of signal frames. */
static inline void make_cie(struct make_cfi *m, bool signal)
{
	m->cie = m->start = m->len;
	make_word(m, 0, 4);
	make_word(m, 0, 4);
	make_byte(m, 1);
	make_bytes(m, signal ? "zRS" : "zR", signal ? 4 : 3);
	make_uleb(m, 1);
	make_sleb(m, -(int)m->word);
	make_byte(m, m->ra);
	make_uleb(m, 1);
	make_byte(m, 0); /* absolute addresses */
	make_entry_end(m);
}

/* Add the FDE that begins here to the table. */
static inline void make_note_fde(struct make_cfi *m, uint32_t offset)
{
	unsigned i = m->nr_fdes++;

	for (; i && m->fdes[i - 1].code > offset; i--)
		m->fdes[i] = m->fdes[i - 1];
	m->fdes[i].code = offset;
	m->fdes[i].at = (uint32_t)m->len;
}

/* An FDE for code at this offset from MAKE_CODE; add instructions, then call make_entry_end(). */
static inline void make_fde(struct make_cfi *m, uint32_t offset, uint32_t size)
{
	make_note_fde(m, offset);
	m->start = m->len;
	make_word(m, 0, 4);
	make_word(m, m->len - m->cie, 4);
	make_word(m, MAKE_BASE + MAKE_CODE + offset, m->word);
	make_word(m, size, m->word);
	make_uleb(m, 0);
}

static inline void make_def_cfa(struct make_cfi *m, unsigned reg, int offset)
{
	make_byte(m, 0x0c);
	make_uleb(m, reg);
	make_uleb(m, (uint64_t)offset);
}

/* The register is saved at this number of words from the CFA. */
static inline void make_saved(struct make_cfi *m, unsigned reg, int words)
{
	make_byte(m, 0x11);
	make_uleb(m, reg);
	make_sleb(m, -words);
}

static inline void make_undefined(struct make_cfi *m, unsigned reg)
{
	make_byte(m, 0x07);
	make_uleb(m, reg);
}

/* The register is saved at another register + offset. */
static inline void make_saved_by(struct make_cfi *m, unsigned reg, unsigned base, int offset)
{
	size_t at;

	make_byte(m, 0x10);
	make_uleb(m, reg);
	make_byte(m, 0);
	at = m->len;
	make_byte(m, 0x70 + (int)base);
	make_sleb(m, offset);
	m->frames[at - 1] = (uint8_t)(m->len - at);
}

/* --- ARM's tables --- */

/* The 31-bit relative offset from the word at @from to @to, both offsets in the file. */
static inline uint32_t make_prel31(uint32_t from, uint32_t to)
{
	return (to - from) & 0x7fffffff;
}

/* An entry of the index: the offset of the code from MAKE_CODE, and the second word. */
static inline void make_exidx(struct make_cfi *m, uint32_t offset, uint32_t value)
{
	uint32_t at = MAKE_EXIDX + (uint32_t)m->exidx_len;

	make_put(m->exidx + m->exidx_len, m, make_prel31(at, MAKE_CODE + offset), 4);
	make_put(m->exidx + m->exidx_len + 4, m, value, 4);
	m->exidx_len += 8;
}

/* The same with instructions in the other table. */
static inline void make_extab(struct make_cfi *m, uint32_t offset, const uint32_t *words, size_t nr)
{
	uint32_t at = MAKE_EXIDX + (uint32_t)m->exidx_len + 4;
	size_t i;

	make_exidx(m, offset, make_prel31(at, MAKE_EXTAB + (uint32_t)m->extab_len));
	for (i = 0; i < nr; i++, m->extab_len += 4)
		make_put(m->extab + m->extab_len, m, words[i], 4);
}

/* --- the file --- */

static inline void make_header(const struct make_cfi *m, uint8_t *out)
{
	bool wide = m->word == 8;
	uint8_t *p = out;

	memcpy(p, ELFMAG, SELFMAG);
	p[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
	p[EI_DATA] = m->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	p[EI_VERSION] = EV_CURRENT;
	make_put(p + 16, m, ET_EXEC, 2);
	make_put(p + 18, m, m->machine, 2);
	make_put(p + 20, m, EV_CURRENT, 4);
	make_put(p + 24, m, m->entry ? MAKE_BASE + MAKE_CODE + m->entry : 0, m->word);
	p += 24 + m->word;
	make_put(p, m, wide ? 64 : 52, m->word);
	make_put(p + m->word, m, MAKE_SECTIONS, m->word);
	p += 2 * m->word + 4; /* flags: 0 */
	make_put(p, m, wide ? 64 : 52, 2);
	make_put(p + 2, m, wide ? 56 : 32, 2);
	make_put(p + 4, m, 3, 2);
	make_put(p + 6, m, wide ? 64 : 40, 2);
	make_put(p + 8, m, 4, 2);
	make_put(p + 10, m, 3, 2);
}

/* Write a program header of these bytes of the file to @p. */
static inline void make_segment(const struct make_cfi *m, uint8_t *p, uint32_t type,
				const uint32_t *range)
{
	const uint64_t offset = range[0], size = range[1], addr = MAKE_BASE + offset;
	const uint64_t wide[] = {offset, addr, addr, size, size, 0x1000};
	const uint64_t narrow[] = {offset, addr, addr, size, size, PF_R | PF_X, 0x1000};
	size_t i;

	make_put(p, m, type, 4);
	if (m->word == 8)
		make_put(p + 4, m, PF_R | PF_X, 4);
	for (i = 0; m->word == 8 && i < 6; i++)
		make_put(p + 8 + 8 * i, m, wide[i], 8);
	for (i = 0; m->word == 4 && i < 7; i++)
		make_put(p + 4 + 4 * i, m, narrow[i], 4);
}

/* Version, encodings, address of .eh_frame, and the entries sorted by address; returns the size. */
static inline uint32_t make_table(const struct make_cfi *m, uint8_t *p)
{
	unsigned i;

	p[0] = 1;
	p[1] = 0x1b;
	p[2] = 0x03;
	p[3] = 0x3b;
	make_put(p + 4, m, MAKE_FRAMES - MAKE_HEADER - 4, 4);
	make_put(p + 8, m, m->nr_fdes, 4);
	for (i = 0; i < m->nr_fdes; i++) {
		make_put(p + 12 + 8 * i, m, MAKE_CODE + m->fdes[i].code - MAKE_HEADER, 4);
		make_put(p + 16 + 8 * i, m, MAKE_FRAMES + m->fdes[i].at - MAKE_HEADER, 4);
	}
	return 12 + 8 * m->nr_fdes;
}

static inline void make_section_header(const struct make_cfi *m, uint8_t *image, unsigned i,
				       const uint32_t *v)
{
	/* name type flags addr offset size link info align entsize */
	static const bool is_word[10] = {0, 0, 1, 1, 1, 1, 0, 0, 1, 1};
	uint8_t *p = image + MAKE_SECTIONS + i * (m->word == 8 ? 64 : 40);
	unsigned k, size;

	for (k = 0; k < 10; k++, p += size) {
		size = is_word[k] ? m->word : 4;
		make_put(p, m, v[k], size);
	}
}

static inline void make_cfi_file(struct make_cfi *m, const char *path)
{
	static const char names[] = "\0.text\0.eh_frame\0.shstrtab";
	const uint32_t text[10] = {1,
				   SHT_PROGBITS,
				   SHF_ALLOC | SHF_EXECINSTR,
				   MAKE_BASE + MAKE_CODE,
				   MAKE_CODE,
				   0x1000,
				   0,
				   0,
				   16,
				   0};
	const uint32_t frames[10] = {7,           SHT_PROGBITS,
				     SHF_ALLOC,   MAKE_BASE + MAKE_FRAMES,
				     MAKE_FRAMES, (uint32_t)m->len + 4,
				     0,           0,
				     8,           0};
	const uint32_t strings[10] = {17, SHT_STRTAB, 0, 0, MAKE_NAMES, sizeof(names), 0, 0, 1, 0};
	uint8_t *image = calloc(1, MAKE_SIZE);
	FILE *file = fopen(path, "w");

	if (!image || !file)
		abort();
	make_header(m, image);
	make_segment(m, image + (m->word == 8 ? 64 : 52), PT_LOAD, (uint32_t[]){0, MAKE_SIZE});
	make_segment(m, image + (m->word == 8 ? 64 + 56 : 52 + 32), PT_GNU_EH_FRAME,
		     (uint32_t[]){MAKE_HEADER, make_table(m, image + MAKE_HEADER)});
	if (m->exidx_len)
		make_segment(m, image + 52 + 2 * 32, 0x70000001,
			     (uint32_t[]){MAKE_EXIDX, (uint32_t)m->exidx_len});
	memcpy(image + MAKE_CODE + m->code_at, m->code, sizeof(m->code));
	memcpy(image + MAKE_EXIDX, m->exidx, m->exidx_len);
	memcpy(image + MAKE_EXTAB, m->extab, m->extab_len);
	memcpy(image + MAKE_FRAMES, m->frames, m->len);
	memcpy(image + MAKE_NAMES, names, sizeof(names));
	make_section_header(m, image, 1, text);
	make_section_header(m, image, 2, frames);
	make_section_header(m, image, 3, strings);
	if (fwrite(image, MAKE_SIZE, 1, file) != 1 || fclose(file))
		abort();
	free(image);
}

#endif
