/* SPDX-License-Identifier: MIT */
/* What the files that make the numbers beside counts share. */
#ifndef PFX_STAT_NOTES_INTERNAL_H
#define PFX_STAT_NOTES_INTERNAL_H

#include "stat/stat.h"

/* The event at hand and where it is looked at. */
struct pfx_note_place {
	const struct pfx_counts *stat;
	const struct pfx_stat_event *event;
	size_t group;
	double value;
	struct pfx_stat_note *notes;
	size_t nr;
};

/* What an event is, as far as relations go. */
struct pfx_note_kind {
	uint32_t type;
	uint64_t config;
};

bool pfx_note_is_kind(const struct pfx_stat_event *event, const struct pfx_note_kind *kind);
bool pfx_note_is_cycles(const struct pfx_stat_event *event);
/* Whether the word of the event is @name, without its PMU and modifiers: "slots" of "cpu/slots/u".
 */
bool pfx_note_is_named(const struct pfx_stat_event *event, const char *name);
/* The mean of what the events of this kind counted in the same place; 0: there is none. */
double pfx_note_beside_kind(const struct pfx_note_place *p, const struct pfx_note_kind *kind);
/* The same of this name, times their scales. */
double pfx_note_beside(const struct pfx_note_place *p, const char *name);
/* The same of cycles. */
double pfx_note_cycles(const struct pfx_note_place *p);
void pfx_note_add(struct pfx_note_place *p, const char *format, const char *unit, double value,
		  bool has);
/* What is told of events that are known by name; false: nothing. */
bool pfx_note_add_named(struct pfx_note_place *p);

#endif
