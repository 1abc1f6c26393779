/* SPDX-License-Identifier: MIT */
/*
 * Output forms of a report or a script. A form is one file with its function and one row in the
 * lists below; the command's options, their help and completion, and the choice among the forms are
 * derived from the row.
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

/* The input of a form, one of the first two, and its capabilities. */
enum pfx_form_needs {
	PFX_FORM_ROWS = 1 << 0,    /* rows, after reading: write.rows is called once */
	PFX_FORM_RECORDS = 1 << 1, /* each record during reading: write.record */
	PFX_FORM_MORE =
		1 << 2, /* prints all members of struct pfx_form_rows; without it, only the rows */
	PFX_FORM_COMMENTS = 1 << 3, /* text that may contain comments, like the header */
	PFX_FORM_OBJECTS = 1 << 4,  /* each record has named members: all recorded fields */
};

/* Input of a form of rows: the rows, and additional data. Borrows all of it. */
struct pfx_form_rows {
	struct pfx_hists *hists;   /* after pfx_hists_finish() */
	struct pfx_hist_text look; /* of text; full names and times hold for all forms */
	bool empty_events;         /* also print tables of events without samples */
	bool raw_threads;          /* the text of @threads has a line per value */
	bool tasks, mmaps;         /* the tasks of the session, and their mappings */
	const struct pfx_thread_reads *threads; /* NULL: not requested */
	const struct pfx_record_counts *counts; /* NULL: not requested */
};

/* Input of a form of records. Defined in lib/script, which has the list of these forms
 * (script/script_form.h). */
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

/* The forms of rows: name, help, capabilities, function. The first is the default. */
#define PFX_FORMS_OF_ROWS(FORM)                                                               \
	FORM(stdio, "print text (the default in a pipe or a file)", PFX_FORM_COMMENTS,        \
	     pfx_form_table)                                                                  \
	FORM(json, "print JSON: header, tables, call trees, what was missing", PFX_FORM_MORE, \
	     pfx_form_json)                                                                   \
	FORM(folded, "print a line for each distinct call chain, for flame graphs", 0,        \
	     pfx_form_folded)

#define PFX_FORM_PLACE(name, ...) PFX_FORM_##name,
/* Indices of the list; a command has a bool for each, set by the option. */
enum pfx_form_of_rows { PFX_FORMS_OF_ROWS(PFX_FORM_PLACE) PFX_NR_FORMS_OF_ROWS };

extern const struct pfx_form pfx_forms_of_rows[PFX_NR_FORMS_OF_ROWS];

/* One table as in --json: an object. All of it is appended. */
void pfx_hist_json(const struct pfx_form_rows *from, const struct pfx_hist *hist,
		   struct pfx_str *to);

/* The one of @nr @forms whose index in @given is set. The first is the default and is overridden by
 * the others; two others are an error, -EINVAL. */
int pfx_form_choose(const struct pfx_form *forms, const bool *given, size_t nr,
		    const struct pfx_form **ret, struct pfx_error *err);

#endif
