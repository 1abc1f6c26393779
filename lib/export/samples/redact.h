/* SPDX-License-Identifier: MIT */
/*
 * Replaces names that say who was profiled, and on which machine, by words: command1, dir1,
 * binary1, file1, host1. Equal names become equal words, in all profiles and headers that one
 * redaction is applied to; words are numbered in order of first use. Names of functions, events,
 * modules of the kernel and BPF programs stay, without the paths in them. A path in a name reaches
 * to its end, and a relative one begins behind the first colon: rather too much than too little is
 * replaced.
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

/* Append the word, or what stays of the name, of a thread or process, a binary, a function and an
 * event. */
void pfx_redact_command(struct pfx_redact *redact, const char *name, struct pfx_str *to);
void pfx_redact_binary(struct pfx_redact *redact, enum pfx_dso_kind kind, const char *name,
		       struct pfx_str *to);
void pfx_redact_function(struct pfx_redact *redact, const char *name, struct pfx_str *to);
void pfx_redact_event(struct pfx_redact *redact, const char *name, struct pfx_str *to);
/* Commands of threads and processes, paths of binaries and source files, and in names of functions
 * and events. The new names live as long as the profile. */
void pfx_redact_profile(struct pfx_redact *redact, struct pfx_profile *profile);
/* A copy of the header without its command line and the lists that have names of files, with
 * another name of the host and copies of the events; its memory is @arena's. Borrows the rest. */
struct pfx_meta pfx_redact_meta(struct pfx_redact *redact, const struct pfx_meta *meta,
				struct pfx_arena *arena);
void pfx_redact_fini(struct pfx_redact *redact);

#endif
