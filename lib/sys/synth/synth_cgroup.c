/* SPDX-License-Identifier: MIT */
/*
 * CGROUP records for all cgroups: the directories of the hierarchy, whose inode numbers are the ids
 * in samples.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/host/cgroup.h"
#include "sys/synth/synth.h"

#define DEPTH_MAX 64   /* depth limit; bounds the stack */
#define LONGEST   4096 /* longer paths do not fit into a record */

struct walk {
	const struct pfx_synth_options *options;
	struct pfx_buffer *to;
	struct pfx_str path; /* below the mount, without a '/' at the end */
};

static void put(const struct walk *walk, uint64_t id)
{
	struct pfx_body body = {
		.type = PFX_RECORD_CGROUP,
		.cgroup = {.id = id, .path = walk->path.len ? walk->path.at : "/"},
	};

	pfx_record_encode(&body, walk->options->attr, walk->to);
}

static void visit(struct walk *walk, int dir_fd, unsigned depth);

static void visit_entry(struct walk *walk, int dir_fd, const char *name, unsigned depth)
{
	size_t len = walk->path.len;
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	pfx_str_addf(&walk->path, "/%s", name);
	visit(walk, fd, depth + 1);
	walk->path.len = len;
	walk->path.at[len] = '\0';
}

/* Visit the directory and all below it; closes the descriptor. */
static void visit(struct walk *walk, int dir_fd, unsigned depth)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	if (fstat(dir_fd, &st) == 0 && walk->path.len < LONGEST)
		put(walk, st.st_ino);
	dir = fdopendir(dir_fd);
	if (!dir) {
		close(dir_fd);
		return;
	}
	while (depth < DEPTH_MAX && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
			visit_entry(walk, dirfd(dir), entry->d_name, depth);
	closedir(dir);
}

void pfx_synth_cgroups(const struct pfx_synth_options *options, struct pfx_buffer *to)
{
	struct walk walk = {.options = options, .to = to};
	char *mount = pfx_cgroup_mount(options->root);
	int fd = mount ? open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0)
		visit(&walk, fd, 0);
	pfx_str_fini(&walk.path);
	free(mount);
}
