/* SPDX-License-Identifier: MIT */
/* Shared by the files of lib/hist: combinations, converted chains, the growing tables. */
#ifndef PFX_HIST_HIST_INTERNAL_H
#define PFX_HIST_HIST_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "hist/hist.h"
#include "read/chain_queue.h"
#include "unwind/place_joiner.h"

/* Branch types with other meanings: conditional branches, and the types of the second set. */
#define PFX_BRANCH_COND_TYPE  1
#define PFX_BRANCH_MORE_TYPES 15

#define PFX_NO_PARENT "[other]" /* text of the key parent without a matching caller */

#define PFX_NS_CGROUP 6 /* the place of the cgroup namespace among a thread's */

/* What distinguishes samples of an event; unused parts are 0. */
struct pfx_bucket_key {
	uint32_t place, chain, thread, comm;
	uint32_t cpu, text;
	uint32_t words; /* id of other values of columns */
	uint32_t fails; /* 1: rejected by the filter by thread or comm */
};

/* Samples of an event that are equal in everything that is shown. */
struct pfx_bucket {
	struct pfx_bucket_key key;
	uint32_t thread, comm; /* of the first sample */
	uint32_t cpu;
	uint32_t steps; /* id of its branch history, plus 1 */
	uint32_t end;   /* node of the tree of all chains; PFX_NO_NODE: not counted */
	uint64_t period, count;
};

#define PFX_NO_NODE UINT32_MAX

/* The counts to add to a bucket. */
struct pfx_hist_addend {
	struct pfx_bucket_key key;
	uint32_t event, thread, comm, cpu;
	uint64_t period;
};

struct pfx_hist_tally {
	struct pfx_bucket *buckets;
	uint32_t nr, cap;
	struct pfx_id_table others; /* those that are not the first of their chain or place */
};

/* The samples that buckets keep, as a list per bucket. */
struct pfx_hist_kept {
	struct pfx_kept_sample sample;
	uint32_t next; /* plus 1; 0: none */
};

/* The branch history of a bucket, the newest first. */
struct pfx_hist_steps {
	struct pfx_branch_sum *at;
	uint32_t nr;
};

/* A chain, or a part of one, in display order: root first for order caller, else leaf first. A
 * frame is the id of its node; if columns distinguish places in a function, the id of its place. */
struct pfx_frames {
	PFX_VEC(uint32_t) ids, from; /* from: index of the place */
	struct pfx_place *root;      /* the place to count the sample for, with ignore_callees */
	uint32_t nr;
};

/* --- all chains in one tree: chain_tree.c --- */

struct pfx_tree_node {
	uint32_t parent, end; /* descendants have ids from its own up to end */
	uint32_t first, nr;   /* its frames */
	uint32_t depth;       /* frames above */
};

/* Sums over all leaves below a node, in one context. */
struct pfx_tree_sum {
	uint64_t period, latency;
	uint32_t deepest; /* frames of the longest chain */
	uint32_t stamp;   /* of the walk that made it */
};

/*
 * A node takes 28 bytes and 4 per frame, plus 24 while rows are made and shown.
 */
struct pfx_tree {
	PFX_VEC(struct pfx_tree_node) nodes; /* [0] has no frames; parents first */
	PFX_VEC(uint32_t) frames;
	struct pfx_id_table by_hash;
	struct pfx_tree_sum *sums;
	uint32_t stamp;
};

struct pfx_tree *pfx_tree_new(void);
void pfx_tree_free(struct pfx_tree *tree);
/* The hash of a path extended by these frames; @outer: hash of the outer path, 0 at the root. */
uint64_t pfx_tree_hash(uint64_t outer, const uint32_t *frames, uint32_t nr);
/* The node with these frames below @parent, whose path has this hash. */
uint32_t pfx_tree_add(struct pfx_tree *tree, uint32_t parent, uint64_t hash, const uint32_t *frames,
		      uint32_t nr);
/* After all chains were added: sort the nodes. Returns new ids by old ones; the caller frees
 * them. */
uint32_t *pfx_tree_sort(struct pfx_tree *tree);

/* Frames from the start of a path down to the end of @node. */
static inline uint32_t pfx_tree_depth(const struct pfx_tree *tree, uint32_t node)
{
	return tree->nodes.at[node].depth + tree->nodes.at[node].nr;
}

/* --- leaves of rows: hist_leaves.c --- */

/* Buckets of one row with the same end of chain; with branch_history one bucket. */
struct pfx_hist_leaf {
	struct pfx_row *row;
	uint64_t period, count, latency;
	uint32_t bucket; /* the first of them */
	uint32_t context, end;
	uint32_t next; /* of the same row, plus 1 */
};

/* Sum of all preceding leaves. */
struct pfx_leaf_sum {
	uint64_t period, count;
};

/* A part of the chains of a row's call tree: all leaves of a context below a frame. */
struct pfx_row_part {
	uint32_t context, node, at; /* the frame is number @at of the node */
};

struct pfx_hist_leaves {
	struct pfx_hist_leaf *at;
	size_t nr, cap;
};

struct pfx_hist_build {
	struct pfx_hist hist;            /* the public part */
	struct pfx_hist_tally **tallies; /* one for each member */
	struct pfx_intern keys;          /* of rows */
	struct pfx_intern contexts;      /* keys of buckets besides place and chain */
	PFX_VEC(struct pfx_row *) all;
	struct pfx_hist_leaves leaves;  /* of the first member */
	struct pfx_leaf_sum *leaf_sums; /* for its call trees: prefix sums, one more than leaves */
};

/* The values of the keys type, typeoff and typecln, as ids of texts. */
struct pfx_hist_type {
	uint32_t type, off, cln;
	uint64_t offset;
};

struct pfx_hists {
	struct pfx_hist_options options;
	enum pfx_key first_key; /* that rows are sorted by first; PFX_KEY_NR: none */
	const char *zoom;       /* only rows of this library; NULL: all */
	struct pfx_arena arena;
	PFX_VEC(struct pfx_hist_tally) tallies; /* by event idx */
	/* by chain id, and for samples without a chain by place; of any event, plus 1 */
	PFX_VEC(uint32_t) first_buckets, first_of_places;
	struct pfx_place_joiner *joined; /* for the next carry; NULL: none yet */
	bool is_prepared;
	uint32_t most_rows; /* of a table that are wanted; 0: all */
	uint32_t last;      /* for pfx_hists_last() */
	bool can_repeat;    /* the same */
	bool wants_access;  /* columns show accesses by kind */
	bool wants_steps;   /* columns show branch history */
	bool wants_types;   /* columns show data types */
	bool key_thread, key_comm, key_cpu,
		key_text;              /* values in a bucket's key that columns require */
	struct pfx_id_table words;     /* other required values, by id: */
	PFX_VEC(uint64_t) word_values; /* nr_slots of them for each id */
	int8_t slots[PFX_WORD_NR];     /* by word; -1: not used */
	uint8_t used[PFX_WORD_NR];     /* the word in a slot */
	uint32_t nr_slots;
	struct pfx_hash parents; /* chain id to id of the text of its parent */
	uint64_t last_words[PFX_WORD_NR];
	uint32_t last_words_id;
	uint32_t parallelism;
	struct pfx_chain_queue *queue; /* NULL: samples are counted at once */
	uint64_t nr_counted;
	struct pfx_hash unresolved; /* id of the dso plus 1 -> samples without a symbol */
	struct pfx_branch_counts branches;
	PFX_VEC(struct pfx_hist_kept) kept;
	struct pfx_hash kept_of; /* event and bucket: the first and last of its samples, plus 1 */
	PFX_VEC(struct pfx_hist_steps) steps;
	struct pfx_hist_runs *runs;                /* NULL: blocks are not used */
	PFX_VEC(uint8_t) thread_fails, comm_fails; /* by id: 0 unknown, 1 passes, 2 fails */
	struct pfx_frames frames;                  /* of the current chain */
	PFX_VEC(uint32_t *) frame_steps;           /* by chain id: index of each shown frame */
	struct pfx_hash roots;                     /* by chain id: see pfx_frames.root */
	PFX_VEC(uint32_t) ends;                    /* by chain id: its node in the tree, if used */
	PFX_VEC(struct pfx_place *) nodes;         /* a place for each node id */
	bool frames_are_places;                    /* of the tree; false: they are node ids */
	PFX_VEC(uint32_t) node_of_place;           /* then: node id by place id */
	struct pfx_intern by_address;   /* key of a frame to node id, with -g address, srcline */
	struct pfx_intern source_texts; /* of the keys srcline and srcfile */
	PFX_VEC(uint32_t) sources[2];   /* by place id: id of its srcline, srcfile, plus 1 */
	PFX_VEC(uint32_t) place_types;  /* by place id: the id of its data type, plus 1 */
	PFX_VEC(struct pfx_hist_type) types; /* by id */
	struct pfx_intern type_keys;         /* by their keys */
	struct pfx_tree *tree;               /* of all chains; made by finish */
	struct pfx_hist_build **builds;
	uint32_t nr_builds;
	struct pfx_hist_build *reference; /* shows its call graphs in other tables; NULL: none */
};

/* A sample, or one branch of its stack, to be counted in a bucket. */
struct pfx_hist_sample {
	struct pfx_hists *hists;
	const struct pfx_event *event;
	const struct pfx_sample *sample;
	struct pfx_thread *thread;
	const struct pfx_branch *branch; /* NULL: not counting branches */
	struct pfx_hist_known known;
};

/* buckets.c: after all other values of a new set; see pfx_hists_last(). */
void pfx_hist_init_repeats(struct pfx_hists *hists);
/* Returns the entry's bucket. */
struct pfx_bucket *pfx_hist_count(struct pfx_hists *hists, const struct pfx_hist_addend *entry);
/* The bucket of a key; a new one has a count of 0. */
struct pfx_bucket *pfx_hist_bucket(struct pfx_hists *hists, uint32_t event,
				   const struct pfx_bucket_key *key);
/* The same for entries of the queue, a pfx_chains_take_fn: @context is the hists. */
void pfx_hist_count_queued(void *context, void *entries, const uint32_t *chains, uint32_t nr);

/* --- chains as paths of the tree: hist_chains.c --- */

/* Request the chain for the tree. */
void pfx_hist_chain_want(struct pfx_hists *hists, uint32_t chain);
/* Make the tree of all requested chains. */
void pfx_hist_chains_add(struct pfx_hists *hists);
/* The last node of a requested chain. */
uint32_t pfx_hist_chain_end(const struct pfx_hists *hists, uint32_t chain);
/* The place that a sample with this chain counts for instead of its own; NULL: its own. */
struct pfx_place *pfx_hist_chain_root(const struct pfx_hists *hists, uint32_t chain);
bool pfx_hist_name_matches(const struct pfx_hist_options *options, const regex_t *regex,
			   struct pfx_place *place);

static inline uint32_t pfx_frame_node(const struct pfx_hists *hists, uint32_t frame)
{
	return hists->frames_are_places ? hists->node_of_place.at[frame] : frame;
}
static inline struct pfx_place *pfx_frame_place(const struct pfx_hists *hists, uint32_t frame)
{
	return hists->frames_are_places ? pfx_resolver_place_at(hists->options.resolver, frame)
					: hists->nodes.at[frame];
}

/* --- from buckets to rows: hist_rows.c --- */

#define PFX_ROW_MEMOS 4096 /* a power of two */

struct pfx_row_start {
	uint32_t row; /* its id */
	struct pfx_row_part part;
};

struct pfx_row_memo {
	uint32_t context, frame;
	struct pfx_row *row; /* NULL: empty */
};

/* State for converting the buckets of one member to rows. */
struct pfx_visit {
	struct pfx_hists *hists;
	struct pfx_hist_build *build;
	uint32_t member;
	struct pfx_hist_leaves *leaves;
	const struct pfx_bucket *bucket; /* current */
	uint32_t context;
	uint32_t context_words[7], context_id; /* of the last bucket */
	uint32_t stamp;                        /* of a walk in one context */
	struct pfx_row probe;                  /* a row with the bucket's values */
	char level;                            /* of the bucket's own row */
	struct pfx_row_memo *memos;
	PFX_VEC(struct pfx_row_memo) own;     /* rows of samples, by place id */
	bool keeps_starts;                    /* call trees may be requested */
	PFX_VEC(struct pfx_row_start) starts; /* of the first member, in order of appearance */
	PFX_VEC(uint32_t) path;               /* nodes */
	uint32_t *first_seen; /* by node: the first context that contains it, plus 1 */
	struct pfx_hash seen; /* context and node: the other contexts */
};

/* --- the row of a bucket or a frame: hist_visit.c --- */

/* What distinguishes rows, into @words; returns the number of words. */
#define PFX_ROW_WORDS_MAX (PFX_KEY_NR + PFX_FIELDS_MAX)
uint32_t pfx_hist_row_words(struct pfx_hists *hists, const struct pfx_row *row, uint64_t *words);
/* Whether a caller on the chain matches options.parent. */
bool pfx_hist_has_parent(struct pfx_hists *hists, uint32_t chain_id);
/* Make a bucket the current one: fills the probe. */
void pfx_visit_begin(struct pfx_visit *visit, const struct pfx_bucket *bucket);
/* The current bucket's context: what distinguishes rows, except place and chain. */
uint32_t pfx_visit_context(struct pfx_visit *visit);
/* The row of the current bucket, in the current context. */
struct pfx_row *pfx_visit_own_row(struct pfx_visit *visit);
/* The row of a frame in the current context; added from the bucket if new. */
struct pfx_row *pfx_visit_row(struct pfx_visit *visit, uint32_t node, uint32_t at);

/* --- counts of rows: hist_leaves.c --- */

/* Sort by context, then by node; leaves of the same row are merged. */
void pfx_hist_sort_leaves(const struct pfx_hists *hists, struct pfx_hist_build *build,
			  struct pfx_hist_leaves *leaves);
/* Add the counts of leaves to their rows and, with children, to the rows of callers. Leaves must be
 * sorted. */
void pfx_hist_count_leaves(struct pfx_visit *visit);
/* Keep the first member's data for call trees, for rows that need one. */
void pfx_hist_keep_parts(struct pfx_visit *visit);
/* leaf_walk.c: iterates over the leaves of a row's call tree; they are below a part (NULL: from the
 * start of their chains). */
typedef void (*pfx_leaf_fn)(void *ctx, const struct pfx_hist_leaf *leaf,
			    const struct pfx_row_part *part);
void pfx_hist_each_leaf(const struct pfx_hists *hists, const struct pfx_hist_build *build,
			const struct pfx_row *row, pfx_leaf_fn fn, void *ctx);

/* --- samples kept in rows: kept.c --- */

/* Called for each sample counted in bucket @nr of its event. */
void pfx_hist_keep(const struct pfx_hist_sample *from, uint32_t nr);
/* Add the bucket's kept samples to the row, up to its limit. */
void pfx_hist_kept_to_row(struct pfx_hists *hists, uint32_t event, uint32_t nr,
			  struct pfx_row *row);

/* --- branch history before chains: hist_steps.c --- */

void pfx_hist_steps_add(struct pfx_hists *hists, struct pfx_bucket *bucket);
/* The index in its chain of each of the frames @places (leaf first); in the arena. */
uint32_t *pfx_hist_steps_of(struct pfx_hists *hists, struct pfx_place **places, uint32_t nr);
/* Add the history of a bucket to a row. */
void pfx_hist_steps_count(struct pfx_hists *hists, const struct pfx_bucket *bucket,
			  struct pfx_row *row);
/* Fill in the call tree of a row. */
void pfx_hist_steps_fill(const struct pfx_hists *hists, const struct pfx_hist_build *build,
			 const struct pfx_row *row, struct pfx_call_node *root,
			 struct pfx_arena *arena);

/* --- blocks of code between branches: blocks.c --- */

struct pfx_hist_runs *pfx_hist_runs_new(struct pfx_resolver *resolver);
void pfx_hist_runs_free(struct pfx_hist_runs *runs);
/* Add the branch stack of a sample. */
void pfx_hist_runs_add(const struct pfx_hist_sample *from);

/* Find the references of rows: references.c. */
void pfx_hist_find_references(struct pfx_hists *hists);

/* Allocate slots for the values that columns use: bits of @wanted, and fields. */
void pfx_hist_words_init(struct pfx_hists *hists, uint32_t wanted);
/* The id of these values, one for each slot. */
uint32_t pfx_hist_words_intern(struct pfx_hists *hists, const uint64_t *words);
/* The id of the values of a sample. */
uint32_t pfx_hist_words_id(const struct pfx_hist_sample *from);
uint64_t pfx_hist_word(const struct pfx_hists *hists, uint32_t id, enum pfx_hist_word word);
/* A bucket's period divided by the parallelism; 0 if no column uses it. */
uint64_t pfx_hist_latency(const struct pfx_hists *hists, const struct pfx_bucket *bucket);

/* The value that distinguishes rows by a key, and a total order of rows for ties; and the display
 * order. */
uint64_t pfx_hist_key_word(struct pfx_hists *hists, const struct pfx_row *row, enum pfx_key key);
int pfx_hist_key_order(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
		       enum pfx_key key);
int pfx_hist_key_shown_order(struct pfx_hists *hists, const struct pfx_row *a,
			     const struct pfx_row *b, enum pfx_key key);

/* Make the resolver look up the data of all buckets: prepare_rows.c. */
void pfx_hist_prepare(struct pfx_hists *hists);
/* The id of the text of the key srcline (srcfile: @file) for a place. */
uint32_t pfx_hist_source_id(struct pfx_hists *hists, struct pfx_place *place, bool file);
/* --- data types: hist_types.c --- */

/* The id of the type that the instruction at a place accesses. */
uint32_t pfx_hist_type_id(struct pfx_hists *hists, const struct pfx_place *place);
/* The data type of a row; and the order of types, by name. */
const struct pfx_hist_type *pfx_hist_type_of(const struct pfx_hists *hists,
					     const struct pfx_row *row);
int pfx_hist_type_order(const struct pfx_hists *hists, const struct pfx_row *a,
			const struct pfx_row *b);

/* Sort the rows into hist->rows. */
void pfx_hist_sort(struct pfx_hists *hists, struct pfx_hist_build *build);
/* Compares two rows by a value of the table's members: the heavier first. */
int pfx_hist_compare_stats(const struct pfx_hists *hists, const struct pfx_hist *hist,
			   const struct pfx_row_stat *a, const struct pfx_row_stat *b,
			   enum pfx_key key);
/* Arrange the sorted rows as a hierarchy: hist->top. */
void pfx_hist_hierarchy(struct pfx_hists *hists, struct pfx_hist_build *build);
/* Sort its entries again. */
void pfx_hist_sort_hierarchy(struct pfx_hists *hists, struct pfx_hist_build *build);
/* The minimum period of a branch of the call tree to be shown. */
uint64_t pfx_hist_min_hit(const struct pfx_hists *hists, const struct pfx_hist *hist,
			  const struct pfx_row *row);

#endif
