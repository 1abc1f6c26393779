/* SPDX-License-Identifier: MIT */
/*
 * In perf, `--debug verbose=2` is -v of any command, and `--debug perf-event-open=1` shows what is
 * asked of the kernel, as -vv does here. Messages go to standard error anyway, which is all that
 * "stderr" means.
 */
#include "cmd/app/perf/debug_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"

#define SHOWS_EVENTS 2 /* -vv of record, stat and top */

enum meaning { VERBOSE, EVENTS, STDERR, NR_MEANINGS };

static const char *const names[NR_MEANINGS] = {"verbose", "perf-event-open", "stderr"};

static int unknown(const char *word, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL, "'%s' is not a name for --debug",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "names are verbose, perf-event-open and stderr; 'verbose=2' is louder");
	return -EINVAL;
}

int pfx_debug_level(const char *word, int *level, struct pfx_error *err)
{
	size_t len = strcspn(word, "="), i = 0;
	uint64_t number = 1;

	while (i < NR_MEANINGS && (strlen(names[i]) != len || strncmp(word, names[i], len)))
		i++;
	if (i == NR_MEANINGS)
		return unknown(word, err);
	if (word[len] && !pfx_parse_u64(word + len + 1, &number))
		return pfx_error_set(err, EINVAL, "the level of --debug %s is not a number",
				     names[i]);
	number = number > PFX_DEBUG_MAX ? PFX_DEBUG_MAX : number;
	if (i == VERBOSE)
		*level = (int)number;
	else if (i == EVENTS && number && *level < SHOWS_EVENTS)
		*level = SHOWS_EVENTS;
	return 0;
}

static bool has_verbose(const struct pfx_command *command)
{
	const struct pfx_option *row;

	for (row = command->options; row->kind != PFX_OPT_END; row++)
		if (row->letter == 'v' && row->name && !strcmp(row->name, "verbose"))
			return true;
	return false;
}

char **pfx_debug_words(const struct pfx_command *command, int level, int *argc, char **argv)
{
	size_t nr = (size_t)*argc + 1, size = nr * sizeof(*argv);
	char **words, *letters;

	if (level <= 0 || !has_verbose(command))
		return NULL;
	words = pfx_calloc(1, size + sizeof(*argv) + PFX_DEBUG_MAX + 2);
	letters = (char *)(words + nr + 1);
	letters[0] = '-';
	memset(letters + 1, 'v', (size_t)level);
	words[0] = argv[0];
	words[1] = letters;
	memcpy(words + 2, argv + 1, size - 2 * sizeof(*argv));
	++*argc;
	return words;
}
