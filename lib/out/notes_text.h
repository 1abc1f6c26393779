/* SPDX-License-Identifier: MIT */
/*
 * Notes about a recording after it was read: losses, damage, missing symbols, incomplete call
 * chains; each is a sentence, with a remedy if there is one. The caller prints them. Without
 * problems there are no notes.
 */
#ifndef PFX_OUT_NOTES_TEXT_H
#define PFX_OUT_NOTES_TEXT_H

#include "read/archive.h"
#include "read/recording.h"

/* Receives the sentences, one per call. Untrusted text in them may contain any bytes;
 * PFX_MESSAGE_BREAK of out/term.h divides long ones. */
struct pfx_note_to {
	void (*add)(void *context, const char *text);
	void *context;
};

/* Add a sentence. */
void pfx_note_tell(const struct pfx_note_to *to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Losses and damage, in one sentence. */
void pfx_recording_loss_note(const struct pfx_note_to *to, const struct pfx_recording *recording);
/* Files of an archive or of the build-ID cache with another build ID than their name: a sentence
 * for each kind. */
void pfx_archive_notes(const struct pfx_note_to *to, const struct pfx_archive_counts *counts);
/* If a binary lacks symbols of samples: a sentence why. */
void pfx_symbol_note(const struct pfx_note_to *to, const struct pfx_resolver *resolver,
		     const struct pfx_dso *dso);
/* The same for all binaries. */
void pfx_symbol_notes(const struct pfx_note_to *to, const struct pfx_session *session,
		      const struct pfx_resolver *resolver);
/* The remedy for missing symbols of a binary, as a part of a sentence; NULL: none. */
const char *pfx_recording_symbols_remedy(const struct pfx_resolver *resolver,
					 const struct pfx_dso *dso);
/* The binaries whose separate debug information is missing or of another build, so that inlined
 * functions or source lines are not shown. */
void pfx_line_notes(const struct pfx_note_to *to, const struct pfx_session *session,
		    const struct pfx_resolver *resolver);
/* If more than 1 percent of the call chains from stack dumps are incomplete: the reasons and the
 * remedies. */
void pfx_unwinding_note(const struct pfx_note_to *to, const struct pfx_resolver *resolver);
/* The same for frame pointer chains: how many do not reach the start of their thread, the binaries
 * in which they end, and the remedy. */
void pfx_pointer_note(const struct pfx_note_to *to, const struct pfx_session *session,
		      const struct pfx_resolver *resolver);
/* Problems with the jitdumps of a recording. */
void pfx_jit_notes(const struct pfx_note_to *to, const struct pfx_resolver *resolver);

#endif
