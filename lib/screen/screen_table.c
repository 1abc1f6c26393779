/* SPDX-License-Identifier: MIT */
/* The view of rows: functions, libraries, threads and so on, each with its call tree. */
#include "screen/screen_internal.h"

#define TREES_MAX 500 /* that are opened at once: each takes a pass over all stacks */

static void need_table(struct pfx_screen *s)
{
	const struct pfx_selection *selection = pfx_screen_select(s);

	if (!s->has_table)
		pfx_table_make(&s->table, selection, s->place.by);
	s->has_table = true;
	if (s->sort_column >= selection->nr_events)
		s->sort_column = pfx_screen_column(s);
	if (selection->nr_events)
		pfx_table_sort(&s->table, s->profile, s->order, s->sort_column);
	if (selection->nr_events && pfx_screen_compares(s) &&
	    (s->order == PFX_TABLE_SELF || s->order == PFX_TABLE_TOTAL))
		pfx_screen_sort_changes(s);
}

static uint64_t key_of(struct pfx_screen *s, uint32_t id)
{
	struct pfx_str name = {0};
	uint64_t key;

	if (s->place.by == PFX_VIEW_FUNCTION && id != PFX_NO_ID)
		return s->function_keys[id];
	pfx_screen_add_id(s, s->place.by, id, &name);
	key = pfx_hash_bytes(pfx_str_get(&name), name.len) | 1;
	pfx_str_fini(&name);
	return key;
}

static bool passes_filter(struct pfx_screen *s, uint32_t id)
{
	struct pfx_str name = {0};
	bool passes;

	if (!s->place.filter)
		return true;
	pfx_screen_add_id(s, s->place.by, id, &name);
	passes = pfx_screen_has_text(pfx_str_get(&name), s->place.filter);
	pfx_str_fini(&name);
	return passes;
}

static bool has_trees(const struct pfx_screen *s)
{
	return s->place.by == PFX_VIEW_FUNCTION ||
	       (s->place.by >= PFX_VIEW_PROCESS && s->place.by <= PFX_VIEW_CPU);
}

static void add_tree(struct pfx_screen *s, const struct pfx_screen_row *row)
{
	const struct pfx_view_tree *tree;
	struct pfx_screen_row above = *row;
	uint32_t i;

	if (row->by == PFX_VIEW_FUNCTION) {
		above.no_self = s->callers;
		pfx_screen_add_kids(s, pfx_screen_tree(s, row->id, s->callers), 0, &above);
		return;
	}
	tree = pfx_screen_tree(s, PFX_NO_ID, false);
	for (i = 0; i < tree->nodes[0].nr_kids; i++)
		if (tree->nodes[tree->nodes[0].first_kid + i].group == row->id)
			pfx_screen_add_kids(s, tree, tree->nodes[0].first_kid + i, row);
}

/* A function without callers, or without callees, has no tree; knowing it takes the tree. */
static bool has_kids(struct pfx_screen *s, const struct pfx_screen_row *row)
{
	if (row->by != PFX_VIEW_FUNCTION)
		return row->total > 0;
	if (!s->callers)
		return row->total > row->self;
	return true;
}

/* What the row had in the old recording of a comparison. */
static void set_old(struct pfx_screen *s, struct pfx_screen_row *row, bool periods)
{
	uint32_t old = pfx_screen_old_column(s);
	const struct pfx_table_value *value;

	if (old == PFX_NO_ID)
		return;
	value = &row->values[old];
	row->old_self = periods ? value->self : value->samples;
	row->old_total = periods ? value->total : value->samples;
}

static void add_row(struct pfx_screen *s, const struct pfx_table_row *from)
{
	const struct pfx_table_value *value = &from->values[pfx_screen_column(s)];
	bool periods = s->measure == PFX_MEASURE_PERIOD;
	struct pfx_screen_row row = {
		.kind = PFX_ROW_TABLE,
		.by = s->place.by,
		.id = from->id,
		.self = periods ? value->self : value->samples,
		.total = periods ? value->total : value->samples,
		.samples = value->samples,
		.values = from->values,
	};

	set_old(s, &row, periods);
	if ((pfx_screen_percent(row.total, pfx_screen_total(s)) < s->min_percent &&
	     pfx_screen_percent(row.old_total, pfx_screen_old_total(s)) < s->min_percent) ||
	    !passes_filter(s, row.id))
		return;
	row.key = key_of(s, row.id);
	row.has_kids = has_trees(s) && has_kids(s, &row);
	row.is_open = row.has_kids && pfx_screen_is_open(s, row.key) &&
		      !(s->all_open && s->trees.nr >= TREES_MAX);
	*pfx_screen_add_row(s, PFX_ROW_TABLE) = row;
	if (row.is_open)
		add_tree(s, &row);
}

static void make(struct pfx_screen *s)
{
	uint32_t i;

	need_table(s);
	for (i = 0; i < s->table.nr_rows && s->selection.nr_events; i++)
		add_row(s, &s->table.rows[i]);
}

/* --- keys --- */

static void sort_by(struct pfx_screen *s, enum pfx_table_order order)
{
	s->order = order;
	if (!s->direction_given)
		s->callers = order == PFX_TABLE_SELF;
	pfx_screen_stale(s);
	pfx_screen_free_trees(s);
}

static void sort_step(struct pfx_screen *s, unsigned step)
{
	/* In the order of columns. */
	static const enum pfx_table_order orders[] = {PFX_TABLE_TOTAL, PFX_TABLE_SELF,
						      PFX_TABLE_SAMPLES, PFX_TABLE_LIBRARY,
						      PFX_TABLE_NAME};
	const unsigned nr = sizeof(orders) / sizeof(*orders);
	unsigned i;

	for (i = 0; orders[i] != s->order; i++)
		;
	i = (i + step) % nr;
	while ((orders[i] == PFX_TABLE_LIBRARY && s->place.by != PFX_VIEW_FUNCTION) ||
	       (orders[i] == PFX_TABLE_SAMPLES && pfx_screen_compares(s)))
		i = (i + step) % nr;
	sort_by(s, orders[i]);
}

static void open_all(struct pfx_screen *s, bool open)
{
	pfx_hash_fini(&s->toggled);
	s->toggled = (struct pfx_hash){0};
	s->all_open = open;
	pfx_screen_stale(s);
}

/* The profile has frames for these rows. False: it has not, and the screen says why. */
static bool need_frames(struct pfx_screen *s, enum pfx_view_by by)
{
	const struct pfx_screen_host *host = &s->options.host;
	enum pfx_profile_frames frames =
		by == PFX_VIEW_LINE ? PFX_FRAMES_BY_LINE : PFX_FRAMES_BY_FUNCTION;
	struct pfx_error err = {0};

	if ((by != PFX_VIEW_LINE && by != PFX_VIEW_FUNCTION) || !host->frames ||
	    s->profile->frames_by == frames)
		return true;
	if (!host->frames(host->context, frames, &err))
		return true;
	pfx_screen_say(s, err.text);
	return false;
}

static void choose_by(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	if (!need_frames(s, entry->by))
		return;
	pfx_screen_push(s);
	if (s->has_table)
		pfx_table_fini(&s->table);
	s->has_table = false;
	s->place.by = entry->by;
	s->place.filter = NULL;
	s->place.selected = s->place.cursor = s->place.top = 0;
	pfx_screen_free_trees(s);
	pfx_screen_stale(s);
}

static void open_by_menu(struct pfx_screen *s)
{
	static const struct {
		enum pfx_view_by by;
		const char *name;
	} choices[] = {
		{PFX_VIEW_FUNCTION, "Functions"}, {PFX_VIEW_DSO, "Libraries"},
		{PFX_VIEW_COMM, "Commands"},      {PFX_VIEW_PROCESS, "Processes"},
		{PFX_VIEW_THREAD, "Threads"},     {PFX_VIEW_CPU, "CPUs"},
		{PFX_VIEW_LINE, "Source lines"},
	};
	size_t nr = sizeof(choices) / sizeof(*choices), i;

	pfx_menu_open(s, "Rows are");
	if (s->profile->frames_by == PFX_FRAMES_BY_FUNCTION && !s->options.host.frames)
		nr--;
	for (i = 0; i < nr; i++) {
		pfx_menu_add(s, choices[i].name, choose_by);
		pfx_menu_last(s)->by = choices[i].by;
	}
	pfx_menu_ready(s, NULL);
}

static bool act_row(struct pfx_screen *s, enum pfx_screen_action action)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);

	if (action != PFX_ACT_ENTER && action != PFX_ACT_TOGGLE)
		return false;
	if (row && row->has_kids)
		pfx_screen_toggle(s, row->key);
	else if (row && action == PFX_ACT_ENTER)
		pfx_screen_open_menu(s);
	return true;
}

static bool act(struct pfx_screen *s, enum pfx_screen_action action)
{
	switch (action) {
	case PFX_ACT_OPEN_ENTRY:
		pfx_screen_toggle_entry(s);
		return true;
	case PFX_ACT_CLOSE_ENTRY:
		pfx_screen_close_entry(s);
		return true;
	case PFX_ACT_OPEN_ALL:
	case PFX_ACT_CLOSE_ALL:
		open_all(s, action == PFX_ACT_OPEN_ALL);
		return true;
	case PFX_ACT_DIRECTION:
		s->direction_given = true;
		s->callers = !s->callers;
		pfx_screen_say(s,
			       s->callers ? "call trees show callers" : "call trees show callees");
		pfx_screen_stale(s);
		return true;
	case PFX_ACT_ROWS_BY:
		open_by_menu(s);
		return true;
	case PFX_ACT_SORT_NEXT:
	case PFX_ACT_SORT_PREVIOUS:
		sort_step(s, action == PFX_ACT_SORT_NEXT ? 1 : 4);
		return true;
	default:
		return act_row(s, action);
	}
}

static void click(struct pfx_screen *s, uint32_t link, const struct pfx_press *press)
{
	if (link >= PFX_LINK_HEADING && link - PFX_LINK_HEADING <= PFX_TABLE_LIBRARY)
		sort_by(s, link - PFX_LINK_HEADING);
}

static void about(struct pfx_screen *s, struct pfx_str *to)
{
	static const char *const names[PFX_VIEW_NR_BYS] = {"functions", "libraries", "lines",
							   "processes", "threads",   "commands",
							   "CPUs",      "events"};

	pfx_str_addf(to, " of %s", names[s->place.by]);
	if (pfx_screen_compares(s))
		pfx_str_add(to, s->order == PFX_TABLE_TOTAL ? ", changes with callees"
							    : ", changes of self");
}

const struct pfx_screen_ops pfx_screen_table_ops = {
	.make = make,
	.heading = pfx_screen_draw_headings,
	.row = pfx_screen_draw_columns,
	.act = act,
	.click = click,
	.about = about,
};
