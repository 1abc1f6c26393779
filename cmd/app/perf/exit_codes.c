/* SPDX-License-Identifier: MIT */
/*
 * perf ends with whatever its functions return: -EINVAL is 234, and some errors end with 0. Scripts
 * compare these numbers, so that they are kept under its name. Errors where perf continues with
 * something that was not asked for have no row: pfx refuses them.
 */
#include "cmd/app/perf/exit_codes.h"

#include <string.h>

#include "cli/personality.h"

#define NR_COMMANDS 4

/* A kind of failure: commands, words of pfx's message, the exit code of perf 6.1. */
static const struct {
	const char *commands[NR_COMMANDS], *words;
	unsigned char code;
} rows[] = {
	/* what is chosen of a recording */
	{{"report", "script", "diff"}, "the span ends before it begins", 0},
	{{"report", "script", "diff"}, "is not a span of time", 234},
	{{"report"}, "is not a list of CPUs", 0},
	{{"report"}, "cannot choose: the samples of event", 0},
	{{"script", "annotate", "diff"}, "is not a list of CPUs", 255},
	{{"script", "annotate", "diff"}, "cannot choose: the samples of event", 255},
	{{"report", "script"}, "is not a list of numbers separated by", 0},
	{{"report", "script"}, "is not in the recording", 254},
	{{"report"}, "is a recording", 255},
	/* how it is shown */
	{{"report"}, "is not a key for -", 0},
	{{"report"}, "is a key for ", 0},
	{{"report"}, "-F names no column", 0},
	{{"report"}, "is not a valid pattern for -p", 0},
	{{"report"}, "--hierarchy makes a level of each key", 0},
	{{"report"}, "--mem-mode has nothing to show", 0},
	{{"report"}, "-b has nothing to show", 0},
	{{"report", "annotate"}, ": cannot read '", 234},
	{{"annotate"}, "there is no function '", 0},
	{{"annotate"}, "no sample lies in '", 0},
	{{"annotate"}, "--prefix-strip needs --prefix", 234},
	{{"diff"}, " files, counted from 0", 255},
	{{"script"}, "--reltime and --deltatime exclude", 255},
	{{"script"}, "do not have CGROUP attribute", 129},
	{{"script"}, "no script is called '", 255},
	{{"script"}, "a script can be generated in", 254},
	/* what is counted */
	{{"stat"}, "is not a list of ", 234},
	{{"stat"}, "there is no process ", 234},
	{{"stat"}, "--per-thread is for threads", 234},
	{{"stat"}, "cannot open cgroup", 234},
	{{"stat"}, "no top-down ", 234},
	{{"stat"}, "has no 'freeze_on_smi'", 234},
	{{"stat"}, "cpu/cycles-t/", 234},
	{{"stat"}, "-o and --log-fd exclude", 234},
	{{"stat"}, "--timeout must be 10 ms", 234},
	{{"stat"}, "--interval-count is for -I", 234},
	{{"stat"}, "--interval-clear is for -I", 255},
	{{"stat"}, "'-1' is not a number of runs", 234},
	{{"stat"}, "--table is for runs", 234},
	{{"stat"}, "-r does not go with stat record", 255},
	{{"stat report"}, "this recording has no counts", 0},
	{{"stat"}, "rows by CPU need counts", 234},
	/* what is recorded */
	{{"record", "top"}, "is not a number of samples per second", 234},
	{{"record", "top"}, "(-F) and a count (-c) exclude", 234},
	{{"record", "top"}, "are more than the kernel allows", 234},
	{{"record"}, "is not a moment to switch the output", 234},
	{{"record"}, "is not a list of thread ids", 129},
	{{"record"}, "there is no thread ", 255},
	{{"record", "top"}, "there is no user '", 0},
	{{"record", "top"}, "has no processes", 0},
	{{"top"}, "there is no process ", 254},
	{{"top"}, "is not a key for -", 0},
	{{"record"}, "cannot open cgroup", 129},
	{{"record"}, "-S is about traces", 234},
	{{"record"}, "--aux-sample is about traces", 234},
	{{"record"}, "is not a valid size of AUX samples", 234},
	{{"record"}, "' for --control", 129},
	{{"record"}, "--switch-output is for files", 234},
	{{"record"}, "is not a valid choice of threads", 234},
	{{"record"}, " is not online", 237},
	{{"record"}, " of the configuration '", 255},
	/* other commands */
	{{"buildid-cache"}, "failed to open ", 255}, /* a recording */
	{{"buildid-cache"}, "cannot open '", 0},
	{{"buildid-cache"}, "is not an ELF file", 0},
	{{"buildid-cache"}, "is not the running kernel", 0},
	{{"buildid-cache"}, "is not in the build-id cache", 0},
	{{"config"}, "-l shows all settings", 0},
	{{"list"}, "no event of this machine is called", 0},
	{{"help"}, "there is no help on '", 16},
	{{"inject"}, "--strip removes events", 255},
	{{"inject"}, "says which build ids to add", 255},
};

static int wanted = -1; /* -1: the last error has no row */

static bool is_of(size_t row, const char *command)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS && rows[row].commands[i]; i++)
		if (!strcmp(rows[row].commands[i], command))
			return true;
	return false;
}

static bool says(const struct pfx_error *err, const char *words)
{
	return strstr(err->text, words) || strstr(err->hint, words) || strstr(err->known, words);
}

void pfx_exit_code_note(const char *command, const struct pfx_error *err)
{
	size_t i;

	wanted = -1;
	if (!command || !pfx_has_habit(PFX_HABIT_EXIT_CODES))
		return;
	for (i = 0; wanted < 0 && i < sizeof(rows) / sizeof(*rows); i++)
		if (is_of(i, command) && says(err, rows[i].words))
			wanted = rows[i].code;
}

int pfx_exit_code_killed(int signal)
{
	return pfx_has_habit(PFX_HABIT_EXIT_CODES) ? 0 : 128 + signal;
}

bool pfx_exit_code_is_scripts(void)
{
	return pfx_has_habit(PFX_HABIT_EXIT_CODES);
}

int pfx_exit_code(int code)
{
	return code && wanted >= 0 ? wanted : code;
}
