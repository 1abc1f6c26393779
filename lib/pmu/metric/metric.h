/* SPDX-License-Identifier: MIT */
/*
 * Metric expressions: formulas over events, as vendors write them. Operators by rising precedence:
 * `a if cond else b`, | ^ & (on whole numbers), < >, + -, * / %, unary -; functions min, max,
 * d_ratio(a, b) (0 where b is 0), source_count, has_event; facts about the machine behind a `#`.
 * In names of events '@' stands for '/', and a backslash before - , or = makes it part of the name.
 * A metric owns all it holds.
 */
#ifndef PFX_PMU_METRIC_H
#define PFX_PMU_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pfx_metric;

/* What the words behind a `#` stand for. */
struct pfx_metric_machine {
	bool smt_on;    /* a core runs more than one thread */
	bool core_wide; /* counts are of whole cores */
	double num_cpus, num_cpus_online, num_cores, num_dies, num_packages;
	double tsc_hz, slots; /* 0: not known */
	bool has_pmem;
	const char *cpuid; /* for strcmp_cpuid_str; NULL: not known */
	/* How many PMUs counted id number @id into its one value; NULL: one. */
	double (*sources)(void *context, size_t id);
};

/* The value of id number @id: false when it was not counted. */
typedef bool (*pfx_metric_value_fn)(void *context, size_t id, double *ret);

/* -EINVAL, with a sentence that shows the place, when @text is no such formula. */
int pfx_metric_parse(struct pfx_metric **ret, const char *text, struct pfx_error *err);
void pfx_metric_free(struct pfx_metric *metric);
/* The same once more. */
struct pfx_metric *pfx_metric_copy(const struct pfx_metric *metric);
/* The names of events and other metrics in it, each once, as `-e` takes them. */
size_t pfx_metric_nr_ids(const struct pfx_metric *metric);
const char *pfx_metric_id(const struct pfx_metric *metric, size_t i);
/* How much it is: the numbers, names and operators. */
size_t pfx_metric_nr_nodes(const struct pfx_metric *metric);
/* The formula of the metric that is called @id: 1 and the formula, which is taken over; 0 when @id
 * is the name of an event; else an error. */
typedef int (*pfx_metric_formula_fn)(void *context, const char *id, struct pfx_metric **ret,
				     struct pfx_error *err);
/* Put formulas in the places of the names of other metrics, and of those that these name; each
 * formula once, however often it is named. ELOOP: a metric needs itself; EFBIG: all together is too
 * long. After an error @metric is as it was. */
int pfx_metric_expand(struct pfx_metric *metric, pfx_metric_formula_fn formula_of, void *context,
		      struct pfx_error *err);
/* Take out what conditions about the machine leave no place for, and the names that only it needs:
 * their events need not be counted. */
void pfx_metric_fold(struct pfx_metric *metric, const struct pfx_metric_machine *machine);
/* The value; false when something that it needs was not counted or it has no value (a division by
 * zero). */
bool pfx_metric_eval(const struct pfx_metric *metric, const struct pfx_metric_machine *machine,
		     pfx_metric_value_fn value, void *context, double *ret);

#endif
