/* SPDX-License-Identifier: MIT */
/*
 * Tables with reused addresses: of overlapping symbols, the one added last owns all its bytes, and
 * earlier ones keep the rest. The ends of all symbols divide the address range into pieces; symbols
 * claim free pieces from the last to the first.
 */
#include <stdlib.h>

#include "sym/table/symtab.h"
#include "sym/table/symtab_internal.h"

#define NOBODY UINT32_MAX

struct canvas {
	uint64_t *bounds; /* start of each piece, ascending, and the end of the last one */
	uint32_t *owner;  /* of each piece: index of its symbol, or NOBODY */
	uint32_t *next;   /* the next free piece, or a piece on the way to it (union-find) */
	uint32_t nr;      /* pieces */
};

static int by_value(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static void make_canvas(struct canvas *canvas, const struct pfx_symtab *tab)
{
	size_t i, nr = 2 * tab->syms.nr, kept = 0;

	canvas->bounds = pfx_calloc(nr, sizeof(*canvas->bounds));
	for (i = 0; i < tab->syms.nr; i++) {
		canvas->bounds[2 * i] = tab->syms.at[i].start;
		canvas->bounds[2 * i + 1] = tab->syms.at[i].end;
	}
	qsort(canvas->bounds, nr, sizeof(*canvas->bounds), by_value);
	for (i = 0; i < nr; i++)
		if (!i || canvas->bounds[i] != canvas->bounds[kept - 1])
			canvas->bounds[kept++] = canvas->bounds[i];
	canvas->nr = (uint32_t)kept - 1;
	canvas->owner = pfx_calloc(kept, sizeof(*canvas->owner));
	canvas->next = pfx_calloc(kept, sizeof(*canvas->next));
	for (i = 0; i < kept; i++) {
		canvas->owner[i] = NOBODY;
		canvas->next[i] = (uint32_t)i;
	}
}

/* Shortens the path for later searches. */
static uint32_t first_free(struct canvas *canvas, uint32_t i)
{
	while (canvas->next[i] != i) {
		canvas->next[i] = canvas->next[canvas->next[i]];
		i = canvas->next[i];
	}
	return i;
}

static void paint(struct canvas *canvas, const struct pfx_symbol *sym, uint32_t index)
{
	uint64_t *at = bsearch(&sym->start, canvas->bounds, canvas->nr + 1, sizeof(*at), by_value);
	uint32_t i = first_free(canvas, (uint32_t)(at - canvas->bounds));

	while (i < canvas->nr && canvas->bounds[i] < sym->end) {
		canvas->owner[i] = index;
		canvas->next[i] = i + 1;
		i = first_free(canvas, i + 1);
	}
}

/* Adds a run for each sequence of pieces that a symbol owns. */
static void take_runs(struct pfx_symtab *tab, const struct canvas *canvas)
{
	struct pfx_symbol *syms = tab->syms.at;
	uint32_t i, owner, last = NOBODY;

	tab->syms.at = NULL;
	tab->syms.nr = tab->syms.cap = 0;
	for (i = 0; i < canvas->nr; i++) {
		owner = canvas->owner[i];
		if (owner != NOBODY && owner != last) {
			pfx_vec_push(&tab->syms, syms[owner]);
			pfx_vec_push(&tab->runs, ((struct pfx_symbol_run){canvas->bounds[i], 0}));
		}
		if (owner != NOBODY)
			tab->runs.at[tab->runs.nr - 1].end = canvas->bounds[i + 1];
		last = owner;
	}
	free(syms);
}

void pfx_symtab_let_last_win(struct pfx_symtab *tab)
{
	struct canvas canvas = {0};
	size_t i;

	make_canvas(&canvas, tab);
	for (i = tab->syms.nr; i-- > 0;)
		paint(&canvas, &tab->syms.at[i], (uint32_t)i);
	take_runs(tab, &canvas);
	free(canvas.bounds);
	free(canvas.owner);
	free(canvas.next);
}
