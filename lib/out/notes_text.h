/* SPDX-License-Identifier: MIT */
/*
 * What is worth telling about a recording after it was read: losses, damage, what has no symbols,
 * chains that end too early; each a sentence, with a remedy where there is one. The caller prints
 * them. Nothing is told where there is nothing to tell.
 */
#ifndef PFX_OUT_NOTES_TEXT_H
#define PFX_OUT_NOTES_TEXT_H

#include "read/archive.h"
#include "read/recording.h"

/* Where sentences go, one a call. Foreign text in them may have any bytes; PFX_MESSAGE_BREAK of
 * out/term.h divides long ones. */
struct pfx_note_to {
	void (*add)(void *context, const char *text);
	void *context;
};

/* Add a sentence. */
void pfx_note_tell(const struct pfx_note_to *to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Losses and damage that were survived, in one sentence. */
void pfx_recording_loss_note(const struct pfx_note_to *to, const struct pfx_recording *recording);
/* What an archive had, or the build-id cache, that is not the build that it is named as: a sentence
 * for each kind. */
void pfx_archive_notes(const struct pfx_note_to *to, const struct pfx_archive_counts *counts);
/* The binaries that were looked into and that have no symbols, or lack some that samples need. */
void pfx_symbol_notes(const struct pfx_note_to *to, const struct pfx_session *session,
		      const struct pfx_resolver *resolver);
/* What gives a binary its symbols, as a part of a sentence; NULL: nothing does. */
const char *pfx_recording_symbols_remedy(const struct pfx_resolver *resolver,
					 const struct pfx_dso *dso);
/* The binaries whose debug information in other files is of another build or missing, so that
 * inlined functions or lines in them are not shown. */
void pfx_line_notes(const struct pfx_note_to *to, const struct pfx_session *session,
		    const struct pfx_resolver *resolver);
/* Where more than one of a hundred call chains from stack dumps does not reach its end: the reasons
 * and the remedies. */
void pfx_unwinding_note(const struct pfx_note_to *to, const struct pfx_resolver *resolver);
/* The same for chains by frame pointers: how many do not reach the start of their thread, in which
 * binaries they end, and the remedy. */
void pfx_pointer_note(const struct pfx_note_to *to, const struct pfx_session *session,
		      const struct pfx_resolver *resolver);
/* What was wrong with the jitdumps of a recording. */
void pfx_jit_notes(const struct pfx_note_to *to, const struct pfx_resolver *resolver);

#endif
