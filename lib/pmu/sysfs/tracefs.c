/* SPDX-License-Identifier: MIT */
/*
 * Finds tracefs: the two usual mount points, then any other mount. If it is not mounted and
 * permissions allow, it is mounted at its default mount point, as perf does.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "pmu/sysfs/tracefs.h"

#define OWN_PLACE   "/sys/kernel/tracing"
#define DEBUG_PLACE "/sys/kernel/debug/tracing"
#define PATH_SIZE   256
#define MOUNTS_MAX  (4u << 20)

/* 0 if @dir is a tracefs whose events can be listed; EACCES if it is not accessible. */
static int probe(const char *dir)
{
	char path[PATH_SIZE + sizeof("/events")];

	snprintf(path, sizeof(path), "%s/events", dir);
	return access(path, R_OK | X_OK) ? errno : 0;
}

/* The mount point of the first tracefs or debugfs in /proc/mounts that has events. */
static bool search_mounts(char found[PATH_SIZE])
{
	char *text, *line, *save = NULL, dir[PATH_SIZE], type[32];
	bool ret = false;

	if (pfx_read_file("/proc/mounts", MOUNTS_MAX, &text, NULL, NULL))
		return false;
	for (line = strtok_r(text, "\n", &save); line && !ret; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%*s %255s %31s", dir, type) != 2)
			continue;
		if (!strcmp(type, "debugfs"))
			strncat(dir, "/tracing", sizeof(dir) - strlen(dir) - 1);
		else if (strcmp(type, "tracefs"))
			continue;
		ret = !probe(dir);
	}
	if (ret)
		memcpy(found, dir, sizeof(dir));
	pfx_free_and_null((void **)&text);
	return ret;
}

const char *pfx_tracefs_now(const struct pfx_pmu_roots *roots)
{
	static char found[PATH_SIZE];

	if (roots && roots->tracefs)
		return roots->tracefs;
	if (!probe(OWN_PLACE))
		return OWN_PLACE;
	if (!probe(DEBUG_PLACE))
		return DEBUG_PLACE;
	return search_mounts(found) ? found : NULL;
}

int pfx_tracefs_fail(struct pfx_error *err, int code, const char *path)
{
	char shown[PATH_SIZE];

	pfx_escape(shown, sizeof(shown), path);
	pfx_error_sys(err, code, "cannot read tracepoints in '%s'", shown);
	if (code == EACCES || code == EPERM)
		pfx_error_hint(err, "tracefs belongs to root: use sudo, or open it to all with\n"
				    "  sudo mount -o remount,mode=755 " OWN_PLACE "\n"
				    "  sudo chmod -R a+rX " OWN_PLACE "/events");
	return -code;
}

static const char *not_there(struct pfx_error *err, int code)
{
	if (code == EPERM || code == EACCES) {
		pfx_error_set(err, code, "tracefs is not mounted, and we may not mount it");
		pfx_error_hint(err, "sudo mount -t tracefs tracefs " OWN_PLACE);
	} else if (code == ENODEV || code == ENOENT) {
		pfx_error_set(err, ENOENT, "this kernel has no tracefs, so it has no tracepoints");
	} else {
		pfx_error_sys(err, code, "tracefs cannot be mounted at '" OWN_PLACE "'");
	}
	return NULL;
}

const char *pfx_tracefs(const struct pfx_pmu_roots *roots, struct pfx_error *err)
{
	const char *dir = pfx_tracefs_now(roots);
	int code;

	if (dir)
		return dir;
	code = probe(OWN_PLACE);
	if (code == EACCES) {
		pfx_tracefs_fail(err, code, OWN_PLACE);
		return NULL;
	}
	if (mount("tracefs", OWN_PLACE, "tracefs", 0, NULL))
		return not_there(err, errno);
	code = probe(OWN_PLACE);
	if (!code)
		return OWN_PLACE;
	pfx_tracefs_fail(err, code, OWN_PLACE);
	return NULL;
}
