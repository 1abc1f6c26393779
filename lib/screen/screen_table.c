/* SPDX-License-Identifier: MIT */
/* The view of rows: functions, libraries, threads and so on, each with its call tree. */
#include "screen/screen_internal.h"

#define TREES_MAX 500 /* that are opened at once: each takes a pass over all stacks */
#define KEYED_MAX 50  /* with several keys: each takes a pass over all samples */

/* The rows have a column for the order. */
static void settle_order(struct pfx_screen *s)
{
	unsigned nr = s->place.keys.nr;
	bool by_name = s->order == PFX_TABLE_NAME || s->order == PFX_TABLE_LIBRARY;

	if (nr ? by_name || s->order >= PFX_TABLE_KEY + nr : s->order >= PFX_TABLE_KEY)
		s->order = s->options.children ? PFX_TABLE_TOTAL : PFX_TABLE_SELF;
}

static void need_table(struct pfx_screen *s)
{
	const struct pfx_selection *selection =
		pfx_screen_rows_are_code(s) ? pfx_screen_select_code(s) : pfx_screen_select(s);

	if (!s->has_table && s->place.keys.nr)
		pfx_table_make_by_keys(&s->table, selection, &s->place.keys, s->options.meta);
	else if (!s->has_table)
		pfx_table_make(&s->table, selection, s->place.by);
	s->has_table = true;
	settle_order(s);
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

static bool passes_filter(struct pfx_screen *s, const struct pfx_screen_row *row)
{
	struct pfx_str name = {0};
	bool passes;

	if (!s->place.filter)
		return true;
	pfx_screen_row_name(s, row, &name);
	passes = pfx_screen_has_text(pfx_str_get(&name), s->place.filter);
	pfx_str_fini(&name);
	return passes;
}

static bool has_trees(const struct pfx_screen *s)
{
	if (s->place.keys.nr)
		return pfx_screen_keys_have_trees(s);
	return s->place.by == PFX_VIEW_FUNCTION ||
	       (s->place.by >= PFX_VIEW_PROCESS && s->place.by <= PFX_VIEW_CPU);
}

static void add_tree(struct pfx_screen *s, const struct pfx_screen_row *row)
{
	const struct pfx_view_tree *tree;
	struct pfx_screen_row above = *row;
	uint32_t i;

	if (row->ids) {
		above.no_self = row->by == PFX_VIEW_FUNCTION && s->callers;
		pfx_screen_add_kids(s, pfx_screen_tree_of(s, row), 0, &above);
		return;
	}
	if (row->by == PFX_VIEW_FUNCTION) {
		above.no_self = s->callers;
		pfx_screen_add_kids(s, pfx_screen_table_tree(s, row->id), 0, &above);
		return;
	}
	tree = pfx_screen_tree(s, PFX_NO_ID, false);
	for (i = 0; i < tree->nodes[0].nr_kids; i++)
		if (tree->nodes[tree->nodes[0].first_kid + i].group == row->id)
			pfx_screen_add_kids(s, tree, tree->nodes[0].first_kid + i, row);
}

/* A function without callers, or without callees, has no tree. */
static bool has_kids(struct pfx_screen *s, const struct pfx_screen_row *row)
{
	if (row->by != PFX_VIEW_FUNCTION)
		return row->total > 0;
	if (!s->callers)
		return row->total ? row->total > row->self : row->old_total > row->old_self;
	if (pfx_screen_trees_of_own(s) && !row->self && !row->old_self)
		return false;
	return row->id == PFX_NO_ID || s->has_callers[row->id];
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

/* A row with keys is its function, for all that is done with rows. */
static void set_keys(const struct pfx_screen *s, struct pfx_screen_row *row)
{
	unsigned k;

	row->ids = &s->table.ids[(uint64_t)row->at * s->place.keys.nr];
	row->id = PFX_NO_ID;
	row->by = PFX_VIEW_EVENT;
	if (!pfx_table_keys_find(&s->place.keys, PFX_TABLE_BY_FUNCTION, &k))
		return;
	row->id = row->ids[k];
	row->by = PFX_VIEW_FUNCTION;
}

static struct pfx_screen_row row_of(struct pfx_screen *s, const struct pfx_table_row *from)
{
	const struct pfx_table_value *value = &from->values[pfx_screen_column(s)];
	bool periods = s->measure == PFX_MEASURE_PERIOD;
	struct pfx_screen_row row = {
		.kind = PFX_ROW_TABLE,
		.by = s->place.by,
		.id = from->id,
		.at = from->id,
		.self = periods ? value->self : value->samples,
		.total = periods ? value->total : value->samples,
		.samples = value->samples,
		.values = from->values,
	};

	if (s->place.keys.nr)
		set_keys(s, &row);
	set_old(s, &row, periods);
	return row;
}

/* As in perf, without callees only functions and lines with samples of their own have rows, unless
 * rows are sorted by the others. */
static bool is_counted(const struct pfx_screen *s, const struct pfx_screen_row *row)
{
	return s->options.children || s->order == PFX_TABLE_TOTAL || row->self || row->old_self;
}

/* Whether filters leave it. */
static bool stays(struct pfx_screen *s, const struct pfx_screen_row *row)
{
	return is_counted(s, row) && passes_filter(s, row) &&
	       (!pfx_screen_rows_are_code(s) || pfx_screen_row_stays(s, row));
}

/* What relative percentages are of. */
static void sum_left(struct pfx_screen *s)
{
	struct pfx_screen_row row;
	uint32_t i, column;

	if (!s->relative || !s->place.filter || !s->selection.nr_events)
		return;
	pfx_vec_slot(&s->left, s->selection.nr_events - 1);
	memset(s->left.at, 0, s->left.nr * sizeof(*s->left.at));
	for (i = 0; i < s->table.nr_rows; i++) {
		row = row_of(s, &s->table.rows[i]);
		if (!stays(s, &row))
			continue;
		for (column = 0; column < s->left.nr; column++) {
			s->left.at[column].period += row.values[column].self;
			s->left.at[column].samples += row.values[column].samples;
		}
	}
}

/* False: it is not shown. */
static bool add_row(struct pfx_screen *s, const struct pfx_table_row *from)
{
	struct pfx_screen_row row = row_of(s, from);

	if ((pfx_screen_percent(row.total, pfx_screen_total(s)) < s->min_percent &&
	     pfx_screen_percent(row.old_total, pfx_screen_old_total(s)) < s->min_percent) ||
	    row.samples < s->options.min_samples || !stays(s, &row))
		return false;
	row.key = row.ids ? pfx_screen_key_of_keys(s, &row) : key_of(s, row.id);
	row.has_kids = has_trees(s) && has_kids(s, &row);
	row.is_open = row.has_kids && pfx_screen_is_open(s, row.key) &&
		      !(s->all_open && s->nr_open >= (row.ids ? KEYED_MAX : TREES_MAX));
	*pfx_screen_add_row(s, PFX_ROW_TABLE) = row;
	s->nr_open += row.is_open;
	if (row.is_open)
		add_tree(s, &row);
	return true;
}

static void make(struct pfx_screen *s)
{
	uint32_t most = s->options.max_rows ? s->options.max_rows : UINT32_MAX, nr = 0, i;

	need_table(s);
	sum_left(s);
	s->nr_open = 0;
	if (s->place.keys.nr)
		pfx_screen_measure_keys(s);
	for (i = 0; i < s->table.nr_rows && s->selection.nr_events && nr < most; i++)
		nr += add_row(s, &s->table.rows[i]);
}

/* --- keys --- */

static void sort_by(struct pfx_screen *s, enum pfx_table_order order)
{
	s->order = order;
	if (!s->direction_given)
		s->callers = order == PFX_TABLE_SELF;
	pfx_screen_begin_rows(s);
	pfx_screen_free_trees(s);
}

/* The columns that rows can be sorted by, from left to right. */
static unsigned sort_columns(const struct pfx_screen *s, enum pfx_table_order ret[])
{
	unsigned nr = 0, k;

	ret[nr++] = PFX_TABLE_TOTAL;
	ret[nr++] = PFX_TABLE_SELF;
	if (!pfx_screen_compares(s))
		ret[nr++] = PFX_TABLE_SAMPLES;
	for (k = 0; k < s->place.keys.nr; k++)
		ret[nr++] = PFX_TABLE_KEY + k;
	if (k)
		return nr;
	if (s->place.by == PFX_VIEW_FUNCTION)
		ret[nr++] = PFX_TABLE_LIBRARY;
	ret[nr++] = PFX_TABLE_NAME;
	return nr;
}

static void sort_step(struct pfx_screen *s, bool back)
{
	enum pfx_table_order orders[PFX_TABLE_KEY + PFX_TABLE_NR_KEYS];
	unsigned nr = sort_columns(s, orders), i;

	for (i = 0; i < nr && orders[i] != s->order; i++)
		;
	sort_by(s, orders[(i + (back ? nr - 1 : 1)) % nr]);
}

static bool has_kids_to_open(struct pfx_screen *s)
{
	size_t i;

	pfx_screen_need_rows(s);
	for (i = 0; i < s->rows.nr; i++)
		if (s->rows.at[i].has_kids)
			return true;
	return false;
}

/* When all are closed, the cursor is on the row whose tree it was in. */
static void open_all(struct pfx_screen *s, bool open)
{
	if (!open && pfx_screen_row(s))
		pfx_screen_set_cursor(s, pfx_screen_entry_of(s, s->place.cursor));
	pfx_hash_fini(&s->toggled);
	s->toggled = (struct pfx_hash){0};
	s->all_open = open;
	pfx_screen_stale(s);
	if (open && !has_kids_to_open(s))
		pfx_screen_say_no_tree(s);
}

/* The profile has frames for these rows. False: it has not, and the screen says why. */
static bool need_frames(struct pfx_screen *s, const struct pfx_screen_rows *rows)
{
	const struct pfx_screen_host *host = &s->options.host;
	bool lines = pfx_screen_rows_have_lines(rows);
	enum pfx_profile_frames frames = lines ? PFX_FRAMES_BY_LINE : PFX_FRAMES_BY_FUNCTION;
	struct pfx_error err = {0};

	if ((!lines && rows->by != PFX_VIEW_FUNCTION) || s->profile->frames_by == frames)
		return true;
	if (!host->frames) {
		if (lines && s->profile->frames_by == PFX_FRAMES_BY_FUNCTION)
			pfx_screen_say(s, "source lines are not known here");
		return !lines || s->profile->frames_by != PFX_FRAMES_BY_FUNCTION;
	}
	if (!host->frames(host->context, frames, &err))
		return true;
	pfx_screen_say(s, err.text);
	return false;
}

static void other_rows(struct pfx_screen *s)
{
	s->place.filter = NULL;
	pfx_screen_free_trees(s);
	pfx_screen_begin_rows(s);
}

static void choose_rows(struct pfx_screen *s, const struct pfx_screen_rows *rows)
{
	if (!need_frames(s, rows))
		return;
	pfx_screen_push(s);
	if (s->has_table)
		pfx_table_fini(&s->table);
	s->has_table = false;
	s->place.is_sheet = false;
	s->place.by = rows->by;
	s->place.keys = rows->keys;
	other_rows(s);
}

/* Rows that a profile does not have. */
static void choose_sheet(struct pfx_screen *s, const char *keys)
{
	struct pfx_error err = {0};

	if (s->options.host.sheet_keys(s->options.host.context, keys, &err) < 0) {
		pfx_screen_say(s, err.text);
		return;
	}
	pfx_screen_push(s);
	s->place.is_sheet = true;
	s->place.sheet_keys = pfx_screen_intern(s, keys);
	s->sheet_order = 0;
	other_rows(s);
}

static void choose_by(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	struct pfx_screen_rows rows = {.by = entry->by};

	if (entry->name)
		pfx_screen_rows_of(entry->name, &rows, NULL);
	choose_rows(s, &rows);
}

static void take_keys(struct pfx_screen *s)
{
	struct pfx_screen_rows rows;
	struct pfx_error err = {0};
	int rc = pfx_screen_rows_of(pfx_str_get(&s->typed), &rows, &err);

	if (rc < 0 && s->options.host.sheet_keys)
		choose_sheet(s, pfx_str_get(&s->typed));
	else if (rc < 0)
		pfx_screen_say(s, err.text);
	else
		choose_rows(s, &rows);
}

static void ask_keys(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	(void)entry;
	s->take_typed = take_keys;
	pfx_prompt_open(s, PFX_PROMPT_KEYS);
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
	pfx_menu_add(s, "Functions by command and library", choose_by);
	pfx_menu_last(s)->name = "comm,dso,sym";
	pfx_menu_add(s, "Other sort keys, as of -s ...", ask_keys);
	pfx_menu_ready(s, NULL);
}

/* A row that was opened may show nothing. */
static void say_too_light(struct pfx_screen *s)
{
	size_t at = s->place.cursor;

	pfx_screen_need_rows(s);
	if (at >= s->rows.nr || !s->rows.at[at].is_open || s->min_branch <= 0)
		return;
	if (at + 1 == s->rows.nr || s->rows.at[at + 1].depth <= s->rows.at[at].depth)
		pfx_screen_sayf(s, "all branches of this row are below %g %%; L changes that",
				s->min_branch);
}

static bool act_row(struct pfx_screen *s, enum pfx_screen_action action)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);

	if (action != PFX_ACT_ENTER && action != PFX_ACT_TOGGLE)
		return false;
	if (row && row->has_kids) {
		pfx_screen_toggle(s, row->key);
		say_too_light(s);
	} else if (row && action == PFX_ACT_ENTER) {
		pfx_screen_open_menu(s);
	} else {
		pfx_screen_say_no_tree(s);
	}
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
		sort_step(s, action == PFX_ACT_SORT_PREVIOUS);
		return true;
	default:
		return act_row(s, action);
	}
}

static void click(struct pfx_screen *s, uint32_t link, const struct pfx_press *press)
{
	if (link >= PFX_LINK_HEADING && link - PFX_LINK_HEADING < PFX_TABLE_KEY + s->place.keys.nr)
		sort_by(s, link - PFX_LINK_HEADING);
}

static void about(struct pfx_screen *s, struct pfx_str *to)
{
	static const char *const names[PFX_VIEW_NR_BYS] = {"functions", "libraries", "lines",
							   "processes", "threads",   "commands",
							   "CPUs",      "events"};

	pfx_str_add(to, s->place.keys.nr ? " by " : " of ");
	if (s->place.keys.nr)
		pfx_screen_add_sort(s, to);
	else
		pfx_str_add(to, names[s->place.by]);
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
