/* SPDX-License-Identifier: MIT */
/* Tables of lib/hist as sheets of a screen: all columns that text has, in the order that is wished
 * for. */
#ifndef PFX_BROWSE_SCREEN_SHEETS_H
#define PFX_BROWSE_SCREEN_SHEETS_H

#include "out/hist_lines.h"
#include "screen/screen_state.h"

/* Zero-initialize; owns the lines of the last sheet. */
struct pfx_screen_sheets {
	struct pfx_hist_lines lines;
	PFX_VEC(struct pfx_screen_line) shown;
	PFX_VEC(struct pfx_screen_sheet_column) columns;
	struct pfx_str about;
};

/* How tables are shown, besides what is wished. */
struct pfx_screen_sheets_look {
	struct pfx_hist_text text;
	uint32_t member; /* of groups, that values are sorted by */
};

/* The sheet of the event that is wished for, or of its group; none: an empty one. @hists: finished;
 * they are sorted. NULL: nothing was counted yet. */
void pfx_screen_sheets_make(struct pfx_screen_sheets *sheets,
			    const struct pfx_screen_sheets_look *look, struct pfx_hists *hists,
			    const struct pfx_screen_sheet_wish *wish, struct pfx_screen_sheet *ret);
/* Whether the library of a wish leaves rows of such a table; else it leaves samples. */
bool pfx_screen_sheets_zoom_rows(const struct pfx_hist_options *options);
/* Whether a wish needs samples to be counted anew: other rows, filters, another direction. @hists:
 * what is counted; NULL: nothing. */
bool pfx_screen_sheets_need_count(const struct pfx_screen_sheet_wish *wish,
				  const struct pfx_hists *hists);
/* What samples were counted anew for. Zero-initialize: nothing was counted. */
struct pfx_screen_sheets_count {
	char *keys; /* NULL: those of the options */
	char *dso;  /* NULL: all */
	unsigned filters;
	bool reversed, is_made;
	bool zooms_rows; /* it holds for any library */
};
/* Whether that is what @wish needs. */
bool pfx_screen_sheets_counted(const struct pfx_screen_sheets_count *count,
			       const struct pfx_screen_sheet_wish *wish);
/* They were counted for @wish with these options; its keys were set before, since the columns need
 * them. */
void pfx_screen_sheets_note(struct pfx_screen_sheets_count *count,
			    const struct pfx_screen_sheet_wish *wish,
			    const struct pfx_hist_options *options);
/* Frees the keys; nothing is counted any more. */
void pfx_screen_sheets_forget(struct pfx_screen_sheets_count *count);
/* What the filters of a wish leave: by sample in order, 1 or 0, for pfx_hists_reading.chosen.
 * @row_of: by sample, its row of the profile; NULL: the samples are the rows. The caller frees it;
 * NULL: all.
 */
uint8_t *pfx_screen_sheets_choose(const struct pfx_screen_sheet_wish *wish,
				  const struct pfx_profile *profile, const uint32_t *row_of,
				  uint32_t nr);
void pfx_screen_sheets_fini(struct pfx_screen_sheets *sheets);

#endif
