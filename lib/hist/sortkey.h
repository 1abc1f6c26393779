/* SPDX-License-Identifier: MIT */
/*
 * The columns of a report: which there are, by which the rows are told apart and put in order, and
 * which are shown. One table of names serves -s and -F. Owns nothing but its two vectors.
 */
#ifndef PFX_HIST_SORTKEY_H
#define PFX_HIST_SORTKEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/error.h"

enum pfx_key {
	PFX_KEY_PID, /* shows the tid: perf's name for a key by thread */
	PFX_KEY_COMM,
	PFX_KEY_DSO,
	PFX_KEY_SYM,
	PFX_KEY_CPU,
	PFX_KEY_TGID,
	PFX_KEY_TID,
	PFX_KEY_TRACE, /* the fields of a tracepoint as text */
	PFX_KEY_FIRST_VALUE,
	PFX_KEY_OVERHEAD = PFX_KEY_FIRST_VALUE,
	PFX_KEY_OVERHEAD_SYS,
	PFX_KEY_OVERHEAD_US,
	PFX_KEY_OVERHEAD_GUEST_SYS,
	PFX_KEY_OVERHEAD_GUEST_US,
	PFX_KEY_OVERHEAD_CHILDREN,
	PFX_KEY_SAMPLE,
	PFX_KEY_PERIOD,
	PFX_KEY_NR,
};

/* A key says what a row is; a value is what was counted for it. */
static inline bool pfx_key_is_value(enum pfx_key key)
{
	return key >= PFX_KEY_FIRST_VALUE;
}

struct pfx_key_info {
	const char *name;   /* what -s and -F call it; any prefix will do */
	const char *title;  /* head of the column */
	unsigned min_width; /* in columns, besides the title's */
};

const struct pfx_key_info *pfx_key_info(enum pfx_key key);

struct pfx_column {
	enum pfx_key key;
	const char *title;
	unsigned width; /* asked for with -w; 0: as wide as needed */
	bool elided;    /* all rows would show the same word that a filter asked for */
};

struct pfx_columns {
	PFX_VEC(struct pfx_column) shown; /* left to right */
	PFX_VEC(enum pfx_key) order;      /* rows are put in order by these; keys tell them apart */
};

/* What was asked for; strings may be NULL. */
struct pfx_columns_request {
	const char *sort;   /* -s: "comm,dso", "+cpu" */
	const char *usual;  /* the keys without -s; NULL: comm,dso,symbol */
	const char *fields; /* -F: "overhead,sym", "+period" */
	const char *widths; /* -w: "5,10" */
	bool children;      /* the Children column comes first */
	bool nr_samples;    /* -n */
	bool total_period;  /* --show-total-period */
	bool cpu_utilization;
	bool guest; /* with the guest's columns of cpu_utilization */
};

/* -EINVAL with a sentence that names the wrong word and the nearest right one. */
int pfx_columns_build(struct pfx_columns *ret, const struct pfx_columns_request *request,
		      struct pfx_error *err);
void pfx_columns_fini(struct pfx_columns *columns);
/* Whether rows are told apart by the key. */
bool pfx_columns_has(const struct pfx_columns *columns, enum pfx_key key);
/* Whether the column is shown. */
bool pfx_columns_shows(const struct pfx_columns *columns, enum pfx_key key);

#endif
