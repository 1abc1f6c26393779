/* SPDX-License-Identifier: MIT */
#include "cmd/flamegraph/flamegraph_words.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/app/export/export_options.h"
#include "sys/target/workload.h"

static bool is_program(const char *word)
{
	char *path = NULL;
	bool is_found = pfx_workload_find(word, &path, NULL) >= 0;

	free(path);
	return is_found;
}

static bool is_option_word(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Whether -i is among the words before the program that is recorded. */
static bool finds_input(const struct pfx_option *own, int nr, char **words)
{
	const struct pfx_option *row;
	int i, span;

	for (i = 0; i < nr && strcmp(words[i], "--") != 0; i += span ? span : 1) {
		span = 0;
		if (!is_option_word(words[i])) {
			if (is_program(words[i]))
				return false;
			continue;
		}
		span = pfx_options_span(own, nr - i, words + i, &row);
		if (span && row->letter == 'i')
			return true;
		if (!span)
			span = pfx_options_span(pfx_cmd_record.options, nr - i, words + i, &row);
		if (!span)
			span = pfx_options_span(pfx_export_option_table, nr - i, words + i, &row);
	}
	return false;
}

static void take(struct pfx_word_list *to, int nr, char **words)
{
	while (nr-- > 0)
		pfx_vec_push(to, *words++);
	pfx_vec_push(to, NULL);
	to->nr--;
}

static void note_record_option(const struct pfx_option *row, struct pfx_flamegraph_words *ret)
{
	static const char *const several[] = {"switch-output", "switch-output-event",
					      "timestamp-filename", "dry-run"};
	size_t i;

	if (row->letter == 'g' || (row->name && !strcmp(row->name, "call-graph")))
		ret->has_chains = true;
	for (i = 0; row->name && i < sizeof(several) / sizeof(*several); i++)
		if (!strcmp(row->name, several[i]))
			ret->refused = row->name;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "-h") || !strcmp(word, "--help") || !strcmp(word, "--list-opts");
}

/* How many words the first one takes, and the list that they belong to. */
static int option_span(const struct pfx_option *own, int nr, char **words,
		       struct pfx_flamegraph_words *ret, struct pfx_word_list **to)
{
	const struct pfx_option *row;
	int span = pfx_options_span(own, nr, words, &row);

	*to = &ret->own;
	if (span)
		return span;
	if (is_help(words[0]))
		return nr; /* the words to look for in the help */
	*to = &ret->export;
	if (!ret->has_input && strncmp(words[0], "--weight", 8) != 0) { /* the recorder's is -W */
		span = pfx_options_span(pfx_cmd_record.options, nr, words, &row);
		if (span) {
			*to = &ret->record;
			note_record_option(row, ret);
			return span;
		}
	}
	span = pfx_options_span(pfx_export_option_table, nr, words, &row);
	return span ? span : 1;
}

void pfx_flamegraph_divide(const struct pfx_option *own, int argc, char **argv,
			   struct pfx_flamegraph_words *ret)
{
	char *record = (char *)"record";
	struct pfx_word_list *to;
	int i = 1, span;

	*ret = (struct pfx_flamegraph_words){.has_input = finds_input(own, argc - 1, argv + 1)};
	take(&ret->own, 1, argv);
	take(&ret->export, 1, argv);
	take(&ret->record, 1, &record);
	while (i < argc && (ret->has_input || is_option_word(argv[i])) && strcmp(argv[i], "--")) {
		to = &ret->export;
		span = is_option_word(argv[i]) ? option_span(own, argc - i, argv + i, ret, &to) : 1;
		take(to, span < argc - i ? span : argc - i, argv + i);
		i += span;
	}
	if (i < argc && strcmp(argv[i], "--") != 0)
		ret->program = argv[i];
	if (i < argc)
		take(ret->has_input ? &ret->export : &ret->record, argc - i, argv + i);
}

void pfx_flamegraph_words_fini(struct pfx_flamegraph_words *words)
{
	pfx_vec_free(&words->own);
	pfx_vec_free(&words->export);
	pfx_vec_free(&words->record);
}
