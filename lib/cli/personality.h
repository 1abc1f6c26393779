/* SPDX-License-Identifier: MIT */
/*
 * The name under which the program was started. As `perf` (also perf_6.1, perf-pfx, ...) it keeps
 * the habits of perf 6.1 that scripts and other programs depend on, where pfx by its own name has
 * others. Each difference is a row here, and a row of Documentation/perf-compatibility.md.
 */
#ifndef PFX_CLI_PERSONALITY_H
#define PFX_CLI_PERSONALITY_H

#include <stdbool.h>

#include "base/str.h"

/* HABIT(NAME, "what perf does") */
#define PFX_HABITS(HABIT)                                                                     \
	HABIT(NAME, "messages, help and the version line name 'perf'")                        \
	HABIT(HELP_CODE, "'perf CMD -h' ends with 129 and writes the help to standard error") \
	HABIT(EXIT_CODES, "errors end with the numbers that perf ends with")                  \
	HABIT(MANUAL, "'perf CMD --help' shows the manual page")                              \
	HABIT(WORDS, "messages that other programs parse are perf's")                         \
	HABIT(FEATURES, "'version --build-options' lists perf's features")                    \
	HABIT(CONFIG_FILE, "'config' writes perf's files")                                    \
	HABIT(QUIET_CLOCK, "'record' says only with -v that it samples a clock")              \
	HABIT(ONE_LINE, "'list --raw-dump' prints one line")                                  \
	HABIT(PLAIN_FRAMES, "chains by frame pointers have no inlined functions by default")  \
	HABIT(STREAM_SELF, "'report' of a stream has no column 'Children' by default")        \
	HABIT(PREFIXES, "options that perf 6.1 lacks make no shortened name ambiguous")       \
	HABIT(NO_NOISE, "'diff' has no column of noise by default")                           \
	HABIT(SCRIPT_FORMS, "scripts with names of perf's print what perf's do")              \
	HABIT(MOOT, "options that change nothing in perf are taken, and a note says so")      \
	HABIT(HAND_OVER, "commands that pfx lacks start the distribution's perf")             \
	HABIT(NO_ZERO, "the last line of 'record' has no number of samples where there are none")

enum pfx_habit {
#define PFX_HABIT_ENUM(name, what) PFX_HABIT_##name,
	PFX_HABITS(PFX_HABIT_ENUM)
#undef PFX_HABIT_ENUM
		PFX_HABITS_NR
};

/* Choose by argv[0], once, before anything is printed. @is_command: whether a word is one of the
 * program's commands. */
void pfx_personality_choose(const char *argv0, bool (*is_command)(const char *word));
/* Whether the program was started as perf and has this habit of it. */
bool pfx_has_habit(enum pfx_habit habit);
/* "pfx" or "perf". */
const char *pfx_program_name(void);
/* Append @text with commands in the name of the program: "'pfx record -g'" becomes "'perf record
 * -g'". Words are changed only where a command or an option of the program follows. */
void pfx_add_named(struct pfx_str *to, const char *text);

#endif
