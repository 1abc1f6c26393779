/* SPDX-License-Identifier: MIT */
/*
 * Where a binary has which kind of code. Mapping symbols ($a, $t, $x, $d) tell A32, T32 and A64
 * instructions and data between them; in a stripped binary of 32-bit ARM, bit 0 of the addresses of
 * functions does.
 */
#ifndef PFX_SYM_CODE_MARKS_H
#define PFX_SYM_CODE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "sym/find/binary.h"

enum pfx_code_mark { PFX_MARK_CODE, PFX_MARK_THUMB, PFX_MARK_DATA };

struct pfx_code_marks;

/* The marks of @binary, empty for other machines. It is used only here. */
struct pfx_code_marks *pfx_code_marks_new(struct pfx_binary *binary);
void pfx_code_marks_free(struct pfx_code_marks *marks);
/* The kind of the byte at @vaddr, and the address at which another kind may begin. */
enum pfx_code_mark pfx_code_mark_at(const struct pfx_code_marks *marks, uint64_t vaddr,
				    uint64_t *ret_end);

#endif
