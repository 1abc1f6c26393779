/* SPDX-License-Identifier: MIT */
/* Prints the messages of lib/out about a recording, in the name of a command. */
#include "cmd/app/recording_notes.h"

#include <errno.h>

#include "base/str.h"
#include "cli/personality.h"
#include "cmd/app/commands.h"

#define READER_LEFT_CODE 141 /* as if terminated by SIGPIPE */

static void print(void *context, const char *text)
{
	pfx_print_note(context, "%s", text);
}

struct pfx_note_to pfx_recording_notes(const char *command)
{
	return (struct pfx_note_to){print, (char *)command};
}

void pfx_archive_note(const char *command, const struct pfx_archive_counts *counts)
{
	const struct pfx_note_to to = pfx_recording_notes(command);

	pfx_archive_notes(&to, counts);
}

void pfx_recording_note(const char *command, const struct pfx_recording *recording)
{
	const struct pfx_note_to to = pfx_recording_notes(command);

	pfx_recording_loss_note(&to, recording);
}

void pfx_recording_note_symbols(const char *command, const struct pfx_session *session,
				const struct pfx_resolver *resolver)
{
	const struct pfx_note_to to = pfx_recording_notes(command);

	pfx_symbol_notes(&to, session, resolver);
}

void pfx_recording_note_lines(const char *command, const struct pfx_session *session,
			      const struct pfx_resolver *resolver)
{
	const struct pfx_note_to to = pfx_recording_notes(command);

	pfx_line_notes(&to, session, resolver);
}

void pfx_recording_note_unwinding(const char *command, const struct pfx_resolver *resolver)
{
	const struct pfx_note_to to = pfx_recording_notes(command);

	pfx_unwinding_note(&to, resolver);
}

void pfx_recording_note_pointers(const char *command, const struct pfx_session *session,
				 const struct pfx_resolver *resolver)
{
	const struct pfx_note_to to = pfx_recording_notes(command);

	pfx_pointer_note(&to, session, resolver);
}

void pfx_recording_note_jit(const char *command, const struct pfx_resolver *resolver)
{
	const struct pfx_note_to to = pfx_recording_notes(command);

	pfx_jit_notes(&to, resolver);
}

void pfx_recording_note_empty(const char *command, const struct pfx_reader *reader, bool has_some)
{
	char shown[256];

	if (!has_some && pfx_has_habit(PFX_HABIT_WORDS)) {
		pfx_print_line("Error:\nThe %s data has no samples!",
			       pfx_reader_info(reader)->path);
		return;
	}
	pfx_print_note(command, "'%s' has no samples%s",
		       pfx_escape(shown, sizeof(shown), pfx_reader_info(reader)->path),
		       has_some ? " that match the options" : "");
}

int pfx_recording_check_word(const char *command, const char *word, struct pfx_error *err)
{
	char shown[128];

	if (!word)
		return 0;
	if (pfx_recording_refuse_as_word(word, err) < 0)
		return -EINVAL;
	pfx_error_set(err, EINVAL, "'%s' is not expected here",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "the recording is named with -i; see 'pfx %s -h'", command);
	return -EINVAL;
}

int pfx_recording_exit_code(const char *command, int rc, const struct pfx_error *err)
{
	if (rc >= 0)
		return 0;
	return rc == -EPIPE ? READER_LEFT_CODE : pfx_print_error(command, err);
}
