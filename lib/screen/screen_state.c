/* SPDX-License-Identifier: MIT */
/*
 * The state of a screen: which view is shown, keys to actions, the first and the last line. What a
 * view shows is in a file of its own.
 */
#include "screen/screen_state.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "screen/screen_internal.h"

static const struct pfx_screen_ops *const views[PFX_SCREEN_SHEET + 1] = {
	[PFX_SCREEN_TABLE] = &pfx_screen_table_ops,
	[PFX_SCREEN_FLAME] = &pfx_screen_flame_ops,
	[PFX_SCREEN_TIMELINE] = &pfx_screen_timeline_ops,
	[PFX_SCREEN_SANDWICH] = &pfx_screen_sandwich_ops,
	[PFX_SCREEN_CODE] = &pfx_screen_code_ops,
	[PFX_SCREEN_PAIR] = &pfx_screen_pair_ops,
	[PFX_SCREEN_HEADER] = &pfx_screen_header_ops,
	[PFX_SCREEN_HELP] = &pfx_screen_help_ops,
	[PFX_SCREEN_SHEET] = &pfx_screen_sheet_ops,
};

struct pfx_screen *pfx_screen_new(const struct pfx_screen_options *options)
{
	struct pfx_screen *s = pfx_calloc(1, sizeof(*s));

	s->options = *options;
	s->views = views;
	s->min_percent = options->min_percent;
	s->min_branch = options->min_branch;
	s->relative = options->relative;
	s->order = options->children ? PFX_TABLE_TOTAL : PFX_TABLE_SELF;
	s->direction_given = options->callers;
	s->callers = options->callers || !options->children;
	s->width = 80;
	s->height = 24;
	s->page = 22;
	s->place.by = options->rows.by;
	s->place.keys = options->rows.keys;
	s->place.view = options->view;
	s->place.is_sheet = options->sheet;
	s->place.filter = pfx_screen_intern(s, options->filter);
	return s;
}

void pfx_screen_free(struct pfx_screen *s)
{
	if (!s)
		return;
	pfx_screen_reset(s);
	pfx_screen_free_trees(s);
	pfx_screen_flame_free(s);
	pfx_screen_lanes_free(s);
	pfx_screen_listing_free(s);
	pfx_str_fini(&s->code_pair);
	pfx_vec_free(&s->whole);
	pfx_vec_free(&s->left);
	pfx_vec_free(&s->trees);
	pfx_vec_free(&s->rows);
	pfx_vec_free(&s->back);
	pfx_vec_free(&s->forward);
	pfx_vec_free(&s->menu.entries);
	pfx_hash_fini(&s->toggled);
	pfx_str_fini(&s->row_text);
	pfx_str_fini(&s->sheet_heading);
	pfx_str_fini(&s->sheet_about);
	pfx_vec_free(&s->sheet_columns);
	pfx_str_fini(&s->typed);
	pfx_str_fini(&s->message);
	pfx_intern_fini(&s->texts);
	free(s->function_keys);
	free(s->has_callers);
	free(s);
}

static uint64_t key_of_function(const struct pfx_profile *profile, uint32_t id)
{
	const struct pfx_profile_function *function = &profile->functions[id];
	const char *dso = function->dso == PFX_NO_ID ? "" : profile->dsos[function->dso].short_name;

	return pfx_screen_key_of_function(function->name, dso, function->is_inlined);
}

static void find_callers(struct pfx_screen *s)
{
	const struct pfx_profile *profile = s->profile;
	const struct pfx_nodes *nodes = &profile->nodes;
	uint32_t i;

	free(s->has_callers);
	s->has_callers = pfx_calloc(profile->nr_functions + 1ul, sizeof(*s->has_callers));
	s->has_chains = false;
	for (i = 1; i < nodes->nr; i++) {
		if (!nodes->parent[i])
			continue;
		s->has_callers[profile->frames[nodes->frame[i]].function] = true;
		s->has_chains = true;
	}
}

void pfx_screen_show(struct pfx_screen *s, const struct pfx_profile *profile)
{
	uint32_t i;

	pfx_screen_reset(s);
	pfx_screen_costs_stale(s);
	s->profile = profile;
	s->nr_shown++;
	s->function_keys = pfx_realloc(s->function_keys,
				       (profile->nr_functions + 1ul) * sizeof(*s->function_keys));
	for (i = 0; i < profile->nr_functions; i++)
		s->function_keys[i] = key_of_function(profile, i);
	find_callers(s);
}

/* The function with a name, or the one with the heaviest row. */
static uint32_t function_named(struct pfx_screen *s, const char *name)
{
	uint32_t i;

	if (!name)
		return pfx_screen_row_function(s);
	for (i = 0; i < s->profile->nr_functions; i++)
		if (!strcmp(s->profile->functions[i].name, name))
			return i;
	return PFX_NO_ID;
}

bool pfx_screen_go(struct pfx_screen *s, const char *name, bool code)
{
	uint32_t i = function_named(s, name);

	if (i == PFX_NO_ID || (code && !pfx_screen_open_code(s, s->function_keys[i])))
		return false;
	s->place.selected = s->function_keys[i];
	s->place.shown = s->nr_shown;
	pfx_screen_stale(s);
	pfx_screen_need_rows(s);
	if (!code)
		return true;
	pfx_screen_go_view(s, PFX_SCREEN_CODE);
	if (s->options.code_first)
		s->back.nr = 0;
	s->place.function = s->function_keys[i];
	pfx_screen_go_hottest(s);
	return true;
}

enum pfx_screen_view pfx_screen_view(const struct pfx_screen *s)
{
	return s->place.view;
}

bool pfx_screen_asks(const struct pfx_screen *s)
{
	return s->menu.is_open || s->prompt;
}

const struct pfx_selection *pfx_screen_selection(const struct pfx_screen *s)
{
	return s->has_selection ? &s->selection : NULL;
}

const char *pfx_screen_opened(const struct pfx_screen *s)
{
	return s->opened;
}

/* --- drawing --- */

#define IN(view) (1u << PFX_SCREEN_##view)
#define TREES    (IN(TABLE) | IN(SANDWICH))
#define PICTURES (IN(FLAME) | IN(TIMELINE))
#define ANY      UINT_MAX

static unsigned put_hint(struct pfx_grid *grid, unsigned x, const char *key, const char *what)
{
	unsigned y = grid->height - 1;

	grid->pen.style = PFX_STYLE_KEY;
	x += pfx_grid_put(grid, x, y, key, grid->width) + 1;
	grid->pen.style = PFX_STYLE_DIM;
	return x + pfx_grid_put(grid, x, y, what, grid->width) + 2;
}

/* Where q goes. */
static const char *way_out(const struct pfx_screen *s)
{
	static const char *const names[PFX_SCREEN_NR_VIEWS] = {
		[PFX_SCREEN_TABLE] = "table",   [PFX_SCREEN_FLAME] = "flame",
		[PFX_SCREEN_TIMELINE] = "time", [PFX_SCREEN_SANDWICH] = "callers",
		[PFX_SCREEN_CODE] = "code",     [PFX_SCREEN_PAIR] = "code",
		[PFX_SCREEN_HEADER] = "header", [PFX_SCREEN_HELP] = "help",
	};
	enum pfx_screen_view view;

	return pfx_screen_can_leave(s, &view) ? names[view] : "quit";
}

/* The next event with samples; PFX_NO_ID: there is only one. */
static uint32_t next_event(const struct pfx_screen *s, bool back)
{
	uint32_t nr = s->profile->nr_events, at = s->event, step;

	for (step = 1; step < nr; step++) {
		at = (at + (back ? nr - 1 : 1)) % nr;
		if (s->profile->events[at].nr_samples && pfx_screen_has_event(s, at))
			return at;
	}
	return PFX_NO_ID;
}

/* The most useful keys of the view, as many as fit, and the way out. */
static void draw_hint(const struct pfx_screen *s, struct pfx_grid *grid)
{
	static const struct {
		unsigned views;
		const char *key, *what;
		bool of_one;     /* not in a comparison */
		bool of_several; /* only with several events */
	} hints[] = {
		{ANY & ~IN(CODE), "?", "help"},
		{IN(CODE), "h", "help"},
		{TREES, "Enter", "open"},
		{IN(FLAME), "Enter", "zoom"},
		{IN(TIMELINE), "Space", "mark"},
		{IN(CODE), "Enter", "follow"},
		{IN(CODE), "H", "hottest"},
		{IN(CODE), "Tab", "next"},
		{IN(CODE), "s", "source"},
		{IN(CODE), "t", "values"},
		{TREES | IN(FLAME), "/", "filter"},
		{TREES | PICTURES, "Tab", "next event", .of_several = true},
		{TREES | PICTURES, "a", "code", .of_one = true},
		{TREES | IN(CODE) | IN(TIMELINE), "g", "flame"},
		{IN(TABLE) | PICTURES | IN(CODE), "w", "callers"},
		{TREES | IN(FLAME), "T", "time", .of_one = true},
		{IN(FLAME), "I", "invert"},
		{IN(TABLE), "b", "rows"},
		{TREES | PICTURES, "d", "library"},
		{TREES | PICTURES, "t", "thread"},
		{ANY, "Esc", "back"},
	};
	const char *out = way_out(s);
	size_t i, len, len_out = strlen(out) + 2;
	unsigned x = 0;

	for (i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
		len = strlen(hints[i].key) + strlen(hints[i].what) + 3;
		if (pfx_screen_compares(s) && hints[i].of_one &&
		    !(*hints[i].key == 'a' && s->options.host.code_pair))
			continue;
		if (hints[i].of_several && next_event(s, false) == PFX_NO_ID)
			continue;
		if (hints[i].views & 1u << s->place.view && x + len + len_out <= grid->width)
			x = put_hint(grid, x, hints[i].key, hints[i].what);
	}
	put_hint(grid, x, "q", out);
	grid->pen = (struct pfx_pen){0};
}

static const char *label(const struct pfx_screen *s)
{
	return s->prompt == PFX_PROMPT_FILTER && s->place.view == PFX_SCREEN_FLAME
		       ? "Mark frames with: "
		       : pfx_prompt_label(s->prompt);
}

static void draw_last_line(struct pfx_screen *s, struct pfx_grid *grid)
{
	unsigned y = grid->height - 1, x;

	if (grid->height < 2)
		return;
	pfx_grid_fill(grid, 0, y, ' ', grid->width);
	if (s->prompt) {
		grid->pen.style = PFX_STYLE_KEY;
		x = pfx_grid_put(grid, 0, y, label(s), grid->width);
		grid->pen.style = PFX_STYLE_NORMAL;
		x += pfx_grid_put(grid, x, y, pfx_str_get(&s->typed), grid->width);
		grid->pen.selected = true;
		pfx_grid_fill(grid, x, y, ' ', 1);
	} else if (s->message.len) {
		grid->pen.style = PFX_STYLE_NOTE;
		pfx_grid_put(grid, 0, y, s->message.at, grid->width);
	} else {
		draw_hint(s, grid);
	}
	grid->pen = (struct pfx_pen){0};
}

void pfx_screen_draw(struct pfx_screen *s, struct pfx_grid *grid)
{
	if (s->width != grid->width &&
	    (s->place.view == PFX_SCREEN_HELP || pfx_screen_has_sheet(s)))
		pfx_screen_stale(s);
	s->width = grid->width;
	s->height = grid->height;
	pfx_grid_resize(grid, grid->width, grid->height);
	pfx_screen_select(s);
	if (pfx_screen_ops(s)->draw)
		pfx_screen_ops(s)->draw(s, grid);
	else if (grid->height > 2)
		pfx_screen_draw_rows(s, grid);
	pfx_screen_draw_title(s, grid);
	draw_last_line(s, grid);
	if (s->menu.is_open)
		pfx_menu_draw(s, grid);
}

/* --- events --- */

static void set_event(struct pfx_screen *s, uint32_t event)
{
	pfx_screen_push(s);
	s->place.event = pfx_screen_intern(s, s->profile->events[event].name);
	s->place.root = 0;
	pfx_screen_reset(s);
	pfx_screen_begin_rows(s);
	pfx_screen_select(s);
	s->sort_column = pfx_screen_column(s);
}

static void choose_event(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	set_event(s, (uint32_t)entry->number);
}

static void open_events(struct pfx_screen *s)
{
	struct pfx_str label = {0};
	uint32_t i;

	pfx_menu_open(s, "Events");
	for (i = 0; i < s->profile->nr_events; i++) {
		if (!pfx_screen_has_event(s, i))
			continue;
		pfx_str_clear(&label);
		pfx_screen_add_short(&label, s->profile->events[i].nr_samples);
		pfx_str_pad(&label, ' ', label.len < 6 ? 6 - label.len : 1);
		pfx_str_add(&label, s->profile->events[i].name);
		pfx_menu_add(s, label.at, choose_event);
		pfx_menu_last(s)->number = i;
		if (i == s->event)
			s->menu.cursor = s->menu.entries.nr - 1;
	}
	pfx_str_fini(&label);
	pfx_menu_ready(s, "the recording has no events");
}

static void step_event(struct pfx_screen *s, bool back)
{
	uint32_t at = next_event(s, back);

	if (at != PFX_NO_ID)
		set_event(s, at);
	else
		pfx_screen_say(s, "the recording has no other event with samples");
}

static void sort_by_event(struct pfx_screen *s, uint32_t digit)
{
	uint32_t nr = pfx_screen_has_sheet(s) ? s->sheet_members : s->selection.nr_events;

	if (digit >= nr) {
		if (nr > 1)
			pfx_screen_sayf(s, "the group has no event %u", digit);
		else
			pfx_screen_say(s, "the event is in no group");
		return;
	}
	s->sort_column = digit;
	s->sort_event_given = true;
	pfx_screen_begin_rows(s);
}

/* --- actions --- */

static void quit(struct pfx_screen *s)
{
	if (!pfx_screen_leave(s))
		s->answer = PFX_SCREEN_QUIT;
}

/* As in perf, Esc ends at code that was the first view. */
static void go_back(struct pfx_screen *s)
{
	if (pfx_screen_back(s))
		return;
	if (s->options.code_first && s->place.view == PFX_SCREEN_CODE)
		s->answer = PFX_SCREEN_QUIT;
	else
		pfx_screen_say(s, "this is where you began; q ends pfx");
}

/* The next one in the direction of the search, or the one before. */
static void find(struct pfx_screen *s, bool before)
{
	if (s->search)
		pfx_screen_find(s, before != s->searches_back);
	else
		pfx_prompt_open(s, PFX_PROMPT_SEARCH);
}

static void switch_mouse(struct pfx_screen *s)
{
	s->no_mouse = !s->no_mouse;
	if (s->options.host.mouse)
		s->options.host.mouse(s->options.host.context, !s->no_mouse);
	pfx_screen_say(s, s->no_mouse ? "the mouse selects text" : "the mouse moves the cursor");
}

static bool act_look(struct pfx_screen *s, enum pfx_screen_action action)
{
	switch (action) {
	case PFX_ACT_LIMIT:
		pfx_prompt_open(s, PFX_PROMPT_LIMIT);
		return true;
	case PFX_ACT_RELATIVE:
		s->relative = !s->relative;
		pfx_screen_say(s, s->relative ? "percentages of the samples that filters leave"
					      : "percentages of all samples of the event");
		pfx_screen_stale(s);
		return true;
	case PFX_ACT_HEADINGS:
		s->no_headings = !s->no_headings;
		return true;
	case PFX_ACT_VERBOSE:
		s->verbose = !s->verbose;
		pfx_screen_stale(s);
		return true;
	case PFX_ACT_EVENT_NEXT:
	case PFX_ACT_EVENT_PREVIOUS:
		step_event(s, action == PFX_ACT_EVENT_PREVIOUS);
		return true;
	case PFX_ACT_EVENTS:
		open_events(s);
		return true;
	case PFX_ACT_FILTER:
		pfx_prompt_open(s, PFX_PROMPT_FILTER);
		return true;
	case PFX_ACT_SEARCH:
		pfx_prompt_open(s, PFX_PROMPT_SEARCH);
		return true;
	case PFX_ACT_SEARCH_BACK:
		pfx_prompt_open(s, PFX_PROMPT_SEARCH_BACK);
		return true;
	case PFX_ACT_FIND_NEXT:
	case PFX_ACT_FIND_PREVIOUS:
		find(s, action == PFX_ACT_FIND_PREVIOUS);
		return true;
	default:
		return false;
	}
}

static void act_program(struct pfx_screen *s, enum pfx_screen_action action)
{
	switch (action) {
	case PFX_ACT_MENU:
		pfx_screen_open_menu(s);
		break;
	case PFX_ACT_MOUSE:
		switch_mouse(s);
		break;
	case PFX_ACT_BACK:
		go_back(s);
		break;
	case PFX_ACT_FORWARD:
		if (!pfx_screen_forward(s))
			pfx_screen_say(s, "there is nothing to go forward to");
		break;
	case PFX_ACT_SUSPEND:
		s->answer = PFX_SCREEN_SUSPEND;
		break;
	case PFX_ACT_QUIT:
		quit(s);
		break;
	default:
		break;
	}
}

static void act(struct pfx_screen *s, enum pfx_screen_action action)
{
	const struct pfx_screen_ops *ops = pfx_screen_ops(s);

	if (ops->act && ops->act(s, action))
		return;
	if (pfx_screen_act_zoom(s, action) || pfx_screen_act_open(s, action) ||
	    act_look(s, action) || pfx_screen_act_output(s, action) || pfx_screen_move(s, action))
		return;
	act_program(s, action);
}

/* --- keys and the mouse --- */

/* What is at a place of the screen as it was drawn last. */
static uint32_t link_at(struct pfx_screen *s, unsigned x, unsigned y)
{
	struct pfx_grid grid = {0};
	uint32_t link = 0;

	pfx_grid_resize(&grid, s->width, s->height);
	pfx_screen_draw(s, &grid);
	if (x < grid.width && y < grid.height)
		link = pfx_grid_at(&grid, x, y)->pen.link;
	pfx_grid_fini(&grid);
	return link;
}

static void click_menu(struct pfx_screen *s, uint32_t link)
{
	if (!link || link > s->menu.entries.nr) {
		s->menu.is_open = false;
		return;
	}
	s->menu.cursor = link - 1;
	pfx_menu_press(s, &(struct pfx_press){.code = PFX_PRESS_ENTER});
}

static void click_row(struct pfx_screen *s, uint32_t link, const struct pfx_press *press)
{
	size_t index = link - 1;
	bool again = index == s->place.cursor;

	if (press->code == PFX_PRESS_RELEASE || index >= s->rows.nr)
		return;
	pfx_screen_set_cursor(s, index);
	if (press->code == PFX_PRESS_MENU)
		pfx_screen_open_menu(s);
	else if (again || press->code == PFX_PRESS_DOUBLE)
		act(s, PFX_ACT_ENTER);
}

static void point(struct pfx_screen *s, const struct pfx_press *press)
{
	const struct pfx_screen_ops *ops = pfx_screen_ops(s);
	uint32_t link = link_at(s, press->x, press->y);

	if (s->menu.is_open) {
		if (press->code != PFX_PRESS_RELEASE)
			click_menu(s, link);
	} else if (link && ops->click && (ops->draw || link >= PFX_LINK_HEADING)) {
		if (link < PFX_LINK_HEADING || press->code != PFX_PRESS_RELEASE)
			ops->click(s, link, press);
	} else if (link && !ops->draw) {
		click_row(s, link, press);
	}
}

static bool is_mouse(uint32_t code)
{
	return code >= PFX_PRESS_CLICK && code <= PFX_PRESS_MENU;
}

static void wheel(struct pfx_screen *s, bool up)
{
	int i;

	for (i = 0; i < 3; i++)
		act(s, up ? PFX_ACT_UP : PFX_ACT_DOWN);
}

/* A key of the program around the screen. */
static bool press_other(struct pfx_screen *s, uint32_t code)
{
	const struct pfx_screen_key *key = s->options.keys;

	for (; key && key->code; key++) {
		if (key->code != code || !(key->views & 1u << s->place.view))
			continue;
		s->options.host.key(s->options.host.context, code);
		return true;
	}
	return false;
}

static void press_key(struct pfx_screen *s, uint32_t code)
{
	enum pfx_screen_action action = pfx_screen_action_of(code, s->place.view);

	if (press_other(s, code))
		return;
	if (action == PFX_ACT_SORT_EVENT)
		sort_by_event(s, code - '0');
	else if (action)
		act(s, action);
	else if (code < PFX_PRESS_UP)
		pfx_screen_say(s, "this key does nothing here; h shows the keys");
}

enum pfx_screen_answer pfx_screen_press(struct pfx_screen *s, const struct pfx_press *press)
{
	s->answer = PFX_SCREEN_GO_ON;
	if (press->code == PFX_PRESS_RESIZE)
		return s->answer;
	pfx_str_clear(&s->message);
	pfx_screen_select(s);
	if (is_mouse(press->code))
		point(s, press);
	else if (s->menu.is_open)
		pfx_menu_press(s, press);
	else if (s->prompt)
		pfx_prompt_press(s, press);
	else if (press->code == PFX_PRESS_WHEEL_UP || press->code == PFX_PRESS_WHEEL_DOWN)
		wheel(s, press->code == PFX_PRESS_WHEEL_UP);
	else
		press_key(s, press->code);
	return s->answer;
}
