/* SPDX-License-Identifier: MIT */
/*
 * The forms of records: the ways to write a recording record by record. A form is one file with its
 * function and one row here; the option of `pfx script`, its help and completion, and its conflicts
 * are derived from the row. Text is the default and has no option.
 */
#ifndef PFX_SCRIPT_SCRIPT_FORM_H
#define PFX_SCRIPT_SCRIPT_FORM_H

#include "out/form.h"

/* Name, help, other bits of enum pfx_form_needs, function. */
#define PFX_FORMS_OF_RECORDS(FORM)                                                         \
	FORM(json, "one JSON object a line, with all that was recorded", PFX_FORM_OBJECTS, \
	     pfx_script_form_json)

#define PFX_FORM_RECORDS_PLACE(name, ...) PFX_FORM_RECORDS_##name,
/* Indices of the list; a command has a bool for each, set by the option. */
enum pfx_form_of_records {
	PFX_FORM_RECORDS_text,
	PFX_FORMS_OF_RECORDS(PFX_FORM_RECORDS_PLACE) PFX_NR_FORMS_OF_RECORDS
};

extern const struct pfx_form pfx_forms_of_records[PFX_NR_FORMS_OF_RECORDS];

#endif
