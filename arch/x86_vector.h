/* SPDX-License-Identifier: MIT */
/* Lengths of vector instructions, including those that a disassembler does not support yet. */
#ifndef PFX_ARCH_X86_VECTOR_H
#define PFX_ARCH_X86_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the instruction at the start of @code, if it has a VEX or EVEX prefix and is
 * complete; else 0. */
unsigned pfx_x86_vector_length(const uint8_t *code, size_t size, bool is_64bit);

#endif
