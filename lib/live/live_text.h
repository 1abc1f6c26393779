/* SPDX-License-Identifier: MIT */
/* What is seen of a live profile at one moment, as text and as JSON: rates, losses, tables. */
#ifndef PFX_LIVE_TEXT_H
#define PFX_LIVE_TEXT_H

#include "base/str.h"
#include "live/live.h"
#include "out/hist_text.h"

/* Rates are of the time since the last call with the same struct. Zero-initialize. */
struct pfx_live_rates {
	uint64_t ns;                   /* by CLOCK_MONOTONIC */
	struct pfx_live_counts counts; /* at that time */
};

/* The differences. */
struct pfx_live_moment {
	double time;    /* wall clock, in seconds since 1970 */
	double seconds; /* since the last one */
	uint64_t nr_samples, nr_kernel, nr_user, nr_exact, nr_lost;
	uint64_t nr_lost_in_all;
};

/* What happened since the last call with @rates. */
struct pfx_live_moment pfx_live_moment(struct pfx_live_rates *rates, const struct pfx_live *live);

/* "[4000Hz cpu-clock:ppp],  (all, 2 CPUs)": the events and the target. */
void pfx_live_target_text(const struct pfx_live *live, struct pfx_str *to);
/* The line with rates, losses, events and the target, in perf's form, and the rule below it. */
void pfx_live_head_text(const struct pfx_live *live, const struct pfx_live_moment *moment,
			struct pfx_str *to);
/* The tables of finished hists: 0, or a negative errno of standard output. */
int pfx_live_tables_text(const struct pfx_hists *hists, const struct pfx_hist_text *look,
			 struct pfx_str *to);
/* The same as one line of JSON: see Documentation/top-schema.json. */
void pfx_live_json(const struct pfx_live *live, const struct pfx_live_moment *moment,
		   const struct pfx_hists *hists, const struct pfx_hist_text *look,
		   struct pfx_str *to);
/* The symbols of binary number @nr, if they were needed so far, in the form of perf's -D. False:
 * there are only @nr binaries. */
bool pfx_live_symbols_text(const struct pfx_live *live, uint32_t nr, struct pfx_str *to);

#endif
