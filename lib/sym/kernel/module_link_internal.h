/* SPDX-License-Identifier: MIT */
/* Relocations of the code of kernel modules. */
#ifndef PFX_SYM_MODULE_LINK_INTERNAL_H
#define PFX_SYM_MODULE_LINK_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pfx_relocation {
	uint16_t machine; /* EM_* */
	uint32_t type;    /* R_* of the machine */
	uint64_t at;      /* the address of the place */
	uint64_t value;   /* of the symbol, with the addend */
};

/* Fill it in at @to, where @size bytes are left. False: a type that is not supported, or too few
 * bytes; nothing is written. */
bool pfx_relocation_apply(const struct pfx_relocation *relocation, uint8_t *to, size_t size);
/* Whether the place holds the distance to the symbol. */
bool pfx_relocation_is_relative(const struct pfx_relocation *relocation);

#endif
