/* SPDX-License-Identifier: MIT */
/* Views of text: the header of the recording, and the help, which is made from the table of keys.
 */
#include <stdlib.h>

#include "screen/screen_internal.h"

static void draw_line(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
		      const struct pfx_screen_row *row)
{
	if (s->search && pfx_screen_has_text(row->text, s->search))
		grid->pen.style = PFX_STYLE_MATCH;
	else if (row->depth)
		grid->pen.style = PFX_STYLE_HEADING;
	pfx_grid_put_from(grid, 0, y, row->text, s->place.left);
}

/* A row; depth 1: a heading. */
static void add_line(struct pfx_screen *s, const char *text, uint32_t depth)
{
	struct pfx_screen_row *row = pfx_screen_add_row(s, PFX_ROW_TEXT);

	row->text = pfx_screen_intern(s, text);
	row->key = s->rows.nr;
	row->depth = depth;
}

/* Lines of a text, without @skipped characters before them; empty ones too if nothing is skipped.
 */
static void add_lines(struct pfx_screen *s, const char *at, const char *skipped)
{
	const char *end;
	char *line;

	for (; at && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		at += strspn(at, skipped);
		if (at >= end && *skipped)
			continue;
		line = pfx_strndup(at, (size_t)(end - at));
		add_line(s, line, 0);
		free(line);
	}
}

static void make_pair(struct pfx_screen *s)
{
	add_lines(s, pfx_str_get(&s->code_pair), "");
}

static void make_header(struct pfx_screen *s)
{
	add_lines(s, s->options.header, "# ");
	if (!s->rows.nr)
		add_line(s, "no header is known", 0);
}

/* The help of a row, broken at blanks, beside the names of its keys. */
static void add_help(struct pfx_screen *s, const char *names, const char *help)
{
	unsigned width = s->width > 30 ? s->width - 22 : 20;
	struct pfx_str line = {0};
	size_t len;

	for (; *help; help += len + (help[len] == ' ')) {
		len = strlen(help);
		if (len > width) {
			for (len = width; len && help[len] != ' '; len--)
				;
			len = len ? len : width;
		}
		pfx_str_clear(&line);
		pfx_str_addf(&line, "  %-18s ", names);
		pfx_str_addn(&line, help, len);
		add_line(s, line.at, 0);
		names = "";
	}
	pfx_str_fini(&line);
}

/* The keys of a view that follow a row and do the same. */
static void add_names(const struct pfx_screen_key *key, struct pfx_str *to)
{
	const struct pfx_screen_key *same;

	pfx_screen_key_name(key->code, to);
	for (same = key + 1; same->code && !same->help; same++) {
		if (same->action != key->action || same->action == PFX_ACT_SORT_EVENT)
			continue;
		pfx_str_add(to, ", ");
		pfx_screen_key_name(same->code, to);
	}
}

/* The keys of the view from which the help was opened; views that are text have no others. */
static enum pfx_screen_view view_of_help(const struct pfx_screen *s)
{
	size_t i;

	for (i = s->back.nr; i; i--)
		if (s->back.at[i - 1].view != PFX_SCREEN_HELP)
			return s->back.at[i - 1].view;
	return PFX_SCREEN_TABLE;
}

/* Keys of the view. */
static void add_keys(struct pfx_screen *s, const struct pfx_screen_key *key,
		     enum pfx_screen_view view)
{
	struct pfx_str names = {0};

	for (; key && key->code; key++) {
		if (!key->help || !(key->views & 1u << view) || !pfx_screen_offers(s, key->action))
			continue;
		pfx_str_clear(&names);
		add_names(key, &names);
		add_help(s, names.at, key->help);
	}
	pfx_str_fini(&names);
}

/* The keys of one view that do something else in the view of the help, or nothing. */
static void add_others(struct pfx_screen *s, enum pfx_screen_view view, enum pfx_screen_view of)
{
	const struct pfx_screen_key *key;
	struct pfx_str names = {0};
	bool any = false;

	for (key = pfx_screen_keys; key->code; key++) {
		if (!key->help || !(key->views & 1u << of) || key->views & 1u << view ||
		    !pfx_screen_offers(s, key->action))
			continue;
		if (!any) {
			pfx_str_addf(&names, "In the view '%s'", pfx_screen_view_name(of));
			add_line(s, "", 0);
			add_line(s, names.at, 1);
			any = true;
		}
		pfx_str_clear(&names);
		add_names(key, &names);
		add_help(s, names.at, key->help);
	}
	pfx_str_fini(&names);
}

static void make_help(struct pfx_screen *s)
{
	static const enum pfx_screen_view others[] = {PFX_SCREEN_TABLE, PFX_SCREEN_FLAME,
						      PFX_SCREEN_TIMELINE, PFX_SCREEN_CODE};
	enum pfx_screen_view view = view_of_help(s);
	size_t i;
	struct pfx_str title = {0};

	pfx_str_addf(&title, "Keys of the view '%s'", pfx_screen_view_name(view));
	add_line(s, title.at, 1);
	add_keys(s, s->options.keys, view);
	add_keys(s, pfx_screen_keys, view);
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i] != view)
			add_others(s, view, others[i]);
	pfx_str_fini(&title);
}

const struct pfx_screen_ops pfx_screen_pair_ops = {.make = make_pair, .row = draw_line};
const struct pfx_screen_ops pfx_screen_header_ops = {.make = make_header, .row = draw_line};
const struct pfx_screen_ops pfx_screen_help_ops = {.make = make_help, .row = draw_line};
