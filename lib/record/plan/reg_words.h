/* SPDX-License-Identifier: MIT */
/* Names of registers that samples can contain, as this machine's CPU has them. */
#ifndef PFX_RECORD_REG_WORDS_H
#define PFX_RECORD_REG_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* "ax,ip" as a mask of registers of user space, or (@at_interrupt) of an interrupt; NULL: all. 0,
 * or a negative errno with a message. */
int pfx_reg_words_parse(const char *words, bool at_interrupt, uint64_t *ret, struct pfx_error *err);
/* Add all names, each after a blank. */
void pfx_reg_words_add(struct pfx_str *to, bool at_interrupt);

#endif
