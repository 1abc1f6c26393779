/* SPDX-License-Identifier: MIT */
/*
 * What `pfx stat` prints and where to: standard error, a file or a descriptor; the words above and
 * below the rows. The rows themselves are made by out/.
 */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/ns.h"
#include "base/str.h"
#include "cmd/app/output_open.h"
#include "cmd/stat/stat_internal.h"
#include "out/term.h"

int pfx_stat_open_output(struct pfx_stat_view *view, struct pfx_error *err)
{
	const struct pfx_stat_options *o = view->options;
	time_t now = time(NULL);
	char shown[256], text[64];
	int fd;

	view->out = stderr;
	if (o->log_fd >= 0) {
		view->out = fdopen(o->log_fd, "w");
		if (!view->out)
			return pfx_error_sys(err, errno, "cannot write to descriptor %d",
					     o->log_fd);
		return 0;
	}
	if (!o->output || !strcmp(o->output, "-"))
		return 0;
	fd = pfx_output_open_file(o->output, o->append ? PFX_OUTPUT_APPEND : PFX_OUTPUT_REPLACE,
				  o->quiet ? NULL : "stat", err);
	if (fd < 0)
		return fd;
	view->out = fdopen(fd, o->append ? "a" : "w");
	if (!view->out)
		return pfx_error_sys(err, errno, "cannot write '%s'",
				     pfx_escape(shown, sizeof(shown), o->output));
	fprintf(view->out, "# started on %s\n", ctime_r(&now, text));
	return 0;
}

/* What the user's locale has between groups of digits. */
static const char *thousands(const struct pfx_stat_options *o)
{
	static char text[16];
	locale_t locale;

	if (!o->big_num)
		return NULL;
	locale = newlocale(LC_NUMERIC_MASK | LC_CTYPE_MASK, "", (locale_t)0);
	if (locale == (locale_t)0)
		return NULL;
	snprintf(text, sizeof(text), "%s", nl_langinfo_l(THOUSEP, locale));
	freelocale(locale);
	return text;
}

struct pfx_stat_style pfx_stat_style_of(const struct pfx_stat_options *o)
{
	bool is_screen = !o->output && o->log_fd < 0 && isatty(STDERR_FILENO);

	return (struct pfx_stat_style){
		.form = o->json        ? PFX_STAT_JSON
			: o->separator ? PFX_STAT_FIELDS
				       : PFX_STAT_COLUMNS,
		.separator = o->separator,
		.thousands = thousands(o),
		.metric_only = o->metric_only,
		.with_noise = o->what.repeat != 1,
		.skip_zero = o->what.by == PFX_STAT_BY_THREAD && o->what.all_cpus,
		.colours = is_screen && pfx_term_colours(PFX_COLOUR_AUTO),
		.screen = is_screen ? pfx_term_width() : 0,
	};
}

static void print(struct pfx_stat_view *view, struct pfx_str *text)
{
	errno = 0;
	if (!view->options->quiet)
		fwrite(pfx_str_get(text), 1, text->len, view->out);
	if ((fflush(view->out) || ferror(view->out)) && !view->write_errno)
		view->write_errno = errno ? errno : EIO;
	pfx_str_fini(text);
}

int pfx_stat_check_output(const struct pfx_stat_view *view, struct pfx_error *err)
{
	const struct pfx_stat_options *o = view->options;
	char shown[256] = "standard error";

	if (!view->write_errno)
		return 0;
	if (o->log_fd >= 0)
		snprintf(shown, sizeof(shown), "descriptor %d", o->log_fd);
	else if (o->output)
		pfx_escape(shown, sizeof(shown), o->output);
	pfx_error_sys(err, view->write_errno, "cannot write the counts to '%s'", shown);
	pfx_error_hint(err, "make room, or name a file on another disk with -o FILE");
	return -view->write_errno;
}

static void heading(struct pfx_stat_view *view, const struct pfx_stat_style *style,
		    struct pfx_str *text)
{
	if (view->heading_done)
		return;
	view->heading_done = !view->options->interval_clear;
	if (style->metric_only)
		pfx_stat_text_metric_heading(&view->run->stat, style, text);
	else if (style->time)
		pfx_stat_text_heading(&view->run->stat, style, text);
}

void pfx_stat_show_interval(struct pfx_stat_view *view, uint64_t at_ns)
{
	struct pfx_stat_style style = pfx_stat_style_of(view->options);
	struct pfx_str text = {0};
	char time[32];

	snprintf(time, sizeof(time), "%6llu.%09llu",
		 (unsigned long long)(at_ns / PFX_NS_PER_SECOND),
		 (unsigned long long)(at_ns % PFX_NS_PER_SECOND));
	style.time = time;
	style.with_noise = false;
	if (style.form == PFX_STAT_COLUMNS && view->run->nr_intervals % PFX_STAT_HEADING_EVERY == 0)
		view->heading_done = false;
	if (view->options->interval_clear)
		pfx_str_add(&text, "\033[H\033[2J");
	heading(view, &style, &text);
	pfx_stat_text_rows(&view->run->stat, &style, &text);
	print(view, &text);
}

static void put_words(char *const *words, struct pfx_str *to)
{
	size_t i;

	for (i = 0; words[i]; i++) {
		if (i)
			pfx_str_addc(to, ' ');
		pfx_str_add_foreign(to, words[i]);
	}
}

static void put_title(const struct pfx_stat_view *view, struct pfx_str *to)
{
	const struct pfx_stat_options *o = view->options;
	char shown[512];

	pfx_str_add(to, "\n Performance counter stats for ");
	if (o->what.pids || o->what.tids) {
		pfx_str_addf(to, "%s id '%s'", o->what.pids ? "process" : "thread",
			     pfx_escape(shown, sizeof(shown),
					o->what.pids ? o->what.pids : o->what.tids));
	} else if (o->what.all_cpus) {
		pfx_str_add(to, "'system wide'");
	} else if (o->what.cpus) {
		pfx_str_addf(to, "'CPU(s) %s'", pfx_escape(shown, sizeof(shown), o->what.cpus));
	} else {
		pfx_str_addc(to, '\'');
		put_words(view->run->command, to);
		pfx_str_addc(to, '\'');
	}
	if (view->run->stat.wall_ns.n > 1)
		pfx_str_addf(to, " (%.0f runs)", view->run->stat.wall_ns.n);
	pfx_str_add(to, ":\n\n");
}

static void put_end(const struct pfx_stat_view *view, struct pfx_str *to)
{
	struct pfx_stat_times times = {
		.runs = view->options->table ? view->run->run_seconds.at : NULL,
		.nr = view->run->run_seconds.nr,
		.has_usage = view->run->command && !view->run->is_system_wide &&
			     !view->run->target.is_attached,
		.user = view->run->user_s,
		.system = view->run->system_s,
	};
	size_t i;

	for (i = 0; i < view->run->run_seconds.nr; i++)
		pfx_moments_add(&times.wall, view->run->run_seconds.at[i]);
	if (!view->options->what.null_run)
		pfx_str_addc(to, '\n');
	pfx_stat_text_footer(&times, to);
}

void pfx_stat_show(struct pfx_stat_view *view)
{
	struct pfx_stat_style style = pfx_stat_style_of(view->options);
	struct pfx_str text = {0};

	if (view->options->what.interval_ms && !view->options->no_csv_summary)
		style.mark = "summary";
	if (style.form == PFX_STAT_COLUMNS)
		put_title(view, &text);
	if (style.metric_only)
		view->heading_done = false;
	heading(view, &style, &text);
	pfx_stat_text_rows(&view->run->stat, &style, &text);
	if (style.form == PFX_STAT_COLUMNS)
		put_end(view, &text);
	print(view, &text);
}
