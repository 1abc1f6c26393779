/* SPDX-License-Identifier: MIT */
/* Scripts that can be run by name: their directories, and the comments at their start. */
#ifndef PFX_SCRIPT_SCRIPT_CATALOG_H
#define PFX_SCRIPT_SCRIPT_CATALOG_H

#include <stdbool.h>

#include "base/str.h"
#include "event/meta.h"

/* Directories with scripts, the user's own first; ends with NULL. The caller frees. */
char **pfx_script_folders(void);
void pfx_script_folders_free(char **folders);
/* The directory that has scripts/: $PERF_EXEC_PATH, else where pfx's own are. The caller frees. */
char *pfx_script_root(void);
/* The file of a script by name, or NULL. The caller frees. */
char *pfx_script_find(const char *name);
/* Whether it is written in Perl, by its name; otherwise it is Python. */
bool pfx_script_is_perl(const char *path);
/* The same for a name or the path of a file NAME.py or NAME.pl. */
char *pfx_script_find_or_file(const char *word);
/* The text after "# @key: " in a script's first lines, "" if missing; false if the file cannot be
 * read. */
bool pfx_script_comment(const char *path, const char *key, struct pfx_str *to);
/* Whether the file has a comment "# picture: ...": no program is run, pfx writes a flame graph. */
bool pfx_script_is_picture(const char *path);
/* One line for each script: its name, arguments and description. */
void pfx_script_catalog(struct pfx_str *to);
/* The name of the script that was probably meant, on the heap, or NULL. */
char *pfx_script_nearest(const char *name);

/* Whether the script at @path is for tracepoints none of which the recording has; then *@ret_wanted
 * names them. */
bool pfx_script_lacks_events(const char *path, const struct pfx_meta *meta,
			     struct pfx_str *ret_wanted);

#endif
