/* SPDX-License-Identifier: MIT */
/* Shared by the files that compute the notes next to counts. */
#ifndef PFX_STAT_NOTES_INTERNAL_H
#define PFX_STAT_NOTES_INTERNAL_H

#include "stat/stat.h"

/* The current event and group. */
struct pfx_note_place {
	const struct pfx_counts *stat;
	const struct pfx_stat_event *event;
	size_t group;
	double value;
	struct pfx_stat_note *notes;
	size_t nr;
};

/* The kind of an event, to find related events. */
struct pfx_note_kind {
	uint32_t type;
	uint64_t config;
};

bool pfx_note_is_kind(const struct pfx_stat_event *event, const struct pfx_note_kind *kind);
bool pfx_note_is_cycles(const struct pfx_stat_event *event);
/* Whether the event's name without PMU and modifiers is @name: "slots" of "cpu/slots/u". */
bool pfx_note_is_named(const struct pfx_stat_event *event, const char *name);
/* The mean count of the events of this kind in the same group; 0: none. */
double pfx_note_beside_kind(const struct pfx_note_place *p, const struct pfx_note_kind *kind);
/* The same by name, times their scales. */
double pfx_note_beside(const struct pfx_note_place *p, const char *name);
/* The same for cycles. */
double pfx_note_cycles(const struct pfx_note_place *p);
void pfx_note_add(struct pfx_note_place *p, const char *format, const char *unit, double value,
		  bool has);
/* Add notes for events that are identified by name; false: none. */
bool pfx_note_add_named(struct pfx_note_place *p);

#endif
