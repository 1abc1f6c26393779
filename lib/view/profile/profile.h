/* SPDX-License-Identifier: MIT */
/*
 * A recording as plain columns, for everything that shows samples: a screen, a page, exports,
 * comparisons. It knows no terminal, no file and no kernel. Everything is a number that indexes
 * another array; names occur once. A profile is made by a reader (view/read_profile.h) or by hand
 * (view/make_profile.h), does not change afterwards, owns everything in it, and does not need the
 * recording any more. Filters and views: view/view_filter.h, view/selection.h, view/table.h.
 *
 * Memory: 28 bytes for each sample row, 32 with times, which may be in files instead; 12 for each
 * node of the stacks, which share their callers; 9 for each distinct stack. Limits: 2^32 - 2 rows,
 * nodes and stacks each.
 */
#ifndef PFX_VIEW_PROFILE_H
#define PFX_VIEW_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/paged/paged.h"
#include "event/abi.h"
#include "session/session.h"

#define PFX_NO_ID UINT32_MAX /* an index that is unknown, or does not exist */

/* All text is untrusted. All times are ns, as recorded. */

struct pfx_profile_event {
	const char *name;
	uint32_t leader;     /* index of the group's leader; its own outside groups */
	uint32_t nr_members; /* of the group, in its leader, with the leader itself; else 0 or 1 */
	uint64_t nr_samples, period; /* of all its samples */
	uint64_t nr_lost;            /* samples that the kernel reported as lost for this event */
	/* Of samples that a filter by process, thread or command rejected when the recording was
	 * read: they are in totals of all samples only. */
	uint64_t nr_rejected, rejected_period;
};

struct pfx_profile_process {
	uint32_t pid;
	const char *comm; /* last name of its first thread */
};

struct pfx_profile_thread {
	uint32_t process, tid;
	const char *comm;    /* last name */
	uint64_t start, end; /* times of its fork and its exit; 0: unknown */
};

/* A thread under one of its names. */
struct pfx_profile_task {
	uint32_t thread, comm; /* comm: index of comms */
};

/* A binary, the kernel, or another source of code. */
struct pfx_profile_dso {
	const char *name;       /* path */
	const char *short_name; /* shown in tables; equal for binaries in several folders */
	enum pfx_dso_kind kind;
	char symbols; /* where they are from, as perf's letter; 0: unknown */
	uint8_t build_id[PFX_BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: unknown */
	uint32_t session_dso;  /* its id in the session of the recording; PFX_NO_ID: none */
};

/* What a function is in a call chain. */
enum pfx_profile_role {
	PFX_ROLE_CODE,
	PFX_ROLE_START,   /* threads start in it: frames beyond it are none */
	PFX_ROLE_NOWHERE, /* a return address in no map: frames beyond it are no callers */
	PFX_ROLE_BROKEN,  /* PFX_BROKEN_CHAIN: those and what lies beyond, for pictures */
};

/*
 * A function, as a row of `pfx report -s dso,sym` has it: functions with equal names and addresses
 * in binaries with the same short name are one; so are all inlined copies of a function. An address
 * without a symbol is a function of its own.
 */
struct pfx_profile_function {
	const char *name;    /* demangled; "0x..." for an address without a symbol */
	uint32_t dso;        /* the first in which it was seen; PFX_NO_ID: unknown */
	uint64_t start, end; /* addresses in the dso, as in struct pfx_symbol; end exclusive */
	const char *file;    /* of its first line; NULL: unknown, or not requested */
	uint32_t line;       /* of inlined functions: one that was sampled */
	bool is_named;       /* false: no symbol table names it */
	bool is_inlined;
	enum pfx_profile_role role;
	char level; /* where it was seen first: k kernel, . user, g guest kernel, u guest user, H */
};

/* What frames are distinguished by. */
enum pfx_profile_frames {
	PFX_FRAMES_BY_FUNCTION,
	PFX_FRAMES_BY_LINE,    /* and by source file and line */
	PFX_FRAMES_BY_ADDRESS, /* and by address, with its line */
};

/* A frame of a stack. */
struct pfx_profile_frame {
	uint32_t function;
	uint32_t dso;  /* of this frame; for inlined functions it may differ from the function's */
	uint32_t line; /* 0: unknown, or frames are functions */
	const char *file; /* NULL: the same */
	uint64_t address; /* in the dso, with PFX_FRAMES_BY_ADDRESS; else 0 */
};

/* An event in time beside the samples. */
enum pfx_profile_marker_kind {
	PFX_MARKER_EXEC, /* @task, which has the name of the program, began to run it */
	PFX_MARKER_LOST, /* @value samples or records were lost */
};

struct pfx_profile_marker {
	enum pfx_profile_marker_kind kind;
	uint32_t task; /* PFX_NO_ID: none */
	uint64_t time, value;
};

/*
 * Stacks as one tree. A node is a frame called by the frame of its parent; node 0 is the root and
 * has no frame. In depth-first order: a parent is before its children, and the descendants of a
 * node are those after it and before its end. Inlined functions are nodes of their own.
 */
struct pfx_nodes {
	uint32_t nr;
	uint32_t *parent, *frame, *end;
};

/* Rows in files. A pass over a large profile says where it is, so that the pages after it are
 * dropped: see pfx_profile_pass(). */
#define PFX_ROW_COLUMNS    7
#define PFX_ROWS_IN_MEMORY (1u << 17)
struct pfx_row_pages {
	struct pfx_paged columns[PFX_ROW_COLUMNS];
	uint32_t last; /* the row of the pass at which the pages were dropped */
};

/* Sums of samples with the same event and stack. */
struct pfx_stack_sum {
	uint64_t period, samples;
};

struct pfx_profile {
	struct pfx_profile_event *events;
	struct pfx_profile_process *processes;
	struct pfx_profile_thread *threads;
	struct pfx_profile_task *tasks;
	const char **comms;
	uint32_t *cpus; /* numbers, ascending; (uint32_t)-1 is last: unknown */
	struct pfx_profile_dso *dsos;
	struct pfx_profile_function *functions;
	struct pfx_profile_frame *frames;
	struct pfx_profile_marker *markers; /* in order of time */
	uint32_t nr_events, nr_processes, nr_threads, nr_tasks, nr_comms, nr_cpus;
	uint32_t nr_dsos, nr_functions, nr_frames, nr_markers;
	enum pfx_profile_frames frames_by;

	struct pfx_nodes nodes; /* of all stacks */

	/*
	 * The distinct stacks, in order of nodes. `own` is the frame of the sampled address without
	 * inlined functions, for which `pfx report` counts the sample; usually an ancestor of the
	 * node, or its frame. A sample without a call chain has a node for its own frame alone.
	 */
	uint32_t nr_stacks;
	uint32_t *stack_node, *stack_own;
	char *stack_level; /* of the sampled address, as in struct pfx_profile_function */

	/*
	 * The samples. With times: one row for each, in the order of the recording. Without: one
	 * row for all that are equal in everything else. A sample of a group has a row for each
	 * event with a value in it.
	 */
	uint32_t nr_rows;
	uint64_t *row_time;                       /* NULL: not kept */
	uint32_t *row_event, *row_task, *row_cpu; /* row_cpu: index of cpus */
	uint32_t *row_stack;
	uint32_t *row_count;  /* number of samples; NULL: 1 each */
	uint64_t *row_period; /* sum of their periods */
	/* Of all samples, by event, then by stack; NULL: too many. */
	struct pfx_stack_sum *sums;

	uint64_t first_time, last_time; /* of samples; 0: unknown */
	uint64_t nr_lost;               /* lost records and samples */

	struct pfx_arena texts;          /* private: names */
	struct pfx_row_pages *row_pages; /* private: what the columns of the rows are in; NULL */
};

/* @profile may be NULL. */
void pfx_profile_free(struct pfx_profile *profile);
/* The memory of the rows is free until they are used again. */
void pfx_row_pages_drop(struct pfx_row_pages *pages);
void pfx_row_pages_free(struct pfx_row_pages *pages);
/* In a pass over many rows, with each of them or with some: limits the memory that rows in files
 * take. Not for several threads. */
static inline void pfx_profile_pass(const struct pfx_profile *profile, uint32_t row)
{
	struct pfx_row_pages *pages = profile->row_pages;

	if (!pages || row - pages->last < PFX_ROWS_IN_MEMORY)
		return;
	pages->last = row;
	pfx_row_pages_drop(pages);
}
/* The number of samples in a row. */
static inline uint32_t pfx_profile_count(const struct pfx_profile *profile, uint32_t row)
{
	return profile->row_count ? profile->row_count[row] : 1;
}
/* The function of a node; PFX_NO_ID for the root. */
static inline uint32_t pfx_profile_node_function(const struct pfx_profile *profile, uint32_t node)
{
	return node ? profile->frames[profile->nodes.frame[node]].function : PFX_NO_ID;
}

#endif
