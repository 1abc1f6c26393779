/* SPDX-License-Identifier: MIT */
/* Notes about the files of --control: the same wording for all commands that have it. */
#include "cmd/app/control_words.h"

#include "base/str.h"
#include "cmd/app/commands.h"

void pfx_control_say(const char *command, enum pfx_control_trouble trouble, const char *line)
{
	char shown[128];

	if (trouble == PFX_CONTROL_UNKNOWN)
		pfx_print_note(command, "--control: '%s' is not a command",
			       pfx_escape(shown, sizeof(shown), line));
	else
		pfx_print_note(command, "--control: the answers are not read");
}
