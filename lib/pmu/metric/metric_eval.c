/* SPDX-License-Identifier: MIT */
/*
 * The value of a metric expression. Operands are earlier nodes, so one pass over the nodes
 * evaluates each of them once, however many others use it. The caller supplies the counts. Events
 * that were not counted have no value, which is an error only if the expression needs it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/metric/metric_internal.h"

/* The evaluated state of a node. */
struct cell {
	double number;
	bool has;
	bool is_known; /* constant: does not depend on counts */
};

struct run {
	const struct pfx_metric *metric;
	const struct pfx_metric_machine *machine;
	pfx_metric_value_fn value;
	void *context;
	struct cell *cells; /* by node; those of earlier nodes are filled */
};

static bool get(const struct run *run, uint32_t at, double *ret)
{
	*ret = run->cells[at].number;
	return run->cells[at].has;
}

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
		[PFX_FACT_TARGET_CPU] = m->of_cpus,
	};

	*ret = values[which];
	return (which != PFX_FACT_TSC_HZ && which != PFX_FACT_SLOTS) || *ret > 0;
}

/* The result of a binary operator; false if undefined. */
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

/* Only the selected branch must have a value. */
static bool choose(const struct run *run, const struct pfx_metric_node *node, double *ret)
{
	double condition;

	if (!get(run, node->b, &condition))
		return false;
	return get(run, condition != 0 ? node->a : node->c, ret);
}

static bool fits_cpu(const struct run *run, const struct pfx_metric_node *node, double *ret)
{
	const char *text = run->metric->texts.at[(size_t)node->number];

	*ret = run->machine->cpuid && !strncmp(run->machine->cpuid, text, strlen(text));
	return true;
}

/* The number of PMUs of a value; 0 if it has no value. */
static double sources(const struct run *run, uint32_t at)
{
	const struct pfx_metric_node *node = &run->metric->nodes.at[at];

	if (!run->cells[at].has)
		return 0;
	if (node->op != PFX_METRIC_ID || !run->machine->sources)
		return 1;
	return run->machine->sources(run->context, (size_t)node->number);
}

/* The value of a node whose operands have been evaluated. */
static bool eval_node(const struct run *run, const struct pfx_metric_node *node, double *ret)
{
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
		*ret = -run->cells[node->a].number;
		return run->cells[node->a].has;
	case PFX_METRIC_SAME:
		return get(run, node->a, ret);
	case PFX_METRIC_IF:
		return choose(run, node, ret);
	case PFX_METRIC_SOURCES:
		*ret = sources(run, node->a);
		return true;
	case PFX_METRIC_HAS:
		*ret = run->cells[node->a].has;
		return true;
	case PFX_METRIC_CPUID:
		return fits_cpu(run, node, ret);
	case PFX_METRIC_OR:
	case PFX_METRIC_XOR:
	case PFX_METRIC_AND:
		return get(run, node->a, &a) && get(run, node->b, &b) && bits(node->op, a, b, ret);
	default:
		return get(run, node->a, &a) && get(run, node->b, &b) && join(node->op, a, b, ret);
	}
}

bool pfx_metric_eval(const struct pfx_metric *metric, const struct pfx_metric_machine *machine,
		     pfx_metric_value_fn value, void *context, double *ret)
{
	struct run run = {metric, machine, value, context, NULL};
	struct cell root;
	size_t i;

	run.cells = pfx_calloc(metric->nodes.nr, sizeof(*run.cells));
	for (i = 0; i <= metric->root; i++)
		run.cells[i].has = eval_node(&run, &metric->nodes.at[i], &run.cells[i].number);
	root = run.cells[metric->root];
	free(run.cells);
	*ret = root.number;
	return root.has;
}

/* --- removing parts that need not be counted --- */

/* Whether a node does not depend on counts. */
static bool is_known(const struct run *run, const struct pfx_metric_node *node)
{
	const struct cell *cells = run->cells;

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
		return cells[node->a].is_known;
	case PFX_METRIC_IF:
		return cells[node->a].is_known && cells[node->b].is_known &&
		       cells[node->c].is_known;
	default:
		return cells[node->a].is_known && cells[node->b].is_known;
	}
}

/* How many of a node's operands are nodes. */
static unsigned nr_operands(enum pfx_metric_op op)
{
	switch (op) {
	case PFX_METRIC_NUMBER:
	case PFX_METRIC_ID:
	case PFX_METRIC_FACT:
	case PFX_METRIC_CPUID:
		return 0;
	case PFX_METRIC_NEG:
	case PFX_METRIC_SAME:
	case PFX_METRIC_SOURCES:
	case PFX_METRIC_HAS:
		return 1;
	case PFX_METRIC_IF:
		return 3;
	default:
		return 2;
	}
}

/* The nodes that the root uses, directly or not: operands precede their users. The caller frees
 * them. */
static bool *used_nodes(const struct pfx_metric *metric)
{
	bool *used = pfx_calloc(metric->nodes.nr, sizeof(*used));
	size_t i = metric->root + 1;

	used[metric->root] = true;
	while (i--) {
		const struct pfx_metric_node *node = &metric->nodes.at[i];
		unsigned nr = used[i] ? nr_operands(node->op) : 0;

		if (nr > 0)
			used[node->a] = true;
		if (nr > 1)
			used[node->b] = true;
		if (nr > 2)
			used[node->c] = true;
	}
	return used;
}

/* Keep only the names that remaining parts use. */
static void drop_ids(struct pfx_metric *metric)
{
	bool *used = used_nodes(metric), *kept = pfx_calloc(metric->ids.nr + 1, sizeof(*kept));
	size_t *place = pfx_calloc(metric->ids.nr + 1, sizeof(*place)), i, nr = 0;

	for (i = 0; i < metric->nodes.nr; i++)
		if (used[i] && metric->nodes.at[i].op == PFX_METRIC_ID)
			kept[(size_t)metric->nodes.at[i].number] = true;
	for (i = 0; i < metric->ids.nr; i++) {
		place[i] = nr;
		if (kept[i])
			metric->ids.at[nr++] = metric->ids.at[i];
		else
			free(metric->ids.at[i]);
	}
	metric->ids.nr = nr;
	for (i = 0; i < metric->nodes.nr; i++) {
		struct pfx_metric_node *node = &metric->nodes.at[i];

		if (node->op == PFX_METRIC_ID && used[i])
			node->number = (double)place[(size_t)node->number];
		else if (node->op == PFX_METRIC_ID)
			*node = (struct pfx_metric_node){.op = PFX_METRIC_NUMBER};
	}
	free(place);
	free(kept);
	free(used);
}

void pfx_metric_fold(struct pfx_metric *metric, const struct pfx_metric_machine *machine)
{
	struct run run = {.metric = metric, .machine = machine};
	bool any = false;
	double condition;
	size_t i;

	run.cells = pfx_calloc(metric->nodes.nr, sizeof(*run.cells));
	for (i = 0; i < metric->nodes.nr; i++) {
		struct pfx_metric_node *node = &metric->nodes.at[i];
		struct cell *cell = &run.cells[i];

		if (node->op == PFX_METRIC_IF && get(&run, node->b, &condition)) {
			node->a = condition != 0 ? node->a : node->c;
			node->op = PFX_METRIC_SAME;
			any = true;
		}
		cell->is_known = is_known(&run, node);
		cell->has = cell->is_known && eval_node(&run, node, &cell->number);
	}
	free(run.cells);
	if (any)
		drop_ids(metric);
}
