/* SPDX-License-Identifier: MIT */
/* Names without what differs from build to build. */
#ifndef PFX_DIFF_BUILD_NAMES_H
#define PFX_DIFF_BUILD_NAMES_H

#include "base/str.h"

/* Append the name of a function without the suffixes that compilers give to clones and parts:
 * .isra.0, .constprop.1, .part.2, .cold, .lto_priv.3, .llvm.4, " [clone .isra.0]". */
void pfx_build_function_name(const char *name, struct pfx_str *to);
/* Append the name of a library without its version: "libz.so" for "libz.so.1.2.13", "libc.so" for
 * "libc-2.36.so"; "[kernel]" for the kernel's names. */
void pfx_build_library_name(const char *name, struct pfx_str *to);

/* Append the name of an event without the precision in its modifiers, nor that guests are excluded:
 * "cpu-clock" for "cpu-clock:ppp" and "cpu-clock:pppH", "cycles:u" for "cycles:upp". What is
 * counted of this machine is the same. */
void pfx_build_event_name(const char *name, struct pfx_str *to);

#endif
