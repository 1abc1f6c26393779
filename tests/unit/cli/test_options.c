/* SPDX-License-Identifier: MIT */
/* The option engine: a table of command lines with their expected results. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "cli/options.h"

struct values {
	bool all_cpus, group, inherit, no_buffering, stat, quiet, freq_set;
	bool no_buildid, no_cache, buildid_all, overwrite;
	int verbose, delay;
	const char *output, *symbols;
	uint64_t count, freq;
	char calls[128]; /* arguments of the called functions */
};

static int note_call(void *options, const char *arg, bool unset, const char *name)
{
	struct values *v = options;
	size_t len = strlen(v->calls);

	snprintf(v->calls + len, sizeof(v->calls) - len, "%s%s%s%s%s", len ? " " : "",
		 unset ? "!" : "", name, arg ? "=" : "", arg ? arg : "");
	return 0;
}

static int on_event(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	if (arg && !strcmp(arg, "bad"))
		return pfx_error_set(err, EINVAL, "no event 'bad'");
	if (arg && !strcmp(arg, "silent"))
		return -1;
	return note_call(options, arg, unset, "event");
}

static int on_compress(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	return note_call(options, arg, unset, "compress");
}

static int on_graph(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	return note_call(options, arg, unset, "graph");
}

static int on_plain(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	return note_call(options, arg, unset, "plain");
}

#define AT(field) offsetof(struct values, field)
static const struct pfx_option rows[] = {
	{PFX_OPT_GROUP, .help = "Targets:"},
	{PFX_OPT_BOOL, 'a', "all-cpus", AT(all_cpus), NULL, "every CPU of the system"},
	{PFX_OPT_BOOL, 'i', "no-inherit", AT(inherit), NULL, "children are not counted"},
	{PFX_OPT_BOOL, 0, "no-buffering", AT(no_buffering), NULL, "write at once"},
	{PFX_OPT_BOOL, 'B', "no-buildid", AT(no_buildid), NULL, "do not collect build ids"},
	{PFX_OPT_BOOL, 'N', "no-buildid-cache", AT(no_cache), NULL, "leave the cache alone"},
	{PFX_OPT_BOOL, 0, "buildid-all", AT(buildid_all), NULL, "build ids of all dsos"},
	{PFX_OPT_GROUP, .help = "Others:"},
	{PFX_OPT_BOOL, 's', "stat", AT(stat), NULL, "counts per thread"},
	{PFX_OPT_BOOL, 'q', "quiet", AT(quiet), NULL, "say nothing"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL, "say more"},
	{PFX_OPT_STRING, 'o', "output", AT(output), "file", "where to write"},
	{PFX_OPT_STRING, 'S', "symbols", AT(symbols), "list", "only these symbols"},
	{PFX_OPT_U64, 'c', "count", AT(count), "n", "period"},
	{PFX_OPT_U64, 'F', "freq", AT(freq), "n", "samples a second", NULL, AT(freq_set)},
	{PFX_OPT_INT, 'D', "delay", AT(delay), "ms", "wait before the start"},
	{PFX_OPT_CALL, 'e', "event", 0, "event", "what to count", on_event},
	{PFX_OPT_CALL_OPTIONAL, 'z', "compression-level", 0, "n", "compress", on_compress},
	{PFX_OPT_CALL_NEXT, 'g', "call-graph", 0, "mode", "call chains", on_graph},
	{PFX_OPT_CALL_NONE, 'G', "inverted", 0, NULL, "the other way round", on_plain},
	{PFX_OPT_BOOL, 0, "old-name", AT(overwrite), NULL, "an old name", .hidden = true},
	{PFX_OPT_BOOL, 0, "overwrite", AT(overwrite), NULL,
	 "an explanation that is much too long for one line of a terminal and so must be broken"},
	{.kind = PFX_OPT_END},
};

static const struct pfx_command strict = {
	.name = "try", .args = "[words]", .summary = "a trial", .options = rows};
static const struct pfx_command permuting = {.name = "try", .options = rows, .permute = true};

/* One line: the values in the order of declaration, without zeros. */
static void describe(const struct values *v, struct pfx_str *to)
{
	const struct {
		const char *name;
		long value;
	} numbers[] = {
		{"all", v->all_cpus},     {"inh", v->inherit},       {"nobuf", v->no_buffering},
		{"nobid", v->no_buildid}, {"nocache", v->no_cache},  {"bidall", v->buildid_all},
		{"stat", v->stat},        {"quiet", v->quiet},       {"over", v->overwrite},
		{"v", v->verbose},        {"count", (long)v->count}, {"freq", (long)v->freq},
		{"fset", v->freq_set},    {"delay", v->delay},
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i].value)
			pfx_str_addf(to, "%s=%ld ", numbers[i].name, numbers[i].value);
	if (v->output)
		pfx_str_addf(to, "out=%s ", v->output);
	if (v->symbols)
		pfx_str_addf(to, "sym=%s ", v->symbols);
	if (v->calls[0])
		pfx_str_addf(to, "[%s] ", v->calls);
}

struct line {
	const char *words;    /* separated by one blank; "_" is an empty word */
	const char *expected; /* values, then "| " and the remaining words */
};

static const struct line good_lines[] = {
	/* nothing, and words */
	{"", "| "},
	{"ls", "| ls"},
	{"ls -l", "| ls -l"},
	{"-", "| -"},
	{"- -a", "| - -a"},
	{"--", "| "},
	{"-- ls", "| ls"},
	{"-- -a", "| -a"},
	{"-- -- x", "| -- x"},
	{"_ -a", "| _ -a"},
	/* the first word that is not an option ends the options */
	{"-a ls -s", "all=1 | ls -s"},
	{"-a -- -s", "all=1 | -s"},
	{"-a - -s", "all=1 | - -s"},
	{"-e x ls -e y", "[event=x] | ls -e y"},
	{"-g -- ls", "[graph] | ls"},
	/* bundles */
	{"-a", "all=1 | "},
	{"-as", "all=1 stat=1 | "},
	{"-sa", "all=1 stat=1 | "},
	{"-vv", "v=2 | "},
	{"-vvv -v", "v=4 | "},
	{"-aF99", "all=1 freq=99 fset=1 | "},
	{"-aF 99", "all=1 freq=99 fset=1 | "},
	{"-asvo file", "all=1 stat=1 v=1 out=file | "},
	{"-aofile", "all=1 out=file | "},
	{"-ag", "all=1 [graph] | "},
	{"-aG", "all=1 [plain] | "},
	{"-Ga", "all=1 [plain] | "},
	{"-az", "all=1 [compress] | "},
	{"-az9", "all=1 [compress=9] | "},
	{"-BN", "nobid=1 nocache=1 | "},
	{"-iq", "inh=1 quiet=1 | "},
	/* values */
	{"-F99", "freq=99 fset=1 | "},
	{"-F\t99", "freq=99 fset=1 | "},
	{"-D\t-1", "delay=-1 | "},
	{"-F 99", "freq=99 fset=1 | "},
	{"--freq=99", "freq=99 fset=1 | "},
	{"--freq 99", "freq=99 fset=1 | "},
	{"--freq 99 ls", "freq=99 fset=1 | ls"},
	{"--freq 0", "fset=1 | "},
	{"-F 0x10", "freq=16 fset=1 | "},
	{"-c 1000 -F 99", "count=1000 freq=99 fset=1 | "},
	{"-c1 -c2", "count=2 | "},
	{"-D 10", "delay=10 | "},
	{"-D -1", "delay=-1 | "},
	{"-D-1", "delay=-1 | "},
	{"--delay=-1", "delay=-1 | "},
	{"--delay -25", "delay=-25 | "},
	{"-o -", "out=- | "},
	{"-o-", "out=- | "},
	{"-o --", "out=-- | "},
	{"-o -a", "out=-a | "},
	{"--output=-", "out=- | "},
	{"--output -", "out=- | "},
	{"--output=", "out= | "},
	{"--output=a=b", "out=a=b | "},
	{"-o=x", "out==x | "},
	{"-o x -o y", "out=y | "},
	{"-S a,b ls", "sym=a,b | ls"},
	/* opposites */
	{"--no-all-cpus", "| "},
	{"-a --no-all-cpus", "| "},
	{"--no-all-cpus -a", "all=1 | "},
	{"--no-inherit", "inh=1 | "},
	{"-i --inherit", "| "},
	{"--inherit -i", "inh=1 | "},
	{"-i --no-no-inherit", "| "},
	{"--no-buildid", "nobid=1 | "},
	{"-B --buildid", "| "},
	{"-BN --buildid-cache", "nobid=1 | "},
	{"--no-buildid-cache", "nocache=1 | "},
	{"--buildid-all", "bidall=1 | "},
	{"--buildid-all --no-buildid-all", "| "},
	{"-vv --no-verbose", "| "},
	{"-o x --no-output", "| "},
	{"-c 5 --no-count", "| "},
	{"-F 5 --no-freq", "fset=1 | "},
	{"-D 5 --no-delay", "| "},
	{"--no-event", "[!event] | "},
	{"--no-call-graph", "[!graph] | "},
	{"--no-call-graph x", "[!graph] | x"},
	{"--no-compression-level 3", "[!compress] | 3"},
	{"--no-inverted", "[!plain] | "},
	/* prefixes */
	{"--all", "all=1 | "},
	{"--a", "all=1 | "},
	{"--al -s", "all=1 stat=1 | "},
	{"--fr 7", "freq=7 fset=1 | "},
	{"--fr=7", "freq=7 fset=1 | "},
	{"--call dwarf", "[graph=dwarf] | "},
	{"--comp", "[compress] | "},
	{"--comp=3", "[compress=3] | "},
	{"--no-al", "| "},
	{"-a --no-al", "| "},
	{"--no-inh", "inh=1 | "},
	{"-i --inh", "| "},
	{"--no-buf", "nobuf=1 | "},
	{"--ov", "over=1 | "},
	{"--st", "stat=1 | "},
	{"--verb --verb", "v=2 | "},
	{"--quie", "quiet=1 | "},
	/* functions */
	{"-e cycles", "[event=cycles] | "},
	{"-ecycles", "[event=cycles] | "},
	{"-e a -e b --event=c --event d", "[event=a event=b event=c event=d] | "},
	{"-e -x", "[event=-x] | "},
	{"-e {a,b}:u ls", "[event={a,b}:u] | ls"},
	/* optional values in the same word */
	{"-z", "[compress] | "},
	{"-z9", "[compress=9] | "},
	{"-z=9", "[compress=9] | "},
	{"-z 9", "[compress] | 9"},
	{"--compression-level=9", "[compress=9] | "},
	{"--compression-level 9", "[compress] | 9"},
	{"--compression-level=", "[compress=] | "},
	/* or in the next one */
	{"-g", "[graph] | "},
	{"-g caller", "[graph=caller] | "},
	{"-gcaller", "[graph=caller] | "},
	{"-g -a", "all=1 [graph] | "},
	{"-g - x", "[graph] | - x"},
	{"--call-graph", "[graph] | "},
	{"--call-graph caller", "[graph=caller] | "},
	{"--call-graph=caller ls", "[graph=caller] | ls"},
	{"--call-graph -a", "all=1 [graph] | "},
	/* hidden names are accepted */
	{"--old-name", "over=1 | "},
	{"--no-old-name", "| "},
};

static const struct line permuted_lines[] = {
	{"", "| "},
	{"x", "| x"},
	{"x -a", "all=1 | x"},
	{"x -a y -s z", "all=1 stat=1 | x y z"},
	{"x -o f y", "out=f | x y"},
	{"-a x -- -s y", "all=1 | x -s y"},
	{"- -a", "all=1 | -"},
	{"x y z", "| x y z"},
	{"-g x y", "[graph=x] | y"},
};

static const struct line bad_lines[] = {
	{"--frq 9", "unknown option '--frq'; did you mean '--freq'?"},
	{"--freqq", "unknown option '--freqq'; did you mean '--freq'?"},
	{"--ouptut=x", "unknown option '--ouptut'; did you mean '--output'?"},
	{"--no-allcpus", "unknown option '--no-allcpus'; did you mean '--no-all-cpus'?"},
	{"--zzzzzzzzz", "unknown option '--zzzzzzzzz'; "},
	{"--=x", "unknown option '--'; "},
	{"-y", "unknown option '-y'; "},
	{"-ay", "unknown option '-y'; "},
	{"-all-cpus", "unknown option '-all-cpus'; did you mean '--all-cpus', with two dashes?"},
	{"-stat", "unknown option '-stat'; did you mean '--stat', with two dashes?"},
	{"-no-inherit",
	 "unknown option '-no-inherit'; did you mean '--no-inherit', with two dashes?"},
	{"--no-b", "option '--no-b' is not unique: it may be '--no-buffering', '--no-buildid', "
		   "'--no-buildid-cache' or '--no-buildid-all'; "},
	{"--c 1", "option '--c' is not unique: it may be '--count', '--compression-level' or "
		  "'--call-graph'; "},
	{"--buildid-", "option '--buildid-' is not unique: it may be '--buildid-cache' or "
		       "'--buildid-all'; "},
	{"--o x", "option '--o' is not unique: it may be '--output', '--old-name' or "
		  "'--overwrite'; "},
	{"--no", "option '--no' is not unique: it may be '--no-all-cpus', '--no-inherit', "
		 "'--no-buffering', '--no-buildid', '--no-buildid-cache', '--no-buildid-all', "
		 "...; "},
	{"-F", "option '--freq' needs a value; "},
	{"--freq", "option '--freq' needs a value; "},
	{"-aF", "option '--freq' needs a value; "},
	{"-o", "option '--output' needs a value; "},
	{"-e", "option '--event' needs a value; "},
	{"-F ten", "'ten' of option '--freq' is not a number; "},
	{"-F 99x", "'99x' of option '--freq' is not a number; "},
	{"-F -1", "'-1' of option '--freq' is not a number; "},
	{"-F 99999999999999999999", "'99999999999999999999' of option '--freq' is not a number; "},
	{"-c _", "'' of option '--count' is not a number; "},
	{"-D 3000000000", "'3000000000' of option '--delay' is not a number; "},
	{"-D x", "'x' of option '--delay' is not a number; "},
	{"--all-cpus=1", "option '--all-cpus' takes no value; "},
	{"--verbose=2", "option '--verbose' takes no value; "},
	{"--inverted=2", "option '--inverted' takes no value; "},
	{"--no-output=x", "option '--no-output' takes no value; "},
	{"--inherit=1", "option '--inherit' takes no value; "},
	{"-e bad", "no event 'bad'; "},
	{"-e silent", "wrong value 'silent' of option '--event'; "},
};

#define WORDS_MAX 16

/* "a b" into a vector after the name of the command; the caller frees argv[WORDS_MAX]. */
static int split(const char *words, char *argv[WORDS_MAX + 1])
{
	char *copy = strdup(words), *word, *rest = copy;
	int argc = 1;

	argv[0] = (char *)"try";
	argv[WORDS_MAX] = copy;
	while ((word = strsep(&rest, " ")) && argc < WORDS_MAX - 1)
		if (*word)
			argv[argc++] = strcmp(word, "_") ? word : (char *)"";
	argv[argc] = NULL;
	return argc;
}

static void check_good(const struct pfx_command *command, const struct line *line)
{
	char *argv[WORDS_MAX + 1];
	struct pfx_error err = {0};
	struct values values = {0};
	struct pfx_str text = {0};
	int argc = split(line->words, argv), at;
	bool help;

	at = pfx_options_parse(command, argc, argv, &values, &help, &err);
	if (at < 0)
		fail_msg("'%s': %s", line->words, err.text);
	assert_false(help);
	describe(&values, &text);
	pfx_str_add(&text, "| ");
	for (; at < argc; at++)
		pfx_str_addf(&text, "%s%s", argv[at][0] ? argv[at] : "_", at + 1 < argc ? " " : "");
	if (strcmp(pfx_str_get(&text), line->expected))
		fail_msg("'%s' gives '%s', not '%s'", line->words, text.at, line->expected);
	pfx_str_fini(&text);
	free(argv[WORDS_MAX]);
}

static void test_good_lines(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(good_lines) / sizeof(*good_lines); i++)
		check_good(&strict, &good_lines[i]);
}

static void test_permuted_lines(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(permuted_lines) / sizeof(*permuted_lines); i++)
		check_good(&permuting, &permuted_lines[i]);
}

static void test_bad_lines(void **state)
{
	char *argv[WORDS_MAX + 1], text[2048];
	size_t i;

	for (i = 0; i < sizeof(bad_lines) / sizeof(*bad_lines); i++) {
		const struct line *line = &bad_lines[i];
		struct pfx_error err = {0};
		struct values values = {0};
		int argc = split(line->words, argv);
		bool help;

		if (pfx_options_parse(&strict, argc, argv, &values, &help, &err) >= 0)
			fail_msg("'%s' was taken", line->words);
		snprintf(text, sizeof(text), "%s; %s", err.text, err.hint);
		if (strcmp(text, line->expected))
			fail_msg("'%s' gives '%s', not '%s'", line->words, text, line->expected);
		free(argv[WORDS_MAX]);
	}
}

static void test_help_is_recognised(void **state)
{
	static const char *const lines[] = {"-h", "--help", "-a -h", "-ah", "-a --help x", "-vh"};
	char *argv[WORDS_MAX + 1];
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct values values = {0};
		struct pfx_error err;
		bool help = false;
		int argc = split(lines[i], argv);

		assert_true(pfx_options_parse(&strict, argc, argv, &values, &help, &err) > 0);
		assert_true(help);
		free(argv[WORDS_MAX]);
	}
}

/* After a word, and as the value of an option, -h does not request help. */
static void test_help_of_others_is_left_alone(void **state)
{
	static const char *const lines[] = {"ls -h", "-- -h", "-o -h", "-o --help"};
	char *argv[WORDS_MAX + 1];
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct values values = {0};
		struct pfx_error err;
		bool help = true;
		int argc = split(lines[i], argv);

		assert_true(pfx_options_parse(&strict, argc, argv, &values, &help, &err) > 0);
		assert_false(help);
		free(argv[WORDS_MAX]);
	}
}

static void test_help_text(void **state)
{
	struct pfx_str text = {0};
	char *line, *rest;

	pfx_options_help_text(&strict, NULL, 70, &text);
	assert_ptr_equal(text.at, strstr(text.at, "Usage: pfx try [options] [words]\n\n"
						  "A trial\n\nTargets:\n"));
	assert_non_null(strstr(text.at, "\n    -a, --all-cpus        every CPU of the system\n"));
	assert_non_null(strstr(text.at, "\n        --no-buffering    write at once\n"));
	assert_non_null(strstr(text.at, "\n    -F, --freq <n>        samples a second\n"));
	assert_non_null(strstr(text.at, "\n    -z, --compression-level[=<n>]\n"
					"                          compress\n"));
	assert_non_null(strstr(text.at, "\n    -g, --call-graph [<mode>]\n"));
	assert_null(strstr(text.at, "old-name"));
	rest = text.at;
	while ((line = strsep(&rest, "\n")))
		assert_true(strlen(line) <= 70);
	pfx_str_fini(&text);
}

static void test_help_of_one_option(void **state)
{
	char *words[] = {(char *)"freq", NULL};
	struct pfx_str text = {0};

	pfx_options_help_text(&strict, words, 80, &text);
	assert_non_null(strstr(text.at, "--freq"));
	assert_null(strstr(text.at, "--output"));
	assert_null(strstr(text.at, "Targets:"));
	pfx_str_fini(&text);
}

static void test_list_has_every_shown_name(void **state)
{
	struct pfx_str text = {0};
	const struct pfx_option *row;
	char word[64];

	pfx_options_list(&strict, &text);
	for (row = rows; row->kind != PFX_OPT_END; row++) {
		if (!row->name)
			continue;
		snprintf(word, sizeof(word), "--%s", row->name);
		assert_int_equal(!strstr(text.at, word), row->hidden);
	}
	pfx_str_fini(&text);
}

/* --- a callback that gets one value of the options --- */

struct lengths {
	bool other;
	size_t first, second;
};

static int on_length(void *value, const char *arg, bool unset, struct pfx_error *err)
{
	*(size_t *)value = unset ? 0 : strlen(arg);
	return 0;
}

static void test_value_of_a_row(void **state)
{
	static const struct pfx_option length_rows[] = {
		{PFX_OPT_VALUE, 'f', "first", offsetof(struct lengths, first), "word", "the first",
		 on_length},
		{PFX_OPT_VALUE, 's', "second", offsetof(struct lengths, second), "word",
		 "the second", on_length},
		{.kind = PFX_OPT_END},
	};
	static const struct pfx_command lengths = {.name = "try", .options = length_rows};
	char words[][16] = {"try", "-f", "abc", "--second=abcde", "--no-first"};
	char *argv[] = {words[0], words[1], words[2], words[3], words[4], NULL};
	struct lengths values = {.first = 7};
	struct pfx_error err = {0};
	bool help = false;

	assert_int_equal(pfx_options_parse(&lengths, 4, argv, &values, &help, &err), 4);
	assert_int_equal(values.first, 3);
	assert_int_equal(values.second, 5);
	assert_int_equal(pfx_options_parse(&lengths, 5, argv, &values, &help, &err), 5);
	assert_int_equal(values.first, 0);
	assert_false(values.other);
	argv[2] = NULL;
	assert_int_equal(pfx_options_parse(&lengths, 2, argv, &values, &help, &err), -EINVAL);
	assert_string_equal(err.text, "option '--first' needs a value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_lines),
		cmocka_unit_test(test_permuted_lines),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_help_is_recognised),
		cmocka_unit_test(test_help_of_others_is_left_alone),
		cmocka_unit_test(test_help_text),
		cmocka_unit_test(test_help_of_one_option),
		cmocka_unit_test(test_list_has_every_shown_name),
		cmocka_unit_test(test_value_of_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
