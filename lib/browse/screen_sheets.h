/* SPDX-License-Identifier: MIT */
/* Tables of lib/hist as sheets of a screen: all columns that text has. */
#ifndef PFX_BROWSE_SCREEN_SHEETS_H
#define PFX_BROWSE_SCREEN_SHEETS_H

#include "out/hist_lines.h"
#include "screen/screen_state.h"

/* Zero-initialize; owns the lines of the last sheet. */
struct pfx_screen_sheets {
	struct pfx_hist_lines lines;
	PFX_VEC(struct pfx_screen_line) shown;
	struct pfx_str about;
};

/* The sheet of the event that is wished for, or of its group; none: an empty one. @hists: finished,
 * NULL: nothing was counted yet. */
void pfx_screen_sheets_make(struct pfx_screen_sheets *sheets, const struct pfx_hist_text *how,
			    const struct pfx_hists *hists, const struct pfx_screen_sheet_wish *wish,
			    struct pfx_screen_sheet *ret);
void pfx_screen_sheets_fini(struct pfx_screen_sheets *sheets);

#endif
