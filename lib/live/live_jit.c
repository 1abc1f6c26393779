/* SPDX-License-Identifier: MIT */
/*
 * JIT code that was compiled after its process's perf map or jitdump was read. A world reads these
 * files once, so it is made anew when there are samples without names in memory of a process whose
 * files have changed; at longer and longer intervals, since that takes time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "live/live_internal.h"

#define WAIT_FIRST_NS (5ull * 1000 * 1000 * 1000)
#define WAIT_MOST_NS  (80ull * 1000 * 1000 * 1000)

static uint64_t size_of(int32_t pid, const char *path)
{
	char *full = pfx_strfmt("/proc/%" PRId32 "/root%s", pid, path);
	struct stat st;
	uint64_t size = 0;

	if (stat(full, &st) == 0 && S_ISREG(st.st_mode))
		size = (uint64_t)st.st_size;
	free(full);
	return size;
}

/* Of everything that describes JIT code of a process. */
static uint64_t code_size(const struct pfx_live *live, int32_t pid)
{
	uint32_t nr = pfx_session_nr_dsos(live->world.session), i;
	char *map = pfx_strfmt("/tmp/perf-%" PRId32 ".map", pid);
	uint64_t size = size_of(pid, map);
	const struct pfx_dso *dso;

	free(map);
	for (i = 0; i < nr; i++) {
		dso = pfx_session_dso_at(live->world.session, i);
		if (dso->kind == PFX_DSO_JITDUMP && dso->anon_pid == pid)
			size += size_of(pid, dso->name);
	}
	return size;
}

/* The process of a place that may be JIT code without a name; -1: it is not. */
static int32_t pid_of(const struct pfx_place *place)
{
	if (!place->looked_up || !place->dso || place->dso->kind != PFX_DSO_ANON ||
	    pfx_place_has_name(place))
		return -1;
	return place->dso->anon_pid;
}

static bool has_changed(struct pfx_live *live)
{
	uint32_t nr = pfx_resolver_nr_places(live->world.resolver), i;
	struct pfx_hash seen = {0};
	bool changed = false, is_new;
	uint64_t *known, size;
	int32_t pid;

	for (i = 0; i < nr; i++) {
		pid = pid_of(pfx_resolver_place_at(live->world.resolver, i));
		if (pid < 0)
			continue;
		pfx_hash_add(&seen, (uint32_t)pid, &is_new);
		if (!is_new)
			continue;
		size = code_size(live, pid);
		known = pfx_hash_add(&live->jit.sizes, (uint32_t)pid, NULL);
		changed |= size != *known;
		*known = size;
	}
	pfx_hash_fini(&seen);
	return changed;
}

bool pfx_live_has_new_code(struct pfx_live *live)
{
	struct pfx_live_jit *jit = &live->jit;
	uint64_t now = live->source.machine->monotonic();

	if (now < jit->next_ns || !has_changed(live))
		return false;
	jit->wait_ns = jit->wait_ns ? 2 * jit->wait_ns : WAIT_FIRST_NS;
	if (jit->wait_ns > WAIT_MOST_NS)
		jit->wait_ns = WAIT_MOST_NS;
	jit->next_ns = now + jit->wait_ns;
	return true;
}
