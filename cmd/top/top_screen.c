/* SPDX-License-Identifier: MIT */
/*
 * `pfx top` on a terminal: the screen of report, with a newer profile at each refresh. Everything
 * on it is remembered by name, so that views, filters and the cursor stay.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browse/screen_files.h"
#include "browse/screen_sheets.h"
#include "cmd/app/commands.h"
#include "cmd/app/screen/screen_run.h"
#include "cmd/top/top_internal.h"
#include "live/live_profile.h"
#include "screen/curses/terminal.h"
#include "screen/screen_keys.h"

#define VIEWS ((1u << PFX_SCREEN_NR_VIEWS) - 1)

struct pfx_top_screen {
	struct pfx_top *top;
	struct pfx_live_profile *counted;
	struct pfx_profile *profile;      /* the one that is shown; NULL: none yet */
	struct pfx_profile *counted_last; /* while one with times is shown; NULL: it is not */
	struct pfx_screen *screen;
	struct pfx_grid grid;
	struct pfx_screen_files files;
	struct pfx_top_sheet *sheet;
	struct pfx_sources *sources;
	struct pfx_costs *costs; /* NULL: none */
	char title[256], alert[64];
	bool has_terminal, is_frozen, is_paused;
	bool is_old; /* the profile is older than the sheet */
	bool found;  /* the function of --sym-annotate */
	struct pfx_live_moment moment;
};

static const struct pfx_screen_key keys[] = {
	{'Z', PFX_ACT_NONE, VIEWS, "freeze the picture, or continue"},
	{'z', PFX_ACT_NONE, VIEWS, PFX_TOP_HELP_ZERO},
	{'f', PFX_ACT_NONE, VIEWS & ~(1u << PFX_SCREEN_CODE),
	 "stop all events, or start them again"},
	{'K', PFX_ACT_NONE, VIEWS, PFX_TOP_HELP_KERNEL},
	{'U', PFX_ACT_NONE, VIEWS, PFX_TOP_HELP_USER},
	{'W', PFX_ACT_NONE, VIEWS, PFX_TOP_HELP_WRITE},
	{0},
};

/* --- what the screen asks for --- */

static void pause_events(struct pfx_top_screen *ts)
{
	struct pfx_error err = {0};

	if (pfx_live_pause(ts->top->live, !ts->is_paused, &err) < 0) {
		pfx_screen_say(ts->screen, err.text);
		return;
	}
	ts->is_paused = !ts->is_paused;
	pfx_screen_say(ts->screen,
		       ts->is_paused ? "all events are stopped; f starts them" : "all events run");
}

static void freeze(struct pfx_top_screen *ts)
{
	ts->is_frozen = !ts->is_frozen;
	if (ts->top->hists) {
		pfx_live_hists_hold(ts->top->hists, ts->is_frozen);
		pfx_live_hold(ts->top->live, ts->is_frozen);
	}
	pfx_screen_say(ts->screen, ts->is_frozen ? "frozen; Z continues" : "live");
}

static void on_key(void *context, uint32_t code)
{
	struct pfx_top_screen *ts = context;
	struct pfx_str said = {0};

	if (code == 'Z')
		freeze(ts);
	else if (code == 'f')
		pause_events(ts);
	else if (pfx_top_press(ts->top, code, &said))
		pfx_screen_say(ts->screen, said.at);
	pfx_str_fini(&said);
}

static void free_costs(struct pfx_top_screen *ts)
{
	pfx_costs_free(ts->costs);
	ts->costs = NULL;
}

static int read_code(void *context, struct pfx_screen_code *ret, struct pfx_error *err)
{
	struct pfx_top_screen *ts = context;
	const struct pfx_live_world *world = pfx_live_world(ts->top->live);

	(void)err;
	free_costs(ts);
	ts->costs = pfx_live_costs(ts->top->live);
	*ret = (struct pfx_screen_code){
		.resolver = world->resolver,
		.costs = ts->costs,
		.options = {.sources = ts->sources, .intel = ts->top->options->intel},
	};
	ret->nr_functions = pfx_costs_functions(ts->costs, world->meta->nr_events, &ret->functions);
	return 0;
}

static int save(void *context, const struct pfx_str *text, struct pfx_str *ret_name,
		struct pfx_error *err)
{
	return pfx_screen_files_save(&((struct pfx_top_screen *)context)->files, text, ret_name,
				     err);
}

static int export_format(void *context, const struct pfx_selection *selection, const char *format,
			 struct pfx_str *ret_name, struct pfx_error *err)
{
	struct pfx_top_screen *ts = context;

	ts->files.meta = pfx_live_world(ts->top->live)->meta;
	ts->files.resolver = pfx_live_world(ts->top->live)->resolver;
	return pfx_screen_files_export(&ts->files, selection, format, ret_name, err);
}

static int save_code(void *context, const char *function, const struct pfx_str *text,
		     struct pfx_str *ret_name, struct pfx_error *err)
{
	struct pfx_top_screen *ts = context;

	return pfx_screen_files_save_code(&ts->files, function, text, ret_name, err);
}

static int make_sheet(void *context, const struct pfx_screen_sheet_wish *wish,
		      struct pfx_screen_sheet *ret, struct pfx_error *err)
{
	struct pfx_top_screen *ts = context;
	int rc = pfx_top_sheet_make(ts->sheet, wish, ret, err);

	if (rc >= 0 && ts->is_old)
		pfx_live_profile_total(ts->counted, wish->event, &ret->nr_samples, &ret->period);
	return rc;
}

static int check_keys(void *context, const char *words, struct pfx_error *err)
{
	return pfx_top_sheet_check(((struct pfx_top_screen *)context)->sheet, words, err);
}

static void use_mouse(void *context, bool on)
{
	(void)context;
	pfx_terminal_mouse(on);
}

/* --- begin, show, end --- */

int pfx_top_screen_wanted(struct pfx_top *top, struct pfx_error *err)
{
	const struct pfx_top_options *o = top->options;
	bool is_text = o->stdio || o->json;
	const struct pfx_screen_wish wish = {
		.command = "top",
		.tui = o->tui,
		.text = is_text ? "other options ask for text" : NULL,
	};

	return pfx_screen_wanted(&wish, err);
}

static void draw(struct pfx_top_screen *ts)
{
	unsigned width, height;

	pfx_terminal_size(&width, &height);
	pfx_grid_resize(&ts->grid, width, height);
	pfx_screen_draw(ts->screen, &ts->grid);
	pfx_terminal_draw(&ts->grid);
}

/* Events and target for the first line, and at its end the state, rate and losses, which are never
 * cut. */
static void make_title(struct pfx_top_screen *ts)
{
	const struct pfx_live_moment *moment = &ts->moment;
	double seconds = moment->seconds > 0 ? moment->seconds : 1;
	struct pfx_str target = {0};

	pfx_live_target_text(ts->top->live, &target);
	snprintf(ts->title, sizeof(ts->title), "%s", pfx_str_get(&target));
	snprintf(ts->alert, sizeof(ts->alert), "%s%.0f/s  lost %" PRIu64 "/%" PRIu64 "%s",
		 ts->is_frozen   ? "frozen  "
		 : ts->is_paused ? "stopped  "
				 : "",
		 (double)moment->nr_samples / seconds, moment->nr_lost, moment->nr_lost_in_all,
		 ts->top->options->zero ? "  [z]" : "");
	pfx_str_fini(&target);
}

/* As soon as it has samples. */
static void go_to_code(struct pfx_top_screen *ts)
{
	const char *name = ts->top->options->sym_annotate;
	char shown[128], text[192];

	ts->found = pfx_screen_go(ts->screen, name, true);
	if (ts->found)
		return;
	snprintf(text, sizeof(text), "'%s' has no samples with code yet",
		 pfx_escape(shown, sizeof(shown), name));
	pfx_screen_say(ts->screen, text);
}

/* What a newer profile replaces is freed after it, by the caller. */
static struct pfx_profile *replace_profile(struct pfx_top_screen *ts, struct pfx_profile *newer)
{
	struct pfx_profile *old = ts->profile;

	pfx_top_sheet_stale(ts->sheet);
	pfx_screen_show(ts->screen, newer);
	if (newer->nr_rows && !(ts->profile && ts->profile->nr_rows) &&
	    !pfx_live_is_own_only(ts->top->live))
		pfx_screen_say(ts->screen, "");
	free_costs(ts);
	ts->profile = newer;
	return old;
}

static void show_profile(struct pfx_top_screen *ts, struct pfx_profile *newer)
{
	pfx_profile_free(replace_profile(ts, newer));
}

static struct pfx_profile *timed_profile(struct pfx_top_screen *ts)
{
	return pfx_live_timed_profile(ts->top->live, &ts->top->options->filter,
				      PFX_FRAMES_BY_FUNCTION);
}

static int show_times(void *context, struct pfx_error *err)
{
	struct pfx_top_screen *ts = context;

	(void)err;
	if (ts->counted_last)
		show_profile(ts, timed_profile(ts));
	else
		ts->counted_last = replace_profile(ts, timed_profile(ts));
	return 0;
}

/* After a key that may have left the view over time, or gone back to it. */
static void settle_times(struct pfx_top_screen *ts)
{
	bool needs = pfx_screen_needs_times(ts->screen);

	if (needs == (ts->counted_last != NULL))
		return;
	if (needs) {
		show_times(ts, NULL);
		return;
	}
	show_profile(ts, ts->counted_last);
	ts->counted_last = NULL;
}

/* Whether a profile would not be seen before the next key. */
static bool needs_sheet_alone(const struct pfx_top_screen *ts)
{
	return ts->top->hists && ts->profile && ts->profile->nr_rows &&
	       !ts->top->options->sym_annotate && pfx_screen_shows_sheet(ts->screen);
}

/* Before a key: what it does may need the profile. */
static void catch_up(struct pfx_top_screen *ts)
{
	if (ts->is_old)
		show_profile(ts, pfx_live_profile_now(ts->counted));
	ts->is_old = false;
}

/* Once for each refresh. Over time, each sample of the records that are kept counts as one. */
static void show_newer(struct pfx_top_screen *ts)
{
	struct pfx_profile *newer;

	ts->is_old = needs_sheet_alone(ts);
	if (ts->is_old) {
		pfx_screen_renew_sheet(ts->screen);
		return;
	}
	newer = pfx_live_profile_take(ts->counted);
	if (!newer)
		return;
	if (ts->counted_last) {
		pfx_profile_free(ts->counted_last);
		ts->counted_last = newer;
		newer = timed_profile(ts);
	}
	show_profile(ts, newer);
	if (ts->top->options->sym_annotate && !ts->found)
		go_to_code(ts);
}

/* Until a key is pressed, or the first samples come. */
static void say_first(struct pfx_top_screen *ts)
{
	char text[128];

	if (!pfx_live_is_own_only(ts->top->live)) {
		pfx_screen_say(ts->screen, "the first samples come in a moment");
		return;
	}
	snprintf(text, sizeof(text),
		 "only your processes (kernel.perf_event_paranoid is %d); root or -1: all",
		 pfx_live_paranoid(ts->top->live));
	pfx_screen_say(ts->screen, text);
}

int pfx_top_screen_begin(struct pfx_top *top, struct pfx_error *err)
{
	struct pfx_top_screen *ts = pfx_calloc(1, sizeof(*ts));
	struct pfx_screen_options options = {
		.title = ts->title,
		.alert = ts->alert,
		.meta = pfx_live_world(top->live)->meta,
		.host = {.context = ts,
			 .code = read_code,
			 .export = export_format,
			 .save = save,
			 .save_code = save_code,
			 .mouse = use_mouse,
			 .times = show_times,
			 .sheet = make_sheet,
			 .sheet_keys = check_keys,
			 .key = on_key},
		.keys = keys,
		.min_percent = top->options->percent_limit,
		.min_branch = top->options->graph.min_given ? top->options->graph.min_percent : 0,
		.min_samples = top->options->count_filter,
		.max_rows =
			top->options->entries > UINT32_MAX ? 0 : (uint32_t)top->options->entries,
		.samples = top->options->nr_samples,
		.relative = top->options->relative,
		.sheet = top->hists != NULL,
		.children = top->options->children && top->has_chains,
		.callers = top->options->graph.order_given && !top->options->graph.caller,
		.only = &top->options->filter,
		.levels = "",
	};
	struct pfx_live_sink sink;
	int rc;

	top->screen = ts;
	ts->top = top;
	ts->sheet = pfx_top_sheet_new(top);
	ts->sources = pfx_sources_new();
	ts->counted = pfx_live_profile_new(&top->options->filter, PFX_FRAMES_BY_FUNCTION);
	sink = pfx_live_profile_sink(ts->counted);
	pfx_live_add_sink(top->live, &sink);
	pfx_screen_rows_of(top->options->sort, &options.rows, NULL);
	rc = pfx_screen_open(!pfx_term_colours(PFX_COLOUR_AUTO), err);
	if (rc < 0)
		return rc;
	ts->has_terminal = true;
	options.ascii = !pfx_terminal_has_utf8();
	ts->screen = pfx_screen_new(&options);
	pfx_live_refresh(top->live, top->options->zero);
	show_newer(ts);
	say_first(ts);
	make_title(ts);
	draw(ts);
	return 0;
}

void pfx_top_screen_show(struct pfx_top *top)
{
	struct pfx_top_screen *ts = top->screen;

	ts->moment = pfx_live_moment(&top->rates, top->live);
	make_title(ts);
	if (!ts->is_frozen && !ts->is_paused && !pfx_screen_asks(ts->screen))
		show_newer(ts);
	draw(ts);
}

bool pfx_top_screen_keys(struct pfx_top *top)
{
	struct pfx_top_screen *ts = top->screen;
	struct pfx_press press;
	enum pfx_screen_answer answer;
	int rc;

	while ((rc = pfx_terminal_read(0, &press)) > 0) {
		catch_up(ts);
		answer = pfx_screen_press(ts->screen, &press);
		settle_times(ts);
		if (answer == PFX_SCREEN_SUSPEND)
			pfx_terminal_suspend();
		else if (answer != PFX_SCREEN_GO_ON)
			return false;
	}
	make_title(ts);
	draw(ts);
	return rc >= 0;
}

void pfx_top_screen_end(struct pfx_top *top)
{
	struct pfx_top_screen *ts = top->screen;

	if (!ts)
		return;
	if (ts->screen)
		pfx_screen_free(ts->screen);
	if (ts->has_terminal)
		pfx_terminal_close();
	free_costs(ts);
	pfx_profile_free(ts->profile);
	pfx_profile_free(ts->counted_last);
	pfx_live_profile_free(ts->counted);
	pfx_screen_files_fini(&ts->files);
	pfx_top_sheet_free(ts->sheet);
	pfx_sources_free(ts->sources);
	pfx_grid_fini(&ts->grid);
	free(ts);
	top->screen = NULL;
}
