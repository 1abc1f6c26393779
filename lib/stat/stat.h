/* SPDX-License-Identifier: MIT */
/*
 * Counts and what is made of them: events that are counted at several places (CPUs, threads), the
 * places gathered into groups, the counts of several runs averaged, and the numbers that are told
 * beside them. Where the counts come from, counters or a file, is not known here. The table owns
 * all it holds.
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

/* What one row is about. The numbers are those of STAT_CONFIG in a file of perf before 6.5; those
 * from CACHE on have none there. */
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

/* What the rows of a recording are about, by the number that it says and the version of perf that
 * wrote it ("6.1.192"). */
enum pfx_stat_by pfx_stat_by_of_number(const char *version, uint32_t number);

/* What a counter says: the number, and how long it was wanted and really ran, in ns. */
struct pfx_count {
	uint64_t value, enabled, running;
	bool may_fall; /* the value is one below zero where its highest bit is set */
};

/* Mean and spread of numbers that come one by one. */
struct pfx_moments {
	double n, mean, m2;
};
void pfx_moments_add(struct pfx_moments *m, double x);
/* How far the mean is off, by the spread of its parts (the standard error). */
double pfx_moments_error(const struct pfx_moments *m);

/* What is measured without a counter, in the order of pfx_tool_names behind COUNTER. */
enum pfx_stat_tool {
	PFX_STAT_COUNTER,
	PFX_STAT_DURATION,
	PFX_STAT_USER_TIME,
	PFX_STAT_SYSTEM_TIME,
	/* From here on facts about the machine, which have no unit. */
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
	/* And what a file says. */
	PFX_STAT_READING,
	/* Or samples, about the latency of retirement, in cycles. */
	PFX_STAT_LATENCY,
};

struct pfx_stat_event {
	char *name;
	char *unit; /* "" where it counts things */
	double scale;
	struct pfx_attr attr;
	char *cgroup; /* NULL: everywhere */
	enum pfx_stat_tool tool;
	bool is_per_package; /* all CPUs of a package say the same: one of them counts */
	bool is_supported;   /* else the machine cannot count it */
	long merged_into;    /* the event that its counts are added to, -1: its own */
	bool is_partial;     /* it is counted at some places only: there are no rows of others */
	bool is_per_core;    /* where rows are CPUs, those of a core have one count together */
};

/* A formula that is told in the row of its first event. */
struct pfx_stat_metric {
	char *name;   /* "IPC", shown as the unit */
	char *suffix; /* unit of the value, "%" */
	double scale;
	struct pfx_metric *expr;
	size_t row;  /* the event in whose row it stands */
	size_t *ids; /* the event of each id of the expression; NO_EVENT: a constant */
	/* Where this is not zero the value is one to look at. NULL: nothing is said, or events that
	 * are not counted would be needed. */
	struct pfx_metric *threshold;
	size_t *threshold_ids;
};
#define PFX_STAT_NO_EVENT ((size_t)-1)

/* The places of one row. -1 where a part of the name does not apply. */
struct pfx_stat_group {
	int socket, die, core, node, cpu, cache, cluster;
	int tid;       /* -1: any */
	char comm[17]; /* a name of 16 letters, which only a made up recording has, has its NUL */
};

/* One event in one group. */
struct pfx_stat_cell {
	struct pfx_count sum; /* of the run at hand */
	double scaled;        /* the same, each counter scaled to the time it was wanted */
	unsigned nr;          /* counters that ran */
	unsigned placed;      /* counters that there are */
	struct pfx_moments value, enabled, running;
	unsigned shown_nr;
	bool is_empty; /* there was no counter in the last run */
};

struct pfx_counts {
	enum pfx_stat_by by;
	bool no_scale;
	unsigned cache_level; /* of BY_CACHE; 0: the last one that a CPU has */
	bool shows_threads;   /* that count stands in the row of each CPU, not once for the core */
	PFX_VEC(struct pfx_stat_event) events;
	PFX_VEC(struct pfx_stat_metric) metrics;
	PFX_VEC(struct pfx_stat_group) groups;
	struct pfx_intern group_ids; /* what a group is about -> its index */
	struct pfx_stat_cell *cells; /* events x groups */
	struct pfx_moments wall_ns;  /* of the runs */
	struct pfx_metric_machine machine;
};

/* Append an event, with the unit and scale that its kind has by itself; the name is copied. Valid
 * until the next one. */
struct pfx_stat_event *pfx_stat_add_event(struct pfx_counts *stat, const char *name,
					  const struct pfx_attr *attr);
/* The index of the group that counts of this CPU (-1: any) and thread go to; it is added when it is
 * new. @env tells the topology and may be NULL for ALL, THREAD, and CPU without counts of cores. */
size_t pfx_stat_group_add(struct pfx_counts *stat, const struct pfx_env *env, int cpu, int tid);
/* Put the groups in the order in which they are shown; before the first count. */
void pfx_stat_sort_groups(struct pfx_counts *stat);
/* Forget them, and the counts. */
void pfx_stat_clear_groups(struct pfx_counts *stat);
/* Make room for the counts; events and groups are complete. -EFBIG: there are too many of them. */
int pfx_stat_ready(struct pfx_counts *stat, struct pfx_error *err);
/* Add what one counter has counted in this run. */
void pfx_stat_count(struct pfx_counts *stat, size_t event, size_t group, struct pfx_count count);
/* A run, or an interval, is over and took @wall_ns. */
void pfx_stat_end_run(struct pfx_counts *stat, uint64_t wall_ns);
/* Forget the runs: the next interval begins. */
void pfx_stat_reset(struct pfx_counts *stat);
/* The same metric about the events that are @offset further behind; it owns what it holds. */
struct pfx_stat_metric pfx_stat_copy_metric(const struct pfx_stat_metric *metric, size_t offset);
/* Take all metrics out. */
void pfx_stat_drop_metrics(struct pfx_counts *stat);
void pfx_stat_fini(struct pfx_counts *stat);

/* The first of the groups of the core that @group is a CPU of: the one that has the counts of
 * events with is_per_core. */
size_t pfx_stat_first_of_core(const struct pfx_counts *stat, size_t group);

/* The counts of an event in a group, after pfx_stat_ready(); and whether there are any: the event
 * ran at least for a moment. */
struct pfx_stat_cell *pfx_stat_cell(const struct pfx_counts *stat, size_t event, size_t group);
bool pfx_stat_was_counted(const struct pfx_stat_cell *cell);

/* A number beside a count. */
enum pfx_stat_grade { PFX_STAT_PLAIN, PFX_STAT_MILD, PFX_STAT_HIGH, PFX_STAT_WORST };
/* By the threshold of a metric. */
enum pfx_stat_verdict { PFX_STAT_NOT_JUDGED, PFX_STAT_GOOD, PFX_STAT_BAD };
struct pfx_stat_note {
	bool has_value;
	double value;
	const char *format; /* of printf for one double */
	char unit[64];
	enum pfx_stat_grade grade;
	enum pfx_stat_verdict verdict;
};
#define PFX_STAT_NOTES_MAX 32

/* What is told beside an event's count in a group: at least one note, maybe without a value. */
size_t pfx_stat_notes(const struct pfx_counts *stat, size_t event, size_t group,
		      struct pfx_stat_note *notes);

#endif
