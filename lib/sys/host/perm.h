/* SPDX-License-Identifier: MIT */
/*
 * The permissions of this process for perf events: sysctls, capabilities and limits. A snapshot;
 * nothing is owned.
 */
#ifndef PFX_SYS_PERM_H
#define PFX_SYS_PERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pfx_perm {
	bool has_perf_events; /* the paranoid sysctl exists */
	int paranoid;         /* kernel.perf_event_paranoid */
	bool may_profile;     /* CAP_PERFMON or CAP_SYS_ADMIN: paranoid does not apply */
	bool may_lock;        /* CAP_IPC_LOCK: ring buffers are not limited */
	bool may_ptrace;      /* CAP_SYS_PTRACE: other users' processes */
	bool has_seccomp;     /* a seccomp filter is active, as in containers */
	uint64_t mlock_kb; /* ring buffer memory per CPU and user that does not count for memlock */
	uint64_t memlock;  /* RLIMIT_MEMLOCK in bytes, UINT64_MAX: unlimited */
	uint64_t max_rate; /* kernel.perf_event_max_sample_rate, Hz */
	uint64_t max_stack; /* kernel.perf_event_max_stack, frames */
	uint64_t mem_bytes; /* memory of the machine */
};

/* Read all; @root is a prefix of /proc, for tests (NULL: none). Unreadable values get the kernel's
 * default. */
void pfx_perm_read(struct pfx_perm *perm, const char *root);

/* Whether kernel code may be sampled. */
bool pfx_perm_kernel(const struct pfx_perm *perm);

/* Default size of a ring buffer's data area, a power of two, for @nr_rings ring buffers: the
 * maximum that the permissions allow, at most 8 MiB per ring buffer and a sixteenth of the memory
 * in total. */
size_t pfx_perm_ring_bytes(const struct pfx_perm *perm, uint32_t nr_rings);

#endif
