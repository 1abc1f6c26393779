/* SPDX-License-Identifier: MIT */
/*
 * Packed texts of the generated table. A byte from 0x20 to 0x7e is a character; 0 ends the text;
 * 0x7f means that the next byte is a character; 0x01-0x1f and 0x80-0xbf are words 0 to 94 of the
 * dictionary; 0xc0-0xff with the next byte are the others. scripts/vendor/packing.py writes them.
 */
#ifndef PFX_PMU_VENDOR_TEXT_H
#define PFX_PMU_VENDOR_TEXT_H

#include <stdint.h>

#include "base/arena.h"

/* The text at this offset, in the arena; "" for offset 0. */
const char *pfx_vendor_text(uint32_t offset, struct pfx_arena *arena);
/* The text that follows it. */
const char *pfx_vendor_text_after(uint32_t offset, struct pfx_arena *arena);
/* As strcasecmp() of the text and @other, without memory. */
int pfx_vendor_text_compare(uint32_t offset, const char *other);

#endif
