/* SPDX-License-Identifier: MIT */
/* The fields of an event's attributes, one a line, of the text that evlist -v has in one line. */
#include "cmd/app/perf/attr_block.h"

#include <string.h>

#include "base/str.h"
#include "cli/personality.h"
#include "cmd/app/messages.h"
#include "event/names.h"

#define NAME_COLUMNS 32
#define RULE         "------------------------------------------------------------"

/* The length of "NAME: VALUE" at @text: up to ", " outside of braces, or the end. */
static size_t field_length(const char *text)
{
	bool inside = false;
	size_t len;

	for (len = 0; text[len]; len++) {
		if (text[len] == '{' || text[len] == '}')
			inside = text[len] == '{';
		else if (!inside && !strncmp(text + len, ", ", 2))
			break;
	}
	return len;
}

void pfx_print_attr_block(const struct pfx_attr *attr)
{
	struct pfx_str text = {0};
	const char *at;
	size_t len, name;

	if (!pfx_has_habit(PFX_HABIT_WORDS))
		return;
	pfx_attr_text(attr, &text);
	pfx_print_line(RULE "\nperf_event_attr:");
	for (at = pfx_str_get(&text); *at; at += len + (at[len] ? 2 : 0)) {
		len = field_length(at);
		name = strcspn(at, ":");
		if (name + 2 <= len)
			pfx_print_line("  %-*.*s %.*s", NAME_COLUMNS, (int)name, at,
				       (int)(len - name - 2), at + name + 2);
	}
	pfx_print_line(RULE);
	pfx_str_fini(&text);
}
