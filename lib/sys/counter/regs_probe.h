/* SPDX-License-Identifier: MIT */
/* Whether the kernel supports registers that not every CPU has. */
#ifndef PFX_SYS_REGS_PROBE_H
#define PFX_SYS_REGS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Try an event with the registers of @mask in attr.sample_regs_intr. */
bool pfx_regs_probe(uint64_t mask);

#endif
