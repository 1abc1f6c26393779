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
#include <time.h>
#include <unistd.h>

#include "base/ns.h"
#include "base/str.h"
#include "cmd/stat_internal.h"
#include "out/term.h"

int pfx_stat_open_output(struct pfx_stat_runner *run, struct pfx_error *err)
{
	const struct pfx_stat_options *o = run->options;
	time_t now = time(NULL);
	char shown[256], text[64];

	run->out = stderr;
	if (o->log_fd >= 0) {
		run->out = fdopen(o->log_fd, "w");
		if (!run->out)
			return pfx_error_sys(err, errno, "cannot write to descriptor %d",
					     o->log_fd);
		return 0;
	}
	if (!o->output)
		return 0;
	run->out = fopen(o->output, o->append ? "ae" : "we");
	if (!run->out)
		return pfx_error_sys(err, errno, "cannot write to '%s'",
				     pfx_escape(shown, sizeof(shown), o->output));
	fprintf(run->out, "# started on %s\n", ctime_r(&now, text));
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
	return (struct pfx_stat_style){
		.form = o->json        ? PFX_STAT_JSON
			: o->separator ? PFX_STAT_FIELDS
				       : PFX_STAT_COLUMNS,
		.separator = o->separator,
		.thousands = thousands(o),
		.metric_only = o->metric_only,
		.with_noise = o->repeat != 1,
		.skip_zero = o->by == PFX_STAT_BY_THREAD && o->all_cpus,
		.colours = !o->output && o->log_fd < 0 && isatty(STDERR_FILENO) &&
			   pfx_term_colours(PFX_COLOUR_AUTO),
	};
}

static void print(struct pfx_stat_runner *run, struct pfx_str *text)
{
	errno = 0;
	if (!run->options->quiet)
		fwrite(pfx_str_get(text), 1, text->len, run->out);
	if ((fflush(run->out) || ferror(run->out)) && !run->write_errno)
		run->write_errno = errno ? errno : EIO;
	pfx_str_fini(text);
}

int pfx_stat_check_output(const struct pfx_stat_runner *run, struct pfx_error *err)
{
	const struct pfx_stat_options *o = run->options;
	char shown[256] = "standard error";

	if (!run->write_errno)
		return 0;
	if (o->log_fd >= 0)
		snprintf(shown, sizeof(shown), "descriptor %d", o->log_fd);
	else if (o->output)
		pfx_escape(shown, sizeof(shown), o->output);
	pfx_error_sys(err, run->write_errno, "cannot write the counts to '%s'", shown);
	pfx_error_hint(err, "make room, or name a file on another disk with -o FILE");
	return -run->write_errno;
}

static void heading(struct pfx_stat_runner *run, const struct pfx_stat_style *style,
		    struct pfx_str *text)
{
	if (run->heading_done)
		return;
	run->heading_done = !run->options->interval_clear;
	if (style->metric_only)
		pfx_stat_text_metric_heading(&run->stat, style, text);
	else if (style->time)
		pfx_stat_text_heading(&run->stat, style, text);
}

void pfx_stat_show_interval(struct pfx_stat_runner *run, uint64_t at_ns)
{
	struct pfx_stat_style style = pfx_stat_style_of(run->options);
	struct pfx_str text = {0};
	char time[32];

	snprintf(time, sizeof(time), "%6llu.%09llu",
		 (unsigned long long)(at_ns / PFX_NS_PER_SECOND),
		 (unsigned long long)(at_ns % PFX_NS_PER_SECOND));
	style.time = time;
	style.with_noise = false;
	if (style.form == PFX_STAT_COLUMNS && run->nr_intervals % PFX_STAT_HEADING_EVERY == 0)
		run->heading_done = false;
	if (run->options->interval_clear)
		pfx_str_add(&text, "\033[H\033[2J");
	heading(run, &style, &text);
	pfx_stat_text_rows(&run->stat, &style, &text);
	print(run, &text);
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

static void put_title(const struct pfx_stat_runner *run, struct pfx_str *to)
{
	const struct pfx_stat_options *o = run->options;
	char shown[512];

	pfx_str_add(to, "\n Performance counter stats for ");
	if (o->pids || o->tids) {
		pfx_str_addf(to, "%s id '%s'", o->pids ? "process" : "thread",
			     pfx_escape(shown, sizeof(shown), o->pids ? o->pids : o->tids));
	} else if (o->all_cpus) {
		pfx_str_add(to, "'system wide'");
	} else if (o->cpus) {
		pfx_str_addf(to, "'CPU(s) %s'", pfx_escape(shown, sizeof(shown), o->cpus));
	} else {
		pfx_str_addc(to, '\'');
		put_words(run->command, to);
		pfx_str_addc(to, '\'');
	}
	if (run->stat.wall_ns.n > 1)
		pfx_str_addf(to, " (%.0f runs)", run->stat.wall_ns.n);
	pfx_str_add(to, ":\n\n");
}

static void put_end(const struct pfx_stat_runner *run, struct pfx_str *to)
{
	struct pfx_stat_times times = {
		.runs = run->options->table ? run->run_seconds.at : NULL,
		.nr = run->run_seconds.nr,
		.has_usage = run->command && !run->is_system_wide && !run->target.is_attached,
		.user = run->user_s,
		.system = run->system_s,
	};
	size_t i;

	for (i = 0; i < run->run_seconds.nr; i++)
		pfx_moments_add(&times.wall, run->run_seconds.at[i]);
	if (!run->options->null_run)
		pfx_str_addc(to, '\n');
	pfx_stat_text_footer(&times, to);
}

void pfx_stat_show(struct pfx_stat_runner *run)
{
	struct pfx_stat_style style = pfx_stat_style_of(run->options);
	struct pfx_str text = {0};

	if (run->options->interval_ms && !run->options->no_csv_summary)
		style.mark = "summary";
	if (style.form == PFX_STAT_COLUMNS)
		put_title(run, &text);
	if (style.metric_only)
		run->heading_done = false;
	heading(run, &style, &text);
	pfx_stat_text_rows(&run->stat, &style, &text);
	if (style.form == PFX_STAT_COLUMNS)
		put_end(run, &text);
	print(run, &text);
}
