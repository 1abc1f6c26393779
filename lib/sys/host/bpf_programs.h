/* SPDX-License-Identifier: MIT */
/* The BPF programs of this machine, as the header of a recording describes them. */
#ifndef PFX_SYS_BPF_PROGRAMS_H
#define PFX_SYS_BPF_PROGRAMS_H

#include "event/meta.h"

/*
 * Put the programs that the kernel has now, and the types that they use, into meta->env
 * (BPF_PROG_INFO, BPF_BTF), which owns them. Programs that are there by their id stay, so a second
 * call adds those that were loaded meanwhile. Quietly nothing without permission: CAP_SYS_ADMIN, or
 * CAP_BPF and CAP_PERFMON.
 */
void pfx_bpf_programs_read(struct pfx_meta *meta);

#endif
