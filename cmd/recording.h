/* SPDX-License-Identifier: MIT */
/* What commands that read a recording share: which one, and what to say about its damage. */
#ifndef PFX_CMD_RECORDING_H
#define PFX_CMD_RECORDING_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "file/order.h"
#include "file/reader.h"
#include "session/session.h"
#include "unwind/resolve.h"

/* What -i said, else "-" when standard input is a pipe, else "perf.data". */
const char *pfx_recording_path(const char *input);
/* pfx_reader_open() of that path; where the default is missing the hint says how to make one. */
int pfx_recording_open(struct pfx_reader **ret, const char *input, bool force,
		       struct pfx_error *err);
/* The same, and records that describe the recording are handed out too (to dump, to count). */
int pfx_recording_open_all(struct pfx_reader **ret, const char *input, bool force,
			   struct pfx_error *err);

/* Where a command's run has left its parts; members may be NULL. */
struct pfx_recording_state {
	const struct pfx_reader *reader;
	const struct pfx_session *session;
	const struct pfx_order *order;
	uint64_t nr_bad_samples; /* that did not decode */
};

/* Losses and damage that were survived, as one sentence on standard error; nothing where there are
 * none. */
void pfx_recording_note(const char *command, const struct pfx_recording_state *state);
/* The same sentence into @to, without the command. */
void pfx_recording_note_text(const struct pfx_recording_state *state, struct pfx_str *to);
/* The binaries that were looked into and that have no symbols, one line each on standard error. */
void pfx_recording_note_symbols(const char *command, const struct pfx_session *session,
				const struct pfx_resolver *resolver);

/* @word (NULL: none) stands where the command takes no word: -EINVAL, and how to name a recording.
 */
int pfx_recording_check_word(const char *command, const char *word, struct pfx_error *err);
/* The exit code of a command whose run ended with @rc; a failure is printed. That the reader of our
 * output left is none. */
int pfx_recording_exit_code(const char *command, int rc, const struct pfx_error *err);

#endif
