/* SPDX-License-Identifier: MIT */
/*
 * What the kernel lets this process do with perf events: the sysctls, capabilities and limits that
 * decide it. A snapshot; nothing is owned.
 */
#ifndef PFX_SYS_PERM_H
#define PFX_SYS_PERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pfx_perm {
	bool has_perf_events; /* the kernel has the paranoid sysctl at all */
	int paranoid;         /* kernel.perf_event_paranoid */
	bool may_profile;     /* CAP_PERFMON or CAP_SYS_ADMIN: paranoid does not bind us */
	bool may_lock;        /* CAP_IPC_LOCK: rings are not counted */
	bool may_ptrace;      /* CAP_SYS_PTRACE: other users' processes */
	bool has_seccomp;     /* a seccomp filter is on, as in containers */
	uint64_t mlock_kb;    /* ring memory per CPU and user that needs no memlock limit */
	uint64_t memlock;     /* RLIMIT_MEMLOCK in bytes, UINT64_MAX: unlimited */
	uint64_t max_rate;    /* kernel.perf_event_max_sample_rate, Hz */
	uint64_t max_stack;   /* kernel.perf_event_max_stack, frames */
	uint64_t mem_bytes;   /* memory of the machine */
};

/* Read it all; @root is a directory in front of /proc, for tests (NULL: none). What cannot be read
 * has the kernel's default. */
void pfx_perm_read(struct pfx_perm *perm, const char *root);

/* Whether kernel code may be sampled. */
bool pfx_perm_kernel(const struct pfx_perm *perm);

/* Bytes of a ring's data area by default, a power of two, for @nr_rings rings: the largest that the
 * permission at hand allows, up to 8 MiB a ring and a sixteenth of the memory. */
size_t pfx_perm_ring_bytes(const struct pfx_perm *perm, uint32_t nr_rings);

#endif
