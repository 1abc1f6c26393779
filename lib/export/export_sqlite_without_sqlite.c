/* SPDX-License-Identifier: MIT */
/* A build without SQLite says so. */
#include <errno.h>

#include "export/export_internal.h"

void pfx_export_sqlite(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pfx_error err = {0};

	pfx_error_set(&err, ENOTSUP, "this pfx is built without SQLite");
	pfx_error_hint(&err, "install libsqlite3-dev and build pfx again");
	pfx_export_fail(out, -ENOTSUP, &err);
}
