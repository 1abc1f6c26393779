/* SPDX-License-Identifier: MIT */
/*
 * Shared by the host_*.c files: their target, and functions to read small files below the root. All
 * returned strings are in the arena.
 */
#ifndef PFX_SYS_HOST_INTERNAL_H
#define PFX_SYS_HOST_INTERNAL_H

#include "base/arena.h"
#include "event/env.h"

#define HOST_PATH_MAX 1024

struct host {
	struct pfx_arena *arena;
	struct pfx_env *env;
	const char *root; /* "" or a directory */
};

/* The path below the root into @path (HOST_PATH_MAX bytes). Returns @path. */
const char *pfx_host_path(const struct host *host, char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The first line of a small file, trimmed; NULL if missing or empty. */
const char *pfx_host_line(const struct host *host, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A number in a small file, @missing if there is none. */
uint64_t pfx_host_number(const struct host *host, uint64_t missing, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The value after "KEY:" in a text of lines, NULL if absent: its start and length. */
const char *pfx_host_find_key(const char *text, const char *key, size_t *ret_len);

void pfx_host_cpu(const struct host *host);      /* NRCPUS CPUDESC CPUID */
void pfx_host_topology(const struct host *host); /* CPU_TOPOLOGY CACHE CLN_SIZE; needs NRCPUS */
void pfx_host_sched(const struct host *host);    /* CPU_DOMAIN_INFO */
void pfx_host_memory(const struct host *host);   /* TOTAL_MEM NUMA_TOPOLOGY MEM_TOPOLOGY */
void pfx_host_pmus(const struct host *host);     /* PMU_MAPPINGS, caps, HYBRID_TOPOLOGY */

#endif
