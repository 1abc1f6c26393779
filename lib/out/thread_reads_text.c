/* SPDX-License-Identifier: MIT */
/* Counts of threads (record -s) as a table and as JSON. */
#include "out/recording_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out/json_parts.h"

static int width_of(uint64_t number)
{
	int width = 1;

	while (number /= 10)
		width++;
	return width;
}

static void widen(int *width, int least)
{
	if (*width < least)
		*width = least;
}

/* Column widths of pid, tid and each event. */
static void find_widths(const struct pfx_thread_reads *reads, const struct pfx_meta *meta,
			int *widths)
{
	uint32_t e;
	size_t i;

	widths[0] = widths[1] = 3;
	for (e = 0; e < reads->nr_events; e++)
		widths[2 + e] = (int)strlen(meta->events[e]->name);
	for (i = 0; i < reads->keys.nr; i++) {
		widen(&widths[0], width_of(reads->keys.at[i] >> 32));
		widen(&widths[1], width_of((uint32_t)reads->keys.at[i]));
		for (e = 0; e < reads->nr_events; e++)
			widen(&widths[2 + e], width_of(reads->values.at[i * reads->nr_events + e]));
	}
}

static void add_head(const struct pfx_thread_reads *reads, const struct pfx_meta *meta,
		     const int *widths, struct pfx_str *to)
{
	struct pfx_str name = {0};
	uint32_t e;

	pfx_str_addf(to, "# %*s  %*s", widths[0], "PID", widths[1], "TID");
	for (e = 0; e < reads->nr_events; e++) {
		pfx_str_clear(&name);
		pfx_str_add_foreign(&name, meta->events[e]->name);
		pfx_str_addf(to, "  %*s", widths[2 + e], pfx_str_get(&name));
	}
	pfx_str_addc(to, '\n');
	pfx_str_fini(&name);
}

/* A line for each value, with the event's index (--pretty raw). */
static void add_raw(const struct pfx_thread_reads *reads, const struct pfx_meta *meta,
		    const int *widths, struct pfx_str *to)
{
	int name_width = (int)strlen("Name"), count_width = (int)strlen("Count");
	struct pfx_str name = {0};
	uint32_t e;
	size_t i;

	for (e = 0; e < reads->nr_events; e++)
		widen(&name_width, (int)strlen(meta->events[e]->name));
	for (i = 0; i < reads->values.nr; i++)
		widen(&count_width, width_of(reads->values.at[i]));
	pfx_str_addf(to, "# %*s  %*s  %*s  Raw  %*s\n", widths[0], "PID", widths[1], "TID",
		     name_width, "Name", count_width, "Count");
	for (i = 0; i < reads->keys.nr * reads->nr_events; i++) {
		e = i % reads->nr_events;
		pfx_str_clear(&name);
		pfx_str_add_foreign(&name, meta->events[e]->name);
		pfx_str_addf(to, "  %*d  %*d  %*s  %3x  %*" PRIu64 "\n", widths[0],
			     (int)(reads->keys.at[i / reads->nr_events] >> 32), widths[1],
			     (int)reads->keys.at[i / reads->nr_events], name_width,
			     pfx_str_get(&name), e, count_width, reads->values.at[i]);
	}
	pfx_str_fini(&name);
}

void pfx_thread_reads_text(const struct pfx_thread_reads *reads, const struct pfx_meta *meta,
			   bool raw, struct pfx_str *to)
{
	uint32_t e;
	int *widths;
	size_t i;

	if (!reads->keys.nr) {
		pfx_str_add(to, "# PID  TID\n");
		return;
	}
	widths = pfx_calloc(2 + reads->nr_events, sizeof(*widths));
	find_widths(reads, meta, widths);
	if (raw) {
		add_raw(reads, meta, widths, to);
		free(widths);
		return;
	}
	add_head(reads, meta, widths, to);
	for (i = 0; i < reads->keys.nr; i++) {
		pfx_str_addf(to, "  %*d  %*d", widths[0], (int)(reads->keys.at[i] >> 32), widths[1],
			     (int)reads->keys.at[i]);
		for (e = 0; e < reads->nr_events; e++)
			pfx_str_addf(to, "  %*" PRIu64, widths[2 + e],
				     reads->values.at[i * reads->nr_events + e]);
		pfx_str_addc(to, '\n');
	}
	free(widths);
}

void pfx_thread_reads_json(const struct pfx_thread_reads *reads, const struct pfx_meta *meta,
			   struct pfx_str *to)
{
	uint32_t e;
	size_t i;

	pfx_str_addc(to, '[');
	for (i = 0; i < reads->keys.nr; i++) {
		pfx_str_add(to, i ? ",{" : "{");
		pfx_json_add_int(to, "pid", (int)(reads->keys.at[i] >> 32));
		pfx_json_add_int(to, "tid", (int)reads->keys.at[i]);
		pfx_json_add_name(to, "counts");
		pfx_str_addc(to, '[');
		for (e = 0; e < reads->nr_events; e++) {
			pfx_str_add(to, e ? ",{" : "{");
			pfx_json_add_text(to, "event", meta->events[e]->name);
			pfx_json_add_number(to, "count",
					    reads->values.at[i * reads->nr_events + e]);
			pfx_str_addc(to, '}');
		}
		pfx_str_add(to, "]}");
	}
	pfx_str_addc(to, ']');
}
