/* SPDX-License-Identifier: MIT */
/*
 * Replaces names of other metrics by their formulas. Each formula is written once, after all
 * formulas that it uses, so that operands are earlier nodes. The stack is on the heap because input
 * files determine the depth.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/str.h"
#include "pmu/metric/metric_internal.h"

/* A name, by its id in the table of names. */
struct unit {
	struct pfx_metric *formula; /* until it is written; owned */
	size_t next;                /* index of the next name in the formula */
	size_t place;               /* for a metric its root in the result, for an event its id */
	bool is_known, is_event, is_done;
};

struct expansion {
	pfx_metric_formula_fn formula_of;
	void *context;
	struct pfx_intern names;
	PFX_VEC(struct unit) units;
	PFX_VEC(uint32_t) open; /* units whose names are being expanded, the outermost first */
	size_t nr_nodes;        /* of all formulas */
	struct pfx_metric *result;
};

static int too_long(const char *id, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EFBIG, "metric '%s' is too long with all metrics that it needs",
		      pfx_escape(shown, sizeof(shown), id));
	return -EFBIG;
}

static uint32_t unit_of(struct expansion *x, const char *id)
{
	uint32_t at = pfx_intern_str(&x->names, id);

	while (x->units.nr <= at)
		pfx_vec_push(&x->units, (struct unit){0});
	return at;
}

/* Append the nodes of a formula to the result; all names in it are done. Returns the new root. */
static size_t write_formula(struct expansion *x, const struct pfx_metric *formula)
{
	size_t base = x->result->nodes.nr, texts = x->result->texts.nr, i;

	for (i = 0; i < formula->texts.nr; i++)
		pfx_vec_push(&x->result->texts, pfx_strdup(formula->texts.at[i]));
	for (i = 0; i < formula->nodes.nr; i++) {
		struct pfx_metric_node node = formula->nodes.at[i];

		node.a += (uint32_t)base;
		node.b += (uint32_t)base;
		node.c += (uint32_t)base;
		if (node.op == PFX_METRIC_CPUID)
			node.number += (double)texts;
		if (node.op == PFX_METRIC_ID) {
			const char *id = formula->ids.at[(size_t)node.number];
			const struct unit *unit = &x->units.at[unit_of(x, id)];

			if (unit->is_event)
				node.number = (double)unit->place;
			else
				node = (struct pfx_metric_node){.op = PFX_METRIC_SAME,
								.a = (uint32_t)unit->place};
		}
		pfx_vec_push(&x->result->nodes, node);
	}
	return base + formula->root;
}

static int add_event(struct expansion *x, struct unit *unit, const char *id, struct pfx_error *err)
{
	if (x->result->ids.nr >= PFX_METRIC_IDS_MAX)
		return too_long(id, err);
	unit->is_event = unit->is_done = true;
	unit->place = x->result->ids.nr;
	pfx_vec_push(&x->result->ids, pfx_strdup(id));
	return 0;
}

/* Handle a name in an open formula: an event, a finished metric, or the next to open. */
static int meet(struct expansion *x, const char *id, struct pfx_error *err)
{
	uint32_t at = unit_of(x, id);
	struct unit *unit = &x->units.at[at];
	char shown[128];
	int rc;

	if (unit->is_done)
		return 0;
	if (unit->is_known)
		return pfx_error_set(err, ELOOP, "metric '%s' needs itself",
				     pfx_escape(shown, sizeof(shown), id));
	unit->is_known = true;
	rc = x->formula_of(x->context, id, &unit->formula, err);
	if (rc == 0)
		return add_event(x, unit, id, err);
	if (rc < 0)
		return rc;
	x->nr_nodes += unit->formula->nodes.nr;
	if (x->nr_nodes > PFX_METRIC_NODES_MAX)
		return too_long(id, err);
	pfx_vec_push(&x->open, at);
	return 0;
}

static int expand(struct expansion *x, struct pfx_error *err)
{
	int rc = 0;

	while (rc >= 0 && x->open.nr) {
		struct unit *unit = &x->units.at[x->open.at[x->open.nr - 1]];

		if (unit->next < unit->formula->ids.nr) {
			rc = meet(x, unit->formula->ids.at[unit->next++], err);
			continue;
		}
		unit->place = write_formula(x, unit->formula);
		unit->is_done = true;
		pfx_metric_free(unit->formula);
		unit->formula = NULL;
		x->open.nr--;
	}
	return rc;
}

static void expansion_fini(struct expansion *x)
{
	size_t i;

	for (i = 0; i < x->units.nr; i++)
		pfx_metric_free(x->units.at[i].formula);
	pfx_vec_free(&x->units);
	pfx_vec_free(&x->open);
	pfx_intern_fini(&x->names);
	pfx_metric_free(x->result);
}

int pfx_metric_expand(struct pfx_metric *metric, pfx_metric_formula_fn formula_of, void *context,
		      struct pfx_error *err)
{
	struct expansion x = {.formula_of = formula_of, .context = context};
	struct pfx_metric before = *metric;
	int rc = 0;
	size_t i;

	x.result = pfx_calloc(1, sizeof(*x.result));
	x.nr_nodes = metric->nodes.nr;
	for (i = 0; i < metric->ids.nr && rc >= 0; i++) {
		rc = meet(&x, metric->ids.at[i], err);
		if (rc >= 0)
			rc = expand(&x, err);
	}
	if (rc >= 0) {
		x.result->root = (uint32_t)write_formula(&x, metric);
		*metric = *x.result;
		*x.result = before;
	}
	expansion_fini(&x);
	return rc;
}
