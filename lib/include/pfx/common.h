/* SPDX-License-Identifier: MIT */
/*
 * libpfx: what all of its parts share: errors, the version, memory, threads.
 *
 * Rules of the whole library. A handle (struct pfx_input, pfx_profile, ...) belongs to the caller
 * of the function that made it, and is freed by the function that its header names, which accepts
 * NULL. Several handles may be used in several threads at once; one handle only in one thread at a
 * time. A handle must outlive what was asked from it: returned strings and arrays belong to the
 * handle, unless a function says that the caller frees them. Text from recordings (names, paths) is
 * untrusted: escape it before it reaches a terminal or a page.
 *
 * NULL is accepted everywhere. In place of a handle, or of a name or a path that a function cannot
 * do without, it gives -EINVAL, or the value for "nothing" (0, NULL, false, an id of -1) where
 * there is no error to return; in place of a result, that is not given.
 *
 * Structs with a member `size` are the caller's: set it to sizeof(the struct) and everything else
 * to zero (PFX_INIT does both). Later versions of the library may add members at the end; what a
 * program does not know it neither sets nor gets.
 *
 * The library prints nothing, does not end the process and installs no signal handlers. It reads no
 * environment variables unless the program allows it (pfx_use_environment()).
 */
#ifndef PFX_COMMON_H
#define PFX_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/* A struct with its size, everything else zero. */
template <typename T> inline T pfx_init_value()
{
	T value = T();

	value.size = sizeof(T);
	return value;
}
#define PFX_INIT(type) pfx_init_value<type>()
extern "C" {
#else
#define PFX_INIT(type) ((type){.size = sizeof(type)})
#endif

#if defined(__GNUC__)
#define PFX_API __attribute__((visibility("default")))
#else
#define PFX_API
#endif

/* Version of these headers: see Documentation/libpfx.md for what its parts promise. */
#define PFX_API_MAJOR 0
#define PFX_API_MINOR 1
#define PFX_API_PATCH 0

/* Why a function failed. The caller's; NULL is accepted everywhere. */
struct pfx_error {
	int code;       /* positive errno, 0 without an error */
	char text[512]; /* one sentence, lower case, that names the object in 'quotes' */
	char hint[512]; /* what to do, or "" */
	/* The sentence as perf has it, where other programs parse that, or "": printed in place of
	 * the text by a program that is called perf. */
	char known[256];
};

/* Version of the library that runs: "0.1.0". Static text. */
PFX_API const char *pfx_version(void);
/* The same as major * 10000 + minor * 100 + patch, to compare. */
PFX_API unsigned pfx_version_number(void);

/*
 * Called when memory is short, instead of ending the process with a message: it must not return
 * (longjmp, a C++ exception through C frames and the like are not supported: end the process in the
 * program's own way). NULL: abort(), which is the default. For the whole process; set it before the
 * first handle is made.
 */
typedef void (*pfx_out_of_memory_fn)(void *context);
PFX_API void pfx_set_out_of_memory(pfx_out_of_memory_fn handler, void *context);

/*
 * Whether the library may read environment variables: TMPDIR (unnamed files), HOME (copies of
 * binaries in ~/.debug), PATH (commands to record), DEBUGINFOD_URLS if downloads are requested,
 * SUDO_UID, PFX_THREADS. Not allowed: /tmp, no ~/.debug, commands are given as paths. For the whole
 * process; not allowed by default.
 */
PFX_API void pfx_use_environment(bool allowed);

/* The largest number of threads that one call of the library may use; 0: by the number of CPUs. For
 * the whole process. Results do not depend on it. */
PFX_API void pfx_set_threads(unsigned nr);

#ifdef __cplusplus
}
#endif

#endif
