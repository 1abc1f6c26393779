/* SPDX-License-Identifier: MIT */
/*
 * Replaces names that say who was profiled, and on which machine, by words: command1, dir1,
 * binary1, file1, host1. Equal names become equal words, in all profiles and headers that one
 * redaction is applied to; words are numbered in order of first use. Names of functions and events
 * stay, without the paths in them.
 */
#ifndef PFX_EXPORT_SAMPLES_REDACT_H
#define PFX_EXPORT_SAMPLES_REDACT_H

#include "base/hash.h"
#include "base/str.h"
#include "event/meta.h"
#include "view/profile/profile.h"

/* Zero-initialize; free with pfx_redact_fini(). */
struct pfx_redact {
	struct pfx_intern commands, dirs, binaries, files, hosts;
};

/* Append the word, or what stays of the name, of a thread or process, a binary and a function. */
void pfx_redact_command(struct pfx_redact *redact, const char *name, struct pfx_str *to);
void pfx_redact_binary(struct pfx_redact *redact, enum pfx_dso_kind kind, const char *name,
		       struct pfx_str *to);
void pfx_redact_function(struct pfx_redact *redact, const char *name, struct pfx_str *to);
/* Commands of threads and processes, paths of binaries and source files. The new names live as long
 * as the profile. */
void pfx_redact_profile(struct pfx_redact *redact, struct pfx_profile *profile);
/* A copy of the header without its command line, with another name of the host; its strings live
 * as long as @arena. Borrows the rest. */
struct pfx_meta pfx_redact_meta(struct pfx_redact *redact, const struct pfx_meta *meta,
				struct pfx_arena *arena);
void pfx_redact_fini(struct pfx_redact *redact);

#endif
