/* SPDX-License-Identifier: MIT */
/*
 * Finds the mounted cgroup hierarchy in /proc/mounts: the v1 hierarchy with the perf_event
 * controller, or cgroup2.
 */
#include "sys/host/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"

#define MOUNTS_MAX (4u << 20)
#define PATH_SIZE  4096

/* Whether the comma-separated list @options has @word. */
static bool has_option(const char *options, const char *word)
{
	size_t len = strlen(word);

	for (; options; options = strchr(options, ',') ? strchr(options, ',') + 1 : NULL)
		if (!strncmp(options, word, len) && (!options[len] || options[len] == ','))
			return true;
	return false;
}

/* Parse the mount of one line into @out: 2 the controller's own hierarchy, 1 cgroup2, 0 neither. */
static int mount_of(const char *line, char out[PATH_SIZE])
{
	char type[64], options[1024];

	if (sscanf(line, "%*s %4095s %63s %1023s", out, type, options) != 3)
		return 0;
	if (!strcmp(type, "cgroup"))
		return has_option(options, "perf_event") ? 2 : 0;
	return !strcmp(type, "cgroup2");
}

char *pfx_cgroup_mount(const char *root)
{
	char path[256], at[PATH_SIZE], *text = NULL, *line, *rest, *found = NULL;
	int best = 0, good;

	snprintf(path, sizeof(path), "%s/proc/mounts", root ? root : "");
	if (pfx_read_file(path, MOUNTS_MAX, &text, NULL, NULL) < 0)
		return NULL;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		good = mount_of(line, at);
		if (good <= best)
			continue;
		best = good;
		free(found);
		found = pfx_strdup(at);
	}
	free(text);
	return found;
}

int pfx_cgroup_open(const char *name, const char *root, int *ret_fd, struct pfx_error *err)
{
	char *mount = pfx_cgroup_mount(root), *path, shown[256];
	int code = 0;

	if (!mount) {
		pfx_error_set(err, ENOENT, "no hierarchy of cgroups is mounted");
		pfx_error_hint(err, "sudo mount -t cgroup2 none /sys/fs/cgroup");
		return -ENOENT;
	}
	path = pfx_strfmt("%s/%s", mount, name + strspn(name, "/"));
	*ret_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret_fd < 0) {
		code = errno;
		pfx_error_sys(err, code, "cannot open cgroup '%s'",
			      pfx_escape(shown, sizeof(shown), name));
		pfx_error_hint(err, "cgroups are the directories below '%s'",
			       pfx_escape(shown, sizeof(shown), mount));
	}
	free(path);
	free(mount);
	return -code;
}
