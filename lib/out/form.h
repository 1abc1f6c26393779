/* SPDX-License-Identifier: MIT */
/*
 * Output forms: the ways to write out what was read. A form is one file with its function and one
 * row in the lists below; a command's options, their help and completion, and the choice among the
 * forms follow from the row.
 */
#ifndef PFX_OUT_FORM_H
#define PFX_OUT_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "hist/hist.h"
#include "out/hist_text.h"
#include "read/record_counts.h"
#include "read/thread_reads.h"

/* What a form needs, one of the first two, and what else it shows. */
enum pfx_form_needs {
	PFX_FORM_ROWS = 1 << 0,     /* rows, after everything was read: write.rows is called once */
	PFX_FORM_RECORDS = 1 << 1,  /* each record as it comes: write.record */
	PFX_FORM_MORE = 1 << 2,     /* has room for all members of struct pfx_form_rows; without
				     * it, for the rows alone */
	PFX_FORM_COMMENTS = 1 << 3, /* text that may have comments around it, as the header */
	PFX_FORM_OBJECTS = 1 << 4,  /* each record has named members: all that was recorded */
};

/* What a form of rows writes: the rows, and what was asked for beside them. Borrows all of it. */
struct pfx_form_rows {
	struct pfx_hists *hists;   /* after pfx_hists_finish() */
	struct pfx_hist_text look; /* of text; full names and times hold for all forms */
	bool empty_events;         /* events without samples have a table, too */
	bool raw_threads;          /* the text of @threads has a line per number */
	bool tasks, mmaps;         /* the tasks of the session, and their mappings */
	const struct pfx_thread_reads *threads; /* NULL: not wanted */
	const struct pfx_record_counts *counts; /* NULL: not wanted */
};

/* What a form of records writes: a record of any kind. Defined in lib/script, where such forms are
 * listed (script/script_form.h). */
struct pfx_form_record;

struct pfx_form {
	const char *name; /* of the option, without dashes */
	const char *help; /* one line, as in a table of options */
	unsigned needs;   /* enum pfx_form_needs */
	/* Append to @to; long output goes to standard output in pieces. 0, or a negative errno of
	 * standard output. */
	union {
		int (*rows)(const struct pfx_form_rows *from, struct pfx_str *to);
		int (*record)(struct pfx_form_record *from, struct pfx_str *to);
	} write;
};

/* The forms of rows: name, help, what else it shows, function. The first is the default. */
#define PFX_FORMS_OF_ROWS(FORM)                                                               \
	FORM(stdio, "print text (the default)", PFX_FORM_COMMENTS, pfx_form_table)            \
	FORM(json, "print JSON: header, tables, call trees, what was missing", PFX_FORM_MORE, \
	     pfx_form_json)                                                                   \
	FORM(folded, "print a line for each distinct call chain, for flame graphs", 0,        \
	     pfx_form_folded)

#define PFX_FORM_PLACE(name, ...) PFX_FORM_##name,
/* Places in the list; a command has a bool at each, set by the option. */
enum pfx_form_of_rows { PFX_FORMS_OF_ROWS(PFX_FORM_PLACE) PFX_NR_FORMS_OF_ROWS };

extern const struct pfx_form pfx_forms_of_rows[PFX_NR_FORMS_OF_ROWS];

/* The one of @nr @forms that was @given, by place. The first is the default and gives way to the
 * others; two others are an error, -EINVAL. */
int pfx_form_choose(const struct pfx_form *forms, const bool *given, size_t nr,
		    const struct pfx_form **ret, struct pfx_error *err);

#endif
