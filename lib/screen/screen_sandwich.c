/* SPDX-License-Identifier: MIT */
/* The view of one function: its callers above, its callees below, both as trees. */
#include "screen/screen_internal.h"

static void add_heading(struct pfx_screen *s, const char *text, uint64_t key)
{
	struct pfx_screen_row *row = pfx_screen_add_row(s, PFX_ROW_TEXT);

	row->text = text;
	row->key = key;
}

/* The function itself; its kids are shown unless it is closed. */
static void add_side(struct pfx_screen *s, uint32_t function, bool callers, uint64_t key)
{
	const struct pfx_view_tree *tree = pfx_screen_tree(s, function, callers);
	struct pfx_screen_row above = {.key = key, .no_self = callers};

	if (tree->nodes[0].nr_kids)
		pfx_screen_add_kids(s, tree, 0, &above);
	else
		add_heading(s, "  (none)", key ^ 2);
}

/* As in the table: samples at an address of the function, also where inlined functions are. */
static uint64_t self_of(struct pfx_screen *s, uint32_t function)
{
	const struct pfx_selection *selection = pfx_screen_select_code(s);
	const uint64_t *weights =
		pfx_selection_weights(selection, pfx_screen_column(s), s->measure);
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < selection->nr_stacks; i++)
		if (s->profile->frames[selection->stack_own[i]].function == function)
			sum += weights[i];
	return sum;
}

static void make(struct pfx_screen *s)
{
	uint32_t function = pfx_screen_find_function(s, s->place.function);
	uint64_t key = s->place.function;
	const struct pfx_view_tree *tree;
	struct pfx_screen_row *row;

	pfx_screen_select(s);
	if (function == PFX_NO_ID || !s->selection.nr_events) {
		add_heading(s, "the function has no samples", 1);
		return;
	}
	add_heading(s, "Callers", 3);
	add_side(s, function, true, pfx_hash_u64(key ^ 3));
	add_heading(s, "Function", 5);
	tree = pfx_screen_tree(s, function, false);
	row = pfx_screen_add_row(s, PFX_ROW_NODE);
	row->by = PFX_VIEW_FUNCTION;
	row->id = function;
	row->key = key;
	row->total = tree->nodes[0].total;
	row->self = self_of(s, function);
	row->old_total = pfx_screen_old_in_tree(s, tree, 0);
	add_heading(s, "Callees", 7);
	add_side(s, function, false, pfx_hash_u64(key ^ 7));
}

static void draw_row(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
		     const struct pfx_screen_row *row)
{
	if (row->kind != PFX_ROW_TEXT) {
		pfx_screen_draw_columns(s, grid, y, row);
		return;
	}
	grid->pen.style = PFX_STYLE_HEADING;
	pfx_grid_put(grid, 0, y, row->text, grid->width);
}

/* All of the callers and callees. */
static void open_all(struct pfx_screen *s, bool open)
{
	pfx_hash_fini(&s->toggled);
	s->toggled = (struct pfx_hash){0};
	s->all_open = open;
	pfx_screen_stale(s);
}

static bool act(struct pfx_screen *s, enum pfx_screen_action action)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);

	switch (action) {
	case PFX_ACT_OPEN_ALL:
	case PFX_ACT_CLOSE_ALL:
		open_all(s, action == PFX_ACT_OPEN_ALL);
		return true;
	case PFX_ACT_CLOSE_ENTRY:
		if (row && row->has_kids && row->is_open)
			pfx_screen_toggle(s, row->key);
		return true;
	case PFX_ACT_OPEN_ENTRY:
	case PFX_ACT_TOGGLE:
	case PFX_ACT_ENTER:
		if (row && row->has_kids)
			pfx_screen_toggle(s, row->key);
		else if (row && action == PFX_ACT_ENTER && row->kind == PFX_ROW_NODE)
			pfx_screen_open_menu(s);
		return true;
	default:
		return false;
	}
}

static void about(struct pfx_screen *s, struct pfx_str *to)
{
	uint32_t function = pfx_screen_find_function(s, s->place.function);

	if (function != PFX_NO_ID)
		pfx_str_addf(to, " of %s", s->profile->functions[function].name);
}

const struct pfx_screen_ops pfx_screen_sandwich_ops = {
	.make = make,
	.heading = pfx_screen_draw_headings,
	.row = draw_row,
	.act = act,
	.about = about,
};
