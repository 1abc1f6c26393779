/* SPDX-License-Identifier: MIT */
/* The events of a recording as lines of text. */
#ifndef PFX_OUT_EVLIST_TEXT_H
#define PFX_OUT_EVLIST_TEXT_H

#include "base/str.h"
#include "event/meta.h"

struct pfx_evlist_style {
	bool verbose;      /* all attributes */
	bool freq;         /* frequencies and periods */
	bool group;        /* names of groups with their members in braces, nothing else */
	bool trace_fields; /* the names of the fields of tracepoints */
};

/* Append them to @to. */
void pfx_evlist_text(const struct pfx_meta *meta, const struct pfx_evlist_style *style,
		     struct pfx_str *to);

#endif
