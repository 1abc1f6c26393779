/* SPDX-License-Identifier: MIT */
/* Event words that are refused: the error and the lines of its hint. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pmu/sysfs/tracefs.h"
#include "unit/pmu/pmu_fixture.h"

#define REFUSED_MIN 200

/* @wanted: the error, a line break, and the hint. */
static void check_refused(char *line, const char *wanted)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	const char *below, *words, *hint;
	char *tab = strchr(line, '\t');

	assert_non_null(tab);
	*tab = '\0';
	words = tab + 1;
	if (fixture_parse(&machines, line, words, &list, &err) != -EINVAL)
		fail_msg("'%s' was not refused", words);
	assert_int_equal(list.specs.nr, 0);
	assert_int_equal(list.nr_groups, 0);
	below = strchr(wanted, '\n');
	assert_non_null(below);
	if (strncmp(err.text, wanted, (size_t)(below - wanted)) || err.text[below - wanted])
		fail_msg("'%s': '%s' is not '%s'", words, err.text, wanted);
	hint = strchr(err.hint, '\n');
	if (hint) {
		assert_int_equal(strncmp(err.hint, "  ", 2), 0);
		assert_int_equal(strncmp(err.hint + 2, words, strlen(words)), 0);
	}
	if (strcmp(hint ? hint + 1 : err.hint, below + 1))
		fail_msg("'%s': '%s' is not '%s'", words, hint ? hint + 1 : err.hint, below + 1);
	pfx_event_list_fini(&list);
}

static void sentences(void **state)
{
	assert_in_range(fixture_rows("refused.txt", check_refused), REFUSED_MIN, 10000);
}

/* Counting accepts no terms about samples. */
static void terms_of_samples(void **state)
{
	static const char *const words[] = {
		"freq=5",          "time=0",     "call-graph=fp",    "stack-size=8",
		"max-stack=5",     "nr=5",       "overwrite",        "no-overwrite",
		"branch_type=any", "aux-output", "aux-action=pause", "aux-sample-size=0",
		"ratio-to-prev=2",
	};
	static const char *const taken[] = {"period=5",    "inherit=0", "no-inherit", "percore",
					    "metric-id=x", "name=x",    "config=5"};
	struct pfx_pmu_roots roots = {.counts_only = true};
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(text, sizeof(text), "cpu-clock/%s/", words[i]);
		assert_int_equal(pfx_events_parse(&list, text, &roots, &err), -EINVAL);
		assert_non_null(strstr(err.text, "is about samples"));
	}
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		snprintf(text, sizeof(text), "cpu-clock/%s/", taken[i]);
		assert_int_equal(pfx_events_parse(&list, text, &roots, &err), 0);
	}
	pfx_event_list_fini(&list);
}

/* A long text is shortened around the wrong word, and the caret stays below it. */
static void long_words_are_cut(void **state)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	char words[512] = "";
	const char *second, *caret;
	int i;

	for (i = 0; i < 40; i++)
		strcat(words, "cycles,");
	strcat(words, "cycels");
	for (i = 0; i < 20; i++)
		strcat(words, ",cycles");
	assert_int_equal(fixture_parse(&machines, "x86", words, &list, &err), -EINVAL);
	second = strchr(err.hint, '\n');
	assert_non_null(second);
	assert_in_range(second - err.hint, 40, 90);
	caret = strchr(second, '^');
	assert_non_null(caret);
	assert_int_equal(strncmp(err.hint + (caret - second - 1), "cycels", 6), 0);
	pfx_event_list_fini(&list);
}

/* Control characters are not printed. */
static void foreign_bytes_are_escaped(void **state)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};

	assert_int_equal(fixture_parse(&machines, "x86", "cycles:\033[31m", &list, &err), -EINVAL);
	assert_null(strchr(err.text, '\033'));
	assert_null(strchr(err.hint, '\033'));
	assert_int_equal(fixture_parse(&machines, "x86", "cpu/name=\"\001\"x/", &list, &err),
			 -EINVAL);
	assert_null(strchr(err.hint, '\001'));
	pfx_event_list_fini(&list);
}

/* Truncate long words at every position and remove every character: a result, never a crash. */
static void every_cut(void **state)
{
	static const char words[] = "g1{cpu/mem-loads,ldlat=5,name='a b'/ppu,cs:k}:SD,"
				    "sched:sched_*,mem:0x1000/8:w:u,r1a8,4:0x3c/period=7/,"
				    "uncore_imc/event=1/";
	size_t len = strlen(words), i;
	struct pfx_event_list list;
	struct pfx_error err;
	char text[256];
	int ret;

	for (i = 0; i < 2 * len; i++) {
		list = (struct pfx_event_list){0};
		strcpy(text, words);
		if (i < len)
			text[i] = '\0';
		else
			memmove(text + i - len, text + i - len + 1, 2 * len - i);
		ret = fixture_parse(&machines, "x86", text, &list, &err);
		if (ret)
			assert_int_equal(list.specs.nr, 0);
		else
			assert_true(list.specs.nr > 0);
		pfx_event_list_fini(&list);
	}
}

static void tracefs_that_is_not_there(void **state)
{
	struct pfx_pmu_roots roots = {"/nonexistent", "/nonexistent"};
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};

	assert_int_equal(pfx_events_parse(&list, "sched:sched_switch", &roots, &err), -EINVAL);
	assert_string_equal(err.text, "no tracepoint system is called 'sched'");
	assert_int_equal(pfx_events_parse(&list, "cycles:u", &roots, &err), 0);
	assert_string_equal(pfx_tracefs(&roots, &err), "/nonexistent");
	pfx_event_list_fini(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences),          cmocka_unit_test(terms_of_samples),
		cmocka_unit_test(long_words_are_cut), cmocka_unit_test(foreign_bytes_are_escaped),
		cmocka_unit_test(every_cut),          cmocka_unit_test(tracefs_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, make_machines, remove_machines);
}
