/* SPDX-License-Identifier: MIT */
/*
 * What the files of lib/screen share. From bottom to top: screen_base (text), screen_place
 * (filters, history), screen_rows (a list with a cursor), screen_tree (rows of call trees), a file
 * for each view, screen_menu, screen_state, which has the table of views.
 */
#ifndef PFX_SCREEN_INTERNAL_H
#define PFX_SCREEN_INTERNAL_H

#include "base/alloc.h"
#include "base/hash.h"
#include "screen/screen_keys.h"
#include "screen/screen_state.h"
#include "view/table_keys.h"
#include "view/timeline.h"
#include "view/view_tree.h"

#define PFX_SCREEN_ZOOMS_MAX 16
/* Links of cells: rows from 1 on, columns of headings, cells of the line of filters. */
#define PFX_LINK_HEADING 0x40000000u
/* The operations of the table as a sheet, after those of the views. */
#define PFX_SCREEN_SHEET PFX_SCREEN_NR_VIEWS

enum pfx_zoom_kind {
	PFX_ZOOM_BY,      /* a library, thread, process, CPU by name */
	PFX_ZOOM_KERNEL,  /* samples in the kernel */
	PFX_ZOOM_SOCKET,  /* CPUs of a socket */
	PFX_ZOOM_TIME,    /* from start to end */
	PFX_ZOOM_THROUGH, /* samples with a function in their stack */
};

struct pfx_zoom {
	enum pfx_zoom_kind kind;
	enum pfx_view_by by;
	const char *name; /* interned */
	uint64_t start, end;
	uint32_t number;
};

/* Where the user is: what history remembers. Plain; texts are interned. */
struct pfx_screen_place {
	enum pfx_screen_view view;
	enum pfx_view_by by;
	struct pfx_table_keys keys; /* several, instead of it */
	struct pfx_zoom zooms[PFX_SCREEN_ZOOMS_MAX];
	unsigned nr_zooms;
	const char *filter; /* only rows with this text; NULL: all */
	const char *event;  /* its name; NULL: the first */
	uint64_t function;  /* key of the function of the code and of the sandwich */
	uint64_t selected;  /* key of the row with the cursor */
	uint64_t root;      /* of the flame graph: key of its node; 0: everything */
	size_t cursor, top; /* index of that row, and of the first one that is visible */
	unsigned shown;     /* the profile or sheet of these rows: nr_shown, then */
	unsigned left;      /* columns scrolled to the right */
	bool inverted;
	bool is_sheet;          /* the table is a sheet, */
	const char *sheet_keys; /* of these keys (interned); NULL: of the options */
};

enum pfx_screen_row_kind {
	PFX_ROW_TABLE, /* of the table: id is of what rows are */
	PFX_ROW_NODE,  /* of a call tree: id is a function, or a group */
	PFX_ROW_TEXT,
	PFX_ROW_INSN, /* id: of the code */
	PFX_ROW_SOURCE,
};

struct pfx_screen_row {
	uint64_t key; /* equal for the same thing in another profile */
	enum pfx_screen_row_kind kind;
	enum pfx_view_by by;
	uint32_t id;
	uint32_t depth;
	bool has_kids, is_open;
	bool no_self; /* a caller: what it costs itself is not in the tree */
	uint64_t self, total, samples;
	uint64_t old_self, old_total;         /* in the old recording of a comparison */
	const struct pfx_table_value *values; /* by column; NULL: not a row of a table */
	const uint32_t *ids;                  /* of its keys; NULL: it has no more than one */
	uint32_t at;                          /* with keys: its id in the table */
	const char *text;                     /* of PFX_ROW_TEXT, of a heading, of a sheet */
	double percent;                       /* of a sheet, as the next four */
	uint32_t mark;
	const struct pfx_kept_sample *kept; /* NULL: none */
	uint32_t nr_kept;
	uint32_t pid, tid, cpu; /* PFX_NO_ID: unknown */
	const char *dso;        /* short name; NULL: unknown */
};

/* A call tree that was made for the selection as it is. */
struct pfx_open_tree {
	uint32_t function; /* PFX_NO_ID: the groups of the table, or everything of the row */
	uint64_t row;      /* the key of a row with keys, whose samples it has; 0: all */
	bool inverted, own;
	struct pfx_view_tree tree;
	uint64_t *old; /* by node: its total in the old recording; NULL: there is none */
	bool is_old;   /* of the old recording: the new one has nothing of it */
};

enum pfx_prompt {
	PFX_PROMPT_NONE,
	PFX_PROMPT_FILTER,
	PFX_PROMPT_SEARCH,
	PFX_PROMPT_SEARCH_BACK,
	PFX_PROMPT_LIMIT,
	PFX_PROMPT_KEYS,
};

struct pfx_screen;
struct pfx_screen_ops;

/* An entry of a menu: what it does, with two values. */
struct pfx_menu_entry {
	const char *label; /* interned */
	void (*choose)(struct pfx_screen *s, const struct pfx_menu_entry *entry);
	enum pfx_view_by by;
	const char *name; /* interned */
	uint64_t number;
};

struct pfx_menu {
	bool is_open;
	const char *title;
	PFX_VEC(struct pfx_menu_entry) entries;
	size_t cursor, top;
};

struct pfx_screen {
	struct pfx_screen_options options;
	const struct pfx_screen_ops *const *views; /* by enum pfx_screen_view; then the sheet */
	const struct pfx_profile *profile;
	unsigned nr_shown;       /* profiles and sheets so far */
	uint64_t *function_keys; /* by function of the profile */
	bool *has_callers;       /* the same */
	bool has_chains;         /* some function has */
	struct pfx_intern texts;

	struct pfx_screen_place place;
	PFX_VEC(struct pfx_screen_place) back, forward;

	/* Made when needed; the flags say that they are. */
	bool has_selection, has_code, has_table, has_rows;
	unsigned generation; /* of the selection: what was made for another one is made again */
	unsigned trees_generation;
	uint32_t event; /* of the profile */
	struct pfx_view_filter filter;
	struct pfx_selection selection;
	struct pfx_selection code; /* without filters by library: these leave rows of code */
	PFX_VEC(struct pfx_stack_sum) whole; /* of all samples, by column */
	PFX_VEC(struct pfx_stack_sum) left;  /* of the rows that a text leaves; none: of all rows */
	struct pfx_table table;
	unsigned key_width[PFX_TABLE_NR_KEYS]; /* of the texts of its keys, in columns */
	PFX_VEC(struct pfx_open_tree *) trees;
	uint32_t nr_open; /* rows of the table whose trees are among the rows */
	PFX_VEC(struct pfx_screen_row) rows;
	struct pfx_str row_text; /* of PFX_ROW_TEXT */

	/* How it looks, in all views. */
	struct pfx_hash toggled; /* keys of rows that are not as all_open says */
	bool all_open, callers, direction_given, relative, no_headings, verbose;
	enum pfx_table_order order;
	uint32_t sort_column;
	double min_percent, min_branch;
	enum pfx_measure measure;

	unsigned width, height, page; /* page: rows of the view when last drawn */
	enum pfx_prompt prompt;
	struct pfx_str typed, message;
	void (*take_typed)(struct pfx_screen *s); /* of PFX_PROMPT_KEYS */
	const char *search;                       /* interned; NULL: none */
	bool searches_back;                       /* it was searched for backwards */
	struct pfx_menu menu;
	bool no_mouse;

	struct pfx_str sheet_heading, sheet_about;
	PFX_VEC(struct pfx_screen_sheet_column) sheet_columns;
	unsigned sheet_order;  /* the column to sort by, from 1 on; 0: as the options say */
	unsigned sheet_sorted; /* the one that it is sorted by */
	uint32_t sheet_members;
	uint64_t sheet_samples, sheet_period; /* of the sheet; 0: as in the profile */
	bool sheet_reversed, sheet_has_trees;
	bool sort_event_given; /* by keys */
	struct pfx_screen_flame *flame;
	struct pfx_screen_lanes *lanes;
	struct pfx_screen_listing *listing;
	struct pfx_str code_pair; /* text of the code in both recordings */
	enum pfx_screen_answer answer;
	const char *opened;
};

/* A view: what it has beside rows. Members may be NULL. */
struct pfx_screen_ops {
	/* Make s->rows. */
	void (*make)(struct pfx_screen *s);
	void (*heading)(struct pfx_screen *s, struct pfx_grid *grid, unsigned y);
	void (*row)(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
		    const struct pfx_screen_row *row);
	/* Instead of rows: everything between the first and the last line. */
	void (*draw)(struct pfx_screen *s, struct pfx_grid *grid);
	/* An action of the view alone; false: it is not one. */
	bool (*act)(struct pfx_screen *s, enum pfx_screen_action action);
	/* The mouse on a link. */
	void (*click)(struct pfx_screen *s, uint32_t link, const struct pfx_press *press);
	/* What a search looks at; NULL: the name of the row. */
	void (*text)(struct pfx_screen *s, const struct pfx_screen_row *row, struct pfx_str *to);
	/* What the title says of the view. */
	void (*about)(struct pfx_screen *s, struct pfx_str *to);
};

extern const struct pfx_screen_ops pfx_screen_table_ops, pfx_screen_sheet_ops, pfx_screen_flame_ops,
	pfx_screen_timeline_ops, pfx_screen_sandwich_ops, pfx_screen_code_ops, pfx_screen_pair_ops,
	pfx_screen_header_ops, pfx_screen_help_ops;

/* screen_base.c: text */

/* The key of a function: of its name, and the short name of its binary. */
uint64_t pfx_screen_key_of_function(const char *name, const char *dso, bool is_inlined);
const char *pfx_screen_intern(struct pfx_screen *s, const char *text);
void pfx_screen_sayf(struct pfx_screen *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A number in at most five columns: 999, 12K, 3.4M. */
void pfx_screen_add_short(struct pfx_str *to, uint64_t value);
/* Append the name of an id; "all" characters are as in the recording. */
void pfx_screen_add_id(struct pfx_screen *s, enum pfx_view_by by, uint32_t id, struct pfx_str *to);
/* Whether a name has the text; without upper-case letters in @part, case does not matter. */
bool pfx_screen_has_text(const char *text, const char *part);
double pfx_screen_percent(uint64_t part, uint64_t whole);
/* Append as much of a name as fits into @room columns: the ends of C++ names say more than their
 * arguments. */
void pfx_screen_add_fitting(const struct pfx_screen *s, const char *name, unsigned room,
			    struct pfx_str *to);
/* The same of a function, and whether it is inlined; all of it when rows are scrolled. @id:
 * PFX_NO_ID: unknown. */
void pfx_screen_add_function(const struct pfx_screen *s, uint32_t id, const char *name,
			     unsigned room, struct pfx_str *to);
/* What is before the name of a function: its level; also its address and where its symbol is from.
 */
void pfx_screen_add_place(const struct pfx_screen *s, uint32_t function, struct pfx_str *to);
/* Whether an action can have an effect: there is a header, scripts, other recordings. */
bool pfx_screen_offers(const struct pfx_screen *s, enum pfx_screen_action action);
/* The style of a row with this percentage: the limits of perf. */
enum pfx_style pfx_screen_heat(double percent);

/* screen_place.c: filters and history */

/* Everything that depends on the profile or on filters is made again. */
void pfx_screen_reset(struct pfx_screen *s);
/* Only rows are made again. */
void pfx_screen_stale(struct pfx_screen *s);
/* The rows of the table get another order, or others are shown: from the first one on. */
void pfx_screen_begin_rows(struct pfx_screen *s);
/* The selection for the filters of the place. */
const struct pfx_selection *pfx_screen_select(struct pfx_screen *s);
/* As in perf, filters by library leave rows of code, with what they have, and not samples: the
 * selection without these filters. */
const struct pfx_selection *pfx_screen_select_code(struct pfx_screen *s);
/* The selection with broken chains as one root, as pages and SVGs have it. @room: zeroed, the
 * caller frees it. */
const struct pfx_selection *pfx_screen_select_picture(struct pfx_screen *s,
						      struct pfx_selection *room);
/* Whether such filters leave a row of code. */
bool pfx_screen_row_stays(struct pfx_screen *s, const struct pfx_screen_row *row);
/* Why the selection has no samples, as a sentence. */
const char *pfx_screen_why_no_samples(const struct pfx_screen *s);
/* The samples of a row with keys, with the filters of the place. The caller frees it. */
void pfx_screen_select_row(struct pfx_screen *s, const struct pfx_screen_row *row,
			   struct pfx_selection *ret);
/* Remember the place; what is done next can be undone. */
void pfx_screen_push(struct pfx_screen *s);
bool pfx_screen_back(struct pfx_screen *s);
bool pfx_screen_forward(struct pfx_screen *s);
/* Whether there is a view to go to from this one, and which; from the first view, 'q' ends. */
bool pfx_screen_can_leave(const struct pfx_screen *s, enum pfx_screen_view *ret);
/* To the view before this one, with the filters as they are; false: this is the first. */
bool pfx_screen_leave(struct pfx_screen *s);
void pfx_screen_go_view(struct pfx_screen *s, enum pfx_screen_view view);
/* Add a filter, or remove it if it is there. */
void pfx_screen_zoom(struct pfx_screen *s, const struct pfx_zoom *zoom);
void pfx_screen_unzoom_all(struct pfx_screen *s);
void pfx_screen_add_zooms(struct pfx_screen *s, struct pfx_str *to);
/* The function with a key; PFX_NO_ID: the profile has none. */
uint32_t pfx_screen_find_function(const struct pfx_screen *s, uint64_t key);
/* The column of the event in the selection, and what percentages are of. */
uint32_t pfx_screen_column(const struct pfx_screen *s);
uint64_t pfx_screen_total(const struct pfx_screen *s);
uint64_t pfx_screen_total_of(const struct pfx_screen *s, uint32_t column, enum pfx_measure measure);

/* What filters leave of another profile of the same samples; without the filter by library if
 * @any_dso. */
void pfx_screen_select_of(struct pfx_screen *s, const struct pfx_profile *profile, bool any_dso,
			  struct pfx_selection *ret);
/* Whether all filters are by library; *@ret_dso: the last of these, NULL: none. */
bool pfx_screen_only_dso(const struct pfx_screen *s, const char **ret_dso);

/* screen_rows.c: a list with a cursor */

/* The first of @nr lines to show in @room lines: near @top, with the cursor visible and no line
 * wasted, also after a change of the screen's size. */
size_t pfx_screen_scroll(size_t top, size_t cursor, size_t nr, size_t room);

/* Make the rows if needed; the cursor goes to the row that it was on, but in a newer profile the
 * part that is visible stays. */
void pfx_screen_need_rows(struct pfx_screen *s);
/* The row with the cursor; NULL: there are no rows. */
const struct pfx_screen_row *pfx_screen_row(struct pfx_screen *s);
void pfx_screen_set_cursor(struct pfx_screen *s, size_t index);
bool pfx_screen_move(struct pfx_screen *s, enum pfx_screen_action action);
/* To the next row with the text of the search. */
void pfx_screen_find(struct pfx_screen *s, bool backwards);
/* Why there are no rows, as a sentence. */
const char *pfx_screen_why_empty(const struct pfx_screen *s);
void pfx_screen_draw_rows(struct pfx_screen *s, struct pfx_grid *grid);
/* The first line. */
void pfx_screen_draw_title(struct pfx_screen *s, struct pfx_grid *grid);
struct pfx_screen_row *pfx_screen_add_row(struct pfx_screen *s, enum pfx_screen_row_kind kind);
/* The name of a row, as it is shown. */
void pfx_screen_row_name(struct pfx_screen *s, const struct pfx_screen_row *row,
			 struct pfx_str *to);
/* The function of the row with the cursor; PFX_NO_ID: none. */
uint32_t pfx_screen_row_function(struct pfx_screen *s);
/* Whether the table is a sheet. */
static inline bool pfx_screen_has_sheet(const struct pfx_screen *s)
{
	return s->place.view == PFX_SCREEN_TABLE && s->options.host.sheet && s->place.is_sheet;
}
/* The operations of the view that is shown. */
static inline const struct pfx_screen_ops *pfx_screen_ops(const struct pfx_screen *s)
{
	return s->views[pfx_screen_has_sheet(s) ? PFX_SCREEN_SHEET : (int)s->place.view];
}

/* screen_tree.c: rows of call trees */

bool pfx_screen_is_open(const struct pfx_screen *s, uint64_t key);
void pfx_screen_toggle(struct pfx_screen *s, uint64_t key);
uint64_t pfx_screen_node_key(const struct pfx_screen *s, uint64_t parent,
			     const struct pfx_view_node *node);
/* The tree of a function, or of the groups of the table; made once. */
const struct pfx_view_tree *pfx_screen_tree(struct pfx_screen *s, uint32_t function, bool inverted);
/* The tree of a function of the table: as in perf, where rows are sorted by self, its callers have
 * its own samples. */
const struct pfx_view_tree *pfx_screen_table_tree(struct pfx_screen *s, uint32_t function);
/* Whether they have. */
bool pfx_screen_trees_of_own(const struct pfx_screen *s);
/* The tree of a row with keys: of its function, or of everything. */
const struct pfx_view_tree *pfx_screen_tree_of(struct pfx_screen *s,
					       const struct pfx_screen_row *row);
void pfx_screen_free_trees(struct pfx_screen *s);
/* The total of a node of such a tree in the old recording. */
uint64_t pfx_screen_old_in_tree(const struct pfx_screen *s, const struct pfx_view_tree *tree,
				uint32_t node);
/* Add the kids of a node whose row is open. */
void pfx_screen_add_kids(struct pfx_screen *s, const struct pfx_view_tree *tree, uint32_t node,
			 const struct pfx_screen_row *above);
/* There is no row, or no tree of the row to open: say why. */
void pfx_screen_say_no_tree(struct pfx_screen *s);
/* Open the row and everything below it, or close them. */
void pfx_screen_toggle_entry(struct pfx_screen *s);
void pfx_screen_close_entry(struct pfx_screen *s);
/* Opens or closes the row with the key, unless it is so already. */
void pfx_screen_set_open(struct pfx_screen *s, uint64_t key, bool open);
/* The row of the first level that a row below it belongs to. */
size_t pfx_screen_entry_of(const struct pfx_screen *s, size_t at);
/* Draw the columns of a row of a table or tree, and their headings. */
void pfx_screen_draw_columns(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
			     const struct pfx_screen_row *row);
void pfx_screen_draw_headings(struct pfx_screen *s, struct pfx_grid *grid, unsigned y);

/* screen_keyed.c: rows with several keys */

/* Whether rows of the table are functions, libraries or lines. */
bool pfx_screen_rows_are_code(const struct pfx_screen *s);
/* The sort keys of the rows, as words. */
void pfx_screen_add_sort(const struct pfx_screen *s, struct pfx_str *to);
bool pfx_screen_keys_have_code(const struct pfx_table_keys *keys);
bool pfx_screen_keys_have_trees(const struct pfx_screen *s);
/* Append all keys of a row. */
void pfx_screen_add_keys(struct pfx_screen *s, const struct pfx_screen_row *row,
			 struct pfx_str *to);
/* What a row of any table belongs to; false: it does not say. */
bool pfx_screen_row_id(const struct pfx_screen *s, const struct pfx_screen_row *row,
		       enum pfx_view_by by, uint32_t *ret);
uint64_t pfx_screen_key_of_keys(struct pfx_screen *s, const struct pfx_screen_row *row);
/* Find the widths of the columns of keys. */
void pfx_screen_measure_keys(struct pfx_screen *s);
/* From column @x on: the keys of a row, and their titles. */
void pfx_screen_put_keys(struct pfx_screen *s, struct pfx_grid *grid, unsigned x, unsigned y,
			 const struct pfx_screen_row *row);
void pfx_screen_put_key_titles(struct pfx_screen *s, struct pfx_grid *grid, unsigned x, unsigned y);

/* screen_change.c: two recordings beside each other */

/* Whether the screen compares. */
static inline bool pfx_screen_compares(const struct pfx_screen *s)
{
	return s->options.old_of != NULL;
}
/* Whether the event can be chosen: a comparison has those of both recordings. */
static inline bool pfx_screen_has_event(const struct pfx_screen *s, uint32_t event)
{
	return !pfx_screen_compares(s) || s->options.old_of[event] != PFX_NO_ID;
}
/* The event that an event is compared with; PFX_NO_ID: none. */
static inline uint32_t pfx_screen_old_event(const struct pfx_screen *s, uint32_t event)
{
	return pfx_screen_compares(s) ? s->options.old_of[event] : PFX_NO_ID;
}
/* The column of the old event in the selection; PFX_NO_ID: nothing is compared. */
uint32_t pfx_screen_old_column(const struct pfx_screen *s);
uint64_t pfx_screen_old_total(const struct pfx_screen *s);
/* The shares of a row in the old ([0]) and in the new recording, in percent. */
void pfx_screen_shares(const struct pfx_screen *s, const struct pfx_screen_row *row, double ret[2]);
/* Those that changed most first, by self or total. */
void pfx_screen_sort_changes(struct pfx_screen *s);
/* The change in the columns of the grid, with a mark if it is noise. */
void pfx_screen_put_change(struct pfx_screen *s, struct pfx_grid *grid, unsigned x, unsigned y,
			   const struct pfx_screen_row *row);

/* screen_menu.c and screen_zoom.c */

void pfx_menu_open(struct pfx_screen *s, const char *title);
void pfx_menu_add(struct pfx_screen *s, const char *label,
		  void (*choose)(struct pfx_screen *, const struct pfx_menu_entry *));
struct pfx_menu_entry *pfx_menu_last(struct pfx_screen *s);
/* Show it. */
void pfx_menu_ready(struct pfx_screen *s, const char *if_empty);
/* The same, but a single entry is chosen at once. */
void pfx_menu_ask(struct pfx_screen *s, const char *if_empty);
void pfx_menu_press(struct pfx_screen *s, const struct pfx_press *press);
void pfx_menu_draw(struct pfx_screen *s, struct pfx_grid *grid);
/* Actions that all views of the profile have; false: not one of them. */
bool pfx_screen_act_zoom(struct pfx_screen *s, enum pfx_screen_action action);
bool pfx_screen_act_open(struct pfx_screen *s, enum pfx_screen_action action);
void pfx_screen_open_menu(struct pfx_screen *s);

/* screen_output.c: files, scripts, recordings; false: not such an action */

bool pfx_screen_act_output(struct pfx_screen *s, enum pfx_screen_action action);

/* screen_prompt.c: a line to type in */

void pfx_prompt_open(struct pfx_screen *s, enum pfx_prompt prompt);
void pfx_prompt_press(struct pfx_screen *s, const struct pfx_press *press);
const char *pfx_prompt_label(enum pfx_prompt prompt);

/* What the views keep. */
void pfx_screen_flame_free(struct pfx_screen *s);
void pfx_screen_lanes_free(struct pfx_screen *s);
void pfx_screen_listing_free(struct pfx_screen *s);
/* Load the code of the function with this key. */
bool pfx_screen_open_code(struct pfx_screen *s, uint64_t function);
/* The cursor to the hottest instruction of the code that is shown. */
void pfx_screen_go_hottest(struct pfx_screen *s);
/* The name of the function with the key place.function; NULL: unknown. */
const char *pfx_screen_code_name(const struct pfx_screen *s);
void pfx_screen_costs_stale(struct pfx_screen *s);

#endif
