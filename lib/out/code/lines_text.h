/* SPDX-License-Identifier: MIT */
/* A source file with the cost of its lines (lib/code/line_costs.h), as text. */
#ifndef PFX_OUT_LINES_TEXT_H
#define PFX_OUT_LINES_TEXT_H

#include "code/line_costs.h"
#include "code/source_file.h"
#include "out/code/code_text.h"

/* The file, with its title; the lines around those with cost as style.context says. Two columns for
 * each event: inclusive and self cost. Local percentages are of the samples that the file is in the
 * call chain of. */
void pfx_lines_text(const struct pfx_file_cost *file, struct pfx_sources *sources,
		    const struct pfx_code_style *style, const struct pfx_code_events *events,
		    struct pfx_str *to);

#endif
