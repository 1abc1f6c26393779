/* SPDX-License-Identifier: MIT */
/* See text_file.h. */
#include "script/text_file.h"

#include "base/io.h"

int pfx_text_file_flush(struct pfx_text_file *file, size_t above, const char *path,
			struct pfx_error *err)
{
	char shown[256];
	int rc;

	if (file->text.len <= above)
		return 0;
	rc = pfx_write_full(file->fd, file->text.at, file->text.len);
	file->size += file->text.len;
	pfx_str_clear(&file->text);
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write to '%s'",
				      pfx_escape(shown, sizeof(shown), path))
		      : 0;
}

void pfx_text_file_fini(struct pfx_text_file *file)
{
	pfx_str_fini(&file->text);
}
