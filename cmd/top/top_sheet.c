/* SPDX-License-Identifier: MIT */
/*
 * Tables of the screen of `pfx top` that a profile does not have. What the options ask for is
 * counted as samples come; for other rows and filters, the records that are kept are counted anew.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "browse/screen_sheets.h"
#include "cmd/top/top_internal.h"
#include "live/live_profile.h"

struct pfx_top_sheet {
	struct pfx_top *top;
	struct pfx_screen_sheets sheets;
	/* Other rows, or filters: */
	struct pfx_top again; /* the top with its own options and columns */
	struct pfx_top_options options;
	struct pfx_names dso; /* instead of those of the options */
	struct pfx_hists *hists;
	struct pfx_screen_sheets_count counted;
	uint64_t nr_worlds; /* when they were counted: they borrow from the world */
};

struct pfx_top_sheet *pfx_top_sheet_new(struct pfx_top *top)
{
	struct pfx_top_sheet *sheet = pfx_calloc(1, sizeof(*sheet));

	sheet->top = top;
	return sheet;
}

/* Until the next wish. */
static void forget(struct pfx_top_sheet *sheet)
{
	pfx_hists_free(sheet->hists);
	sheet->hists = NULL;
	pfx_columns_fini(&sheet->again.columns);
	pfx_sample_trace_fini(&sheet->again.trace);
	pfx_names_fini(&sheet->dso);
	pfx_screen_sheets_forget(&sheet->counted);
}

void pfx_top_sheet_free(struct pfx_top_sheet *sheet)
{
	if (!sheet)
		return;
	forget(sheet);
	pfx_screen_sheets_fini(&sheet->sheets);
	free(sheet);
}

void pfx_top_sheet_stale(struct pfx_top_sheet *sheet)
{
	forget(sheet);
}

/* The options and columns for other keys. */
static int begin(struct pfx_top_sheet *sheet, const char *keys, struct pfx_error *err)
{
	struct pfx_top *again = &sheet->again;

	forget(sheet);
	sheet->options = *sheet->top->options;
	*again = *sheet->top;
	again->options = &sheet->options;
	again->columns = (struct pfx_columns){0};
	again->trace = (struct pfx_sample_trace){0};
	pfx_top_renew_trace(again, pfx_live_world(again->live));
	if (keys) {
		sheet->options.sort = sheet->counted.keys = pfx_strdup(keys);
		sheet->options.fields = sheet->options.widths = NULL;
	}
	return pfx_top_build_columns(again, true, err);
}

int pfx_top_sheet_check(struct pfx_top_sheet *sheet, const char *keys, struct pfx_error *err)
{
	int rc = begin(sheet, keys, err);

	if (!rc && pfx_columns_has(&sheet->again.columns, PFX_KEY_PARENT) &&
	    !sheet->top->has_chains)
		rc = pfx_error_set(err, EINVAL,
				   "there are no parents to show: the samples have no call chains");
	forget(sheet);
	return rc;
}

/* Count the records that are kept. */
static void count(struct pfx_top_sheet *sheet, const struct pfx_screen_sheet_wish *wish)
{
	struct pfx_live *live = sheet->top->live;
	const struct pfx_live_world *world = pfx_live_world(live);
	const struct pfx_filter *filter = &sheet->options.filter;
	struct pfx_hist_options options = pfx_top_hist_options(&sheet->again);
	struct pfx_profile *profile = NULL;
	uint32_t *rows = NULL, nr = 0;
	uint8_t *chosen = NULL;

	if (wish->dso && !pfx_screen_sheets_zoom_rows(&options)) {
		pfx_names_of(&sheet->dso, wish->dso);
		sheet->options.filter.dsos = sheet->dso;
	}
	if (wish->reversed)
		sheet->options.graph.caller = !sheet->options.graph.caller;
	if (wish->select) {
		profile = pfx_live_rows_profile(live, filter, &rows, &nr);
		chosen = pfx_screen_sheets_choose(wish, profile, rows, nr);
	}
	options.meta = world->meta;
	options.session = world->session;
	options.resolver = world->resolver;
	sheet->hists = pfx_hists_new(&options);
	pfx_live_count_kept(live, filter, sheet->hists, chosen, nr);
	pfx_hists_finish(sheet->hists);
	pfx_screen_sheets_note(&sheet->counted, wish, &options);
	sheet->nr_worlds = pfx_live_counts(live)->nr_worlds;
	free(chosen);
	free(rows);
	pfx_profile_free(profile);
}

static bool is_counted(const struct pfx_top_sheet *sheet, const struct pfx_screen_sheet_wish *wish)
{
	return pfx_screen_sheets_counted(&sheet->counted, wish) &&
	       sheet->nr_worlds == pfx_live_counts(sheet->top->live)->nr_worlds;
}

int pfx_top_sheet_make(struct pfx_top_sheet *sheet, const struct pfx_screen_sheet_wish *wish,
		       struct pfx_screen_sheet *ret, struct pfx_error *err)
{
	const struct pfx_top_options *o = sheet->top->options;
	const struct pfx_screen_sheets_look look = {
		.text.verbose = o->record.verbose > 0,
		.text.max_rows = o->entries > UINT32_MAX ? 0 : (uint32_t)o->entries,
		.member = (uint32_t)o->group_sort_idx,
	};
	struct pfx_hists *hists = pfx_live_hists_shown(sheet->top->hists, 0);
	int rc;

	if (pfx_screen_sheets_need_count(wish, hists)) {
		if (!is_counted(sheet, wish)) {
			rc = begin(sheet, wish->keys, err);
			if (rc < 0)
				return rc;
			count(sheet, wish);
		}
		hists = sheet->hists;
	}
	pfx_screen_sheets_make(&sheet->sheets, &look, hists, wish, ret);
	return 0;
}
