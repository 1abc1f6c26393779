/* SPDX-License-Identifier: MIT */
/*
 * All samples of a recording in memory, and questions about them: tables, call trees, flame graphs,
 * timelines, differences. The numbers are those of `pfx report`. Reading takes the time; a question
 * takes a fraction of a second, whatever its filters.
 *
 *	struct pfx_samples *samples;
 *	struct pfx_answer *answer;
 *	struct pfx_query query = PFX_INIT(struct pfx_query);
 *	uint32_t i;
 *
 *	rc = pfx_samples_load(&samples, input, 0, &err);
 *	query.dso = "libc.so.6";
 *	rc = pfx_samples_table(samples, &query, &answer, &err);
 *	for (i = 0; i < pfx_answer_nr_rows(answer); i++) {
 *		struct pfx_answer_row row = PFX_INIT(struct pfx_answer_row);
 *
 *		pfx_answer_row_at(answer, i, &row);
 *		printf("%6.2f%% %s\n", row.self_share * 100, row.name);
 *	}
 *	pfx_answer_free(answer);
 *	pfx_samples_free(samples);
 */
#ifndef PFX_QUERY_H
#define PFX_QUERY_H

#include <pfx/common.h>
#include <pfx/input.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Owns everything that it has: it outlives the input. */
struct pfx_samples;
/* Borrows the samples: free it before them. */
struct pfx_answer;

enum pfx_load_flags {
	PFX_LOAD_TIMES = 1 << 0, /* keep the time of each sample: for queries by time and columns */
	PFX_LOAD_LINES = 1 << 1, /* tell source lines apart, not only functions */
	PFX_LOAD_NO_CHAINS = 1 << 2, /* no callers */
};

/* Read the rest of @input, which passes its filters; its flags decide about inlined functions. 0,
 * or a negative errno and @err. The caller frees *@ret with pfx_samples_free(), which accepts NULL;
 * @input may be closed before. */
PFX_API int pfx_samples_load(struct pfx_samples **ret, struct pfx_input *input, uint32_t flags,
			     struct pfx_error *err);
PFX_API void pfx_samples_free(struct pfx_samples *samples);

/* Number of events of the recording. */
PFX_API uint32_t pfx_samples_nr_events(const struct pfx_samples *samples);
/* Name of event @i, which must exist. Lives as long as the samples. */
PFX_API const char *pfx_samples_event_name(const struct pfx_samples *samples, uint32_t i);
/* Number of samples of all events. */
PFX_API uint64_t pfx_samples_count(const struct pfx_samples *samples);

/* --- columns --- */

enum pfx_column_kind {
	PFX_COLUMN_TIME,   /* uint64_t, ns; requires PFX_LOAD_TIMES */
	PFX_COLUMN_PERIOD, /* uint64_t */
	PFX_COLUMN_COUNT,  /* uint32_t, samples in the row: 1 with PFX_LOAD_TIMES */
	PFX_COLUMN_EVENT,  /* uint32_t, index */
	PFX_COLUMN_PID,    /* int32_t */
	PFX_COLUMN_TID,    /* int32_t */
	PFX_COLUMN_CPU,    /* int32_t, -1: unknown */
	PFX_COLUMN_STACK,  /* uint32_t, see pfx_samples_stack() */
};

struct pfx_column_data {
	size_t size;
	const void *data; /* `nr` numbers of `width` bytes; lives as long as the samples */
	size_t nr;
	unsigned width; /* 4 or 8 */
	bool is_signed;
};

/* The samples as arrays, a row for each sample with PFX_LOAD_TIMES, else a row for all that are
 * equal. -ENODATA without times; -EINVAL: an unknown kind. */
PFX_API int pfx_samples_column(struct pfx_samples *samples, enum pfx_column_kind which,
			       struct pfx_column_data *ret, struct pfx_error *err);

/* The frames of a stack of PFX_COLUMN_STACK, the innermost first: fills at most @max of @frames
 * with indexes of functions, returns the number of frames; 0: there is no such stack. */
PFX_API uint32_t pfx_samples_stack(const struct pfx_samples *samples, uint32_t stack,
				   uint32_t *frames, uint32_t max);
/* Number of stacks and of functions. */
PFX_API uint32_t pfx_samples_nr_stacks(const struct pfx_samples *samples);
PFX_API uint32_t pfx_samples_nr_functions(const struct pfx_samples *samples);
/* Function @i, which must exist: its name ("0x..." without a symbol) and its binary (NULL:
 * unknown). Both live as long as the samples. */
PFX_API const char *pfx_samples_function(const struct pfx_samples *samples, uint32_t i,
					 const char **ret_dso);

/* --- questions --- */

enum pfx_query_by {
	PFX_BY_FUNCTION, /* in which samples were taken, without inlined functions */
	PFX_BY_DSO,
	PFX_BY_LINE, /* requires PFX_LOAD_LINES */
	PFX_BY_PROCESS,
	PFX_BY_THREAD,
	PFX_BY_COMM,
	PFX_BY_CPU,
};

enum pfx_query_order {
	PFX_ORDER_SELF,
	PFX_ORDER_TOTAL,
	PFX_ORDER_SAMPLES,
	PFX_ORDER_NAME,
};

/* Zero asks about all samples of the first event. Names are exact; several are separated by
 * commas. Patterns are POSIX extended regular expressions on functions. */
struct pfx_query {
	size_t size;
	const char *event; /* NULL: the first that has samples; events are never added up */
	/* Which samples. */
	const char *comm, *process, *thread, *cpu, *dso, *function;
	const char *focus, *ignore; /* with, without a matching function in the stack */
	uint64_t from, to; /* ns, both ends included; require PFX_LOAD_TIMES; to 0: no end */
	/* Which frames. */
	const char *hide, *show, *show_from;
	bool named_only; /* leave out samples and frames without a symbol */
	/* Tables: what a row is. */
	enum pfx_query_by by;
	enum pfx_query_order order;
	/* Trees. */
	bool inverted;      /* children are callers */
	bool by_name;       /* children by name, as in flame graphs; false: the heaviest first */
	double min_share;   /* of the total, 0.01 is a hundredth; lighter nodes are left out */
	uint32_t max_depth; /* 0: no limit */
	const char *root;   /* function that the tree begins at; NULL: all stacks */
};

enum pfx_row_state {
	PFX_ROW_IN_BOTH,
	PFX_ROW_NEW,
	PFX_ROW_VANISHED,
	PFX_ROW_RENAMED, /* `old_name` */
};

/* A row of a table, or a node of a tree. Strings live as long as the answer. */
struct pfx_answer_row {
	size_t size;
	const char *name;
	const char *dso;  /* NULL: unknown, or the row is no code */
	const char *file; /* the same */
	uint32_t line;
	bool is_inlined;
	uint64_t self, total; /* sums of periods: total counts callees, too */
	uint64_t samples;     /* number of samples in self; of trees, of their weight: 0 */
	double self_share, total_share; /* of the whole */
	/* Trees: rows are in the order parents first; row 0 is the whole. */
	uint32_t parent; /* of row 0: itself */
	uint32_t depth, first_child, nr_children;
	uint64_t x; /* left edge in a flame graph, in periods */
	/* Differences: the same in the old samples. */
	enum pfx_row_state state;
	const char *old_name; /* NULL: the same */
	uint64_t old_self, old_samples;
	double old_share;
};

/* A row for everything with samples. 0, or -EINVAL and @err: a malformed query, or an event, a
 * pattern or a function that is not there. The caller frees *@ret with pfx_answer_free(). */
PFX_API int pfx_samples_table(const struct pfx_samples *samples, const struct pfx_query *query,
			      struct pfx_answer **ret, struct pfx_error *err);
/* A call tree, which is also a flame graph (`x`, `total`, `depth`). Result and errors are those of
 * pfx_samples_table(). */
PFX_API int pfx_samples_tree(const struct pfx_samples *samples, const struct pfx_query *query,
			     struct pfx_answer **ret, struct pfx_error *err);
/* What changed from @old: a row for each function of either, matched across builds as `pfx diff`
 * does; `self_share` minus `old_share` is the change. Of the query only the event counts.
 * Result and errors are those of pfx_samples_table(). */
PFX_API int pfx_samples_diff(const struct pfx_samples *samples, const struct pfx_samples *old,
			     const struct pfx_query *query, struct pfx_answer **ret,
			     struct pfx_error *err);

/* Weight over time: rows are lanes for query->by (processes, threads, comms or CPUs; by function,
 * which is the default, one lane for everything), the heaviest first unless ordered by name, each
 * with @nr_cells cells, 1 to 65536, from query->from to query->to, by default from the first to the
 * last sample. Requires PFX_LOAD_TIMES. Result and errors are those of pfx_samples_table(). */
PFX_API int pfx_samples_timeline(const struct pfx_samples *samples, const struct pfx_query *query,
				 uint32_t nr_cells, struct pfx_answer **ret, struct pfx_error *err);

/* Number of cells of each row of a timeline, which may be fewer than were asked for: none is
 * shorter than 1 ns. Others have 0. Also the start of the first and the length of each, in ns; both
 * may be NULL. */
PFX_API uint32_t pfx_answer_nr_cells(const struct pfx_answer *answer, uint64_t *ret_start,
				     uint64_t *ret_length);
/* Cells of row @i, which must exist: sums of periods. Live as long as the answer. */
PFX_API const uint64_t *pfx_answer_cells(const struct pfx_answer *answer, uint32_t i);
/* Number of rows. */
PFX_API uint32_t pfx_answer_nr_rows(const struct pfx_answer *answer);
/* Row @i, which must exist. */
PFX_API void pfx_answer_row_at(const struct pfx_answer *answer, uint32_t i,
			       struct pfx_answer_row *ret);
/* Sum of the periods of all samples that were asked for, and their number; of differences, of the
 * new ones. */
PFX_API uint64_t pfx_answer_total(const struct pfx_answer *answer, uint64_t *ret_samples);
/* The event that it is about. Lives as long as the answer's samples. */
PFX_API const char *pfx_answer_event(const struct pfx_answer *answer);
/* NULL is accepted. */
PFX_API void pfx_answer_free(struct pfx_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
