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

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "event/meta.h"
#include "hist/callgraph.h"
#include "hist/sortkey.h"
#include "read/filter.h"
#include "unwind/pointer_chain.h"
#include "unwind/resolve.h"

/* Who gives samples their text, for the key trace: an id for each distinct one, and its text. The
 * same for single fields of tracepoints, and their order. */
struct pfx_hist_texts {
	void *ctx;
	uint32_t (*id)(void *ctx, const struct pfx_event *event, const struct pfx_sample *sample);
	const char *(*text)(const void *ctx, uint32_t id);
	uint32_t (*field_id)(void *ctx, const struct pfx_key_field *field,
			     const struct pfx_event *event, const struct pfx_sample *sample);
	const char *(*field_text)(const void *ctx, uint32_t id);
	int (*field_order)(const void *ctx, uint32_t a, uint32_t b);
	/* Columns that it needs at least; 0: the event has no such field. */
	unsigned (*field_width)(void *ctx, const struct pfx_key_field *field,
				const struct pfx_event *event);
};

/* All borrowed, and needed until the hists are freed. */
struct pfx_hist_options {
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	const struct pfx_columns *columns;
	const struct pfx_filter *filter;
	const struct pfx_callgraph *graph;
	struct pfx_hist_texts texts;   /* needed with the keys trace and fields only */
	enum pfx_report_mode mode;     /* what of a sample is counted */
	uint64_t time_quantum;         /* ns, for the key time */
	const regex_t *parent;         /* what callers the key parent shows; NULL: none */
	const regex_t *ignore_callees; /* functions that hide what they call; NULL: none */
	bool exclude_other;            /* without such a caller, the filter is against a sample */
	bool guest;                    /* samples of guests count */
	bool no_host;                  /* those of the host do not */
	bool branch_history;           /* chains begin with branches: what they say is kept */
	bool chains;                   /* call chains are wanted */
	bool children;                 /* count each function on a chain, once a sample */
	bool ref_chains;      /* rows of events without chains show those of another event */
	bool hide_unresolved; /* leave out samples and frames without a symbol */
	bool relative;        /* percentages of what the filter lets pass, not of all */
	bool join_groups;     /* the members of an event group side by side in one table */
	bool blocks;          /* of code between branches are wanted */
	bool hierarchy;       /* a level for each key */
	bool join_all;        /* all events in one table */
	uint32_t nr_kept;     /* samples that each row remembers */
	uint32_t sort_member; /* by whose values the rows are ordered first */
	double min_percent;   /* rows below are not shown */
};

enum pfx_level { PFX_LEVEL_SYS, PFX_LEVEL_US, PFX_LEVEL_GUEST_SYS, PFX_LEVEL_GUEST_US, PFX_LEVELS };

/* Accesses to memory by kind, for each of the fields op, cache, memory, snoop, dtlb. */
#define PFX_ACCESS_KINDS 7

struct pfx_access_sums {
	uint64_t period[PFX_ACCESS_FIELDS][PFX_ACCESS_KINDS];
};

/* What was counted for a row, for one event. */
struct pfx_row_stat {
	uint64_t period, count;             /* of samples in the row itself */
	uint64_t children;                  /* period of samples in it or below it */
	uint64_t by_level[PFX_LEVELS];      /* period, split */
	uint64_t latency, latency_children; /* period by how many ran at the time */
	struct pfx_access_sums *access;     /* NULL: not wanted, or none */
	uint64_t weights[3];                /* sums over the samples */
};

/* One of a row's samples. */
struct pfx_kept_sample {
	uint64_t time; /* ns */
	uint32_t pid, tid, cpu;
};

struct pfx_row_part;
struct pfx_branch_sum;

/* One line of a report. What does not belong to its keys is that of its first sample. */
struct pfx_row {
	uint32_t id; /* in order of appearance */
	struct pfx_place *place;
	const struct pfx_thread *thread;
	const struct pfx_comm_ref *comm;
	int32_t cpu;     /* -1: not recorded */
	uint32_t text;   /* id of the fields' text, with the key trace */
	uint32_t type;   /* id of its sample's data type, with such keys */
	uint32_t words;  /* what else its sample says; see pfx_row_word() */
	uint32_t parent; /* id of the text, with the key parent */
	char level;      /* of the symbol: k . g u H */
	uint64_t shown;  /* the address where there is no symbol: of a sample as its place shows it,
			  * of a frame further up as it ran */
	uint32_t depth;  /* frames of the longest chain, from here on */
	struct pfx_kept_sample *kept; /* the first options.nr_kept */
	uint32_t nr_kept;
	struct pfx_branch_sum *branches; /* in front of its chains, with such keys */
	uint32_t stamp, covered;   /* the last walk over chains that met it, and up to where */
	struct pfx_row_stat *stat; /* one for each member of the group */
	bool wants_chains;
	struct pfx_row_part *parts; /* what its call tree is made of, when that is shown */
	uint32_t nr_parts, cap_parts;
	uint32_t first_leaf; /* and its own samples with chains, plus 1; 0: none */
	const struct pfx_row
		*reference; /* the same row of another event, with ref_chains; or NULL */
};

/* A row in its place in a hierarchy: the row itself, or the sums of what is below. */
struct pfx_hist_entry {
	uint32_t id, depth; /* depth: 0 at the top */
	struct pfx_hist_entry *parent;
	struct pfx_row *row;
	struct pfx_hist_entry **kids; /* in order */
	uint32_t nr_kids;
	bool is_leaf;
};

struct pfx_hist_total {
	uint64_t nr_samples, period;       /* all */
	uint64_t nr_passed, passed_period; /* that the filter lets pass */
	uint64_t latency, passed_latency;  /* period by how many threads ran */
};

/* The table of one event, or of a group of events. */
struct pfx_hist {
	const struct pfx_event *event; /* the first, or only, one */
	uint32_t nr_members;
	const struct pfx_event **members;
	struct pfx_hist_total *totals; /* one for each member */
	struct pfx_row **rows;         /* in order */
	uint32_t nr_rows;
	struct pfx_hist_entry **top; /* the same as a hierarchy, where that is wanted; in order */
	uint32_t nr_top;
};

/* Branches by kind, of branch stacks whose entries say it. */
struct pfx_branch_counts {
	uint64_t total;
	uint64_t forward, backward;   /* conditional ones */
	uint64_t cross_4k, cross_2m;  /* to another page */
	uint64_t types[16], more[16]; /* by type, and by that of the second set */
};

struct pfx_hists;

/* Borrows all that the options point to. */
struct pfx_hists *pfx_hists_new(const struct pfx_hist_options *options);
void pfx_hists_free(struct pfx_hists *hists);
/* Count a sample. False when the filter by CPU drops it. */
bool pfx_hists_add(struct pfx_hists *hists, const struct pfx_event *event,
		   const struct pfx_sample *sample, struct pfx_thread *thread);
/* How many threads run from now on, for the keys parallelism and latency; 1 unless told. */
void pfx_hists_set_parallelism(struct pfx_hists *hists, uint32_t nr);
/* Make the tables. Loads symbols. */
void pfx_hists_finish(struct pfx_hists *hists);
/* After finish: a table for each event, in the order of the recording (members of groups that are
 * joined have none of their own). */
uint32_t pfx_hists_nr(const struct pfx_hists *hists);
const struct pfx_hist *pfx_hists_at(const struct pfx_hists *hists, uint32_t i);
/* Whether a table, or any of them, has samples at all; whether any of them has samples that the
 * filters let pass, or rows with the part of symbols' names that is wanted. */
bool pfx_hist_has_samples(const struct pfx_hist *hist);
bool pfx_hists_have_samples(const struct pfx_hists *hists);
bool pfx_hists_have_passed(const struct pfx_hists *hists);

/* The sums that percentages of member @m are taken of. */
uint64_t pfx_hist_period(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m);
uint64_t pfx_hist_samples(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m);
/* A value of a row: a period, a number of samples, an average weight. */
uint64_t pfx_row_value(const struct pfx_row_stat *stat, enum pfx_key key);
/* What the row's sample says; 0 where no column needs it. */
uint64_t pfx_row_word(const struct pfx_hists *hists, const struct pfx_row *row,
		      enum pfx_hist_word word);
/* The same for words that are places; looked up. The row's own place where there is none. */
struct pfx_place *pfx_row_place(const struct pfx_hists *hists, const struct pfx_row *row,
				enum pfx_hist_word word);
/* The kind of an access, and its name; NULL behind the last kind. */
unsigned pfx_access_kind(enum pfx_access_field field, uint64_t data_src);
const char *pfx_access_name(enum pfx_access_field field, unsigned kind);
/* The socket of a CPU, UINT32_MAX where the recording does not tell. */
uint32_t pfx_hist_socket(const struct pfx_hists *hists, int32_t cpu);
/* Bytes of a line of the recorded machine's cache; 64 where that is not known. */
uint64_t pfx_hist_line_size(const struct pfx_hists *hists);
/* The first address of the cache line that the row's data lies in, in terms of its dso. */
uint64_t pfx_hist_line_of(const struct pfx_hists *hists, const struct pfx_row *row);
/* What percentages of a value are taken of. */
uint64_t pfx_hist_whole(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m,
			enum pfx_key key);
/* The text of a row for the keys srcline, srcfile, srcline_from and _to, comm_nodigit, parent,
 * type, typeoff and typecln; foreign text. */
const char *pfx_hist_source(const struct pfx_hists *hists, const struct pfx_row *row,
			    enum pfx_key key);
/* What a row's place among the others hangs on: children where they are counted, else the row's own
 * period; in percent. */
double pfx_row_percent(const struct pfx_hists *hists, const struct pfx_hist *hist,
		       const struct pfx_row *row);
/* After finish: samples that the filters let pass, and of them those in @dso (NULL: nowhere)
 * without a symbol. */
uint64_t pfx_hists_counted(const struct pfx_hists *hists);
uint64_t pfx_hists_unresolved(const struct pfx_hists *hists, const struct pfx_dso *dso);

/* Distinct samples with chains, one by one; begin with zero. Needs no finish. */
struct pfx_folded {
	uint32_t event, at; /* where the walk is */
	const char *comm;
	struct pfx_place *leaf;
	struct pfx_place **places; /* leaf first; valid until the next call */
	uint32_t nr;
	uint64_t period, count;
};
/* False at the end. */
bool pfx_folded_next(struct pfx_hists *hists, struct pfx_folded *folded);

/* What was counted of branch stacks so far, and the options as they were given. */
const struct pfx_branch_counts *pfx_hists_branches(const struct pfx_hists *hists);
const struct pfx_hist_options *pfx_hists_options(const struct pfx_hists *hists);

/* What was seen of the branches that one frame of a call tree stands for: it is where they went to,
 * or where they came from, or both. */
struct pfx_branch_sum {
	uint64_t to, predicted, aborts;
	uint64_t kinds; /* bits of enum pfx_branch_kind_bit */
	uint64_t from, cycles;
	uint64_t loops, loop_cycles; /* rounds of loops that are left out */
};

enum pfx_branch_kind_bit {
	PFX_KIND_FORWARD, /* conditional ones */
	PFX_KIND_BACKWARD,
	PFX_KIND_TYPE,      /* and 15 more: by type */
	PFX_KIND_MORE = 18, /* and 15 more: by type of the second set */
	PFX_KIND_CROSS_4K = 34,
	PFX_KIND_CROSS_2M,
};

/*
 * The call tree below (order caller) or above (callee) a row. A node is a run of frames without a
 * fork. Kids are sorted by weight, those below the threshold are left out; `hits` are samples that
 * ended in the node.
 */
struct pfx_call_node {
	struct pfx_call_node *parent; /* NULL for the root, which has no frames */
	struct pfx_place **frames;
	uint32_t nr_frames, nr_kids;
	struct pfx_branch_sum
		*branches; /* for each frame, with options.branch_history; else NULL */
	uint32_t order;    /* in which flat and folded found it */
	struct pfx_call_node **kids;
	uint64_t hit, hits;           /* period and number of samples that end here */
	uint64_t kids_hit, kids_hits; /* that end below, those left out too */
};

/* The row whose call tree is shown below a row, and its table: itself, or its reference; NULL:
 * there is none. */
const struct pfx_row *pfx_row_for_chains(const struct pfx_hists *hists, const struct pfx_hist *hist,
					 const struct pfx_row *row,
					 const struct pfx_hist **ret_hist);
/* Whether rows of a table may show call trees of another event. */
bool pfx_hist_has_reference(const struct pfx_hists *hists, const struct pfx_hist *hist);
/* The tree of a row in @arena; NULL when nothing of it is above the threshold. In the modes flat
 * and folded the root's kids are all nodes with hits, by what ends in them. */
struct pfx_call_node *pfx_hist_calltree(const struct pfx_hists *hists, const struct pfx_hist *hist,
					const struct pfx_row *row, struct pfx_arena *arena);

#endif
