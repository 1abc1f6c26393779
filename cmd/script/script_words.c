/* SPDX-License-Identifier: MIT */
/*
 * Classifies the words after the name of a script: the script's own, those of `pfx script`, the
 * recorder's, and the program to record. A script declares its options in its comment about args.
 * Starts nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/script/script_options.h"
#include "cmd/script/script_run.h"
#include "script/script_catalog.h"
#include "sys/target/workload.h"

struct words {
	char **at;
	size_t nr, cap;
};

/* --- the script's own --- */

/* How many words @word takes as an option that is declared in @args, as "[-o file] [--quiet]"; 0:
 * not declared. */
static int declared_span(const char *args, const char *word)
{
	bool is_long = word[1] == '-';
	size_t len = is_long ? strcspn(word, "=") : 2, end;
	const char *at;

	for (at = args; *at; at += end) {
		at += strspn(at, " []<>|,");
		end = strcspn(at, " []<>|,");
		if (end != len || strncmp(at, word, len) != 0)
			continue;
		at += end;
		return !word[len] && *at == ' ' && at[1] != '-' && at[1] != '[' && at[1] ? 2 : 1;
	}
	return 0;
}

/* Options that select what `pfx script` does; not valid after a name. */
static bool chooses_script(const struct pfx_option *row)
{
	return row->letter == 's' || row->letter == 'g' || row->letter == 'l';
}

/* How many words an option of `pfx script` takes; 0: not one of these. */
static int own_span(int nr, char *const *words)
{
	const struct pfx_option *row;
	int span = pfx_options_span(pfx_script_option_table, nr, words, &row);

	return span && chooses_script(row) ? 0 : span;
}

/* --- looking --- */

struct scan {
	const char *args; /* the script's comment */
	int nr_wanted;    /* required arguments of the script that have not been found yet */
	struct pfx_script_words *ret;
};

static bool is_program(const char *word)
{
	char *path = NULL;
	bool is_found = pfx_workload_find(word, &path, NULL) >= 0;

	free(path);
	return is_found;
}

static bool is_input_option(const char *word)
{
	return !strcmp(word, "-i") || !strcmp(word, "--input");
}

/* `-i` is also the recorder's --no-inherit: a program after it is not an input file, unless it is a
 * recording. */
static bool is_input(int nr, char *const *words)
{
	if (!strncmp(words[0], "--input=", 8))
		return true;
	if (!is_input_option(words[0]) || nr < 2)
		return false;
	if (words[1][0] == '-' && words[1][1])
		return false;
	return pfx_recording_is_at(words[1]) || !is_program(words[1]);
}

static void note_recorder_option(const struct pfx_option *row, bool is_own,
				 struct pfx_script_words *ret)
{
	bool is_only = !is_own || row->letter == 'a';

	if (is_only && row->letter && strchr("aptu", row->letter))
		ret->has_target = true;
	if (!is_own)
		ret->is_for_recorder = true;
}

/* How many words an option takes. A letter that both commands have is parsed as the recorder's,
 * since a program may follow there. */
static int option_span(const struct scan *scan, int nr, char *const *words)
{
	int span = declared_span(scan->args, words[0]), own, recorders;
	const struct pfx_option *row = NULL;

	if (span)
		return span < nr ? span : nr;
	if (is_input(nr, words)) {
		scan->ret->has_input = true;
		return is_input_option(words[0]) ? 2 : 1;
	}
	own = own_span(nr, words);
	recorders = pfx_options_span(pfx_cmd_record.options, nr, words, &row);
	if (recorders)
		note_recorder_option(row, own, scan->ret);
	if (own && (words[0][1] == '-' || !recorders))
		return own;
	return recorders ? recorders : 1;
}

/* A word that is not an option: true if it is the program to record. */
static bool take_plain(struct scan *scan, const char *word)
{
	if (scan->nr_wanted) {
		scan->nr_wanted--;
		return false;
	}
	if (!scan->ret->recording && pfx_recording_is_at(word))
		scan->ret->recording = word;
	return is_program(word);
}

void pfx_script_words_scan(const char *path, int nr, char *const *words,
			   struct pfx_script_words *ret)
{
	struct pfx_str args = {0};
	struct scan scan = {.nr_wanted = pfx_script_nr_wanted(path), .ret = ret};
	int i = 0;

	*ret = (struct pfx_script_words){0};
	pfx_script_comment(path, "args", &args);
	scan.args = pfx_str_get(&args);
	while (i < nr && !ret->has_program) {
		if (!strcmp(words[i], "--")) {
			ret->has_program = true;
		} else if (!strcmp(words[i], "-h") || !strcmp(words[i], "--help")) {
			ret->wants_help = true;
			break;
		} else if (words[i][0] == '-' && words[i][1]) {
			i += option_span(&scan, nr - i, words + i);
		} else {
			ret->has_program = take_plain(&scan, words[i++]);
		}
	}
	pfx_str_fini(&args);
}

/* --- dividing --- */

static bool is_input_word(const char *word)
{
	return is_input_option(word) || !strncmp(word, "--input=", 8);
}

void pfx_script_words_divide(struct pfx_script_run *run, const char *path, int nr, char **words)
{
	struct words args = {0}, options = {0};
	struct pfx_str declared = {0};
	int i = 0, span, own;

	pfx_script_comment(path, "args", &declared);
	pfx_vec_push(&options, (char *)"script");
	while (i < nr && strcmp(words[i], "--") != 0) {
		span = declared_span(pfx_str_get(&declared), words[i]);
		own = span || (run->input && is_input_word(words[i])) ? 0
								      : own_span(nr - i, words + i);
		for (span = span + own ? span + own : 1; span && i < nr; span--, i++)
			pfx_vec_push(own ? &options : &args, words[i]);
	}
	for (; i < nr; i++)
		pfx_vec_push(&args, words[i]);
	pfx_str_fini(&declared);
	run->nr_args = (int)args.nr;
	run->nr_options = (int)options.nr;
	pfx_vec_push(&args, NULL);
	pfx_vec_push(&options, NULL);
	run->args = args.at;
	run->options = options.at;
}
