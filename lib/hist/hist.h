/* SPDX-License-Identifier: MIT */
/*
 * Aggregation. Samples go in one by one and are counted for each distinct combination of place,
 * chain and what else the columns need, by small ids; symbols are looked up and rows, children and
 * call trees are made from the distinct combinations only, when all samples are there.
 *
 *	set = pfx_hists_new(&options);
 *	pfx_hists_add(set, event, &sample, thread);	// many times
 *	pfx_hists_finish(set);
 *	for (i = 0; i < pfx_hists_nr(set); i++)
 *		show(pfx_hists_at(set, i));
 */
#ifndef PFX_HIST_HIST_H
#define PFX_HIST_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "event/meta.h"
#include "hist/callgraph.h"
#include "hist/filter.h"
#include "hist/sortkey.h"
#include "unwind/resolve.h"

/* Who gives samples their text, for the key trace: an id for each distinct one, and its text. */
struct pfx_hist_texts {
	void *ctx;
	uint32_t (*id)(void *ctx, const struct pfx_event *event, const struct pfx_sample *sample);
	const char *(*text)(const void *ctx, uint32_t id);
};

/* All borrowed, and needed until the hists are freed. */
struct pfx_hist_options {
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	const struct pfx_columns *columns;
	const struct pfx_filter *filter;
	const struct pfx_callgraph *graph;
	struct pfx_hist_texts texts; /* needed with the key trace only */
	bool chains;                 /* call chains are wanted */
	bool children;               /* count each function on a chain, once a sample */
	bool hide_unresolved;        /* leave out samples and frames without a symbol */
	bool relative;               /* percentages of what the filter lets pass, not of all */
	bool join_groups;            /* the members of an event group side by side in one table */
	double min_percent;          /* rows below are not shown */
};

enum pfx_level { PFX_LEVEL_SYS, PFX_LEVEL_US, PFX_LEVEL_GUEST_SYS, PFX_LEVEL_GUEST_US, PFX_LEVELS };

/* What was counted for a row, for one event. */
struct pfx_row_stat {
	uint64_t period, count;        /* of samples in the row itself */
	uint64_t children;             /* period of samples in it or below it */
	uint64_t by_level[PFX_LEVELS]; /* period, split */
};

struct pfx_row_chain;

/* One line of a report. What does not belong to its keys is that of its first sample. */
struct pfx_row {
	uint32_t id; /* in order of appearance */
	struct pfx_place *place;
	const struct pfx_thread *thread;
	const struct pfx_comm_ref *comm;
	int32_t cpu;    /* -1: not recorded */
	uint32_t text;  /* id of the fields' text, with the key trace */
	char level;     /* of the symbol: k . g u H */
	uint64_t shown; /* the address where there is no symbol: of a sample as its place shows it,
			 * of a frame further up as it ran */
	uint32_t depth; /* frames of the longest chain, from here on */
	uint32_t stamp; /* last combination that counted here */
	struct pfx_row_stat *stat; /* one for each member of the group */
	bool wants_chains;
	struct pfx_row_chain *chains; /* what its call tree is made of, when that is shown */
	uint32_t nr_chains, cap_chains;
};

struct pfx_hist_total {
	uint64_t nr_samples, period;       /* all */
	uint64_t nr_passed, passed_period; /* that the filter lets pass */
};

/* The table of one event, or of a group of events. */
struct pfx_hist {
	const struct pfx_event *event; /* the first, or only, one */
	uint32_t nr_members;
	const struct pfx_event **members;
	struct pfx_hist_total *totals; /* one for each member */
	struct pfx_row **rows;         /* in order */
	uint32_t nr_rows;
};

struct pfx_hists;

struct pfx_hists *pfx_hists_new(const struct pfx_hist_options *options);
void pfx_hists_free(struct pfx_hists *hists);
/* Count a sample. False when the filter by CPU drops it. */
bool pfx_hists_add(struct pfx_hists *hists, const struct pfx_event *event,
		   const struct pfx_sample *sample, struct pfx_thread *thread);
/* Make the tables. Loads symbols. */
void pfx_hists_finish(struct pfx_hists *hists);
/* After finish: a table for each event, in the order of the recording (members of groups that are
 * joined have none of their own). */
uint32_t pfx_hists_nr(const struct pfx_hists *hists);
const struct pfx_hist *pfx_hists_at(const struct pfx_hists *hists, uint32_t i);

/* The sums that percentages of member @m are taken of. */
uint64_t pfx_hist_period(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m);
uint64_t pfx_hist_samples(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m);
/* What a row's place among the others hangs on: children where they are counted, else the row's own
 * period; in percent. */
double pfx_row_percent(const struct pfx_hists *hists, const struct pfx_hist *hist,
		       const struct pfx_row *row);
const struct pfx_hist_options *pfx_hists_options(const struct pfx_hists *hists);

/*
 * The call tree below (order caller) or above (callee) a row. A node is a run of frames without a
 * fork. Kids are sorted by weight, those below the threshold are left out; `hits` are samples that
 * ended in the node.
 */
struct pfx_call_node {
	struct pfx_call_node *parent; /* NULL for the root, which has no frames */
	struct pfx_place **frames;
	uint32_t nr_frames, nr_kids;
	uint32_t order; /* in which flat and folded found it */
	struct pfx_call_node **kids;
	uint64_t hit, hits;           /* period and number of samples that end here */
	uint64_t kids_hit, kids_hits; /* that end below, those left out too */
};

/* The tree of a row in @arena; NULL when nothing of it is above the threshold. In the modes flat
 * and folded the root's kids are all nodes with hits, by what ends in them. */
struct pfx_call_node *pfx_hist_calltree(const struct pfx_hists *hists, const struct pfx_hist *hist,
					const struct pfx_row *row, struct pfx_arena *arena);

#endif
