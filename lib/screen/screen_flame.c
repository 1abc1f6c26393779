/* SPDX-License-Identifier: MIT */
/*
 * The flame graph: a row of cells for each depth, a block for each frame, callers above callees.
 * The block with the cursor is kept by the names on its path; zooming makes it as wide as the
 * screen. A search marks frames and sums the weight of stacks with any of them.
 */
#include <stdlib.h>

#include "screen/screen_internal.h"
#include "view/tree_change.h"

#define DEPTH_MAX 1000
#define CELLS     4000 /* narrower frames than 1 of these are not in the tree */

struct pfx_screen_flame {
	struct pfx_view_tree tree;
	uint64_t *keys;                /* by node */
	struct pfx_tree_change change; /* of a comparison */
	bool *is_noise;                /* the same, by node */
	uint32_t root, cursor;
	unsigned generation; /* of the selection */
	unsigned top;        /* depth of the first row on the screen */
};

void pfx_screen_flame_free(struct pfx_screen *s)
{
	if (!s->flame)
		return;
	pfx_view_tree_fini(&s->flame->tree);
	free(s->flame->keys);
	pfx_tree_change_fini(&s->flame->change);
	free(s->flame->is_noise);
	free(s->flame);
	s->flame = NULL;
}

static uint32_t find_node(const struct pfx_screen_flame *flame, uint64_t key)
{
	uint32_t i;

	for (i = 0; i < flame->tree.nr_nodes; i++)
		if (flame->keys[i] == key)
			return i;
	return 0;
}

static void make_keys(struct pfx_screen *s, struct pfx_screen_flame *flame)
{
	const struct pfx_view_node *node;
	uint32_t i;

	flame->keys = pfx_malloc((flame->tree.nr_nodes + 1ul) * sizeof(*flame->keys));
	flame->keys[0] = 1;
	for (i = 1; i < flame->tree.nr_nodes; i++) {
		node = &flame->tree.nodes[i];
		flame->keys[i] = pfx_screen_node_key(s, flame->keys[node->parent], node);
	}
}

/* The history may have changed the place. */
static struct pfx_screen_flame *follow_place(struct pfx_screen *s)
{
	struct pfx_screen_flame *flame = s->flame;

	if ((flame->root ? flame->keys[flame->root] : 0) != s->place.root)
		flame->root = find_node(flame, s->place.root);
	if (flame->keys[flame->cursor] != s->place.selected)
		flame->cursor = find_node(flame, s->place.selected);
	return flame;
}

static void make_change(struct pfx_screen *s, const struct pfx_selection *selection,
			const struct pfx_view_tree_options *options)
{
	const struct pfx_screen_host *host = &s->options.host;
	struct pfx_screen_flame *flame = s->flame;

	pfx_tree_change_make(&flame->change, selection, options, pfx_screen_old_column(s),
			     &flame->tree);
	flame->is_noise = pfx_calloc(flame->tree.nr_nodes + 1ul, sizeof(bool));
	if (host->find_noise && !options->inverted && !s->place.nr_zooms)
		host->find_noise(host->context, s->event, s->measure, &flame->tree, &flame->change,
				 flame->is_noise);
}

static struct pfx_screen_flame *need_flame(struct pfx_screen *s)
{
	struct pfx_view_tree_options options = {
		.order = PFX_TREE_BY_NAME,
		.function = PFX_NO_ID,
		.inverted = s->place.inverted,
		.min_share = 1.0 / CELLS,
		.max_depth = DEPTH_MAX,
	};
	struct pfx_selection joined = {0};
	const struct pfx_selection *selection;

	if (s->flame && s->flame->generation == s->generation)
		return follow_place(s);
	pfx_screen_flame_free(s);
	s->flame = pfx_calloc(1, sizeof(*s->flame));
	s->flame->generation = s->generation;
	pfx_screen_select(s);
	options.column = pfx_screen_column(s);
	options.measure = s->measure;
	selection = pfx_screen_select_picture(s, &joined);
	if (selection->nr_events)
		pfx_view_tree_make(&s->flame->tree, selection, &options);
	if (selection->nr_events && pfx_screen_old_column(s) != PFX_NO_ID)
		make_change(s, selection, &options);
	pfx_selection_fini(&joined);
	make_keys(s, s->flame);
	return follow_place(s);
}

/* --- drawing --- */

static uint32_t function_of(const struct pfx_screen *s, const struct pfx_view_node *node)
{
	return node->frame == PFX_NO_ID ? PFX_NO_ID : s->profile->frames[node->frame].function;
}

static unsigned tone_of(const struct pfx_screen *s, uint32_t function)
{
	const struct pfx_profile_function *of = &s->profile->functions[function];
	unsigned group = of->is_inlined                         ? PFX_TONE_INLINED
			 : of->level == 'k' || of->level == 'g' ? PFX_TONE_KERNEL
								: PFX_TONE_USER;
	const char *at;
	unsigned shade = 0;

	/* The same for the same name in each run. */
	for (at = of->name; *at; at++)
		shade = shade * 31 + (unsigned char)*at;
	return group + (shade >> 3) % PFX_TONES_PER_GROUP;
}

/* By how much it changed; noise has no shade. */
static unsigned tone_of_change(const struct pfx_screen *s, uint32_t node)
{
	int step = pfx_tree_change_step(&s->flame->change, &s->flame->tree, node);
	unsigned shade = (unsigned)abs(step) * PFX_TONES_PER_GROUP / PFX_CHANGE_STEPS - 1;

	return !step || s->flame->is_noise[node]
		       ? PFX_TONE_SAME
		       : shade + (step > 0 ? PFX_TONE_MORE : PFX_TONE_LESS);
}

static const char *pattern_of(const struct pfx_screen *s)
{
	return s->place.filter ? s->place.filter : s->search;
}

static bool is_found(const struct pfx_screen *s, const struct pfx_view_node *node)
{
	const char *pattern = pattern_of(s);
	uint32_t function = function_of(s, node);

	return pattern && function != PFX_NO_ID &&
	       pfx_screen_has_text(s->profile->functions[function].name, pattern);
}

/* The columns of a node when @root is as wide as the screen: callers of it are, too. */
static void place_node(const struct pfx_screen *s, const struct pfx_view_node *node,
		       unsigned ret[2])
{
	const struct pfx_view_node *root = &s->flame->tree.nodes[s->flame->root];
	double scale = root->total ? (double)s->width / (double)root->total : 0;

	if (node->x <= root->x && node->x + node->total >= root->x + root->total) {
		ret[0] = 0;
		ret[1] = s->width;
		return;
	}
	ret[0] = (unsigned)((double)(node->x - root->x) * scale + 0.5);
	ret[1] = (unsigned)((double)(node->x + node->total - root->x) * scale + 0.5);
	if (ret[1] > s->width)
		ret[1] = s->width;
}

/* Whether it is the root, one of its callers, or below it. */
static bool is_shown(const struct pfx_screen_flame *flame, const struct pfx_view_node *node)
{
	const struct pfx_view_node *root = &flame->tree.nodes[flame->root];

	if (node->depth <= root->depth)
		return node->x <= root->x && node->x + node->total >= root->x + root->total;
	return node->x >= root->x && node->x + node->total <= root->x + root->total;
}

/* @at: column, line, and the columns that there are. */
static void put_name(const struct pfx_screen *s, struct pfx_grid *grid, const unsigned at[3],
		     const char *name)
{
	struct pfx_str text = {0};

	pfx_screen_add_fitting(s, name, at[2], &text);
	pfx_grid_put(grid, at[0], at[1], pfx_str_get(&text), at[2]);
	pfx_str_fini(&text);
}

static void draw_block(struct pfx_screen *s, struct pfx_grid *grid, uint32_t index, unsigned y)
{
	const struct pfx_view_node *node = &s->flame->tree.nodes[index];
	uint32_t function = function_of(s, node);
	const char *name = index ? s->profile->functions[function].name : "all";
	unsigned at[2];

	place_node(s, node, at);
	if (at[1] <= at[0])
		return;
	grid->pen = (struct pfx_pen){.link = index + 1, .selected = index == s->flame->cursor};
	grid->pen.tone = (uint8_t)(is_found(s, node)        ? PFX_TONE_FOUND
				   : s->flame->change.other ? tone_of_change(s, index)
				   : index                  ? tone_of(s, function)
							    : PFX_TONE_HEAT + 1);
	pfx_grid_fill(grid, at[0], y, ' ', at[1] - at[0]);
	pfx_grid_fill(grid, at[0], y, s->options.ascii ? '|' : 0x258f, 1);
	if (at[1] - at[0] > 2)
		put_name(s, grid, (const unsigned[]){at[0] + 1, y, at[1] - at[0] - 1}, name);
}

/* Weight of stacks with a marked frame: of the outermost ones. */
static uint64_t weight_found(const struct pfx_screen *s)
{
	const struct pfx_view_tree *tree = &s->flame->tree;
	uint8_t *inside = pfx_calloc(tree->nr_nodes + 1ul, 1);
	uint64_t sum = 0;
	uint32_t i;

	for (i = 1; i < tree->nr_nodes; i++) {
		inside[i] = inside[tree->nodes[i].parent];
		if (!inside[i] && is_found(s, &tree->nodes[i])) {
			inside[i] = 1;
			sum += tree->nodes[i].total;
		}
	}
	free(inside);
	return sum;
}

static void draw_about_cursor(struct pfx_screen *s, struct pfx_grid *grid, unsigned y)
{
	const struct pfx_view_node *node = &s->flame->tree.nodes[s->flame->cursor];
	uint32_t function = function_of(s, node);
	uint64_t whole = pfx_screen_total(s);
	struct pfx_str text = {0};

	if (s->flame->change.other)
		pfx_str_addf(&text, "%6.2f%% was %6.2f%%  ", pfx_screen_percent(node->total, whole),
			     pfx_screen_percent(s->flame->change.other[s->flame->cursor],
						pfx_screen_old_total(s)));
	else
		pfx_str_addf(&text, "%6.2f%% total %6.2f%% self  ",
			     pfx_screen_percent(node->total, whole),
			     pfx_screen_percent(node->self, whole));
	pfx_str_add(&text, function == PFX_NO_ID ? "all" : s->profile->functions[function].name);
	if (pattern_of(s))
		pfx_str_addf(&text, "   '%s': %.2f%%", pattern_of(s),
			     pfx_screen_percent(weight_found(s), s->flame->tree.nodes[0].total));
	grid->pen = (struct pfx_pen){.style = PFX_STYLE_HEADING};
	pfx_grid_put(grid, 0, y, text.at, grid->width);
	grid->pen = (struct pfx_pen){0};
	pfx_str_fini(&text);
}

static void scroll(struct pfx_screen_flame *flame, unsigned room)
{
	flame->top = (unsigned)pfx_screen_scroll(flame->top, flame->tree.nodes[flame->cursor].depth,
						 flame->tree.max_depth + 1, room);
}

static void draw(struct pfx_screen *s, struct pfx_grid *grid)
{
	struct pfx_screen_flame *flame = need_flame(s);
	unsigned room = grid->height > 3 ? grid->height - 3 : 1;
	uint32_t i;

	s->page = room;
	if (!flame->tree.nr_nodes || !flame->tree.nodes[0].total) {
		pfx_grid_put(grid, 0, 1, pfx_screen_why_no_samples(s), grid->width);
		return;
	}
	scroll(flame, room);
	for (i = 0; i < flame->tree.nr_nodes; i++)
		if (flame->tree.nodes[i].depth >= flame->top &&
		    flame->tree.nodes[i].depth < flame->top + room &&
		    is_shown(flame, &flame->tree.nodes[i]))
			draw_block(s, grid, i, 1 + flame->tree.nodes[i].depth - flame->top);
	if (grid->height > 3)
		draw_about_cursor(s, grid, grid->height - 2);
}

/* --- keys --- */

static void set_cursor(struct pfx_screen *s, uint32_t node)
{
	s->flame->cursor = node;
	s->place.selected = s->flame->keys[node];
	s->place.cursor = node; /* its row */
}

static void zoom_to(struct pfx_screen *s, uint32_t node)
{
	pfx_screen_push(s);
	s->flame->root = node;
	s->place.root = node ? s->flame->keys[node] : 0;
	set_cursor(s, node);
}

/* The heaviest callee. */
static uint32_t first_kid(const struct pfx_view_tree *tree, uint32_t node)
{
	const struct pfx_view_node *of = &tree->nodes[node];
	uint32_t best = of->first_kid, i;

	for (i = 0; i < of->nr_kids; i++)
		if (tree->nodes[of->first_kid + i].total > tree->nodes[best].total)
			best = of->first_kid + i;
	return of->nr_kids ? best : node;
}

/* The next frame of the same depth that is visible; nodes of a depth are in order of x. */
static uint32_t neighbour(struct pfx_screen *s, bool right)
{
	const struct pfx_view_tree *tree = &s->flame->tree;
	const struct pfx_view_node *of = &tree->nodes[s->flame->cursor];
	uint32_t best = s->flame->cursor, i;
	unsigned at[2];

	for (i = 0; i < tree->nr_nodes; i++) {
		if (tree->nodes[i].depth != of->depth || !is_shown(s->flame, &tree->nodes[i]))
			continue;
		if (right ? tree->nodes[i].x <= of->x : tree->nodes[i].x >= of->x)
			continue;
		place_node(s, &tree->nodes[i], at);
		if (at[1] > at[0] &&
		    (best == s->flame->cursor || right == (tree->nodes[i].x < tree->nodes[best].x)))
			best = i;
	}
	return best;
}

static void find(struct pfx_screen *s, bool backwards)
{
	const struct pfx_view_tree *tree = &s->flame->tree;
	uint32_t nr = tree->nr_nodes, at = s->flame->cursor, step;

	for (step = 0; step < nr; step++) {
		at = backwards ? (at ? at - 1 : nr - 1) : (at + 1) % nr;
		if (!is_found(s, &tree->nodes[at]))
			continue;
		set_cursor(s, at);
		return;
	}
	pfx_screen_say(s, "no frame has this text");
}

static bool act_move(struct pfx_screen *s, enum pfx_screen_action action)
{
	const struct pfx_view_tree *tree = &s->flame->tree;
	uint32_t at = s->flame->cursor, n;

	switch (action) {
	case PFX_ACT_UP:
		set_cursor(s, at ? tree->nodes[at].parent : 0);
		return true;
	case PFX_ACT_DOWN:
		set_cursor(s, first_kid(tree, at));
		return true;
	case PFX_ACT_LEFT:
	case PFX_ACT_RIGHT:
		set_cursor(s, neighbour(s, action == PFX_ACT_RIGHT));
		return true;
	case PFX_ACT_PAGE_UP:
	case PFX_ACT_FIRST:
		for (n = 0; at && (n < s->page || action == PFX_ACT_FIRST); n++)
			at = tree->nodes[at].parent;
		set_cursor(s, at);
		return true;
	case PFX_ACT_PAGE_DOWN:
	case PFX_ACT_LAST:
		for (n = 0; tree->nodes[at].nr_kids && (n < s->page || action == PFX_ACT_LAST); n++)
			at = first_kid(tree, at);
		set_cursor(s, at);
		return true;
	default:
		return false;
	}
}

static bool act(struct pfx_screen *s, enum pfx_screen_action action)
{
	struct pfx_screen_flame *flame = need_flame(s);

	if (!flame->tree.nr_nodes)
		return false;
	switch (action) {
	case PFX_ACT_ENTER:
		zoom_to(s, flame->cursor == flame->root ? 0 : flame->cursor);
		return true;
	case PFX_ACT_INVERT:
		pfx_screen_push(s);
		s->place.inverted = !s->place.inverted;
		s->place.root = s->place.selected = 0;
		pfx_screen_flame_free(s);
		return true;
	case PFX_ACT_FIND_NEXT:
	case PFX_ACT_FIND_PREVIOUS:
		if (!pattern_of(s))
			return false;
		find(s, action == PFX_ACT_FIND_PREVIOUS);
		return true;
	default:
		return act_move(s, action);
	}
}

/* One click selects, and a click on what is selected zooms. */
static void click(struct pfx_screen *s, uint32_t link, const struct pfx_press *press)
{
	struct pfx_screen_flame *flame = need_flame(s);

	if (link > flame->tree.nr_nodes)
		return;
	if (press->code == PFX_PRESS_DOUBLE || flame->cursor == link - 1)
		zoom_to(s, link - 1);
	else
		set_cursor(s, link - 1);
}

/* The function of the block with the cursor is the row, for actions of all views. */
static void make(struct pfx_screen *s)
{
	struct pfx_screen_flame *flame = need_flame(s);
	const struct pfx_view_node *node;
	struct pfx_screen_row *row;
	uint32_t i;

	for (i = 0; i < flame->tree.nr_nodes; i++) {
		node = &flame->tree.nodes[i];
		row = pfx_screen_add_row(s, PFX_ROW_NODE);
		row->by = PFX_VIEW_FUNCTION;
		row->id = function_of(s, node);
		row->text = i ? NULL : "all";
		row->key = flame->keys[i];
		row->depth = node->depth;
		row->self = node->self;
		row->total = node->total;
		row->old_total = flame->change.other ? flame->change.other[i] : 0;
	}
}

static void about(struct pfx_screen *s, struct pfx_str *to)
{
	if (s->place.inverted)
		pfx_str_add(to, " inverted");
}

const struct pfx_screen_ops pfx_screen_flame_ops = {
	.make = make,
	.row = pfx_screen_draw_columns,
	.draw = draw,
	.act = act,
	.click = click,
	.about = about,
};
