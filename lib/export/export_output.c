/* SPDX-License-Identifier: MIT */
/* Collects the text of a format and writes it to a file or to standard output. */
#include "export/export_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

#define FLUSH_SIZE (256u << 10)

static int write_all(struct pfx_export_output *out)
{
	int fd = out->path ? out->part.fd : STDOUT_FILENO;

	if (!out->failure && out->text.len)
		out->failure = pfx_write_full(fd, out->text.at, out->text.len);
	pfx_str_clear(&out->text);
	return out->failure;
}

int pfx_export_open(struct pfx_export_output *ret, const char *path,
		    const struct pfx_open_wait *wait, struct pfx_error *err)
{
	*ret = (struct pfx_export_output){.path = strcmp(path, "-") ? path : NULL};
	return ret->path ? pfx_part_open(&ret->part, path, wait, err) : 0;
}

int pfx_export_flush(struct pfx_export_output *out)
{
	return out->text.len > FLUSH_SIZE ? write_all(out) : out->failure;
}

int pfx_export_close(struct pfx_export_output *out, int rc, struct pfx_error *err)
{
	char shown[256];

	if (!rc && write_all(out)) {
		rc = out->failure;
		if (out->path)
			pfx_error_sys(err, -rc, "cannot write '%s'",
				      pfx_escape(shown, sizeof(shown), out->path));
		else
			pfx_error_sys(err, -rc, "cannot write to standard output");
	}
	pfx_str_fini(&out->text);
	return out->path ? pfx_part_close(&out->part, rc, err) : rc;
}
