/* SPDX-License-Identifier: MIT */
/*
 * The file gets the permissions of the one that it replaces.
 */
#include "file/writer/part.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "file/writer/writer_internal.h"

static int cannot_write(const char *path, int rc, struct pfx_error *err)
{
	char shown[256];

	return pfx_error_sys(err, -rc, "cannot write '%s'", pfx_escape(shown, sizeof(shown), path));
}

/* Whether there is something at the place that is not replaced. */
static bool is_direct(const struct pfx_writer_place *place)
{
	return place->exists && (place->is_given || !S_ISREG(place->st.st_mode));
}

static int open_late(struct pfx_part *part, const struct pfx_writer_place *place)
{
	int rc = pfx_late_file_open(&part->late, part->path, 0666);

	if (rc < 0)
		return rc;
	part->fd = part->late.fd;
	if (place->exists)
		fchmod(part->fd, place->st.st_mode & 0777);
	return 0;
}

int pfx_part_open(struct pfx_part *ret, const char *path, const struct pfx_open_wait *wait,
		  struct pfx_error *err)
{
	struct pfx_writer_place place;
	int rc = pfx_place_find(&place, path, err);

	*ret = (struct pfx_part){.fd = -1, .late.fd = -1};
	signal(SIGXFSZ, SIG_IGN);
	if (rc < 0)
		return rc;
	ret->path = pfx_strdup(place.path);
	if (is_direct(&place)) {
		rc = ret->fd = pfx_output_file_open_wait(path, PFX_OUTPUT_REPLACE, wait, err);
	} else {
		rc = open_late(ret, &place);
		if (rc)
			cannot_write(path, rc, err);
	}
	pfx_place_fini(&place);
	if (rc < 0)
		free(ret->path);
	return rc < 0 ? rc : 0;
}

int pfx_part_close(struct pfx_part *part, int rc, struct pfx_error *err)
{
	int closed = rc;

	if (part->late.fd >= 0)
		closed = pfx_late_file_close(&part->late, rc);
	else if (close(part->fd) < 0 && !rc)
		closed = -errno;
	if (closed != rc)
		cannot_write(part->path, closed, err);
	free(part->path);
	return closed;
}
