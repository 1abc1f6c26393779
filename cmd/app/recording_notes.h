/* SPDX-License-Identifier: MIT */
/* What commands that read a recording share: what to say about its damage. */
#ifndef PFX_CMD_RECORDING_NOTES_H
#define PFX_CMD_RECORDING_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "base/words.h"
#include "out/notes_text.h"
#include "read/archive.h"
#include "read/recording.h"
#include "read/recording_words.h"

/* The row of --strict in a command's table of options. */
#define PFX_OPT_STRICT(field)                                                      \
	{                                                                          \
		PFX_OPT_BOOL, 0, "strict", AT(field), NULL,                        \
			"fail on a damaged recording, do not read the intact part" \
	}

/* Losses and damage that were survived, as one sentence on standard error; nothing where there are
 * none. */
void pfx_recording_note(const char *command, const struct pfx_recording *recording);
/* What an archive had, or the build-id cache, that is not the build that it is named as: a line for
 * each kind on standard error. */
void pfx_archive_note(const char *command, const struct pfx_archive_counts *counts);
/* The binaries that were looked into and that have no symbols, or lack some that samples need, one
 * line each on standard error. */
void pfx_recording_note_symbols(const char *command, const struct pfx_session *session,
				const struct pfx_resolver *resolver);
/* If more than 1 percent of the call chains from stack dumps are incomplete: one line on standard
 * error, with the reasons and the remedies. */
void pfx_recording_note_unwinding(const char *command, const struct pfx_resolver *resolver);
/* The same for chains by frame pointers: how many do not reach the start of their thread, in which
 * binaries they end, and the remedy. */
void pfx_recording_note_pointers(const char *command, const struct pfx_session *session,
				 const struct pfx_resolver *resolver);

/* The binaries whose debug information in other files is of another build or missing, so that
 * inlined functions or lines in them are not shown, one line each on standard error. */
void pfx_recording_note_lines(const char *command, const struct pfx_session *session,
			      const struct pfx_resolver *resolver);

/* What was wrong with the jitdumps of a recording, one line each on standard error. */
void pfx_recording_note_jit(const char *command, const struct pfx_resolver *resolver);

/* On standard error: the recording has no samples, or (@has_some) none that the options let
 * pass. */
void pfx_recording_note_empty(const char *command, const struct pfx_reader *reader, bool has_some);

/* @word (NULL: none) was given but is not allowed: -EINVAL, with a hint how to give the input
 * file. */
int pfx_recording_check_word(const char *command, const char *word, struct pfx_error *err);
/* The exit code of a command whose run ended with @rc; a failure is printed. That the reader of our
 * output left is none. */
int pfx_recording_exit_code(const char *command, int rc, const struct pfx_error *err);

#endif
