/* SPDX-License-Identifier: MIT */
/*
 * The header features of this machine, from /proc, /sys, uname and the CPU itself. Features that
 * are not available are omitted, never guessed.
 */
#ifndef PFX_SYS_HOST_H
#define PFX_SYS_HOST_H

#include "base/words.h"
#include "event/meta.h"

struct pfx_host_options {
	const char *root; /* prefix of /proc and /sys, for tests; NULL: none */
	int argc;         /* the command line for CMDLINE; argv[0] is replaced by pfx's path */
	const char *const *argv;
};

/*
 * Fill meta->env with HOSTNAME OSRELEASE VERSION ARCH NRCPUS CPUDESC CPUID TOTAL_MEM CMDLINE
 * CPU_TOPOLOGY NUMA_TOPOLOGY PMU_MAPPINGS CACHE MEM_TOPOLOGY CPU_PMU_CAPS PMU_CAPS HYBRID_TOPOLOGY
 * CPU_DOMAIN_INFO E_MACHINE CLN_SIZE, as far as this machine has them, and set their bits. Memory
 * is from meta->arena; the options are borrowed for the call. Always 0 for now; missing features
 * are not an error.
 */
int pfx_host_describe(struct pfx_meta *meta, const struct pfx_host_options *options,
		      struct pfx_error *err);

/* The online CPUs. The caller frees with pfx_list_fini(). 0 or a negative errno. */
int pfx_host_online_cpus(const char *root, struct pfx_list *ret);

#endif
