/* SPDX-License-Identifier: MIT */
/* The order of events with a tracing event, and invalid combinations. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "record/plan/plan.h"

static void add(struct pfx_recorder_options *o, const char *name, const char *pmu, uint32_t group)
{
	struct pfx_event_spec *spec = pfx_vec_add(&o->events.specs);

	*spec = (struct pfx_event_spec){
		.name = pfx_strdup(name), .pmu = pmu ? pfx_strdup(pmu) : NULL, .group = group};
	if (group > o->events.nr_groups)
		o->events.nr_groups = group;
}

static void options_fini(struct pfx_recorder_options *o)
{
	size_t i;

	for (i = 0; i < o->bounds.nr; i++)
		free(o->bounds.at[i].filter);
	pfx_vec_free(&o->bounds);
	pfx_event_list_fini(&o->events);
}

static void the_trace_comes_first(void **state)
{
	static const char *const order[] = {"pt", "needs", "a", "b", "plain"};
	struct pfx_recorder_options o = {0};
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	add(&o, "a", NULL, 1);
	add(&o, "b", NULL, 1);
	add(&o, "pt", "intel_pt", 0);
	add(&o, "plain", NULL, 0);
	add(&o, "needs", NULL, 0);
	o.events.specs.at[4].sampling.aux_output = true;
	pfx_vec_push(&o.bounds, ((struct pfx_recorder_bound){.filter = pfx_strdup("of a")}));
	assert_int_equal(pfx_record_arrange_trace(&o, &err), 0);
	for (i = 0; i < 5; i++)
		assert_string_equal(o.events.specs.at[i].name, order[i]);
	assert_int_equal(o.events.specs.at[0].group, 2);
	assert_int_equal(o.events.specs.at[1].group, 2);
	assert_int_equal(o.events.specs.at[4].group, 0);
	assert_string_equal(o.bounds.at[2].filter, "of a");
	assert_null(o.bounds.at[0].filter);
	options_fini(&o);
}

static void refuse(struct pfx_recorder_options *o, const char *why)
{
	struct pfx_error err = {0};

	assert_int_equal(pfx_record_arrange_trace(o, &err), -EINVAL);
	assert_non_null(strstr(err.text, why));
}

static void what_does_not_go_together(void **state)
{
	struct pfx_recorder_options o = {0};

	(void)state;
	add(&o, "cycles", NULL, 0);
	o.trace.snapshot = true;
	refuse(&o, "-S is about traces");
	o.trace.snapshot = false;
	o.trace.sample_bytes = 4096;
	refuse(&o, "--aux-sample is about traces");
	o.trace.sample_bytes = 0;
	o.trace.bytes = 8192;
	refuse(&o, "the second size of -m is about traces");
	add(&o, "pt", "intel_pt", 0);
	o.use_clockid = true;
	refuse(&o, "-k does not go");
	o.use_clockid = false;
	o.out.threads = "cpu";
	refuse(&o, "--threads does not go");
	o.out.threads = NULL;
	o.trace.snapshot = true;
	o.trace.sample_bytes = 4096;
	refuse(&o, "exclude each other");
	add(&o, "pt2", "intel_pt", 0);
	refuse(&o, "name the event once");
	add(&o, "spe", "arm_spe_0", 0);
	refuse(&o, "two PMUs");
	options_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_trace_comes_first),
		cmocka_unit_test(what_does_not_go_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
