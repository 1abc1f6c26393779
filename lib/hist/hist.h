/* SPDX-License-Identifier: MIT */
/*
 * Aggregation. Samples are added one by one and counted for each distinct combination of place,
 * chain and other values of columns, by small ids; after all samples, symbols are looked up and
 * rows, children and call trees are made from the distinct combinations only.
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

/* Callbacks for the text of samples, for the key trace: an id for each distinct text, and the text.
 * The same for single fields of tracepoints, and their order. */
struct pfx_hist_texts {
	void *ctx;
	uint32_t (*id)(void *ctx, const struct pfx_event *event, const struct pfx_sample *sample);
	const char *(*text)(const void *ctx, uint32_t id);
	uint32_t (*field_id)(void *ctx, const struct pfx_key_field *field,
			     const struct pfx_event *event, const struct pfx_sample *sample);
	const char *(*field_text)(const void *ctx, uint32_t id);
	int (*field_order)(const void *ctx, uint32_t a, uint32_t b);
	/* Minimum number of columns; 0: the event has no such field. */
	unsigned (*field_width)(void *ctx, const struct pfx_key_field *field,
				const struct pfx_event *event);
};

/* All borrowed, and used until the hists are freed. */
struct pfx_hist_options {
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	const struct pfx_columns *columns;
	const struct pfx_filter *filter;
	const struct pfx_callgraph *graph;
	struct pfx_hist_texts texts;   /* only used by the keys trace and fields */
	enum pfx_report_mode mode;     /* what is counted: samples, branches, memory accesses */
	uint64_t time_quantum;         /* ns, for the key time */
	const regex_t *parent;         /* callers for the key parent; NULL: none */
	const regex_t *ignore_callees; /* functions whose callees are hidden; NULL: none */
	bool exclude_other;            /* the filter drops samples without such a caller */
	bool guest;                    /* include samples of guests */
	bool no_host;                  /* exclude those of the host */
	bool branch_history;           /* chains begin with branches: keep their flags and counts */
	bool chains;                   /* call chains are used */
	bool children;                 /* count each function on a chain, once per sample */
	bool ref_chains;      /* rows of events without chains show the chains of another event */
	bool hide_unresolved; /* omit samples and frames without a symbol */
	bool relative;        /* percentages of filtered samples, not of all */
	bool carried;         /* sets are carried: how call chains end is not counted */
	bool join_groups;     /* the members of an event group side by side in one table */
	bool blocks;          /* collect blocks of code between branches */
	bool hierarchy;       /* a level per key */
	bool join_all;        /* all events in one table */
	uint32_t nr_kept;     /* number of samples that each row keeps */
	uint32_t sort_member; /* member whose values determine the order of rows */
	double min_percent;   /* rows below are not shown */
	uint64_t min_samples; /* the same by number of samples */
};

enum pfx_level { PFX_LEVEL_SYS, PFX_LEVEL_US, PFX_LEVEL_GUEST_SYS, PFX_LEVEL_GUEST_US, PFX_LEVELS };

/* Accesses to memory by kind, for each of the fields op, cache, memory, snoop, dtlb. */
#define PFX_ACCESS_KINDS 7

struct pfx_access_sums {
	uint64_t period[PFX_ACCESS_FIELDS][PFX_ACCESS_KINDS];
};

/* The counts of a row, for one event. */
struct pfx_row_stat {
	uint64_t period, count;             /* of samples in the row itself */
	uint64_t children;                  /* period of samples in it and its callees */
	uint64_t by_level[PFX_LEVELS];      /* period, split */
	uint64_t latency, latency_children; /* period divided by the parallelism */
	struct pfx_access_sums *access;     /* NULL: not used, or none */
	uint64_t weights[3];                /* sums over the samples */
};

/* One of a row's samples. */
struct pfx_kept_sample {
	uint64_t time; /* ns */
	uint32_t pid, tid, cpu;
};

struct pfx_row_part;
struct pfx_branch_sum;

/* One line of a report. Members that are not part of its keys are those of its first sample. */
struct pfx_row {
	uint32_t id; /* in order of appearance */
	struct pfx_place *place;
	const struct pfx_thread *thread;
	const struct pfx_comm_ref *comm;
	int32_t cpu;     /* -1: not recorded */
	uint32_t text;   /* id of the fields' text, with the key trace */
	uint32_t type;   /* id of the data type of its sample, with these keys */
	uint32_t words;  /* id of other values of its sample; see pfx_row_word() */
	uint32_t parent; /* id of the text, with the key parent */
	char level;      /* of the symbol: k . g u H */
	uint64_t shown; /* the address if there is no symbol: for a sample the address of its place,
			   for callers the run-time address */
	uint32_t depth; /* frames of the longest chain, from here on */
	struct pfx_kept_sample *kept; /* the first options.nr_kept */
	uint32_t nr_kept;
	struct pfx_branch_sum *branches; /* before its chains, with these keys */
	uint32_t stamp, covered;   /* the last walk over chains that reached it, and how far */
	struct pfx_row_stat *stat; /* one for each member of the group */
	bool wants_chains;
	struct pfx_row_part *parts; /* parts of its call tree, if that is shown */
	uint32_t nr_parts, cap_parts;
	uint32_t first_leaf;             /* its first leaf, plus 1; 0: none */
	const struct pfx_row *reference; /* ref_chains: its row in another event; or NULL */
};

/* A row as part of a hierarchy: the row itself, or the sums of the entries below. */
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
	uint64_t nr_passed, passed_period; /* accepted by the filter */
	uint64_t latency, passed_latency;  /* period divided by the parallelism */
	uint64_t nr_zoomed, zoomed_period; /* of the rows that pfx_hists_zoom() leaves */
};

/* The table of one event, or of a group of events. */
struct pfx_hist {
	const struct pfx_event *event; /* the first, or only, one */
	uint32_t nr_members;
	const struct pfx_event **members;
	struct pfx_hist_total *totals; /* one for each member */
	struct pfx_row **rows;         /* in order */
	uint32_t nr_rows;
	struct pfx_hist_entry **top; /* the same as a hierarchy, if requested; in order */
	uint32_t nr_top;
};

/* Branches by type, of branch stacks that contain the type. */
struct pfx_branch_counts {
	uint64_t total;
	uint64_t forward, backward;   /* conditional ones */
	uint64_t cross_4k, cross_2m;  /* to another page */
	uint64_t types[16], more[16]; /* by type, and by that of the second set */
};

struct pfx_hists;

/* Borrows everything in the options. */
struct pfx_hists *pfx_hists_new(const struct pfx_hist_options *options);
void pfx_hists_free(struct pfx_hists *hists);
/* Count a sample. False when the filter by CPU drops it. */
bool pfx_hists_add(struct pfx_hists *hists, const struct pfx_event *event,
		   const struct pfx_sample *sample, struct pfx_thread *thread);
/* A number for samples like the last one that was counted: of its event, thread, name of the
 * thread, address and mode, and CPU if pfx_hists_need_cpu(). 0: they may differ in more than that.
 * Valid until the set is carried or finished. */
uint32_t pfx_hists_last(const struct pfx_hists *hists);
bool pfx_hists_need_cpu(const struct pfx_hist_options *options);
/* Count a sample like the one that @last is of. */
void pfx_hists_add_like(struct pfx_hists *hists, const struct pfx_event *event, uint32_t last,
			uint64_t period);
/* What the caller knows of a sample. */
struct pfx_hist_known {
	const uint32_t *chain; /* the id of its call chain, which is not looked up; NULL: unknown.
				* Either all samples have one, or none */
	bool fails;            /* another filter rejects it: it counts in totals only */
};
/* The same with what is known. */
bool pfx_hists_add_known(struct pfx_hists *hists, const struct pfx_event *event,
			 const struct pfx_sample *sample, struct pfx_thread *thread,
			 const struct pfx_hist_known *known);
/* A new set with the samples of @from, which is not finished yet: each counts @part / @whole of
 * what it counted there, rounded down. What is left of nothing is dropped, and with it values and
 * texts that nothing else has; of more than @most combinations also those that count for less than
 * one sample. For what is shown again and again: finish and free @from afterwards. Samples that
 * rows keep, branch history and blocks are not carried over. Returns the new set. */
struct pfx_hists *pfx_hists_carry(struct pfx_hists *from, unsigned part, unsigned whole,
				  uint32_t most);
/* The number of distinct combinations so far. */
uint32_t pfx_hists_nr_distinct(struct pfx_hists *hists);
/* Set the number of running threads for the next samples, for the keys parallelism and latency;
 * default 1. */
void pfx_hists_set_parallelism(struct pfx_hists *hists, uint32_t nr);
/* Before finish: change options.min_samples. */
void pfx_hists_set_min_samples(struct pfx_hists *hists, uint64_t nr);
/* Make the tables. Loads symbols. */
void pfx_hists_finish(struct pfx_hists *hists);
/* The same for tables of which only the first rows are shown: @most of them, and others of the same
 * weight, if rows are sorted by weight. 0: all rows. */
void pfx_hists_finish_first(struct pfx_hists *hists, uint32_t most);
/* After finish: sort rows again, by this column first (PFX_KEY_NR: as options.columns), and values
 * by this member of groups. A key sorts only its level of a hierarchy. */
void pfx_hists_sort_by(struct pfx_hists *hists, enum pfx_key first, uint32_t member);
/* After finish: change options.relative. */
void pfx_hists_set_relative(struct pfx_hists *hists, bool relative);
/* After finish: only rows of the library with this short name are shown, with what they have;
 * relative percentages are of their samples. NULL: all rows. Borrows the name; hierarchies ignore
 * it. */
void pfx_hists_zoom(struct pfx_hists *hists, const char *dso);
/* After finish: a table for each event, in the order of the recording (members of joined groups
 * have no separate table). */
uint32_t pfx_hists_nr(const struct pfx_hists *hists);
const struct pfx_hist *pfx_hists_at(const struct pfx_hists *hists, uint32_t i);
/* Whether a table, or any of them, has any samples; whether any of them has samples accepted by the
 * filters, or rows that match the symbol filter. */
bool pfx_hist_has_samples(const struct pfx_hist *hist);
bool pfx_hists_have_samples(const struct pfx_hists *hists);
bool pfx_hists_have_passed(const struct pfx_hists *hists);

/* The sums that are 100 percent for member @m. */
uint64_t pfx_hist_period(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m);
uint64_t pfx_hist_samples(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m);
/* A value of a row: a period, a number of samples, an average weight. */
uint64_t pfx_row_value(const struct pfx_row_stat *stat, enum pfx_key key);
/* A value of the row's sample; 0 if no column uses it. */
uint64_t pfx_row_word(const struct pfx_hists *hists, const struct pfx_row *row,
		      enum pfx_hist_word word);
/* The same for values that are places; resolved. The row's own place if there is none. */
struct pfx_place *pfx_row_place(const struct pfx_hists *hists, const struct pfx_row *row,
				enum pfx_hist_word word);
/* The kind of an access, and its name; NULL after the last kind. */
unsigned pfx_access_kind(enum pfx_access_field field, uint64_t data_src);
const char *pfx_access_name(enum pfx_access_field field, unsigned kind);
/* The socket of a CPU, UINT32_MAX if unknown. */
uint32_t pfx_hist_socket(const struct pfx_hists *hists, int32_t cpu);
/* Cache line size of the recorded machine in bytes; 64 if unknown. */
uint64_t pfx_hist_line_size(const struct pfx_hists *hists);
/* The first address of the cache line of the row's data, relative to its dso. */
uint64_t pfx_hist_line_of(const struct pfx_hists *hists, const struct pfx_row *row);
/* The value that is 100 percent. */
uint64_t pfx_hist_whole(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m,
			enum pfx_key key);
/* The text of a row for the keys srcline, srcfile, srcline_from and _to, comm_nodigit, parent,
 * type, typeoff and typecln; untrusted text. */
const char *pfx_hist_source(const struct pfx_hists *hists, const struct pfx_row *row,
			    enum pfx_key key);
/* The percentage that rows are sorted by: children if they are counted, else the row's own
 * period. */
double pfx_row_percent(const struct pfx_hists *hists, const struct pfx_hist *hist,
		       const struct pfx_row *row);
/* Whether the row is above both limits of the options. */
bool pfx_hist_row_is_shown(const struct pfx_hists *hists, const struct pfx_hist *hist,
			   const struct pfx_row *row);
/* After finish: samples accepted by the filters, and those of them in @dso (NULL: unknown) without
 * a symbol. */
uint64_t pfx_hists_counted(const struct pfx_hists *hists);
uint64_t pfx_hists_unresolved(const struct pfx_hists *hists, const struct pfx_dso *dso);

/* Iterates over distinct samples with chains; initialize with zero. Does not need finish. */
struct pfx_folded {
	uint32_t event, at; /* position of the iteration */
	const char *comm;
	struct pfx_place *leaf;
	struct pfx_place **places; /* leaf first; valid until the next call */
	uint32_t nr;
	uint64_t period, count;
};
/* False at the end. */
bool pfx_folded_next(struct pfx_hists *hists, struct pfx_folded *folded);

/* The counts of branch stacks so far, and the options. */
const struct pfx_branch_counts *pfx_hists_branches(const struct pfx_hists *hists);
const struct pfx_hist_options *pfx_hists_options(const struct pfx_hists *hists);

/* The branches of one frame of a call tree: the frame is their target, their origin, or both. */
struct pfx_branch_sum {
	uint64_t to, predicted, aborts;
	uint64_t kinds; /* bits of enum pfx_branch_kind_bit */
	uint64_t from, cycles;
	uint64_t loops, loop_cycles; /* loop iterations that are omitted */
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
 * The call tree below (order caller) or above (callee) a row. A node is a sequence of frames
 * without a fork. Kids are sorted by weight, those below the threshold are omitted; `hits` are
 * samples that end in the node.
 */
struct pfx_call_node {
	struct pfx_call_node *parent; /* NULL for the root, which has no frames */
	struct pfx_place **frames;
	uint32_t nr_frames, nr_kids;
	struct pfx_branch_sum *branches; /* by frame, with options.branch_history; else NULL */
	uint32_t order;                  /* order in which flat and folded found it */
	struct pfx_call_node **kids;
	uint64_t hit, hits;           /* period and number of samples that end here */
	uint64_t kids_hit, kids_hits; /* that end below, including omitted kids */
};

/* The row whose call tree is shown below a row, and its table: itself, or its reference; NULL:
 * none. */
const struct pfx_row *pfx_row_for_chains(const struct pfx_hists *hists, const struct pfx_hist *hist,
					 const struct pfx_row *row,
					 const struct pfx_hist **ret_hist);
/* Whether rows of a table may show call trees of another event. */
bool pfx_hist_has_reference(const struct pfx_hists *hists, const struct pfx_hist *hist);
/* The tree of a row in @arena; NULL if all of it is below the threshold. In the modes flat and
 * folded the root's kids are all nodes with hits, by what ends in them. */
struct pfx_call_node *pfx_hist_calltree(const struct pfx_hists *hists, const struct pfx_hist *hist,
					const struct pfx_row *row, struct pfx_arena *arena);

#endif
