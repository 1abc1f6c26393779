/* SPDX-License-Identifier: MIT */
/* Means and variances of amounts, by name and side. */
#include "diff/amounts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "stat/student.h"

struct pfx_diff_amounts {
	uint32_t nr_sides;
	PFX_VEC(struct pfx_diff_amount) at;
	struct pfx_intern names; /* the id is the amount's */
	struct pfx_arena arena;
};

struct pfx_diff_amounts *pfx_diff_amounts_new(uint32_t nr_sides)
{
	struct pfx_diff_amounts *amounts = pfx_calloc(1, sizeof(*amounts));

	amounts->nr_sides = nr_sides;
	return amounts;
}

void pfx_diff_amounts_free(struct pfx_diff_amounts *amounts)
{
	if (!amounts)
		return;
	pfx_vec_free(&amounts->at);
	pfx_intern_fini(&amounts->names);
	pfx_arena_clear(&amounts->arena);
	free(amounts);
}

void pfx_diff_amounts_add(struct pfx_diff_amounts *amounts, uint32_t side, const char *name,
			  const char *unit, double value)
{
	uint32_t id = pfx_intern_str(&amounts->names, name);
	struct pfx_diff_amount *amount;

	if (id == amounts->at.nr) {
		amount = pfx_vec_add(&amounts->at);
		amount->name = pfx_intern_get(&amounts->names, id);
		amount->unit = pfx_arena_strdup(&amounts->arena, unit);
		amount->sides =
			pfx_arena_array(&amounts->arena, struct pfx_moments, amounts->nr_sides);
	}
	pfx_moments_add(&amounts->at.at[id].sides[side], value);
}

void pfx_diff_amounts_add_counts(struct pfx_diff_amounts *amounts, uint32_t side,
				 const struct pfx_counts *counts)
{
	const struct pfx_stat_event *event;
	const struct pfx_stat_cell *cell;
	double sum;
	size_t i, group;
	bool any;

	for (i = 0; i < counts->events.nr; i++) {
		event = &counts->events.at[i];
		for (sum = 0, any = false, group = 0; group < counts->groups.nr; group++) {
			cell = pfx_stat_cell(counts, i, group);
			any |= pfx_stat_was_counted(cell);
			sum += cell->value.mean;
		}
		if (any)
			pfx_diff_amounts_add(amounts, side, event->name, event->unit,
					     sum * event->scale);
	}
}

uint32_t pfx_diff_nr_amounts(const struct pfx_diff_amounts *amounts)
{
	return (uint32_t)amounts->at.nr;
}

const struct pfx_diff_amount *pfx_diff_amount_at(const struct pfx_diff_amounts *amounts, uint32_t i)
{
	return &amounts->at.at[i];
}

const struct pfx_diff_amount *pfx_diff_amount_named(const struct pfx_diff_amounts *amounts,
						    const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < amounts->at.nr; i++)
		if (!strcmp(amounts->at.at[i].name, name))
			return &amounts->at.at[i];
	for (i = 0; i < amounts->at.nr; i++)
		if (!strncmp(amounts->at.at[i].name, name, len) &&
		    amounts->at.at[i].name[len] == ':')
			return &amounts->at.at[i];
	return NULL;
}

/* How many amounts the side and side 0 have. */
static uint32_t family(const struct pfx_diff_amounts *amounts)
{
	uint32_t side, nr = 0;
	size_t i;

	for (i = 0; i < amounts->at.nr; i++)
		for (side = 1; side < amounts->nr_sides; side++)
			nr += amounts->at.at[i].sides[0].n > 0 &&
			      amounts->at.at[i].sides[side].n > 0;
	return nr ? nr : 1;
}

bool pfx_diff_amount_interval(const struct pfx_diff_amounts *amounts,
			      const struct pfx_diff_amount *amount, uint32_t side,
			      double confidence, double *ret)
{
	const struct pfx_moments *old = &amount->sides[0], *new = &amount->sides[side];
	double df = old->n + new->n - 2, variance;

	*ret = 0;
	if (df < 1 || old->n < 1 || new->n < 1)
		return false;
	variance = (old->m2 + new->m2) / df * (1 / old->n + 1 / new->n);
	*ret = sqrt(variance) *
	       pfx_student_critical(-expm1(log(confidence / 100) / family(amounts)), df);
	return true;
}
