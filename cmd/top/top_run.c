/* SPDX-License-Identifier: MIT */
/* `pfx top` from the first to the last refresh, as text. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/app/commands.h"
#include "cmd/app/fetch.h"
#include "cmd/app/waiting.h"
#include "cmd/top/top_internal.h"
#include "sys/host/clock_now.h"
#include "sys/target/signals.h"

#define MS 1000000ull
/* Records are complete when the next call takes them: a first one a moment before each refresh. */
#define BEFORE_MS 10

#define HEAD_LINES 8  /* around the rows */
#define ENTRIES    20 /* rows, without a terminal */

static void notify(void *context, const struct pfx_recorder_news *news)
{
	const struct pfx_top *top = context;

	if (news->tag == PFX_RECORDER_FAILED)
		pfx_print_error("top", news->err);
	else if (news->tag == PFX_RECORDER_NO_PRIORITY)
		pfx_print_note("top", "no real-time priority: %s", strerror(news->code));
	else if (news->tag <= PFX_RECORDER_WAITS)
		pfx_record_print_before("top", &top->options->record, news);
}

static struct pfx_resolve_options resolving(const struct pfx_top *top)
{
	const struct pfx_top_options *o = top->options;
	struct pfx_resolve_options how = {.sym = o->symbols.sym, .unwind = o->unwind};

	how.sym.buildid_dir = pfx_globals.buildid_dir;
	how.sym.fetch = pfx_fetch_watch("top", false, o->record.verbose > 0);
	how.sym.force = o->force;
	how.sym.demangle_full = o->record.verbose > 0;
	how.max_stack = o->max_stack > UINT32_MAX ? 0 : (uint32_t)o->max_stack;
	how.keep_root = o->graph.caller;
	how.inlines = o->inlines;
	how.stitch_lbr = o->stitch_lbr;
	return how;
}

static void note_own_only(const struct pfx_top *top)
{
	if (!pfx_live_is_own_only(top->live))
		return;
	pfx_print_note("top",
		       "no permission for the whole system (kernel.perf_event_paranoid is %d): "
		       "showing the processes that you run now, and what they start",
		       pfx_live_paranoid(top->live));
	pfx_print_line("sudo sysctl kernel.perf_event_paranoid=-1, or running pfx as root, shows "
		       "all");
}

static int start(struct pfx_top *top, struct pfx_error *err)
{
	struct pfx_top_options *o = top->options;
	const struct pfx_live_options options = {
		.record = &o->record.rec,
		.observer = &top->observer,
		.resolve = resolving(top),
		.event_switch = &o->event_switch,
		.hide_kernel = o->hide_kernel,
		.hide_user = o->hide_user,
		.show_idle = o->idle,
	};
	int rc = pfx_symbol_options_check(&o->symbols, err), screen;

	screen = rc < 0 ? rc : pfx_top_screen_wanted(top, err);
	if (rc >= 0 && screen < 0) {
		top->bad_words = true;
		return screen;
	}
	top->on_screen = screen > 0;
	top->observer = (struct pfx_recorder_observer){notify, top};
	if (rc >= 0)
		rc = pfx_live_new(&top->live, &options, err);
	top->bad_words = rc < 0;
	if (rc >= 0)
		rc = pfx_live_start(top->live, err);
	if (rc < 0)
		return rc;
	note_own_only(top);
	pfx_top_look_at_events(top);
	if (!top->on_screen || pfx_top_needs_sheet(top))
		rc = pfx_top_make_hists(top, err);
	if (rc < 0)
		return rc;
	if (!top->on_screen) {
		pfx_top_keys_begin(top);
		return 0;
	}
	rc = pfx_live_watch_terminal(top->live, STDIN_FILENO, err);
	return rc < 0 ? rc : pfx_top_screen_begin(top, err);
}

static int start_error(const struct pfx_top *top, const struct pfx_error *err)
{
	enum pfx_recorder_blame blame =
		top->live ? pfx_live_blame(top->live) : PFX_RECORDER_BLAME_SYSTEM;

	pfx_print_error("top", err);
	if (top->bad_words || blame == PFX_RECORDER_BLAME_WORDS)
		return PFX_USAGE_ERROR;
	return blame == PFX_RECORDER_BLAME_TARGET ? PFX_RECORD_NO_TARGET : PFX_RECORD_FAILED;
}

/* --- text --- */

/* How many lines of a terminal the text takes beyond its own. */
static uint32_t nr_wrapped(const char *text, unsigned columns)
{
	uint32_t nr = 0;
	size_t len;

	for (; columns && *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		nr += len ? (uint32_t)((len - 1) / columns) : 0;
	}
	return nr;
}

/* As many rows as asked for, or as fit below the head. */
static uint32_t nr_entries(const struct pfx_top *top, const char *head)
{
	struct winsize size;
	uint32_t lines;

	if (top->options->entries)
		return top->options->entries > UINT32_MAX ? 0 : (uint32_t)top->options->entries;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return ENTRIES;
	lines = HEAD_LINES + nr_wrapped(head, size.ws_col);
	return size.ws_row > lines ? size.ws_row - lines : ENTRIES;
}

static struct pfx_hist_text look_of(const struct pfx_top *top)
{
	return (struct pfx_hist_text){
		.colours = pfx_term_colours(PFX_COLOUR_AUTO),
		.verbose = top->options->record.verbose > 0,
		.screen = pfx_term_screen(),
	};
}

static int show_json(struct pfx_top *top)
{
	const struct pfx_live_moment moment = pfx_live_moment(&top->rates, top->live);
	const struct pfx_hist_text look = {.verbose = top->options->record.verbose > 0,
					   .max_rows = (uint32_t)top->options->entries};

	pfx_live_json(top->live, &moment, pfx_live_hists_shown(top->hists, look.max_rows), &look,
		      &top->out);
	return pfx_out_flush(&top->out);
}

/* What a refresh prints: 0, or a negative errno of standard output. */
static int show_text(struct pfx_top *top)
{
	const struct pfx_live_moment moment = pfx_live_moment(&top->rates, top->live);
	struct pfx_hist_text look = look_of(top);
	size_t start;
	int rc;

	if (look.screen)
		pfx_str_add(&top->out, PFX_TOP_CLEAR);
	start = top->out.len;
	pfx_live_head_text(top->live, &moment, &top->out);
	look.max_rows = nr_entries(top, top->out.at + start);
	rc = pfx_live_tables_text(pfx_live_hists_shown(top->hists, look.max_rows), &look,
				  &top->out);
	top->has_said = false;
	return rc < 0 ? rc : pfx_out_flush(&top->out);
}

static int show(struct pfx_top *top)
{
	pfx_top_keys_settle(top);
	if (pfx_top_keys_hold(top))
		return 0;
	if (top->options->json)
		return show_json(top);
	if (!top->on_screen)
		return show_text(top);
	pfx_top_screen_show(top);
	return 0;
}

/* --- snapshots --- */

/* SIGUSR2 asks for one; on the screen a key does. */
static void take_snapshot(struct pfx_top *top)
{
	struct pfx_error err = {0};
	struct pfx_str said = {0};

	if (pfx_top_snapshot(top, &said, &err) < 0)
		pfx_print_error("top", &err);
	else
		pfx_print_note("top", "%s", said.at);
	pfx_str_fini(&said);
}

/* --- the loop --- */

struct refresh {
	uint64_t next, every; /* ns by CLOCK_MONOTONIC */
	bool is_near;         /* the call before the refresh was made */
};

/* Milliseconds to the next call of pfx_live_take(). */
static int timeout(const struct refresh *refresh, uint64_t now)
{
	uint64_t at = refresh->next - (refresh->is_near ? 0 : BEFORE_MS * MS);

	return at > now ? (int)((at - now + MS - 1) / MS) : 0;
}

static bool is_due(struct refresh *refresh)
{
	uint64_t now = pfx_clock_monotonic();

	if (now + BEFORE_MS * MS >= refresh->next)
		refresh->is_near = true;
	if (now < refresh->next)
		return false;
	refresh->next = now + refresh->every;
	refresh->is_near = false;
	return true;
}

/* False: the user ends. A message stays for as long as a table does. */
static bool take_input(struct pfx_top *top, struct refresh *refresh)
{
	enum pfx_top_answer answer;

	if (top->on_screen)
		return pfx_top_screen_keys(top);
	answer = pfx_top_keys_take(top);
	refresh->every = top->options->delay * 1000 * MS;
	if (answer == PFX_TOP_REFRESH)
		refresh->next = pfx_clock_monotonic();
	else if (top->has_said)
		refresh->next = pfx_clock_monotonic() + refresh->every;
	return answer != PFX_TOP_END;
}

/* *@ret_signal: the one that ended it; 0: all targets have ended. */
static int run(struct pfx_top *top, int *ret_signal, struct pfx_error *err)
{
	struct refresh refresh = {.every = top->options->delay * 1000 * MS};
	struct pfx_live_wake wake = {0};
	int rc = 0;

	refresh.next = pfx_clock_monotonic() + refresh.every;
	pfx_live_moment(&top->rates, top->live);
	while (!wake.ended && !wake.signal) {
		rc = pfx_live_wait(top->live, timeout(&refresh, pfx_clock_monotonic()), &wake, err);
		if (rc < 0)
			return rc;
		if (wake.signal == SIGUSR2) {
			take_snapshot(top);
			wake.signal = 0;
		}
		if (wake.input && !take_input(top, &refresh))
			break;
		pfx_live_take(top->live);
		if (!is_due(&refresh) && !wake.ended)
			continue;
		pfx_live_refresh(top->live, top->options->zero);
		rc = show(top);
		if (rc < 0)
			return pfx_error_sys(err, -rc, "cannot write to standard output");
	}
	*ret_signal = wake.signal;
	return 0;
}

static void dump_symbols(const struct pfx_top *top)
{
	struct pfx_str text = {0};
	uint32_t nr;

	for (nr = 0; pfx_live_symbols_text(top->live, nr, &text); nr++) {
		if (text.len)
			pfx_print_line("%s", text.at);
		pfx_str_clear(&text);
	}
	pfx_str_fini(&text);
}

static void end_terminal(struct pfx_top *top)
{
	pfx_top_screen_end(top);
	pfx_top_keys_end(top);
}

int pfx_top_run(struct pfx_top *top)
{
	struct pfx_error err = {0};
	int sig = 0, rc = start(top, &err);

	if (rc < 0) {
		end_terminal(top);
		return start_error(top, &err);
	}
	rc = run(top, &sig, &err);
	end_terminal(top);
	if (top->options->dump_symbols)
		dump_symbols(top);
	if (rc == -EPIPE)
		return 141;
	if (rc < 0)
		return pfx_print_error("top", &err);
	return 0;
}
