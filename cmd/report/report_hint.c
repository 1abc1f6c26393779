/* SPDX-License-Identifier: MIT */
/* The line below the table on a terminal: how to see the code of the hottest function. */
#include <string.h>

#include "cli/personality.h"
#include "cmd/report/report_internal.h"

#define ROWS_MAX 100 /* that are looked at */

/* Whether a shell passes it on as it is, between single quotes if @ret_quote. */
static bool is_plain(const char *text, bool *ret_quote)
{
	*ret_quote = false;
	if (!*text || *text == '-')
		return false;
	for (; *text; text++) {
		if (*text < ' ' || *text > '~' || *text == '\'')
			return false;
		*ret_quote |= strchr(" \t!\"#$&()*;<>?[\\]^`{|}~", *text) != NULL;
	}
	return true;
}

static void add_word(struct pfx_str *to, const char *word, bool quote)
{
	pfx_str_addf(to, quote ? " '%s'" : " %s", word);
}

static bool has_code(const struct pfx_report *report, const struct pfx_place *place)
{
	unsigned char byte;

	return place->dso && pfx_place_has_name(place) &&
	       pfx_place_code(report->resolver, place, &byte, 1);
}

/* By self cost; NULL: none. */
static const struct pfx_place *hottest(const struct pfx_report *report, const struct pfx_hist *hist)
{
	const struct pfx_place *found = NULL;
	uint64_t most = 0;
	uint32_t i;

	for (i = 0; i < hist->nr_rows && i < ROWS_MAX; i++) {
		if (hist->rows[i]->stat->period <= most || !has_code(report, hist->rows[i]->place))
			continue;
		most = hist->rows[i]->stat->period;
		found = hist->rows[i]->place;
	}
	return found;
}

static bool fits(const struct pfx_report *report)
{
	const struct pfx_report_options *o = report->options;

	return report->form->needs & PFX_FORM_COMMENTS && report->mode == PFX_REPORT_NORMAL &&
	       !o->quiet && !o->separator && !o->hierarchy && pfx_term_screen() &&
	       pfx_columns_has(&report->columns, PFX_KEY_SYM) && pfx_hists_nr(report->hists) &&
	       (!o->input || strcmp(o->input, "-") != 0);
}

void pfx_report_add_hint(struct pfx_report *report)
{
	const char *input = report->options->input;
	bool quote_input = false, quote_name;
	const struct pfx_place *place;

	if (!fits(report) || (input && !is_plain(input, &quote_input)))
		return;
	place = hottest(report, pfx_hists_at(report->hists, 0));
	if (!place || !is_plain(place->sym->name, &quote_name))
		return;
	pfx_str_addf(&report->out, "# %s annotate", pfx_program_name());
	if (input) {
		pfx_str_add(&report->out, " -i");
		add_word(&report->out, input, quote_input);
	}
	pfx_str_add(&report->out, " -s");
	add_word(&report->out, place->sym->name, quote_name);
	pfx_str_add(&report->out, " shows its lines\n");
}
