/* SPDX-License-Identifier: MIT */
/*
 * The form of `perf report --stdio`: comments that apply to all tables, then the table of each
 * event or group, counts of threads, counts of branches.
 */
#include <inttypes.h>

#include "out/form_internal.h"
#include "out/recording_text.h"

/* Filters that leave a column with a single text. */
static void add_only_words(const struct pfx_hist_options *options, struct pfx_str *to)
{
	const struct pfx_columns *columns = options->columns;
	const char *word;
	enum pfx_key key;
	size_t i;

	for (i = 0; i < columns->order.nr; i++) {
		key = columns->order.at[i];
		word = pfx_key_only_word(key, options->filter);
		if (!word)
			continue;
		pfx_str_addf(to, "# %s: ", key == PFX_KEY_SYM ? "symbol" : pfx_key_info(key)->name);
		pfx_str_add_foreign(to, word);
		pfx_str_addc(to, '\n');
	}
}

static int add_hist(const struct pfx_form_rows *from, const struct pfx_hist *hist,
		    struct pfx_str *to)
{
	int rc;

	if (!from->look.quiet)
		pfx_hist_text_event(&from->look, from->hists, hist, to);
	if (pfx_hists_options(from->hists)->blocks)
		return pfx_block_text_rows(&from->look, from->hists, hist, to);
	rc = pfx_hist_text_rows(&from->look, from->hists, hist, to);
	pfx_str_add(to, "\n\n");
	return rc;
}

int pfx_form_table(const struct pfx_form_rows *from, struct pfx_str *to)
{
	const struct pfx_hist_options *options = pfx_hists_options(from->hists);
	const struct pfx_hist *hist;
	uint32_t i;
	int rc = 0;

	if (!from->look.quiet) {
		add_only_words(options, to);
		pfx_str_addf(to, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
			     pfx_session_stats(options->session)->nr_lost_samples);
	}
	for (i = 0; i < pfx_hists_nr(from->hists) && !rc; i++) {
		hist = pfx_hists_at(from->hists, i);
		if (from->empty_events || pfx_hist_has_samples(hist))
			rc = add_hist(from, hist, to);
	}
	if (from->threads)
		pfx_thread_reads_text(from->threads, options->meta, from->raw_threads, to);
	if (!from->look.quiet && !options->blocks && options->mode == PFX_REPORT_BRANCH)
		pfx_branch_counts_text(pfx_hists_branches(from->hists), to);
	return rc;
}
