/* SPDX-License-Identifier: MIT */
/* The note about an output pipe that has no reader yet. */
#include "cmd/app/output_open.h"

#include "base/str.h"
#include "cmd/app/commands.h"

void pfx_output_say_waiting(const char *command, const char *path)
{
	char shown[256];

	pfx_print_note(command, "waiting for somebody to read '%s'",
		       pfx_escape(shown, sizeof(shown), path));
}

static void tell(void *context, const char *path)
{
	if (context)
		pfx_output_say_waiting(context, path);
}

struct pfx_open_wait pfx_output_wait(const char *command)
{
	return (struct pfx_open_wait){tell, (void *)(uintptr_t)command};
}

int pfx_output_open(struct pfx_writer **ret, const char *path, const char *command,
		    struct pfx_error *err)
{
	const struct pfx_open_wait wait = pfx_output_wait(command);

	return pfx_writer_open_wait(ret, path, false, &wait, err);
}

int pfx_output_open_file(const char *path, enum pfx_output_how how, const char *command,
			 struct pfx_error *err)
{
	const struct pfx_open_wait wait = pfx_output_wait(command);

	return pfx_output_file_open_wait(path, how, &wait, err);
}
