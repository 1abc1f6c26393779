/* SPDX-License-Identifier: MIT */
/* Names of finished files with the time. */
#include "record/file/named_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "file/writer/writer.h"

#define HUNDREDTH_US 10000

/* As perf's names: the time with hundredths of a second. */
static char *name_with_time(const char *path)
{
	struct timeval now;
	struct tm local;
	char text[32];

	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &local);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local);
	return pfx_strfmt("%s.%s%02u", path, text, (unsigned)now.tv_usec / HUNDREDTH_US);
}

int pfx_named_files_add(struct pfx_named_files *files, const char *path, const char **ret_name,
			struct pfx_error *err)
{
	char *name = name_with_time(path), shown[256];
	int rc;

	/* Another file was finished in the same hundredth of a second. */
	while (access(name, F_OK) == 0) {
		free(name);
		usleep(HUNDREDTH_US);
		name = name_with_time(path);
	}
	if (rename(path, name) < 0) {
		rc = pfx_error_sys(err, errno, "cannot name the recording '%s'",
				   pfx_escape(shown, sizeof(shown), name));
		free(name);
		return rc;
	}
	pfx_vec_push(&files->names, name);
	*ret_name = name;
	return 0;
}

int pfx_named_files_trim(struct pfx_named_files *files, uint64_t most, const char **ret_name)
{
	int rc;

	if (!most || files->names.nr - files->oldest <= most)
		return 0;
	*ret_name = files->names.at[files->oldest++];
	rc = pfx_writer_remove(*ret_name);
	return rc < 0 && rc != -ENOENT ? rc : 1;
}

void pfx_named_files_fini(struct pfx_named_files *files)
{
	size_t i;

	for (i = 0; i < files->names.nr; i++)
		free(files->names.at[i]);
	pfx_vec_free(&files->names);
}
