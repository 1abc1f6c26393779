/* SPDX-License-Identifier: MIT */
/*
 * Rows of call trees, in the table and in the view of callers and callees: which are open, their
 * columns. What is open is remembered by the names on the path to it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "screen/screen_internal.h"
#include "view/tree_change.h"

#define DEPTH_MAX 500    /* of a tree that is shown */
#define MIN_SHARE 0.0005 /* of branches in a tree */

/* --- what is open --- */

bool pfx_screen_is_open(const struct pfx_screen *s, uint64_t key)
{
	return s->all_open != (pfx_hash_get(&s->toggled, key) != NULL);
}

void pfx_screen_toggle(struct pfx_screen *s, uint64_t key)
{
	bool is_new;

	pfx_hash_add(&s->toggled, key, &is_new);
	if (!is_new)
		pfx_hash_remove(&s->toggled, key);
	pfx_screen_stale(s);
}

uint64_t pfx_screen_node_key(const struct pfx_screen *s, uint64_t parent,
			     const struct pfx_view_node *node)
{
	uint64_t own = node->frame == PFX_NO_ID
			       ? node->group + 1ull
			       : s->function_keys[s->profile->frames[node->frame].function];

	return pfx_hash_u64(parent ^ own) | 1;
}

/* --- trees --- */

/* A tree that was made before; NULL: none. */
static struct pfx_open_tree *find_tree(struct pfx_screen *s, const struct pfx_open_tree *like)
{
	struct pfx_open_tree *tree;
	size_t i;

	if (s->trees_generation != s->generation)
		pfx_screen_free_trees(s);
	s->trees_generation = s->generation;
	for (i = 0; i < s->trees.nr; i++) {
		tree = s->trees.at[i];
		if (tree->function == like->function && tree->inverted == like->inverted &&
		    tree->own == like->own && tree->row == like->row)
			return tree;
	}
	return NULL;
}

/* What is in the old recording alone has its tree. */
static void compare_tree(const struct pfx_selection *selection,
			 const struct pfx_view_tree_options *old, struct pfx_open_tree *tree)
{
	if (!tree->tree.nodes->total) {
		pfx_view_tree_fini(&tree->tree);
		pfx_view_tree_make(&tree->tree, selection, old);
		tree->is_old = true;
	}
	tree->old = pfx_tree_totals_in(selection, old, &tree->tree);
}

static uint64_t least_weight(const struct pfx_screen *s, uint64_t total)
{
	return (uint64_t)ceil((double)total * s->min_branch / 100);
}

static const struct pfx_view_tree *make_tree(struct pfx_screen *s,
					     const struct pfx_selection *selection,
					     const struct pfx_open_tree *like)
{
	struct pfx_view_tree_options options = {
		.column = pfx_screen_column(s),
		.measure = s->measure,
		.function = like->function,
		.inverted = like->inverted,
		.own = like->own,
		.max_depth = DEPTH_MAX,
		.min_share = MIN_SHARE,
		.min_weight = least_weight(s, pfx_screen_total(s)),
		.grouped = like->function == PFX_NO_ID && !like->row,
		.groups = s->place.by,
	};
	struct pfx_open_tree *tree = pfx_calloc(1, sizeof(*tree));

	*tree = *like;
	pfx_view_tree_make(&tree->tree, selection, &options);
	if (pfx_screen_old_column(s) != PFX_NO_ID) {
		options.column = pfx_screen_old_column(s);
		options.min_weight = least_weight(s, pfx_screen_old_total(s));
		compare_tree(selection, &options, tree);
	}
	pfx_vec_push(&s->trees, tree);
	return &tree->tree;
}

static const struct pfx_view_tree *need_tree(struct pfx_screen *s, const struct pfx_open_tree *like)
{
	struct pfx_open_tree *tree = find_tree(s, like);

	if (tree)
		return &tree->tree;
	return make_tree(
		s, like->function == PFX_NO_ID ? pfx_screen_select(s) : pfx_screen_select_code(s),
		like);
}

const struct pfx_view_tree *pfx_screen_tree(struct pfx_screen *s, uint32_t function, bool inverted)
{
	return need_tree(s, &(struct pfx_open_tree){.function = function, .inverted = inverted});
}

bool pfx_screen_trees_of_own(const struct pfx_screen *s)
{
	return s->callers && (s->order == PFX_TABLE_SELF || s->order == PFX_TABLE_SAMPLES ||
			      (s->order != PFX_TABLE_TOTAL && !s->options.children));
}

const struct pfx_view_tree *pfx_screen_table_tree(struct pfx_screen *s, uint32_t function)
{
	return need_tree(s, &(struct pfx_open_tree){.function = function,
						    .inverted = s->callers,
						    .own = pfx_screen_trees_of_own(s)});
}

const struct pfx_view_tree *pfx_screen_tree_of(struct pfx_screen *s,
					       const struct pfx_screen_row *row)
{
	const struct pfx_open_tree like = {
		.function = row->by == PFX_VIEW_FUNCTION ? row->id : PFX_NO_ID,
		.row = row->key,
		.inverted = row->by == PFX_VIEW_FUNCTION && s->callers,
		.own = row->by == PFX_VIEW_FUNCTION && pfx_screen_trees_of_own(s),
	};
	struct pfx_open_tree *tree = find_tree(s, &like);
	const struct pfx_view_tree *made;
	struct pfx_selection own;

	if (tree)
		return &tree->tree;
	pfx_screen_select_row(s, row, &own);
	made = make_tree(s, &own, &like);
	pfx_selection_fini(&own);
	return made;
}

void pfx_screen_free_trees(struct pfx_screen *s)
{
	size_t i;

	for (i = 0; i < s->trees.nr; i++) {
		pfx_view_tree_fini(&s->trees.at[i]->tree);
		free(s->trees.at[i]->old);
		free(s->trees.at[i]);
	}
	s->trees.nr = 0;
}

uint64_t pfx_screen_old_in_tree(const struct pfx_screen *s, const struct pfx_view_tree *tree,
				uint32_t node)
{
	size_t i;

	for (i = 0; i < s->trees.nr; i++)
		if (&s->trees.at[i]->tree == tree && s->trees.at[i]->old)
			return s->trees.at[i]->old[node];
	return 0;
}

static bool is_old_tree(const struct pfx_screen *s, const struct pfx_view_tree *tree)
{
	size_t i;

	for (i = 0; i < s->trees.nr; i++)
		if (&s->trees.at[i]->tree == tree)
			return s->trees.at[i]->is_old;
	return false;
}

void pfx_screen_add_kids(struct pfx_screen *s, const struct pfx_view_tree *tree, uint32_t node,
			 const struct pfx_screen_row *above)
{
	const struct pfx_view_node *of = &tree->nodes[node], *kid;
	uint64_t key = above->key;
	uint32_t depth = above->depth + 1, i;
	struct pfx_screen_row *row, copy;
	bool is_old = is_old_tree(s, tree);

	for (i = 0; i < of->nr_kids; i++) {
		kid = &tree->nodes[of->first_kid + i];
		row = pfx_screen_add_row(s, PFX_ROW_NODE);
		row->by = PFX_VIEW_FUNCTION;
		row->id = s->profile->frames[kid->frame].function;
		row->key = pfx_screen_node_key(s, key, kid);
		row->depth = depth;
		row->self = is_old ? 0 : kid->self;
		row->no_self = above->no_self;
		row->total = is_old ? 0 : kid->total;
		row->old_total = pfx_screen_old_in_tree(s, tree, of->first_kid + i);
		row->has_kids = kid->nr_kids > 0;
		row->is_open = row->has_kids && pfx_screen_is_open(s, row->key);
		copy = *row;
		if (copy.is_open)
			pfx_screen_add_kids(s, tree, of->first_kid + i, &copy);
	}
}

/* --- the whole entry --- */

void pfx_screen_say_no_tree(struct pfx_screen *s)
{
	pfx_screen_need_rows(s);
	pfx_screen_say(s, !s->rows.nr ? pfx_screen_why_empty(s)
			  : s->has_chains
				  ? "this row has no call tree"
				  : "the samples have no call chains; option -g takes them");
}

void pfx_screen_set_open(struct pfx_screen *s, uint64_t key, bool open)
{
	if (pfx_screen_is_open(s, key) != open)
		pfx_screen_toggle(s, key);
}

static void set_below(struct pfx_screen *s, const struct pfx_view_tree *tree, uint32_t node,
		      uint64_t key, bool open)
{
	const struct pfx_view_node *of = &tree->nodes[node];
	uint32_t i;

	pfx_screen_set_open(s, key, open);
	for (i = 0; i < of->nr_kids; i++)
		if (tree->nodes[of->first_kid + i].nr_kids)
			set_below(s, tree, of->first_kid + i,
				  pfx_screen_node_key(s, key, &tree->nodes[of->first_kid + i]),
				  open);
}

size_t pfx_screen_entry_of(const struct pfx_screen *s, size_t at)
{
	while (at && s->rows.at[at].depth)
		at--;
	return at;
}

/* Whether the entry is opened or closed: as it is not, or as is said. */
static void change_entry(struct pfx_screen *s, bool close)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);
	const struct pfx_view_tree *tree;
	uint32_t node = 0;

	if (!row) {
		pfx_screen_say_no_tree(s);
		return;
	}
	pfx_screen_set_cursor(s, pfx_screen_entry_of(s, s->place.cursor));
	row = pfx_screen_row(s);
	if (!row->has_kids && !close)
		pfx_screen_say_no_tree(s);
	if (!row->has_kids || (close && !row->is_open))
		return;
	if (row->ids) {
		tree = pfx_screen_tree_of(s, row);
	} else if (row->kind == PFX_ROW_TABLE && row->by != PFX_VIEW_FUNCTION) {
		tree = pfx_screen_tree(s, PFX_NO_ID, false);
		while (++node < tree->nr_nodes && tree->nodes[node].group != row->id)
			;
	} else {
		tree = pfx_screen_table_tree(s, row->id);
	}
	if (node < tree->nr_nodes)
		set_below(s, tree, node, row->key, !row->is_open);
}

void pfx_screen_toggle_entry(struct pfx_screen *s)
{
	change_entry(s, false);
}

void pfx_screen_close_entry(struct pfx_screen *s)
{
	change_entry(s, true);
}

/* --- columns --- */

enum column { TOTAL, SELF, SAMPLES, OTHER, LIBRARY, NAME, NR_COLUMNS };

struct layout {
	unsigned x[NR_COLUMNS], width[NR_COLUMNS]; /* width 0: not shown */
};

static bool shows_total(const struct pfx_screen *s)
{
	return pfx_screen_rows_are_code(s) || s->place.view != PFX_SCREEN_TABLE;
}

static bool shows_library(const struct pfx_screen *s)
{
	return (s->place.by == PFX_VIEW_FUNCTION && !s->place.keys.nr) ||
	       s->place.view != PFX_SCREEN_TABLE;
}

/* Columns give way to names: the library becomes narrow, then samples, then the library go. */
static struct layout lay_out(const struct pfx_screen *s)
{
	unsigned others = s->selection.nr_events > 1 ? s->selection.nr_events - 1 : 0, column;
	struct layout l = {.width = {[TOTAL] = 7, [SELF] = 7, [SAMPLES] = 7, [LIBRARY] = 18}};
	unsigned x = 0;

	if (!shows_total(s))
		l.width[TOTAL] = 0;
	if (!shows_library(s))
		l.width[LIBRARY] = 0;
	if (s->place.view == PFX_SCREEN_SANDWICH || (s->width < 100 && !s->options.samples))
		l.width[SAMPLES] = 0;
	if (others > (s->width < 100 ? 2 : 8))
		others = s->width < 100 ? 2 : 8;
	l.width[OTHER] = others ? 9 * others - 2 : 0;
	if (s->width < 100 && l.width[LIBRARY])
		l.width[LIBRARY] = 12;
	if (s->width < 60)
		l.width[LIBRARY] = l.width[OTHER] = 0;
	if (s->width < 40)
		l.width[SELF] = 0;
	if (pfx_screen_compares(s)) { /* old, new, change */
		l.width[TOTAL] = l.width[SELF] = 7;
		l.width[SAMPLES] = 8;
		l.width[OTHER] = 0;
	}
	if (s->width > 150 && l.width[LIBRARY])
		l.width[LIBRARY] = 28;
	if (s->verbose && l.width[LIBRARY])
		l.width[LIBRARY] = s->width / (s->width < 100 ? 5 : 3);
	for (column = 0; column < NAME; column++) {
		l.x[column] = x;
		x += l.width[column] ? l.width[column] + 2 : 0;
	}
	l.x[NAME] = x;
	l.width[NAME] = s->width > x ? s->width - x : 0;
	return l;
}

static void put_percent(struct pfx_grid *grid, unsigned x, unsigned y, double percent)
{
	struct pfx_pen pen = grid->pen;
	char text[16];

	if (!(percent < 1000))
		percent = 999.99;
	snprintf(text, sizeof(text), "%6.2f%%", percent);
	grid->pen.style = pfx_screen_heat(percent);
	pfx_grid_put(grid, x, y, text, 7);
	grid->pen = pen;
}

static void put_number(struct pfx_grid *grid, unsigned x, unsigned y, uint64_t value)
{
	struct pfx_str text = {0};

	pfx_screen_add_short(&text, value);
	pfx_grid_put(grid, x + 7 - (unsigned)(text.len < 7 ? text.len : 7), y, text.at, 7);
	pfx_str_fini(&text);
}

/* With callees where rows are sorted so: 0 to 9 sort by it. */
static uint64_t part_of(const struct pfx_screen *s, const struct pfx_table_value *value)
{
	if (s->measure != PFX_MEASURE_PERIOD)
		return value->samples;
	return s->order == PFX_TABLE_TOTAL ? value->total : value->self;
}

/* The other members of the group. */
static void put_others(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
		       const struct pfx_screen_row *row)
{
	struct layout l = lay_out(s);
	uint32_t column, own = pfx_screen_column(s), shown = 0;

	for (column = 0; row->values && column < s->selection.nr_events; column++) {
		if (column == own || shown * 9 >= l.width[OTHER])
			continue;
		put_percent(grid, l.x[OTHER] + 9 * shown++, y,
			    pfx_screen_percent(part_of(s, &row->values[column]),
					       pfx_screen_total_of(s, column, s->measure)));
	}
}

/* The file and as many of its folders as fit. */
static const char *fitting_end(const char *path, unsigned room)
{
	const char *slash;

	while (strlen(path) > room && (slash = strchr(path + 1, '/')))
		path = slash + 1;
	return path;
}

static void put_library(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
			const struct pfx_screen_row *row)
{
	struct layout l = lay_out(s);
	uint32_t dso;

	if (row->by != PFX_VIEW_FUNCTION || row->id >= s->profile->nr_functions)
		return;
	dso = s->profile->functions[row->id].dso;
	grid->pen.style = PFX_STYLE_DIM;
	pfx_grid_put(grid, l.x[LIBRARY], y,
		     dso == PFX_NO_ID ? "[unknown]"
		     : s->verbose     ? fitting_end(s->profile->dsos[dso].name, l.width[LIBRARY])
				      : s->profile->dsos[dso].short_name,
		     l.width[LIBRARY]);
	grid->pen.style = PFX_STYLE_NORMAL;
}

/* As in perf, a source line is named without its folders. */
static const char *shown_name(const struct pfx_screen *s, const struct pfx_screen_row *row,
			      const char *name)
{
	return row->by == PFX_VIEW_LINE && !s->verbose ? pfx_file_name(name) : name;
}

static void put_name(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
		     const struct pfx_screen_row *row)
{
	struct layout l = lay_out(s);
	struct pfx_str text = {0};
	struct pfx_str name = {0};

	if (row->ids) {
		pfx_screen_put_keys(s, grid, l.x[NAME], y, row);
		return;
	}
	pfx_str_pad(&text, ' ', 2u * row->depth);
	pfx_str_add(&text, !row->has_kids ? "  " : row->is_open ? "- " : "+ ");
	if (row->by == PFX_VIEW_FUNCTION && row->id < s->profile->nr_functions) {
		if (row->kind == PFX_ROW_TABLE)
			pfx_screen_add_place(s, row->id, &text);
		else
			pfx_str_addf(&text, "[%c] ", s->profile->functions[row->id].level);
	}
	pfx_screen_row_name(s, row, &name);
	if (row->by == PFX_VIEW_FUNCTION)
		pfx_screen_add_function(s, row->id, pfx_str_get(&name),
					l.width[NAME] - (unsigned)text.len, &text);
	else
		pfx_str_add(&text, shown_name(s, row, pfx_str_get(&name)));
	if (s->search && pfx_screen_has_text(pfx_str_get(&name), s->search))
		grid->pen.style = PFX_STYLE_MATCH;
	pfx_grid_put_from(grid, l.x[NAME], y, pfx_str_get(&text), s->place.left);
	grid->pen.style = PFX_STYLE_NORMAL;
	pfx_str_fini(&name);
	pfx_str_fini(&text);
}

void pfx_screen_draw_columns(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
			     const struct pfx_screen_row *row)
{
	struct layout l = lay_out(s);
	uint64_t whole = pfx_screen_total(s);
	double shares[2];

	if (pfx_screen_compares(s)) {
		pfx_screen_shares(s, row, shares);
		put_percent(grid, l.x[TOTAL], y, shares[0]);
		put_percent(grid, l.x[SELF], y, shares[1]);
		pfx_screen_put_change(s, grid, l.x[SAMPLES], y, row);
		if (l.width[LIBRARY])
			put_library(s, grid, y, row);
		put_name(s, grid, y, row);
		return;
	}
	if (l.width[TOTAL])
		put_percent(grid, l.x[TOTAL], y, pfx_screen_percent(row->total, whole));
	if (l.width[SELF] && !row->no_self)
		put_percent(grid, l.x[SELF], y, pfx_screen_percent(row->self, whole));
	if (l.width[SAMPLES] && row->kind == PFX_ROW_TABLE)
		put_number(grid, l.x[SAMPLES], y, row->samples);
	if (l.width[OTHER])
		put_others(s, grid, y, row);
	if (l.width[LIBRARY])
		put_library(s, grid, y, row);
	put_name(s, grid, y, row);
}

static void put_heading(struct pfx_screen *s, struct pfx_grid *grid, unsigned x, unsigned y,
			enum column column)
{
	static const struct heading {
		const char *name;
		int order; /* that it sorts by; -1: none */
	} of_one[NR_COLUMNS] =
		{
			[TOTAL] = {"  Total", PFX_TABLE_TOTAL},
			[SELF] = {"   Self", PFX_TABLE_SELF},
			[SAMPLES] = {"Samples", PFX_TABLE_SAMPLES},
			[OTHER] = {"", -1},
			[LIBRARY] = {"Library", PFX_TABLE_LIBRARY},
			[NAME] = {"Name", PFX_TABLE_NAME},
		},
	  of_two[NR_COLUMNS] = {
		  [TOTAL] = {"    Old", -1},
		  [SELF] = {"    New", -1},
		  [SAMPLES] = {" Change", -1},
		  [OTHER] = {"", -1},
		  [LIBRARY] = {"Library", PFX_TABLE_LIBRARY},
		  [NAME] = {"Name", PFX_TABLE_NAME},
	  };
	const struct heading *headings = pfx_screen_compares(s) ? of_two : of_one;
	bool sorted = s->place.view == PFX_SCREEN_TABLE && headings[column].order == (int)s->order;
	const struct layout l = lay_out(s);

	grid->pen.style = sorted ? PFX_STYLE_KEY : PFX_STYLE_HEADING;
	grid->pen.link = headings[column].order < 0
				 ? 0
				 : PFX_LINK_HEADING + (uint32_t)headings[column].order;
	pfx_grid_put(grid, x, y, headings[column].name, l.width[column]);
	grid->pen = (struct pfx_pen){0};
}

/* The names of the other members of the group, over their columns. */
static void put_other_headings(struct pfx_screen *s, struct pfx_grid *grid, unsigned y)
{
	const struct layout l = lay_out(s);
	uint32_t column, shown = 0;

	grid->pen.style = PFX_STYLE_HEADING;
	for (column = 0; column < s->selection.nr_events; column++)
		if (column != pfx_screen_column(s) && shown * 9 < l.width[OTHER])
			pfx_grid_put(grid, l.x[OTHER] + 9 * shown++, y,
				     s->profile->events[s->selection.events[column]].name, 7);
	grid->pen = (struct pfx_pen){0};
}

void pfx_screen_draw_headings(struct pfx_screen *s, struct pfx_grid *grid, unsigned y)
{
	const struct layout l = lay_out(s);
	unsigned column;

	for (column = 0; column < NR_COLUMNS; column++)
		if (column == NAME && s->place.keys.nr && s->place.view == PFX_SCREEN_TABLE)
			pfx_screen_put_key_titles(s, grid, l.x[NAME], y);
		else if (l.width[column])
			put_heading(s, grid, l.x[column] + (column == NAME ? 2 : 0), y, column);
	put_other_headings(s, grid, y);
}
