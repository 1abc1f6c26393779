/* SPDX-License-Identifier: MIT */
/* The list of the forms of records: names and functions. */
#include "script/script_form.h"

#include "script/script_internal.h"

#define ROW_OF_RECORDS(name_, help_, also, function) \
	{.name = #name_,                             \
	 .help = help_,                              \
	 .needs = PFX_FORM_RECORDS | (also),         \
	 .write.record = function},

const struct pfx_form pfx_forms_of_records[PFX_NR_FORMS_OF_RECORDS] = {
	{.name = "text", .needs = PFX_FORM_RECORDS, .write.record = pfx_script_form_text},
	PFX_FORMS_OF_RECORDS(ROW_OF_RECORDS)};
