/* SPDX-License-Identifier: MIT */
/* What commands that read a recording share: which one, and what to say about its damage. */
#ifndef PFX_CMD_RECORDING_H
#define PFX_CMD_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "base/words.h"
#include "file/order.h"
#include "file/reader.h"
#include "session/session.h"
#include "unwind/resolve.h"

/* What -i said, else "-" when standard input is a pipe, else "perf.data". */
const char *pfx_recording_path(const char *input);
/* What the options of a command ask for, or-ed together. */
enum pfx_open_how {
	PFX_OPEN_FORCE = 1,   /* -f: read what belongs to somebody else */
	PFX_OPEN_STRICT = 2,  /* --strict: damage is an error */
	PFX_OPEN_PAYLOAD = 4, /* AUX area data of any length, see pfx_reader_options */
};

static inline unsigned pfx_open_how(bool force, bool strict)
{
	return (force ? PFX_OPEN_FORCE : 0u) | (strict ? PFX_OPEN_STRICT : 0u);
}

/* The row of --strict in a command's table of options. */
#define PFX_OPT_STRICT(field)                                                          \
	{                                                                              \
		PFX_OPT_BOOL, 0, "strict", AT(field), NULL,                            \
			"a damaged recording is an error, not read as far as possible" \
	}

/* pfx_reader_open() of that path; where the default is missing the hint says how to make one. */
int pfx_recording_open(struct pfx_reader **ret, const char *input, unsigned how,
		       struct pfx_error *err);
/* The same, and records that describe the recording are handed out too (to dump, to count). */
int pfx_recording_open_all(struct pfx_reader **ret, const char *input, unsigned how,
			   struct pfx_error *err);

/* The recorded kernel's symbols that lie in a recording's directory (kcore_dir); NULL: there are
 * none. Belongs to the reader. */
const char *pfx_recording_kallsyms(struct pfx_reader *reader);
/* The same for kcore_dir/kcore, a copy of the kernel's memory. */
const char *pfx_recording_kcore(struct pfx_reader *reader);

/* Where a command's run has left its parts; members may be NULL. */
struct pfx_recording_state {
	const struct pfx_reader *reader;
	const struct pfx_session *session;
	const struct pfx_order *order;
	uint64_t nr_bad_samples; /* that did not decode */
	bool header_only;        /* records were not read, so nothing can be said of how many */
};

/* Losses and damage that were survived, as one sentence on standard error; nothing where there are
 * none. */
void pfx_recording_note(const char *command, const struct pfx_recording_state *state);
/* The binaries that were looked into and that have no symbols, or lack some that samples need, one
 * line each on standard error. */
void pfx_recording_note_symbols(const char *command, const struct pfx_session *session,
				const struct pfx_resolver *resolver);
/* Where more than one of a hundred call chains from copied stacks does not reach its end: one line
 * on standard error, with the reasons and with what would help. */
void pfx_recording_note_unwinding(const char *command, const struct pfx_resolver *resolver);

/* The binaries whose debug information in other files is of another build or missing, so that
 * inlined functions or lines in them are not shown, one line each on standard error. */
void pfx_recording_note_lines(const char *command, const struct pfx_session *session,
			      const struct pfx_resolver *resolver);

/* What was wrong with the jitdumps of a recording, one line each on standard error. */
void pfx_recording_note_jit(const char *command, const struct pfx_resolver *resolver);

/* Samples can be chosen by @cpus (-C): they tell where they ran, and the machine had one of them.
 */
int pfx_recording_check_cpus(const struct pfx_meta *meta, const struct pfx_list *cpus,
			     struct pfx_error *err);
/* On standard error: the recording has no samples, or (@has_some) none that the options let
 * pass. */
void pfx_recording_note_empty(const char *command, const struct pfx_reader *reader, bool has_some);

/* @word (NULL: none) stands where the command takes no word: -EINVAL, and how to name a recording.
 */
int pfx_recording_check_word(const char *command, const char *word, struct pfx_error *err);
/* The exit code of a command whose run ended with @rc; a failure is printed. That the reader of our
 * output left is none. */
int pfx_recording_exit_code(const char *command, int rc, const struct pfx_error *err);

#endif
