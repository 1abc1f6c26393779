/* SPDX-License-Identifier: MIT */
/* Shared by the output of functions, of source files and of data types. */
#ifndef PFX_OUT_ANNOTATE_INTERNAL_H
#define PFX_OUT_ANNOTATE_INTERNAL_H

#include "out/annotate.h"

/* The events that a text shows side by side: those of a group, or one. */
struct pfx_shown_events {
	PFX_VEC(const struct pfx_event *) at;
};

/* The events to show with event @i: none if it is a member of a group and shown with its leader.
 * @wholes: the cost of all samples, by event. */
void pfx_annotate_choose_events(const struct pfx_annotate *annotate, const struct pfx_cost *wholes,
				uint32_t i, struct pfx_shown_events *ret);
/* The cost of all samples, by event; the caller frees it. */
struct pfx_cost *pfx_annotate_wholes(const struct pfx_annotate *annotate);
/* Write types and statistics: 0, or an error. -ENOENT: no sample accesses the requested type. */
int pfx_annotate_write_data(const struct pfx_annotate *annotate, const struct pfx_cost *wholes,
			    struct pfx_missing_code *missing, struct pfx_str *to,
			    struct pfx_error *err);

#endif
