/* SPDX-License-Identifier: MIT */
/* `pfx diff`: which files are compared with which. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/diff/diff_command.h"

/* "--old" or "--new", of which each following word is another value. */
static const char *list_option(const char *word)
{
	static const char *const options[] = {"--old", "--new"};
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (!strcmp(word, options[i]))
			return options[i];
	return NULL;
}

char **pfx_diff_spread_words(int argc, char **argv, int *ret_argc)
{
	char **words = pfx_calloc(2ul * (size_t)argc + 1, sizeof(*words));
	const char *option = NULL;
	int i, nr = 0;

	for (i = 0; i < argc; i++) {
		if (argv[i][0] == '-' && argv[i][1]) {
			option = list_option(argv[i]);
			if (!option || i + 1 == argc)
				words[nr++] = argv[i];
			continue;
		}
		if (option)
			words[nr++] = (char *)option;
		words[nr++] = argv[i];
	}
	*ret_argc = nr;
	return words;
}

/* As perf: two files, or more; one is compared with perf.data.old. */
static void take_words(struct pfx_diff_command *command, int nr, char **words)
{
	uint32_t i, nr_sides = nr > 2 ? (uint32_t)nr : 2;

	for (i = 0; i < nr_sides; i++)
		pfx_comparison_add_file(&command->comparison,
					nr > 1 ? words[i]
					: !i   ? "perf.data.old"
					: nr   ? words[0]
					       : "perf.data",
					i);
	command->comparison.model.nr_sides = nr_sides;
}

/* With --keep all words are runs; else the first is the name of the baseline. */
static int take_baseline(struct pfx_diff_command *command, int nr, char **words,
			 struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	int i, first = o->keep ? 0 : 1;

	if (!o->keep && !nr) {
		pfx_error_set(err, EINVAL, "the name of a baseline is missing");
		pfx_error_hint(err, "pfx diff --baseline DIR NAME [new ...]");
		return -EINVAL;
	}
	if (first) {
		command->baseline_name = words[0];
		*pfx_vec_slot(&command->comparison.names, 0) = pfx_strdup(words[0]);
	}
	for (i = 0; (size_t)i < o->new_files.nr; i++)
		pfx_comparison_add_file(&command->comparison, o->new_files.at[i], (uint32_t)first);
	for (i = first; i < nr; i++)
		pfx_comparison_add_file(&command->comparison, words[i], (uint32_t)(first ? i : 0));
	if (!command->comparison.files.nr)
		pfx_comparison_add_file(&command->comparison, "perf.data", (uint32_t)first);
	command->comparison.model.nr_sides = nr > 2 && first ? (uint32_t)nr : 2;
	return 0;
}

static int check_baseline(const struct pfx_cmd_diff_options *o, int nr, struct pfx_error *err)
{
	if (o->keep && !o->baseline) {
		pfx_error_set(err, EINVAL, "--keep needs a directory");
		pfx_error_hint(err, "pfx diff --baseline DIR --keep NAME [file ...]");
		return -EINVAL;
	}
	if (o->baseline && o->old_files.nr)
		return pfx_error_set(err, EINVAL, "--baseline and --old exclude each other");
	if (o->baseline && o->new_files.nr && nr > 1)
		return pfx_error_set(err, EINVAL, "--new and other new files exclude each other");
	return 0;
}

int pfx_diff_take_files(struct pfx_diff_command *command, int nr, char **words,
			struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	size_t i;

	command->comparison.model.nr_sides = 2;
	if (check_baseline(o, nr, err))
		return -EINVAL;
	if (o->baseline)
		return take_baseline(command, nr, words, err);
	if (!o->old_files.nr && !o->new_files.nr) {
		take_words(command, nr, words);
		return 0;
	}
	if (!o->old_files.nr || !o->new_files.nr || nr) {
		pfx_error_set(err, EINVAL,
			      nr ? "'%s' belongs to no side" : "%sone side has no files",
			      nr ? words[0] : "");
		pfx_error_hint(err, "with several runs: pfx diff --old a1 a2 a3 --new b1 b2 b3");
		return -EINVAL;
	}
	for (i = 0; i < o->old_files.nr; i++)
		pfx_comparison_add_file(&command->comparison, o->old_files.at[i], 0);
	for (i = 0; i < o->new_files.nr; i++)
		pfx_comparison_add_file(&command->comparison, o->new_files.at[i], 1);
	return 0;
}
