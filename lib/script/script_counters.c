/* SPDX-License-Identifier: MIT */
/*
 * Counts of events between the branches of a branch stack: each entry has a word with a few bits
 * for each event of the group that was recorded with counters. The recording contains the number of
 * bits.
 */
#include <stdlib.h>
#include <string.h>

#include "script/script_internal.h"

unsigned pfx_script_counter_width(const struct pfx_script *s)
{
	const char *text = pfx_env_find_cap(&s->view.meta->env, "branch_counter_width");
	unsigned long width = text ? strtoul(text, NULL, 0) : 0;

	return width < 64 ? (unsigned)width : 0;
}

bool pfx_script_next_counter(const struct pfx_script *s, const struct pfx_event *event,
			     struct pfx_script_counter *at)
{
	const struct pfx_meta *meta = s->view.meta;

	if (!at->event)
		at->next = event->leader;
	for (; at->next < meta->nr_events; at->next++) {
		at->event = meta->events[at->next];
		if (at->event->leader != event->leader)
			break;
		if (!(at->event->attr.branch_sample_type & PFX_BRANCH_COUNTERS))
			continue;
		if ((at->nr + 1) * at->width > 64)
			break;
		at->value = (unsigned)(at->word >> at->nr * at->width & ((1ull << at->width) - 1));
		at->nr++;
		at->next++;
		return true;
	}
	return false;
}

/* One letter per event and occurrence: "AAB", or with -v the events' names and numbers. */
void pfx_script_add_counters(struct pfx_script *s, const struct pfx_event *event, uint64_t word)
{
	struct pfx_script_counter at = {.word = word, .width = pfx_script_counter_width(s)};

	pfx_str_add(&s->out, "br_cntr: ");
	if (!at.width) {
		pfx_str_add(&s->out, "0x");
		pfx_str_hex(&s->out, word, 0);
	}
	while (at.width && pfx_script_next_counter(s, event, &at)) {
		if (!s->how.verbose) {
			pfx_str_pad(&s->out, (char)('A' + at.nr - 1), at.value);
			continue;
		}
		pfx_str_add_foreign(&s->out, at.event->name);
		pfx_str_addf(&s->out, " %u ", at.value);
	}
	pfx_str_addc(&s->out, '\t');
}
