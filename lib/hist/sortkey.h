/* SPDX-License-Identifier: MIT */
/*
 * The columns of a report: the keys, which of them distinguish and sort rows, and which are shown.
 * -s and -F use the same table of names. Owns its vectors and the names of fields.
 */
#ifndef PFX_HIST_SORTKEY_H
#define PFX_HIST_SORTKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

enum pfx_key {
	PFX_KEY_PID, /* shows the tid; perf's name for the key by thread */
	PFX_KEY_COMM,
	PFX_KEY_DSO,
	PFX_KEY_SYM,
	PFX_KEY_PARENT, /* the caller that matches -p */
	PFX_KEY_CPU,
	PFX_KEY_SOCKET,
	PFX_KEY_SRCLINE,
	PFX_KEY_SRCFILE,
	PFX_KEY_LOCAL_WEIGHT,
	PFX_KEY_WEIGHT,
	PFX_KEY_TRANSACTION,
	PFX_KEY_TRACE, /* the fields of a tracepoint as text */
	PFX_KEY_SYM_SIZE,
	PFX_KEY_DSO_SIZE,
	PFX_KEY_CGROUP,
	PFX_KEY_CGROUP_ID, /* the cgroup namespace */
	PFX_KEY_IPC_NULL,  /* the column of ipc_lbr without branches */
	PFX_KEY_TIME,
	PFX_KEY_CODE_PAGE_SIZE,
	PFX_KEY_LOCAL_INS_LAT,
	PFX_KEY_INS_LAT,
	PFX_KEY_LOCAL_STAGE,
	PFX_KEY_STAGE,
	PFX_KEY_ADDR, /* of the code */
	PFX_KEY_LOCAL_RETIRE_LAT,
	PFX_KEY_RETIRE_LAT,
	PFX_KEY_SYMOFF,
	PFX_KEY_PARALLELISM,
	PFX_KEY_TGID,
	PFX_KEY_TID,
	PFX_KEY_COMM_NODIGIT,
	PFX_KEY_SIMD,
	PFX_KEY_TYPE,            /* of the data that the sample's instruction accesses */
	PFX_KEY_TYPEOFF,         /* and its offset in the type */
	PFX_KEY_TYPECLN,         /* offset by cache lines */
	PFX_KEY_CHAIN_PREDICTED, /* of the branches before call chains */
	PFX_KEY_CHAIN_ABORT,
	PFX_KEY_CHAIN_CYCLES,
	PFX_KEY_DSO_FROM,
	PFX_KEY_DSO_TO,
	PFX_KEY_SYM_FROM,
	PFX_KEY_SYM_TO,
	PFX_KEY_MISPREDICT,
	PFX_KEY_IN_TX,
	PFX_KEY_ABORT,
	PFX_KEY_CYCLES,
	PFX_KEY_SRCLINE_FROM,
	PFX_KEY_SRCLINE_TO,
	PFX_KEY_IPC_LBR, /* instructions per cycle of a branch's target function */
	PFX_KEY_ADDR_FROM,
	PFX_KEY_ADDR_TO,
	PFX_KEY_SYM_DADDR,
	PFX_KEY_SYM_IADDR,
	PFX_KEY_DSO_DADDR,
	PFX_KEY_LOCKED,
	PFX_KEY_TLB,
	PFX_KEY_MEM,
	PFX_KEY_SNOOP,
	PFX_KEY_DCACHELINE,
	PFX_KEY_PHYS_DADDR,
	PFX_KEY_DATA_PAGE_SIZE,
	PFX_KEY_BLOCKED,
	PFX_KEY_OVERHEAD,
	PFX_KEY_OVERHEAD_SYS,
	PFX_KEY_OVERHEAD_US,
	PFX_KEY_OVERHEAD_GUEST_SYS,
	PFX_KEY_OVERHEAD_GUEST_US,
	PFX_KEY_OVERHEAD_CHILDREN,
	PFX_KEY_LATENCY,
	PFX_KEY_LATENCY_CHILDREN,
	PFX_KEY_SAMPLE,
	PFX_KEY_PERIOD,
	PFX_KEY_WEIGHT1, /* averages over the samples of a row */
	PFX_KEY_WEIGHT2,
	PFX_KEY_WEIGHT3,
	PFX_KEY_ACCESS_OP, /* memory accesses by kind: a percentage for each */
	PFX_KEY_ACCESS_CACHE,
	PFX_KEY_ACCESS_MEMORY,
	PFX_KEY_ACCESS_SNOOP,
	PFX_KEY_ACCESS_TLB,
	PFX_KEY_NR,
	PFX_KEY_FIELD = 128, /* and above: fields of tracepoints, pfx_columns.fields[key - FIELD] */
};

#define PFX_FIELDS_MAX 32

/* Values of a sample besides place, thread and CPU; used by some keys. */
enum pfx_hist_word {
	PFX_WORD_WEIGHT,
	PFX_WORD_INS_LAT,
	PFX_WORD_STAGE,
	PFX_WORD_TRANSACTION,
	PFX_WORD_CODE_PAGE,
	PFX_WORD_CGROUP,
	PFX_WORD_TIME,
	PFX_WORD_PARALLELISM,
	PFX_WORD_FROM, /* ids of places */
	PFX_WORD_TO,
	PFX_WORD_FLAGS, /* of a branch */
	PFX_WORD_DATA,  /* id of a place */
	PFX_WORD_DATA_SRC,
	PFX_WORD_PHYS,
	PFX_WORD_DATA_PAGE,
	PFX_WORD_FIELD, /* from here on: fields of tracepoints */
	PFX_WORD_NR = PFX_WORD_FIELD + PFX_FIELDS_MAX,
};

/* A key distinguishes rows; a value is counted for them. */
enum pfx_key_kind {
	PFX_KEY_OF_SAMPLE,
	PFX_KEY_OF_BRANCH, /* for branches only */
	PFX_KEY_OF_MEMORY, /* for memory accesses only */
	PFX_KEY_VALUE,
	PFX_KEY_ACCESS, /* a value split by kind of access */
};

/* The fields by which accesses are split. */
enum pfx_access_field {
	PFX_ACCESS_OP,
	PFX_ACCESS_CACHE,
	PFX_ACCESS_MEMORY,
	PFX_ACCESS_SNOOP,
	PFX_ACCESS_TLB,
	PFX_ACCESS_FIELDS,
};

struct pfx_filter;
struct pfx_hists;
struct pfx_key_text;
struct pfx_row;
struct pfx_row_stat;

/* A key or value with its functions. Keys have a word, an order and a text, values have a value. */
struct pfx_key_info {
	const char *name;   /* name in -s and -F; a prefix is sufficient */
	const char *title;  /* title of the column */
	unsigned min_width; /* in columns, besides the title's */
	/* Length of the shortest prefix of the name that selects this key: no word selects two of
	 * the keys that are searched together. */
	unsigned prefix;
	enum pfx_key_kind kind;
	/* The identity of rows: equal for equal rows; for texts, the id of the text. */
	uint64_t (*word)(struct pfx_hists *hists, const struct pfx_row *row,
			 const struct pfx_key_info *info);
	/* A comparison as for qsort(). It must be total, because it is also used for ties. */
	int (*order)(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
		     const struct pfx_key_info *info);
	/* The order for display; NULL: as order. */
	int (*shown_order)(struct pfx_hists *hists, const struct pfx_row *a,
			   const struct pfx_row *b, const struct pfx_key_info *info);
	/* Append the text of the column, without padding; numbers are aligned in @width columns. */
	void (*text)(const struct pfx_key_text *how, const struct pfx_row *row,
		     const struct pfx_key_info *info, unsigned width, struct pfx_str *to);
	/* The width of the column for a text of @len columns; NULL: @len. */
	unsigned (*width)(const struct pfx_key_text *how, const struct pfx_row *row,
			  const struct pfx_key_info *info, unsigned len);
	uint64_t (*value)(const struct pfx_row_stat *stat);
	uint32_t words;               /* bits of enum pfx_hist_word that it needs */
	enum pfx_hist_word place;     /* parameter of the functions: the word that is a place, */
	uint64_t bits;                /* and the bits of a word that they use */
	enum pfx_access_field access; /* of PFX_KEY_ACCESS */
	bool is_percent;              /* a value that is shown as a percentage */
	bool is_ragged;               /* not padded if it is the last column */
	bool by_thread;               /* comes from the sample's thread */
	bool by_cpu;
	bool by_type;       /* of the data that instructions access */
	bool by_history;    /* of the branches before the samples */
	bool cannot_be_cut; /* must not be cut: it is a number */
};

/* Static; not NULL for any key. */
const struct pfx_key_info *pfx_key_info(enum pfx_key key);

static inline bool pfx_key_is_value(enum pfx_key key)
{
	return pfx_key_info(key)->kind >= PFX_KEY_VALUE;
}

static inline bool pfx_key_is_access(enum pfx_key key)
{
	return pfx_key_info(key)->kind == PFX_KEY_ACCESS;
}

struct pfx_column {
	enum pfx_key key;
	const char *title;
	unsigned width; /* by -w; 0: as wide as needed */
	bool elided;    /* a filter allows only one text: the column is hidden */
};

/* A field of tracepoints as a column. */
struct pfx_key_field {
	const char *event; /* substring of the event's name, or "%N"; NULL: any event */
	const char *name;
	bool raw; /* the number in hexadecimal, unformatted */
};

struct pfx_columns {
	PFX_VEC(struct pfx_column) shown; /* left to right */
	PFX_VEC(enum pfx_key) order;  /* keys by which rows are sorted; all keys distinguish rows */
	PFX_VEC(enum pfx_key) levels; /* of a hierarchy: the keys from left to right */
	PFX_VEC(struct pfx_key_field) fields;
	struct pfx_arena names; /* of the fields */
	bool widths_given;      /* with -w, which gives widths by position */
};

/* What is counted: samples, branches of their branch stacks, or accesses to memory. */
enum pfx_report_mode { PFX_REPORT_NORMAL, PFX_REPORT_BRANCH, PFX_REPORT_MEM, PFX_REPORT_ANY };

/* Whether @word selects fields of tracepoints: "event.field", "event.*", "field". Adds them with
 * pfx_columns_add_field(). Returns their number, or 0 if there are none. */
typedef unsigned (*pfx_fields_fn)(void *ctx, const char *word, struct pfx_columns *columns);

/* The requested columns; strings may be NULL. */
struct pfx_columns_request {
	const char *sort;   /* -s: "comm,dso", "+cpu" */
	const char *usual;  /* the keys without -s; NULL: those of the mode */
	const char *fields; /* -F: "overhead,sym", "+period" */
	const char *widths; /* -w: "5,10" */
	bool children;      /* the Children column comes first */
	bool latency;       /* the Latency column is shown next to Overhead */
	bool nr_samples;    /* -n */
	bool total_period;  /* --show-total-period */
	bool cpu_utilization;
	bool guest;  /* with the guest's columns of cpu_utilization */
	bool stages; /* the machine counts pipeline stage cycles: a default key of memory */
	enum pfx_report_mode mode; /* ANY: only check the words, and accept all possible fields */
	pfx_fields_fn find_fields;
	const char *(*near_field)(void *ctx, const char *word); /* NULL result: no similar name */
	void *ctx;
};

/* The default keys of a mode. */
const char *pfx_columns_usual(enum pfx_report_mode mode);
/* The keys of @sort, the value of -s (NULL: none), as perf prints them. */
void pfx_columns_sort_words(enum pfx_report_mode mode, const char *sort, struct pfx_str *to);
/* -EINVAL with a message that contains the invalid word and the nearest valid one. */
int pfx_columns_build(struct pfx_columns *ret, const struct pfx_columns_request *request,
		      struct pfx_error *err);
/* The only text that the filter allows in the column of @key (comm, dso or sym); NULL: there may be
 * several. Owned by the filter. */
const char *pfx_key_only_word(enum pfx_key key, const struct pfx_filter *filter);
/* Hide the columns for which pfx_key_only_word() returns a text, unless no key would be left. */
void pfx_columns_elide(struct pfx_columns *columns, const struct pfx_filter *filter);
void pfx_columns_fini(struct pfx_columns *columns);
/* The key of a field, added if it is new; PFX_KEY_NR: too many. Copies the field. */
enum pfx_key pfx_columns_add_field(struct pfx_columns *columns, const struct pfx_key_field *field);
/* Whether the key distinguishes rows. */
bool pfx_columns_has(const struct pfx_columns *columns, enum pfx_key key);
/* Whether the column is shown. */
bool pfx_columns_shows(const struct pfx_columns *columns, enum pfx_key key);

#endif
