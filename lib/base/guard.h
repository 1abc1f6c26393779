/* SPDX-License-Identifier: MIT */
/*
 * Mapped files that are truncated while they are read. Access to a page beyond the file's new end
 * raises SIGBUS. If the program's SIGBUS handler calls pfx_guard_fault(), pfx and libraries that
 * use the mapping read zeros from there on, and the file is recorded as cut. One list for the whole
 * process, because the signal is per process; all functions may be called from any thread.
 */
#ifndef PFX_BASE_GUARD_H
#define PFX_BASE_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Guard @size bytes at @data, which stay mapped until pfx_guard_remove(). @path is copied. With a
 * NULL path the caller checks pfx_guard_was_cut() itself, and pfx_guard_next_cut() does not list
 * the file. */
void pfx_guard_add(const void *data, size_t size, const char *path);
void pfx_guard_remove(const void *data);
/* Whether zeros were read in place of the file's contents in the mapping that begins at @data. */
bool pfx_guard_was_cut(const void *data);
/* The paths of truncated files, each once, in the order of detection; NULL after the last. They
 * live as long as the process. @i counts from 0. */
const char *pfx_guard_next_cut(size_t i);

/* Hold the list's lock (@held), or release it: around fork(), so that the child can use the list.
 */
void pfx_guard_hold(bool held);

/* For a SIGBUS handler, and async-signal-safe: true when the address lies in a guarded mapping. The
 * address can then be read (writes are discarded). */
bool pfx_guard_fault(void *addr);
/* Install such a handler, for a process that is the program's own; other faults have the effect
 * that they had before. */
void pfx_guard_install(void);

/* Block all signals in the calling thread except those that a fault in the thread itself raises.
 * Call it before starting threads that should not handle signals. */
void pfx_guard_block_signals(sigset_t *ret_old);

#endif
