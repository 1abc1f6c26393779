/* SPDX-License-Identifier: MIT */
/* Where `pfx stat` prints to: standard error, a file or a file descriptor; the text is formatted by
 * out/. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/app/output_open.h"
#include "cmd/stat/stat_internal.h"
#include "out/term/term.h"

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

struct pfx_stat_style pfx_stat_style_of(const struct pfx_stat_options *o)
{
	bool is_screen = !o->output && o->log_fd < 0 && isatty(STDERR_FILENO);

	return (struct pfx_stat_style){
		.form = o->json        ? PFX_STAT_JSON
			: o->separator ? PFX_STAT_FIELDS
				       : PFX_STAT_COLUMNS,
		.separator = o->separator,
		.thousands = o->big_num ? pfx_stat_thousands() : NULL,
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

void pfx_stat_show_interval(struct pfx_stat_view *view, uint64_t at_ns)
{
	struct pfx_stat_style style = pfx_stat_style_of(view->options);
	struct pfx_str text = {0};

	view->tables.clears = view->options->interval_clear;
	view->tables.nr_intervals = view->run->nr_intervals; /* each run counts from 0 */
	pfx_stat_text_interval(&view->tables, &view->run->stat, &style, at_ns, &text);
	print(view, &text);
}

static struct pfx_stat_subject subject_of(const struct pfx_stat_view *view)
{
	const struct pfx_stat_plan *what = &view->options->what;
	char **words = view->run->command;
	struct pfx_stat_subject subject = {
		.pids = what->pids,
		.tids = what->tids,
		.is_system = what->all_cpus || (!words && !what->cpus),
		.cpus = what->cpus,
		.words = (const char *const *)words,
		.is_time_only = what->null_run,
	};

	while (words && words[subject.nr_words])
		subject.nr_words++;
	return subject;
}

static struct pfx_stat_times times_of(const struct pfx_stat_view *view)
{
	const struct pfx_stat_runner *run = view->run;
	struct pfx_stat_times times = {
		.runs = view->options->table ? run->run_seconds.at : NULL,
		.nr = run->run_seconds.nr,
		.has_usage = run->command && !run->is_system_wide && !run->target.is_attached,
		.user = run->user_s,
		.system = run->system_s,
	};
	size_t i;

	for (i = 0; i < run->run_seconds.nr; i++)
		pfx_moments_add(&times.wall, run->run_seconds.at[i]);
	return times;
}

void pfx_stat_show(struct pfx_stat_view *view)
{
	struct pfx_stat_style style = pfx_stat_style_of(view->options);
	const struct pfx_stat_subject subject = subject_of(view);
	const struct pfx_stat_times times = times_of(view);
	struct pfx_str text = {0};

	if (view->options->what.interval_ms && !view->options->no_csv_summary)
		style.mark = "summary";
	view->tables.nr_wholes = 0; /* print the heading again for each run */
	pfx_stat_text_whole(&view->tables, &view->run->stat, &style, &subject, &times, &text);
	print(view, &text);
}
