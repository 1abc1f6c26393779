/* SPDX-License-Identifier: MIT */
/*
 * Counting without the command line: the calls of the observer and their order, for runs,
 * intervals, refusal, and a missing command.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stat/counting.h"

struct seen {
	unsigned nr_ready, nr_intervals, nr_counted, nr_waits, nr_notes;
	int refuses; /* ready() returns this error */
	char told[256];
};

static int on_ready(void *context, struct pfx_error *err)
{
	struct seen *seen = context;

	assert_int_equal(seen->nr_counted, 0);
	seen->nr_ready++;
	return seen->refuses ? pfx_error_set(err, seen->refuses, "not ready") : 0;
}

static int on_place_probes(void *context, struct pfx_event_list *events, struct pfx_error *err)
{
	return 0;
}

static void on_probe_counter(const struct pfx_event_spec *spec, struct pfx_counter *counter)
{
}

static void on_tell(void *context, const char *line)
{
	struct seen *seen = context;

	strncat(seen->told, line, sizeof(seen->told) - strlen(seen->told) - 1);
}

static void on_note(void *context, const char *text)
{
	((struct seen *)context)->nr_notes++;
}

static void on_waits(void *context)
{
	((struct seen *)context)->nr_waits++;
}

static void on_interval(void *context, uint64_t at_ns)
{
	((struct seen *)context)->nr_intervals++;
}

static void on_counted(void *context)
{
	((struct seen *)context)->nr_counted++;
}

/* Count only the time, of @command. */
static int count(const struct pfx_stat_plan *plan, const char *command, struct seen *seen,
		 size_t nr_runs, struct pfx_error *err)
{
	const struct pfx_stat_observer observer = {
		.context = seen,
		.ready = on_ready,
		.place_probes = on_place_probes,
		.probe_counter = on_probe_counter,
		.tell = on_tell,
		.note = on_note,
		.waits = on_waits,
		.interval = on_interval,
		.counted = on_counted,
	};
	char *words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
	struct pfx_event_list events = {0};
	struct pfx_stat_runner run = {
		.options = plan,
		.observer = &observer,
		.events = &events,
		.by = plan->by,
		.command = command ? words : NULL,
	};
	int rc = pfx_stat_run(&run, err);

	assert_int_equal(run.run_seconds.nr, nr_runs);
	pfx_stat_runner_fini(&run);
	pfx_event_list_fini(&events);
	return rc;
}

static const struct pfx_pmu_roots roots;

static void test_runs(void **state)
{
	const struct pfx_stat_plan plan = {
		.roots = &roots, .by = PFX_STAT_BY_ALL, .null_run = true, .repeat = 3};
	struct pfx_error err = {0};
	struct seen seen = {0};

	assert_int_equal(count(&plan, "exit 0", &seen, 3, &err), 0);
	assert_int_equal(seen.nr_ready, 1);
	assert_int_equal(seen.nr_counted, 1);
	assert_int_equal(seen.nr_intervals, 0);
	assert_int_equal(seen.nr_waits, 0);
	assert_string_equal(seen.told, "");
}

/* A signal that ended the command is reported; one sent by --timeout is not. */
static void test_signals(void **state)
{
	struct pfx_stat_plan plan = {
		.roots = &roots, .by = PFX_STAT_BY_ALL, .null_run = true, .repeat = 1};
	struct pfx_error err = {0};
	struct seen killed = {0}, timed_out = {0};

	assert_int_equal(count(&plan, "kill -USR1 $$", &killed, 1, &err), 0);
	assert_non_null(strstr(killed.told, strsignal(SIGUSR1)));
	plan.timeout_ms = 1;
	assert_int_equal(count(&plan, "while :; do :; done", &timed_out, 1, &err), 0);
	assert_string_equal(timed_out.told, "");
}

static void test_refused(void **state)
{
	const struct pfx_stat_plan plan = {
		.roots = &roots, .by = PFX_STAT_BY_ALL, .null_run = true, .repeat = 1};
	struct pfx_error err = {0};
	struct seen seen = {.refuses = ENOSPC};

	assert_int_equal(count(&plan, "exit 0", &seen, 0, &err), -ENOSPC);
	assert_string_equal(err.text, "not ready");
	assert_int_equal(seen.nr_counted, 0);
}

/* If --pre fails, the command is not started. */
static void test_failing_pre(void **state)
{
	const struct pfx_stat_plan plan = {.roots = &roots,
					   .by = PFX_STAT_BY_ALL,
					   .null_run = true,
					   .repeat = 1,
					   .pre = "exit 3"};
	struct pfx_error err = {0};
	struct seen seen = {0};

	assert_int_equal(count(&plan, "exit 0", &seen, 0, &err), -ECHILD);
	assert_string_equal(err.text, "'exit 3' failed");
	assert_int_equal(seen.nr_ready, 1);
	assert_int_equal(seen.nr_counted, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_failing_pre),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
