/* SPDX-License-Identifier: MIT */
/* Shared by the parser and the evaluator of metric expressions: the tree as an array of nodes. */
#ifndef PFX_PMU_METRIC_INTERNAL_H
#define PFX_PMU_METRIC_INTERNAL_H

#include <stdint.h>

#include "base/alloc.h"
#include "pmu/metric/metric.h"

enum pfx_metric_op {
	PFX_METRIC_NUMBER,
	PFX_METRIC_ID,   /* number: its index */
	PFX_METRIC_FACT, /* number: enum of the fact */
	PFX_METRIC_ADD,
	PFX_METRIC_SUB,
	PFX_METRIC_MUL,
	PFX_METRIC_DIV,
	PFX_METRIC_MOD,
	PFX_METRIC_LESS,
	PFX_METRIC_MORE,
	PFX_METRIC_OR,
	PFX_METRIC_XOR,
	PFX_METRIC_AND,
	PFX_METRIC_NEG,
	PFX_METRIC_SAME, /* the same value as its operand: an expanded name */
	PFX_METRIC_MIN,
	PFX_METRIC_MAX,
	PFX_METRIC_RATIO,
	PFX_METRIC_IF,      /* a if b else c */
	PFX_METRIC_SOURCES, /* number of counters of an id */
	PFX_METRIC_HAS,     /* whether an id is counted */
	PFX_METRIC_CPUID,   /* text: whether the CPU matches */
};

enum pfx_metric_fact {
	PFX_FACT_SMT_ON,
	PFX_FACT_CORE_WIDE,
	PFX_FACT_NUM_CPUS,
	PFX_FACT_NUM_CPUS_ONLINE,
	PFX_FACT_NUM_CORES,
	PFX_FACT_NUM_DIES,
	PFX_FACT_NUM_PACKAGES,
	PFX_FACT_TSC_HZ,
	PFX_FACT_SLOTS,
	PFX_FACT_HAS_PMEM,
	PFX_FACT_TARGET_CPU,
	PFX_FACT_COUNT,
};

struct pfx_metric_node {
	enum pfx_metric_op op;
	double number;
	uint32_t a, b, c; /* operands: earlier nodes */
};

struct pfx_metric {
	PFX_VEC(struct pfx_metric_node) nodes;
	PFX_VEC(char *) ids;
	PFX_VEC(char *) texts;
	uint32_t root;
};

/* Expressions are untrusted. The shipped ones have at most about 100 nodes and 10 names after
 * expansion. */
#define PFX_METRIC_NODES_MAX 100000
#define PFX_METRIC_IDS_MAX   1000

#endif
