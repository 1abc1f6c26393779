/* SPDX-License-Identifier: MIT */
/*
 * The part is in the directory of the final file, so that it can be renamed. It gets the
 * permissions of the file that it replaces.
 */
#include "file/writer/part.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
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

static int open_beside(struct pfx_part *part, const struct pfx_writer_place *place)
{
	part->beside = pfx_strfmt("%s.%d.part", part->path, (int)getpid());
	part->fd = open(part->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (part->fd < 0)
		return -errno;
	if (place->exists)
		fchmod(part->fd, place->st.st_mode & 0777);
	return 0;
}

static void part_fini(struct pfx_part *part)
{
	free(part->path);
	free(part->beside);
	*part = (struct pfx_part){.fd = -1};
}

int pfx_part_open(struct pfx_part *ret, const char *path, const struct pfx_open_wait *wait,
		  struct pfx_error *err)
{
	struct pfx_writer_place place;
	int rc = pfx_place_find(&place, path, err);

	*ret = (struct pfx_part){.fd = -1};
	signal(SIGXFSZ, SIG_IGN);
	if (rc < 0)
		return rc;
	ret->path = pfx_strdup(place.path);
	if (is_direct(&place)) {
		rc = ret->fd = pfx_output_file_open_wait(path, PFX_OUTPUT_REPLACE, wait, err);
	} else {
		rc = open_beside(ret, &place);
		if (rc)
			cannot_write(path, rc, err);
	}
	pfx_place_fini(&place);
	if (rc < 0)
		part_fini(ret);
	return rc < 0 ? rc : 0;
}

int pfx_part_close(struct pfx_part *part, int rc, struct pfx_error *err)
{
	if (close(part->fd) < 0 && !rc)
		rc = cannot_write(part->path, -errno, err);
	if (!rc && part->beside && rename(part->beside, part->path) < 0)
		rc = cannot_write(part->path, -errno, err);
	if (rc && part->beside)
		unlink(part->beside);
	part_fini(part);
	return rc;
}
