/* SPDX-License-Identifier: MIT */
/* Whether the kernel hands out registers that not every CPU has. */
#ifndef PFX_SYS_REGS_PROBE_H
#define PFX_SYS_REGS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Ask the kernel for an event that has the registers of @mask at each interrupt, and close it. */
bool pfx_regs_probe(uint64_t mask);

#endif
