/* SPDX-License-Identifier: MIT */
/* The names in a directory, in the order of their numbers where they have some. */
#include "base/dir_names.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_names(struct pfx_name_list *to, struct pfx_arena *arena, const char *dir,
		      bool only_dirs)
{
	size_t first = to->names.nr;
	struct dirent *entry;
	DIR *d = opendir(dir);

	if (!d)
		return;
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.' &&
		    (!only_dirs || entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
			pfx_vec_push(&to->names, pfx_arena_strdup(arena, entry->d_name));
	closedir(d);
	if (to->names.nr > first)
		qsort(to->names.at + first, to->names.nr - first, sizeof(*to->names.at),
		      compare_names);
}

void pfx_names_of_dir(struct pfx_name_list *to, struct pfx_arena *arena, const char *dir)
{
	add_names(to, arena, dir, false);
}

void pfx_subdirs_of_dir(struct pfx_name_list *to, struct pfx_arena *arena, const char *dir)
{
	add_names(to, arena, dir, true);
}
