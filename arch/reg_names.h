/* SPDX-License-Identifier: MIT */
/* Names of the registers that samples hold. */
#ifndef PFX_ARCH_REG_NAMES_H
#define PFX_ARCH_REG_NAMES_H

#include <stddef.h>

/* The name of bit @bit of a register mask, on a machine as uname calls it ("x86_64"); NULL where
 * there is none. A register that fills several words has the name in each of its bits. */
const char *pfx_arch_reg_name(const char *machine, unsigned bit);

#endif
