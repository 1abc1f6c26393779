/* SPDX-License-Identifier: MIT */
/*
 * The value of a metric expression, and the joining of one with another that it names. Who asks
 * gives the counts; what was not counted makes no value, unless the expression does not need it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/metric_internal.h"

struct run {
	const struct pfx_metric *metric;
	const struct pfx_metric_machine *machine;
	pfx_metric_value_fn value;
	void *context;
};

static bool eval(const struct run *run, uint32_t at, double *ret);

static bool fact(const struct pfx_metric_machine *m, enum pfx_metric_fact which, double *ret)
{
	const double values[PFX_FACT_COUNT] = {
		[PFX_FACT_SMT_ON] = m->smt_on,
		[PFX_FACT_CORE_WIDE] = m->core_wide,
		[PFX_FACT_NUM_CPUS] = m->num_cpus,
		[PFX_FACT_NUM_CPUS_ONLINE] = m->num_cpus_online,
		[PFX_FACT_NUM_CORES] = m->num_cores,
		[PFX_FACT_NUM_DIES] = m->num_dies,
		[PFX_FACT_NUM_PACKAGES] = m->num_packages,
		[PFX_FACT_TSC_HZ] = m->tsc_hz,
		[PFX_FACT_SLOTS] = m->slots,
		[PFX_FACT_HAS_PMEM] = m->has_pmem,
	};

	*ret = values[which];
	return (which != PFX_FACT_TSC_HZ && which != PFX_FACT_SLOTS) || *ret > 0;
}

/* Two numbers joined; false where there is no such value. */
static bool join(enum pfx_metric_op op, double a, double b, double *ret)
{
	switch (op) {
	case PFX_METRIC_ADD:
		*ret = a + b;
		return true;
	case PFX_METRIC_SUB:
		*ret = a - b;
		return true;
	case PFX_METRIC_MUL:
		*ret = a * b;
		return true;
	case PFX_METRIC_DIV:
		*ret = b == 0 ? 0 : a / b;
		return b != 0;
	case PFX_METRIC_MOD:
		*ret = b == 0 ? 0 : fmod(a, b);
		return b != 0;
	case PFX_METRIC_LESS:
		*ret = a < b;
		return true;
	case PFX_METRIC_MORE:
		*ret = a > b;
		return true;
	case PFX_METRIC_MIN:
		*ret = a < b ? a : b;
		return true;
	case PFX_METRIC_MAX:
		*ret = a > b ? a : b;
		return true;
	case PFX_METRIC_RATIO:
		*ret = b == 0 ? 0 : a / b;
		return true;
	default:
		return false;
	}
}

static bool bits(enum pfx_metric_op op, double a, double b, double *ret)
{
	const double most = 9e18;
	long long x, y;

	if (!(fabs(a) < most) || !(fabs(b) < most))
		return false;
	x = (long long)a;
	y = (long long)b;
	*ret = (double)(op == PFX_METRIC_OR ? x | y : op == PFX_METRIC_XOR ? x ^ y : x & y);
	return true;
}

/* Only what the condition chooses must have a value. */
static bool choose(const struct run *run, const struct pfx_metric_node *node, double *ret)
{
	double condition;

	if (!eval(run, node->b, &condition))
		return false;
	return eval(run, condition != 0 ? node->a : node->c, ret);
}

static bool fits_cpu(const struct run *run, const struct pfx_metric_node *node, double *ret)
{
	const char *text = run->metric->texts.at[(size_t)node->number];

	*ret = run->machine->cpuid && !strncmp(run->machine->cpuid, text, strlen(text));
	return true;
}

/* The PMUs that a value was counted by; 0 where there is no value. */
static double sources(const struct run *run, uint32_t at)
{
	const struct pfx_metric_node *node = &run->metric->nodes.at[at];
	double value;

	if (!eval(run, at, &value))
		return 0;
	if (node->op != PFX_METRIC_ID || !run->machine->sources)
		return 1;
	return run->machine->sources(run->context, (size_t)node->number);
}

static bool eval(const struct run *run, uint32_t at, double *ret)
{
	const struct pfx_metric_node *node = &run->metric->nodes.at[at];
	double a, b;

	switch (node->op) {
	case PFX_METRIC_NUMBER:
		*ret = node->number;
		return true;
	case PFX_METRIC_ID:
		return run->value(run->context, (size_t)node->number, ret);
	case PFX_METRIC_FACT:
		return fact(run->machine, (enum pfx_metric_fact)node->number, ret);
	case PFX_METRIC_NEG:
		if (!eval(run, node->a, &a))
			return false;
		*ret = -a;
		return true;
	case PFX_METRIC_SAME:
		return eval(run, node->a, ret);
	case PFX_METRIC_IF:
		return choose(run, node, ret);
	case PFX_METRIC_SOURCES:
		*ret = sources(run, node->a);
		return true;
	case PFX_METRIC_HAS:
		*ret = eval(run, node->a, &a);
		return true;
	case PFX_METRIC_CPUID:
		return fits_cpu(run, node, ret);
	case PFX_METRIC_OR:
	case PFX_METRIC_XOR:
	case PFX_METRIC_AND:
		return eval(run, node->a, &a) && eval(run, node->b, &b) &&
		       bits(node->op, a, b, ret);
	default:
		return eval(run, node->a, &a) && eval(run, node->b, &b) &&
		       join(node->op, a, b, ret);
	}
}

bool pfx_metric_eval(const struct pfx_metric *metric, const struct pfx_metric_machine *machine,
		     pfx_metric_value_fn value, void *context, double *ret)
{
	struct run run = {metric, machine, value, context};

	return eval(&run, metric->root, ret);
}

/* Nodes of @other behind those of @metric, with their ids and operands moved; the new root. */
static uint32_t append(struct pfx_metric *metric, const struct pfx_metric *other)
{
	uint32_t base = (uint32_t)metric->nodes.nr;
	size_t texts = metric->texts.nr, i;

	for (i = 0; i < other->texts.nr; i++)
		pfx_vec_push(&metric->texts, pfx_strdup(other->texts.at[i]));
	for (i = 0; i < other->nodes.nr; i++) {
		struct pfx_metric_node node = other->nodes.at[i];

		if (node.op == PFX_METRIC_ID)
			node.number = (double)pfx_metric_add_id(metric,
								other->ids.at[(size_t)node.number]);
		else if (node.op == PFX_METRIC_CPUID)
			node.number += (double)texts;
		node.a += base;
		node.b += base;
		node.c += base;
		pfx_vec_push(&metric->nodes, node);
	}
	return base + other->root;
}

struct pfx_metric *pfx_metric_copy(const struct pfx_metric *metric)
{
	struct pfx_metric *copy = pfx_calloc(1, sizeof(*copy));
	size_t i;

	for (i = 0; i < metric->ids.nr; i++)
		pfx_metric_add_id(copy, metric->ids.at[i]);
	copy->root = append(copy, metric);
	return copy;
}

/* Take an id out of the list; those behind it move up. */
static void drop_id(struct pfx_metric *metric, size_t id)
{
	size_t i;

	free(metric->ids.at[id]);
	memmove(metric->ids.at + id, metric->ids.at + id + 1,
		(metric->ids.nr - id - 1) * sizeof(*metric->ids.at));
	metric->ids.nr--;
	for (i = 0; i < metric->nodes.nr; i++)
		if (metric->nodes.at[i].op == PFX_METRIC_ID &&
		    metric->nodes.at[i].number > (double)id)
			metric->nodes.at[i].number--;
}

bool pfx_metric_substitute(struct pfx_metric *metric, const char *id,
			   const struct pfx_metric *other)
{
	size_t before = metric->nodes.nr, at, i;
	uint32_t root;

	for (at = 0; at < metric->ids.nr && strcmp(metric->ids.at[at], id) != 0; at++)
		;
	if (at == metric->ids.nr)
		return false;
	root = append(metric, other);
	for (i = 0; i < before; i++) {
		struct pfx_metric_node *node = &metric->nodes.at[i];

		if (node->op == PFX_METRIC_ID && node->number == (double)at)
			*node = (struct pfx_metric_node){PFX_METRIC_SAME, 0, root, 0, 0};
	}
	/* A metric that names itself still needs the name. */
	for (i = before; i < metric->nodes.nr; i++)
		if (metric->nodes.at[i].op == PFX_METRIC_ID &&
		    metric->nodes.at[i].number == (double)at)
			return true;
	drop_id(metric, at);
	return true;
}

/* Whether a part says the same whatever is counted. */
static bool is_known(const struct pfx_metric *metric, uint32_t at)
{
	const struct pfx_metric_node *node = &metric->nodes.at[at];

	switch (node->op) {
	case PFX_METRIC_NUMBER:
	case PFX_METRIC_FACT:
	case PFX_METRIC_CPUID:
		return true;
	case PFX_METRIC_ID:
	case PFX_METRIC_SOURCES:
	case PFX_METRIC_HAS:
		return false;
	case PFX_METRIC_NEG:
	case PFX_METRIC_SAME:
		return is_known(metric, node->a);
	case PFX_METRIC_IF:
		return is_known(metric, node->a) && is_known(metric, node->b) &&
		       is_known(metric, node->c);
	default:
		return is_known(metric, node->a) && is_known(metric, node->b);
	}
}

static void mark(const struct pfx_metric *metric, uint32_t at, bool *used)
{
	const struct pfx_metric_node *node = &metric->nodes.at[at];

	if (used[at])
		return;
	used[at] = true;
	if (node->op == PFX_METRIC_NUMBER || node->op == PFX_METRIC_FACT ||
	    node->op == PFX_METRIC_CPUID || node->op == PFX_METRIC_ID)
		return;
	mark(metric, node->a, used);
	if (node->op == PFX_METRIC_NEG || node->op == PFX_METRIC_SAME ||
	    node->op == PFX_METRIC_SOURCES || node->op == PFX_METRIC_HAS)
		return;
	mark(metric, node->b, used);
	if (node->op == PFX_METRIC_IF)
		mark(metric, node->c, used);
}

/* Keep the names that parts still in use need; the others' places become numbers. */
static void drop_ids(struct pfx_metric *metric)
{
	bool *used = pfx_calloc(metric->nodes.nr, sizeof(*used));
	char **old = metric->ids.at;
	size_t nr = metric->ids.nr, i;

	mark(metric, metric->root, used);
	memset(&metric->ids, 0, sizeof(metric->ids));
	for (i = 0; i < metric->nodes.nr; i++) {
		struct pfx_metric_node *node = &metric->nodes.at[i];

		if (node->op != PFX_METRIC_ID)
			continue;
		if (used[i])
			node->number = (double)pfx_metric_add_id(metric, old[(size_t)node->number]);
		else
			*node = (struct pfx_metric_node){.op = PFX_METRIC_NUMBER};
	}
	for (i = 0; i < nr; i++)
		free(old[i]);
	free(old);
	free(used);
}

void pfx_metric_fold(struct pfx_metric *metric, const struct pfx_metric_machine *machine)
{
	struct run run = {.metric = metric, .machine = machine};
	bool any = false;
	double condition;
	size_t i;

	for (i = 0; i < metric->nodes.nr; i++) {
		struct pfx_metric_node *node = &metric->nodes.at[i];

		if (node->op != PFX_METRIC_IF || !is_known(metric, node->b) ||
		    !eval(&run, node->b, &condition))
			continue;
		node->a = condition != 0 ? node->a : node->c;
		node->op = PFX_METRIC_SAME;
		any = true;
	}
	if (any)
		drop_ids(metric);
}
