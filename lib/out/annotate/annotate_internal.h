/* SPDX-License-Identifier: MIT */
/* Shared by the output of functions, of source files and of data types. */
#ifndef PFX_OUT_ANNOTATE_INTERNAL_H
#define PFX_OUT_ANNOTATE_INTERNAL_H

#include "out/annotate/annotate.h"
#include "out/code/code_output.h"
#include "sym/table/asked_name.h"

/* The events that a text shows side by side: those of a group, or one. */
struct pfx_shown_events {
	PFX_VEC(const struct pfx_event *) at;
	uint32_t end; /* the next event that is not shown with them */
};

/* Calls @write for each event with samples, or group of them that is shown together, until it
 * fails; returns what it returned last. @wholes: see pfx_annotate_wholes(). */
typedef int (*pfx_annotate_write_fn)(void *context, const struct pfx_shown_events *shown,
				     struct pfx_error *err);
int pfx_annotate_each_event(const struct pfx_annotate *annotate, const struct pfx_cost *wholes,
			    pfx_annotate_write_fn write, void *context, struct pfx_error *err);

/* The percentage of an event's samples. */
double pfx_annotate_share(const struct pfx_cost *wholes, uint32_t event, uint64_t period);

/* The functions, files or types that have samples, by event. Zero-initialize; add the costs of all,
 * then sort. */
struct pfx_event_item {
	uint32_t event, item;
};
struct pfx_event_items {
	PFX_VEC(struct pfx_event_item) at;
};
void pfx_event_items_add(struct pfx_event_items *items, uint32_t item,
			 const struct pfx_cost_list *costs);
void pfx_event_items_sort(struct pfx_event_items *items);
void pfx_event_items_fini(struct pfx_event_items *items);

/* An item to print. */
struct pfx_ranked {
	uint32_t item;
	uint64_t period, inclusive; /* of the event that orders them; 0 until they are known */
};
/* The items with samples of any of the events, each once, in ascending order; the caller frees
 * them. */
struct pfx_ranked *pfx_event_items_of(const struct pfx_event_items *items,
				      const struct pfx_shown_events *shown, uint32_t *ret_nr);
/* Sort items by descending period, then by descending inclusive period; returns how many of them
 * are to be printed. */
uint32_t pfx_annotate_rank(const struct pfx_annotate *annotate, struct pfx_ranked *list,
			   uint32_t nr);

/* Write types and statistics of the functions that are asked for (NULL: of all), and return the
 * number of their samples: 0, or an error. -ENOENT: no sample accesses the requested type. */
int pfx_annotate_write_data(const struct pfx_annotate *annotate, const struct pfx_asked_name *asked,
			    const struct pfx_cost *wholes, uint64_t *ret_nr,
			    const struct pfx_code_output *output);

#endif
