/* SPDX-License-Identifier: MIT */
/* Messages for an output that cannot be written, or was replaced by others. Section 15 of
 * Documentation/file-format.md. */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "writer_internal.h"

static const char *name_of(const struct pfx_writer *writer, char *out, size_t size)
{
	return strcmp(writer->path, "-") ? pfx_escape(out, size, writer->path) : "standard output";
}

void pfx_writer_hint(int code, struct pfx_error *err)
{
	if (code == EFBIG)
		pfx_error_hint(err, "the limit of file sizes is reached; see 'ulimit -f'");
	if (code == ENOSPC || code == EDQUOT)
		pfx_error_hint(err, "make room, or name a file on another disk with -o FILE");
}

int pfx_writer_failed(const struct pfx_writer *writer, int code, struct pfx_error *err)
{
	char name[256];

	if (code == EPIPE) {
		pfx_error_set(err, EPIPE, "the reader of '%s' has closed it",
			      name_of(writer, name, sizeof(name)));
		return -EPIPE;
	}
	pfx_error_sys(err, code, "cannot write '%s'", name_of(writer, name, sizeof(name)));
	pfx_writer_hint(code, err);
	return -code;
}

int pfx_writer_check(struct pfx_writer *writer, uint64_t size, struct pfx_error *err)
{
	int rc = pfx_output_check_size(writer->fd, writer->path, size, err);

	writer->gone |= rc < 0;
	return rc;
}
