/* SPDX-License-Identifier: MIT */
/*
 * Permissions and limits of perf events for this process, from /proc. counter_error.c makes the
 * messages for refused counters.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "sys/host/perm.h"

/* Bits of CapEff; the numbers are ABI. */
#define CAP_BIT_IPC_LOCK   14
#define CAP_BIT_SYS_PTRACE 19
#define CAP_BIT_SYS_ADMIN  21
#define CAP_BIT_PERFMON    38

#define RING_MAX     (8u << 20)
#define RING_USUAL   (512u << 10) /* perf's default, and the minimum on small machines */
#define STATUS_LIMIT (64 << 10)

static uint64_t number(const char *root, const char *name, uint64_t fallback)
{
	char *path = pfx_strfmt("%s/proc/%s", root, name);
	uint64_t value;

	if (pfx_read_u64(path, &value) < 0)
		value = fallback;
	free(path);
	return value;
}

static int read_paranoid(const char *root, bool *ret_there)
{
	char *path = pfx_strfmt("%s/proc/sys/kernel/perf_event_paranoid", root);
	char line[32];
	int value = 2;

	*ret_there = pfx_read_line(path, line, sizeof(line)) >= 0;
	if (*ret_there)
		value = atoi(line);
	free(path);
	return value;
}

/* The number after "Key:" in the text of a status file. */
static uint64_t field(const char *text, const char *key, int base)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

static void read_status(struct pfx_perm *perm, const char *root)
{
	char *path = pfx_strfmt("%s/proc/self/status", root);
	char *text = NULL;
	uint64_t caps;

	if (pfx_read_file(path, STATUS_LIMIT, &text, NULL, NULL) >= 0) {
		caps = field(text, "\nCapEff:", 16);
		perm->may_profile = (caps >> CAP_BIT_PERFMON | caps >> CAP_BIT_SYS_ADMIN) & 1;
		perm->may_lock = caps >> CAP_BIT_IPC_LOCK & 1;
		perm->may_ptrace = caps >> CAP_BIT_SYS_PTRACE & 1;
		perm->has_seccomp = field(text, "\nSeccomp:", 10) != 0;
	}
	free(text);
	free(path);
}

void pfx_perm_read(struct pfx_perm *perm, const char *root)
{
	struct rlimit lock;

	root = root ? root : "";
	memset(perm, 0, sizeof(*perm));
	perm->paranoid = read_paranoid(root, &perm->has_perf_events);
	perm->mlock_kb = number(root, "sys/kernel/perf_event_mlock_kb", 516);
	perm->max_rate = number(root, "sys/kernel/perf_event_max_sample_rate", 100000);
	perm->max_stack = number(root, "sys/kernel/perf_event_max_stack", 127);
	perm->memlock = 64 << 10;
	if (getrlimit(RLIMIT_MEMLOCK, &lock) == 0)
		perm->memlock = lock.rlim_cur == RLIM_INFINITY ? UINT64_MAX : lock.rlim_cur;
	perm->mem_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	read_status(perm, root);
}

bool pfx_perm_kernel(const struct pfx_perm *perm)
{
	return perm->may_profile || perm->paranoid < 2;
}

/* Bytes that this process may lock for all ring buffers together. */
static uint64_t budget(const struct pfx_perm *perm, uint32_t nr_rings)
{
	uint64_t free_bytes = perm->mlock_kb << 10;

	/* At paranoid -1 or with the capability, the kernel does not limit. */
	if (perm->may_lock || perm->paranoid < 0 || perm->memlock == UINT64_MAX)
		return UINT64_MAX;
	return free_bytes * nr_rings + perm->memlock;
}

size_t pfx_perm_ring_bytes(const struct pfx_perm *perm, uint32_t nr_rings)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t pinned = budget(perm, nr_rings);
	uint64_t share = perm->mem_bytes / 16;
	uint64_t size = RING_MAX;

	nr_rings = nr_rings ? nr_rings : 1;
	while (size > page && (size + page) * nr_rings > pinned)
		size /= 2;
	while (size > RING_USUAL && size * nr_rings > share)
		size /= 2;
	return size;
}
