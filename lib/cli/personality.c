/* SPDX-License-Identifier: MIT */
/*
 * Which program pfx is: decided by argv[0] alone, so that a link named perf is all it takes. Texts
 * are written for pfx everywhere, and get the other name here, when they are printed.
 */
#include "cli/personality.h"

#include <string.h>

#include "base/str.h"

static bool is_perf;
static bool (*is_command_word)(const char *word);

/* "perf", and with a suffix that is not a word: "perf_6.1", "perf-pfx", "perf.real". */
static bool is_perf_name(const char *name)
{
	return !strncmp(name, "perf", 4) && (!name[4] || strchr("_-.", name[4])) &&
	       strcmp(name, "perf_to_profile") != 0;
}

void pfx_personality_choose(const char *argv0, bool (*is_command)(const char *word))
{
	is_command_word = is_command;
	is_perf = argv0 && is_perf_name(pfx_file_name(argv0));
}

bool pfx_has_habit(enum pfx_habit habit)
{
	return is_perf && habit < PFX_HABITS_NR;
}

const char *pfx_program_name(void)
{
	return is_perf ? "perf" : "pfx";
}

/* Whether "-h", or a word that is a command, begins here. */
static bool is_command_line(const char *text)
{
	char word[32];
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz-");

	if (*text == '-')
		return true;
	if (!len || len >= sizeof(word))
		return false;
	memcpy(word, text, len);
	word[len] = '\0';
	return !strcmp(word, "command") || is_command_word(word);
}

void pfx_add_named(struct pfx_str *to, const char *text)
{
	const char *at = text, *found;

	for (; is_perf && (found = strstr(at, "pfx ")); at = found + 3) {
		bool begins = found == text || strchr(" '([`", found[-1]);

		pfx_str_addn(to, at, (size_t)(found - at));
		pfx_str_add(to, begins && is_command_line(found + 4) ? "perf" : "pfx");
	}
	pfx_str_add(to, at);
}
