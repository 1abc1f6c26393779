/* SPDX-License-Identifier: MIT */
/* Where the source files of a recording are in its archive, and beside it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "read/archive.h"

#define NAME_MAX_SIZE 2048

/* Appends "/PART", or removes the last part for "..". @start: length of the folder. */
static void add_part(struct pfx_str *path, size_t start, const char *part, size_t len)
{
	if (!len || (len == 1 && *part == '.'))
		return;
	if (len != 2 || strncmp(part, "..", 2)) {
		pfx_str_addc(path, '/');
		pfx_str_addn(path, part, len);
		return;
	}
	while (path->len > start)
		if (path->at[--path->len] == '/')
			break;
}

char *pfx_archive_source_path(const char *folder, const char *name)
{
	const size_t start = strlen(folder);
	struct pfx_str path = {0};
	char *ret = NULL;
	size_t n;

	if (*name != '/' || strlen(name) > NAME_MAX_SIZE)
		return NULL;
	pfx_str_addn(&path, folder, start);
	for (; *name; name += n + (name[n] == '/')) {
		n = strcspn(name, "/");
		add_part(&path, start, name, n);
	}
	if (path.len > start)
		ret = pfx_strndup(path.at, path.len);
	pfx_str_fini(&path);
	return ret;
}

char *pfx_archive_sources_of(const char *recording)
{
	size_t len = strlen(recording);

	while (len > 1 && recording[len - 1] == '/')
		len--;
	return pfx_strfmt("%.*s.sources", (int)len, recording);
}
