/* SPDX-License-Identifier: MIT */
/* The names in a directory, in the order of their numbers where they have some. */
#include "base/dir_names.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

void pfx_names_of_dir(struct pfx_name_list *to, struct pfx_arena *arena, const char *dir)
{
	size_t first = to->names.nr;
	struct dirent *entry;
	DIR *d = opendir(dir);

	if (!d)
		return;
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.')
			pfx_vec_push(&to->names, pfx_arena_strdup(arena, entry->d_name));
	closedir(d);
	if (to->names.nr > first)
		qsort(to->names.at + first, to->names.nr - first, sizeof(*to->names.at),
		      compare_names);
}
