/* SPDX-License-Identifier: MIT */
/*
 * Reading /proc: large files line by line, and lists of processes and threads. @root is a prefix of
 * /proc, for tests; NULL: none.
 */
#ifndef PFX_SYS_PROC_H
#define PFX_SYS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/words.h"

#define PFX_PROC_PATH_MAX 512

/* A file that is read line by line through one buffer; the last line may lack its newline. */
struct pfx_proc_lines {
	int fd;
	char *buffer;
	size_t at, len, cap;
	bool ended;
	uint64_t deadline_ns; /* monotonic; 0 none. After it, the file ends. */
	bool late;            /* it ended because of the deadline */
};

/* Open @path below the root: 0 or a negative errno. Close it whatever was returned. */
int pfx_proc_lines_open(struct pfx_proc_lines *lines, const char *root, const char *path);
/* The next line, NUL-terminated without its newline and valid until the next call; NULL at the
 * end. A line beyond 64 KiB ends the file. */
char *pfx_proc_lines_next(struct pfx_proc_lines *lines);
void pfx_proc_lines_close(struct pfx_proc_lines *lines);

/* Ids of all processes, ascending. The caller frees with pfx_list_fini(). */
int pfx_proc_pids(const char *root, struct pfx_list *ret, struct pfx_error *err);
/* The numeric names in the directory @path (threads: "/proc/PID/task"), ascending: 0 or a negative
 * errno. The caller frees with pfx_list_fini(). */
int pfx_proc_numbers(const char *path, struct pfx_list *ret);

#endif
