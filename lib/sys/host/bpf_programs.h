/* SPDX-License-Identifier: MIT */
/* The BPF programs of this machine, for the header features of a recording. */
#ifndef PFX_SYS_BPF_PROGRAMS_H
#define PFX_SYS_BPF_PROGRAMS_H

#include "event/meta.h"

/*
 * Add the loaded programs and their BTF types to meta->env (BPF_PROG_INFO, BPF_BTF), which owns
 * them. Programs whose id is already present are kept, so a second call adds programs loaded since.
 * Returns 0 or a negative errno; -EPERM without permission: CAP_SYS_ADMIN, or CAP_BPF and
 * CAP_PERFMON.
 */
int pfx_bpf_programs_read(struct pfx_meta *meta);

#endif
