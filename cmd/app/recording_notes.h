/* SPDX-License-Identifier: MIT */
/* Messages of all commands that read a recording: damage, lost records, missing symbols. */
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

/* Rows of the options of commands that read a recording; AT() is the offset of a member of their
 * options. */
#define PFX_OPT_INPUT(field)                                     \
	{                                                        \
		PFX_OPT_STRING, 'i', "input", AT(field), "file", \
			"recording to read, - is standard input" \
	}
#define PFX_OPT_FORCE(field)                                            \
	{                                                               \
		PFX_OPT_BOOL, 'f', "force", AT(field), NULL,            \
			"also read a file that belongs to another user" \
	}
#define PFX_OPT_DUMP(field)                                           \
	{                                                             \
		PFX_OPT_BOOL, 'D', "dump-raw-trace", AT(field), NULL, \
			"show every record in hex and decoded"        \
	}

/* The row of --strict in a command's table of options. */
#define PFX_OPT_STRICT(field)                                                                      \
	{                                                                                          \
		PFX_OPT_BOOL, 0, "strict", AT(field), NULL,                                        \
			"fail on a damaged recording, do not read the intact part", .is_new = true \
	}

/* Prints sentences of the library on standard error, in the name of a command. */
struct pfx_note_to pfx_recording_notes(const char *command);
/* Lost records and damage that was skipped, as one sentence on standard error; nothing if there
 * were none. */
void pfx_recording_note(const char *command, const struct pfx_recording *recording);
/* Files of an archive or of the build-ID cache whose build ID differs from their name: a line for
 * each kind on standard error. */
void pfx_archive_note(const char *command, const struct pfx_archive_counts *counts);
/* The binaries that have no symbols, or lack some that samples need, one line each on standard
 * error. */
void pfx_recording_note_symbols(const char *command, const struct pfx_session *session,
				const struct pfx_resolver *resolver);
/* If more than 1 percent of the call chains from stack dumps are incomplete: one line on standard
 * error, with the reasons and the remedies. */
void pfx_recording_note_unwinding(const char *command, const struct pfx_resolver *resolver);
/* The same for call chains by frame pointers: how many do not reach the start of their thread, in
 * which binaries they end, and the remedy. */
void pfx_recording_note_pointers(const char *command, const struct pfx_session *session,
				 const struct pfx_resolver *resolver);

/* The binaries whose separate debug information is missing or of another build, so that their
 * inlined functions or source lines are not shown, one line each on standard error. */
void pfx_recording_note_lines(const char *command, const struct pfx_session *session,
			      const struct pfx_resolver *resolver);

/* Errors in the jitdump files of a recording, one line each on standard error. */
void pfx_recording_note_jit(const char *command, const struct pfx_resolver *resolver);

/* Reports on standard error that the recording has no samples, or (@has_some) none that pass the
 * filters. */
void pfx_recording_note_empty(const char *command, const struct pfx_reader *reader, bool has_some);

/* @word (NULL: none) was given but is not allowed: -EINVAL, with a hint how to give the input
 * file. */
int pfx_recording_check_word(const char *command, const char *word, struct pfx_error *err);
/* The exit code of a command whose run ended with @rc; an error is printed, except if the reader of
 * the output closed the pipe. */
int pfx_recording_exit_code(const char *command, int rc, const struct pfx_error *err);

#endif
