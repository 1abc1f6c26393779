/* SPDX-License-Identifier: MIT */
/*
 * Metric expressions: formulas over events, as vendors write them. Operators by rising precedence:
 * `a if cond else b`, | ^ & (on whole numbers), < >, + -, * / %, unary -; functions min, max,
 * d_ratio(a, b) (0 where b is 0), source_count, has_event; facts about the machine after a `#`. In
 * names of events '@' means '/', and a backslash before - , or = makes it part of the name. A
 * metric owns its memory.
 */
#ifndef PFX_PMU_METRIC_H
#define PFX_PMU_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pfx_metric;

/* Values of the words after a `#`. */
struct pfx_metric_machine {
	bool smt_on;    /* a core runs more than one thread */
	bool core_wide; /* counts are of whole cores */
	bool of_cpus;   /* CPUs are counted, not threads */
	double num_cpus, num_cpus_online, num_cores, num_dies, num_packages;
	double tsc_hz, slots; /* 0: unknown */
	bool has_pmem;
	const char *cpuid; /* for strcmp_cpuid_str; NULL: unknown */
	/* The number of PMUs whose counts were added up to the value of id number @id; NULL:
	 * one. */
	double (*sources)(void *context, size_t id);
};

/* The value of id number @id: false if it was not counted. */
typedef bool (*pfx_metric_value_fn)(void *context, size_t id, double *ret);

/* -EINVAL, with a message that shows the position, if @text is not a valid formula. */
int pfx_metric_parse(struct pfx_metric **ret, const char *text, struct pfx_error *err);
void pfx_metric_free(struct pfx_metric *metric);
/* A copy. */
struct pfx_metric *pfx_metric_copy(const struct pfx_metric *metric);
/* The names of events and other metrics in the formula, each once, in the syntax of `-e`. */
size_t pfx_metric_nr_ids(const struct pfx_metric *metric);
const char *pfx_metric_id(const struct pfx_metric *metric, size_t i);
/* The size of the formula: the number of numbers, names and operators. */
size_t pfx_metric_nr_nodes(const struct pfx_metric *metric);
/* The formula of metric @id: 1 and the formula, which the caller owns; 0 if @id is an event; else
 * an error. */
typedef int (*pfx_metric_formula_fn)(void *context, const char *id, struct pfx_metric **ret,
				     struct pfx_error *err);
/* Replace names of other metrics by their formulas, recursively; each formula is added once,
 * however often it is used. ELOOP: a metric refers to itself; EFBIG: the result is too long. After
 * an error, @metric is unchanged. */
int pfx_metric_expand(struct pfx_metric *metric, pfx_metric_formula_fn formula_of, void *context,
		      struct pfx_error *err);
/* Remove the branches that can never be selected on this machine, and the names that only they use:
 * their events need not be counted. */
void pfx_metric_fold(struct pfx_metric *metric, const struct pfx_metric_machine *machine);
/* The value; false if a required event was not counted or the value is undefined (a division by
 * zero). */
bool pfx_metric_eval(const struct pfx_metric *metric, const struct pfx_metric_machine *machine,
		     pfx_metric_value_fn value, void *context, double *ret);

#endif
