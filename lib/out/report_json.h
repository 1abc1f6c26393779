/* SPDX-License-Identifier: MIT */
/*
 * Tables of lib/hist as JSON, in the schema "pfx.report/1" (Documentation/report-schema.json). Text
 * is appended to a string; where that grows large it is written to standard output.
 */
#ifndef PFX_OUT_REPORT_JSON_H
#define PFX_OUT_REPORT_JSON_H

#include "hist/hist.h"
#include "out/key_text.h"

#define PFX_REPORT_SCHEMA "pfx.report/1"

/* What is known beside the tables. */
struct pfx_report_json {
	struct pfx_key_text text;
	uint64_t nr_lost_samples, nr_lost_records;
	const char *time;    /* the words of --time; NULL: none */
	const char *threads; /* what threads' counters came to, a JSON array; NULL: not wanted */
	const char *records,
		*tasks; /* counts of records and the tasks, as JSON; NULL: not wanted */
	bool full_source_path;
};

/* The whole document: 0, or a negative errno of standard output. */
int pfx_report_json(const struct pfx_report_json *how, struct pfx_str *to);

/* One line for each distinct chain: "comm;root;...;leaf N", N the period, those of the first event
 * first; what flame graphs are drawn from. Kernel functions have _[k] behind
 * them, inlined ones _[i]. */
int pfx_report_folded(struct pfx_hists *hists, struct pfx_str *to);

#endif
