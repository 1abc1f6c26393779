/* SPDX-License-Identifier: MIT */
#include "browse/screen_sheets.h"

/* The table of an event; NULL: it has none. */
static const struct pfx_hist *find(const struct pfx_hists *hists, uint32_t event)
{
	uint32_t i, m;

	for (i = 0; hists && i < pfx_hists_nr(hists); i++) {
		const struct pfx_hist *hist = pfx_hists_at(hists, i);

		for (m = 0; m < hist->nr_members; m++)
			if (hist->members[m]->idx == event)
				return hist;
	}
	return NULL;
}

static void add_line(struct pfx_screen_sheets *sheets, const struct pfx_hist_line *line)
{
	struct pfx_screen_line *to = pfx_vec_add(&sheets->shown);

	*to = (struct pfx_screen_line){
		.key = line->key,
		.text = pfx_hist_line_text(&sheets->lines, line),
		.depth = line->depth,
		.mark = line->mark,
		.has_kids = line->has_kids,
		.is_open = line->is_open,
		.percent = line->percent,
	};
	if (!line->place || !line->place->sym)
		return;
	to->function = line->place->sym->name;
	to->dso = line->place->dso ? line->place->dso->short_name : NULL;
}

/* What its rows are. */
static void describe(const struct pfx_hists *hists, struct pfx_str *to)
{
	const struct pfx_hist_options *options = pfx_hists_options(hists);
	const struct pfx_columns *columns = options->columns;
	const char *before = options->hierarchy ? " as a tree of " : " by ";
	const struct pfx_column *column;
	size_t i;

	pfx_str_clear(to);
	for (i = 0; i < columns->shown.nr; i++) {
		column = &columns->shown.at[i];
		if (pfx_key_is_value(column->key) || column->elided ||
		    column->key == PFX_KEY_IPC_NULL)
			continue;
		pfx_str_add(to, before);
		pfx_str_add(to, column->key < PFX_KEY_FIELD ? pfx_key_info(column->key)->name
							    : column->title);
		before = ",";
	}
}

void pfx_screen_sheets_make(struct pfx_screen_sheets *sheets, const struct pfx_hist_text *how,
			    const struct pfx_hists *hists, const struct pfx_screen_sheet_wish *wish,
			    struct pfx_screen_sheet *ret)
{
	struct pfx_hist_lines_options options = {
		.how = *how,
		.min_percent = wish->min_percent,
		.is_open = wish->is_open,
		.context = wish->context,
	};
	const struct pfx_hist *hist = find(hists, wish->event);
	size_t i;

	options.how.screen = wish->width;
	options.how.colours = false;
	sheets->shown.nr = 0;
	if (!hist)
		return;
	pfx_hist_lines_make(&sheets->lines, &options, hists, hist);
	for (i = 0; i < sheets->lines.at.nr; i++)
		add_line(sheets, &sheets->lines.at.at[i]);
	describe(hists, &sheets->about);
	*ret = (struct pfx_screen_sheet){
		.heading = pfx_str_get(&sheets->lines.heading),
		.about = pfx_str_get(&sheets->about),
		.lines = sheets->shown.at,
		.nr = sheets->shown.nr,
	};
}

void pfx_screen_sheets_fini(struct pfx_screen_sheets *sheets)
{
	pfx_hist_lines_fini(&sheets->lines);
	pfx_vec_free(&sheets->shown);
	pfx_str_fini(&sheets->about);
}
