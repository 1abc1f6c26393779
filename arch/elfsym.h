/* SPDX-License-Identifier: MIT */
/*
 * What differs between CPUs in the symbols of ELF files, by the file's machine (e_machine), never
 * by the host's.
 */
#ifndef PFX_ARCH_ELFSYM_H
#define PFX_ARCH_ELFSYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether @name marks a kind of bytes ("$x") or is a label of the assembler, and names no code. */
bool pfx_elfsym_is_marker(uint16_t machine, const char *name);
/* The address of a function whose symbol has @value: without the bit that means Thumb. */
uint64_t pfx_elfsym_code_address(uint16_t machine, uint64_t value);
/* Whether the values of functions point into ".opd", where their addresses stand. */
bool pfx_elfsym_has_descriptors(uint16_t machine, uint32_t elf_flags);
/* Whether relocations of this type carry the address of a resolver function in their addend. */
bool pfx_elfsym_is_irelative(uint16_t machine, uint32_t type);

/* A procedure linkage table, from where an entry may begin. */
struct pfx_plt_code {
	const uint8_t *at;
	size_t size;
	uint64_t addr;       /* of the first byte */
	uint64_t got;        /* address of .got.plt */
	uint64_t entry_size; /* of the section, 0 unknown */
};

struct pfx_plt_entry {
	bool by_index; /* `slot` is the number of its relocation, not an address */
	uint64_t slot; /* address of the word it jumps through */
	uint32_t size; /* bytes of code, at least */
};

/* Whether an entry begins here. */
bool pfx_plt_decode(uint16_t machine, const struct pfx_plt_code *code, struct pfx_plt_entry *ret);
/* Bytes between places where an entry may begin; 0: entries of this machine cannot be decoded. */
uint32_t pfx_plt_step(uint16_t machine);
/* For the others: bytes in front of the first entry and of each entry, as far as they are fixed. */
void pfx_plt_layout(uint16_t machine, uint32_t *ret_header, uint32_t *ret_entry);

#endif
