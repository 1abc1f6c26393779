/* SPDX-License-Identifier: MIT */
/* Programs over recordings where no interpreter is built in: they are refused with a sentence. */
#include <errno.h>

#include "base/str.h"
#include "python/engine_load.h"

const struct pfx_script_engine_ops *pfx_script_engine_load(const char *path, struct pfx_error *err)
{
	char shown[256];

	pfx_error_set(err, ENOTSUP,
		      "cannot run '%s': this pfx was built without Python (libpython3-dev)",
		      pfx_escape(shown, sizeof(shown), path));
	return NULL;
}
