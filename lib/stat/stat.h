/* SPDX-License-Identifier: MIT */
/*
 * The table of counts: events that are counted on several CPUs or for several threads, aggregated
 * to groups, averaged over runs, with derived values (notes). The counts come from counters or from
 * a file. The table owns its memory.
 */
#ifndef PFX_STAT_STAT_H
#define PFX_STAT_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "event/attr.h"
#include "event/env.h"
#include "pmu/metric/metric.h"

/* The aggregation of rows. Values are those of STAT_CONFIG in files of perf before 6.5, which has
 * none from CACHE on. */
enum pfx_stat_by {
	PFX_STAT_BY_CPU = 0,
	PFX_STAT_BY_ALL = 1,
	PFX_STAT_BY_SOCKET = 2,
	PFX_STAT_BY_DIE = 3,
	PFX_STAT_BY_CORE = 4,
	PFX_STAT_BY_THREAD = 5,
	PFX_STAT_BY_NODE = 7,
	PFX_STAT_BY_CACHE = 16,
	PFX_STAT_BY_CLUSTER = 17,
};

/* The aggregation of a recording, from its number and the version of perf that wrote it
 * ("6.1.192"). */
enum pfx_stat_by pfx_stat_by_of_number(const char *version, uint32_t number);

/* The value of a counter, and the times that it was enabled and running, in ns. */
struct pfx_count {
	uint64_t value, enabled, running;
	bool may_fall; /* the value is negative if its highest bit is set */
};

/* Mean and variance of a sequence of numbers. */
struct pfx_moments {
	double n, mean, m2;
};
void pfx_moments_add(struct pfx_moments *m, double x);
/* The standard error of the mean. */
double pfx_moments_error(const struct pfx_moments *m);

/* Values that are measured without a counter, in the order of pfx_tool_names, after COUNTER. */
enum pfx_stat_tool {
	PFX_STAT_COUNTER,
	PFX_STAT_DURATION,
	PFX_STAT_USER_TIME,
	PFX_STAT_SYSTEM_TIME,
	/* From here on, facts about the machine, without a unit. */
	PFX_STAT_NUM_CPUS,
	PFX_STAT_NUM_CPUS_ONLINE,
	PFX_STAT_NUM_CORES,
	PFX_STAT_NUM_DIES,
	PFX_STAT_NUM_PACKAGES,
	PFX_STAT_SMT_ON,
	PFX_STAT_TSC_HZ,
	PFX_STAT_HAS_PMEM,
	PFX_STAT_SLOTS,
	PFX_STAT_CORE_WIDE,
	/* And the content of a file. */
	PFX_STAT_READING,
	/* Or samples: retirement latency, in cycles. */
	PFX_STAT_LATENCY,
};

struct pfx_stat_event {
	char *name;
	char *unit; /* "" for plain counts */
	double scale;
	struct pfx_attr attr;
	char *cgroup; /* NULL: all tasks */
	enum pfx_stat_tool tool;
	bool is_per_package; /* all CPUs of a package have the same count: one of them is used */
	bool is_supported;   /* false: not supported on this machine */
	long merged_into;    /* the event to which its counts are added, -1: its own row */
	bool is_partial;     /* it is counted only on some CPUs: there are no rows for others */
	bool is_per_core;    /* with a row per CPU, CPUs of a core share one count */
};

/* A formula whose value is shown in the row of its first event. */
struct pfx_stat_metric {
	char *name;   /* "IPC", shown as the unit */
	char *suffix; /* unit of the value, "%" */
	double scale;
	struct pfx_metric *expr;
	size_t row;  /* the event of that row */
	size_t *ids; /* the event of each id of the expression; NO_EVENT: a constant */
	/* If this is not zero, the value is marked. NULL: no threshold, or it requires events that
	 * are not counted. */
	struct pfx_metric *threshold;
	size_t *threshold_ids;
};
#define PFX_STAT_NO_EVENT ((size_t)-1)

/* The aggregate of one row. -1 for unused parts of the name. */
struct pfx_stat_group {
	int socket, die, core, node, cpu, cache, cluster;
	int tid;       /* -1: any */
	char comm[17]; /* NUL-terminated, also if a crafted recording has a name of 16 characters */
};

/* One event in one group. */
struct pfx_stat_cell {
	struct pfx_count sum; /* of the current run */
	double scaled;        /* the same, each counter scaled to its enabled time */
	unsigned nr;          /* number of counters that ran, of one PMU */
	unsigned placed;      /* number of counters */
	struct pfx_moments value, enabled, running;
	unsigned shown_nr;
	bool is_empty; /* no counter in the last run */
};

struct pfx_counts {
	enum pfx_stat_by by;
	bool no_scale;
	unsigned cache_level; /* with BY_CACHE; 0: the last level of a CPU */
	bool shows_threads;   /* shown in the row of each CPU, not once per core */
	PFX_VEC(struct pfx_stat_event) events;
	PFX_VEC(struct pfx_stat_metric) metrics;
	PFX_VEC(struct pfx_stat_group) groups;
	struct pfx_intern group_ids; /* key of a group to its index */
	struct pfx_stat_cell *cells; /* events x groups */
	struct pfx_moments wall_ns;  /* of all runs */
	struct pfx_metric_machine machine;
};

/* Append an event, with the default unit and scale of its kind; the name is copied. Valid until the
 * next call. */
struct pfx_stat_event *pfx_stat_add_event(struct pfx_counts *stat, const char *name,
					  const struct pfx_attr *attr);
/* The index of the group for counts of this CPU (-1: any) and thread; a new group is added. @env
 * has the topology; it may be NULL for ALL, THREAD, and CPU without per-core counts. */
size_t pfx_stat_group_add(struct pfx_counts *stat, const struct pfx_env *env, int cpu, int tid);
/* Sort the groups in display order; before the first count. */
void pfx_stat_sort_groups(struct pfx_counts *stat);
/* Remove the groups and the counts. */
void pfx_stat_clear_groups(struct pfx_counts *stat);
/* Allocate the counts; events and groups must be complete. -EFBIG: too many. */
int pfx_stat_ready(struct pfx_counts *stat, struct pfx_error *err);
/* Add a counter's count in this run. */
void pfx_stat_count(struct pfx_counts *stat, size_t event, size_t group, struct pfx_count count);
/* End a run or an interval, which took @wall_ns. */
void pfx_stat_end_run(struct pfx_counts *stat, uint64_t wall_ns);
/* Clear all runs: the next interval begins. */
void pfx_stat_reset(struct pfx_counts *stat);
/* A copy of the metric for the events that are @offset later; it owns its members. */
struct pfx_stat_metric pfx_stat_copy_metric(const struct pfx_stat_metric *metric, size_t offset);
/* Remove all metrics. */
void pfx_stat_drop_metrics(struct pfx_counts *stat);
void pfx_stat_fini(struct pfx_counts *stat);

/* The first group of the core to which the CPU of @group belongs: it has the counts of events with
 * is_per_core. */
size_t pfx_stat_first_of_core(const struct pfx_counts *stat, size_t group);

/* The counts of an event in a group, after pfx_stat_ready(); and whether the event was running at
 * all. */
struct pfx_stat_cell *pfx_stat_cell(const struct pfx_counts *stat, size_t event, size_t group);
bool pfx_stat_was_counted(const struct pfx_stat_cell *cell);

/* A derived value next to a count. */
enum pfx_stat_grade { PFX_STAT_PLAIN, PFX_STAT_MILD, PFX_STAT_HIGH, PFX_STAT_WORST };
/* Result of a metric's threshold. */
enum pfx_stat_verdict { PFX_STAT_NOT_JUDGED, PFX_STAT_GOOD, PFX_STAT_BAD };
struct pfx_stat_note {
	bool has_value;
	double value;
	const char *format; /* printf format for one double */
	char unit[128];
	enum pfx_stat_grade grade;
	enum pfx_stat_verdict verdict;
};
#define PFX_STAT_NOTES_MAX 32

/* The notes for an event in a group: at least one, possibly without a value. */
size_t pfx_stat_notes(const struct pfx_counts *stat, size_t event, size_t group,
		      struct pfx_stat_note *notes);

#endif
