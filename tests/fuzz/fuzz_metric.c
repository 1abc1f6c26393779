/* SPDX-License-Identifier: MIT */
/* Any text as a metric expression: parsed, put into itself, evaluated. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/metric/metric.h"

#define TEXT_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool value_of(void *context, size_t id, double *ret)
{
	const struct pfx_metric *metric = context;

	if (id >= pfx_metric_nr_ids(metric))
		abort();
	*ret = (double)strlen(pfx_metric_id(metric, id));
	return *ret < 5;
}

/* What the first name of an expression is the name of. */
struct meaning {
	const char *id;
	const struct pfx_metric *formula;
};

static int formula_of(void *context, const char *id, struct pfx_metric **ret, struct pfx_error *err)
{
	const struct meaning *meaning = context;

	(void)err;
	if (strcmp(id, meaning->id) != 0)
		return 0;
	*ret = pfx_metric_copy(meaning->formula);
	return 1;
}

static void check_expand(struct pfx_metric *metric, const struct pfx_metric_machine *machine)
{
	struct meaning meaning = {strdup(pfx_metric_id(metric, 0)), metric};
	size_t nr = pfx_metric_nr_ids(metric);
	struct pfx_error err = {0};
	struct pfx_metric *inner;
	double value;

	if (pfx_metric_expand(metric, formula_of, &meaning, &err) != -ELOOP ||
	    pfx_metric_nr_ids(metric) != nr)
		abort();
	if (pfx_metric_parse(&inner, "7 - strcmp_cpuid_str(x)", NULL))
		abort();
	meaning.formula = inner;
	if (pfx_metric_expand(metric, formula_of, &meaning, &err) ||
	    pfx_metric_nr_ids(metric) != nr - 1)
		abort();
	pfx_metric_eval(metric, machine, value_of, metric, &value);
	pfx_metric_free(inner);
	free((char *)meaning.id);
}

static void check(struct pfx_metric *metric)
{
	const struct pfx_metric_machine machine = {.num_cpus = 4, .cpuid = "GenuineIntel-6-8F"};
	struct pfx_metric *copy = pfx_metric_copy(metric);
	size_t nr = pfx_metric_nr_ids(metric);
	double value, again;
	bool has;

	has = pfx_metric_eval(metric, &machine, value_of, metric, &value);
	if (has != pfx_metric_eval(copy, &machine, value_of, copy, &again))
		abort();
	if (has && value != again && !isnan(value))
		abort();
	pfx_metric_fold(copy, &machine);
	if (has != pfx_metric_eval(copy, &machine, value_of, copy, &again) ||
	    (has && value != again && !isnan(value)) || pfx_metric_nr_ids(copy) > nr)
		abort();
	if (nr)
		check_expand(metric, &machine);
	pfx_metric_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_error err = {0};
	struct pfx_metric *metric;
	char text[TEXT_MAX];

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (pfx_metric_parse(&metric, text, &err)) {
		if (!err.text[0])
			abort();
		return 0;
	}
	check(metric);
	pfx_metric_free(metric);
	return 0;
}
