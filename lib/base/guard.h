/* SPDX-License-Identifier: MIT */
/*
 * Mapped files that become shorter while they are read. A look at a page that the file no longer
 * has raises SIGBUS. Where the program's handler of it calls pfx_guard_fault(), zeros are read from
 * there on, by our code and by libraries that were given the mapping, and the file is remembered as
 * cut. One list for the whole process, as the signal is; all functions may be called from any
 * thread.
 */
#ifndef PFX_BASE_GUARD_H
#define PFX_BASE_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Guard @size bytes at @data, which stay mapped until pfx_guard_remove(). @path is copied; NULL:
 * who mapped it asks pfx_guard_was_cut() itself, and pfx_guard_next_cut() does not name it. */
void pfx_guard_add(const void *data, size_t size, const char *path);
void pfx_guard_remove(const void *data);
/* Whether zeros were read instead of the file somewhere in the mapping that begins at @data. */
bool pfx_guard_was_cut(const void *data);
/* The paths of files that were cut, each once, in the order in which they were; NULL after the
 * last. They live as long as the process. @i counts from 0. */
const char *pfx_guard_next_cut(size_t i);

/* For a handler of SIGBUS, and safe in it: true when the address lies in a guarded mapping, and can
 * be read (and written, to no effect) from now on. */
bool pfx_guard_fault(void *addr);

/* Block all signals in the calling thread but those that its own instructions raise, which would
 * end the process: for the start of threads that leave signals to others. */
void pfx_guard_block_signals(sigset_t *ret_old);

#endif
