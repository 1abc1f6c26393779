/* SPDX-License-Identifier: MIT */
/*
 * The memory of a running process, to read code that is in no file. Its start time and maps let the
 * caller check that it is the recorded process: another one may have its pid by
 * now. Owns its descriptors.
 */
#ifndef PFX_SYM_PROCESS_MEMORY_H
#define PFX_SYM_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pfx_process_memory;

/* -ESRCH: there is no such process; -EACCES: its memory must not be read. Both with a message. */
int pfx_process_memory_open(struct pfx_process_memory **ret, int32_t pid, struct pfx_error *err);
void pfx_process_memory_free(struct pfx_process_memory *memory);
/* When it was started: seconds of the wall clock, rounded down. */
int64_t pfx_process_started(const struct pfx_process_memory *memory);
/* Whether it has the file @path mapped, executable, at all addresses from @start up to @end. */
bool pfx_process_has_map(const struct pfx_process_memory *memory, const char *path, uint64_t start,
			 uint64_t end);
/* Copy at most @size bytes at @addr; returns the number of bytes that could be read. */
size_t pfx_process_memory_read(const struct pfx_process_memory *memory, uint64_t addr, void *to,
			       size_t size);

#endif
