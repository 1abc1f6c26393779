/* SPDX-License-Identifier: MIT */
/* The names of the files of a directory. */
#ifndef PFX_BASE_DIR_NAMES_H
#define PFX_BASE_DIR_NAMES_H

#include "base/alloc.h"
#include "base/arena.h"

/* Free with pfx_vec_free(&list.names). */
struct pfx_name_list {
	PFX_VEC(const char *) names;
};
/* Append the names in @dir to @to, sorted as versions ("cpu2" before "cpu10"), without those that
 * begin with a dot; each is owned by the arena. Nothing is appended where it cannot be read. */
void pfx_names_of_dir(struct pfx_name_list *to, struct pfx_arena *arena, const char *dir);
/* The same for directories in @dir only. File systems that do not show which entries are
 * directories give all of them. */
void pfx_subdirs_of_dir(struct pfx_name_list *to, struct pfx_arena *arena, const char *dir);

#endif
