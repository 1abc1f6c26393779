/* SPDX-License-Identifier: MIT */
#include "cli/cli_note.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static pfx_cli_note_fn note_fn;

void pfx_cli_on_note(pfx_cli_note_fn note)
{
	note_fn = note;
}

void pfx_cli_note(const char *command, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	if (!note_fn)
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		note_fn(command, text);
	va_end(ap);
	free(text);
}
