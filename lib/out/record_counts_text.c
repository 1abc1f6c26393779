/* SPDX-License-Identifier: MIT */
/* Counts of records by type and of samples by event, as text and as JSON. */
#include "out/recording_text.h"

#include <inttypes.h>
#include <string.h>

#include "out/json_parts.h"

static void add_count(struct pfx_str *to, const char *name, uint64_t nr, uint64_t all)
{
	pfx_str_addf(to, "%16s events: %10" PRIu64 "  (%4.1f%%)\n", name, nr,
		     all ? 100.0 * nr / all : 0);
}

static void add_event_stats(const struct pfx_record_counts *counts, const struct pfx_meta *meta,
			    bool empty, struct pfx_str *to)
{
	uint64_t nr, nr_lost;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		nr = pfx_record_counts_event(counts, i, &nr_lost);
		if (!nr && !nr_lost && !empty)
			continue;
		pfx_str_add_foreign(to, meta->events[i]->name);
		pfx_str_add(to, " stats:\n");
		if (nr)
			pfx_str_addf(to, "%16s events: %10" PRIu64 "\n", "SAMPLE", nr);
		if (nr_lost)
			pfx_str_addf(to, "%16s events: %10" PRIu64 "\n", "LOST_SAMPLES", nr_lost);
	}
}

/* The name of a record type; NULL: unknown. */
static const char *type_name(uint32_t type)
{
	const char *name = pfx_record_name(type);

	return name && !strncmp(name, "HEADER_", 7) ? name + 7 : name;
}

void pfx_record_counts_text(const struct pfx_record_counts *counts,
			    const struct pfx_session *session, const struct pfx_meta *meta,
			    bool empty, struct pfx_str *to)
{
	uint64_t nr, all = 0;
	const char *name;
	uint32_t i;

	for (i = 0; i <= PFX_RECORD_USER_MAX; i++)
		all += pfx_record_counts_type(counts, session, i);
	pfx_str_addf(to, "\nAggregated stats:\n%16s events: %10" PRIu64 "\n", "TOTAL", all);
	for (i = 0; i <= PFX_RECORD_USER_MAX; i++) {
		nr = pfx_record_counts_type(counts, session, i);
		name = type_name(i);
		if (nr || (name && empty))
			add_count(to, name ? name : "UNKNOWN", nr, all);
	}
	add_event_stats(counts, meta, empty, to);
}

void pfx_record_counts_json(const struct pfx_record_counts *counts,
			    const struct pfx_session *session, const struct pfx_meta *meta,
			    struct pfx_str *to)
{
	uint64_t nr, nr_lost, nr_unknown = 0;
	uint32_t i;

	pfx_str_add(to, "{\"types\":{");
	for (i = 0; i <= PFX_RECORD_USER_MAX; i++) {
		nr = pfx_record_counts_type(counts, session, i);
		if (nr && type_name(i))
			pfx_json_add_number(to, type_name(i), nr);
		else
			nr_unknown += nr;
	}
	pfx_json_add_number(to, "UNKNOWN", nr_unknown);
	pfx_str_add(to, "},\"events\":[");
	for (i = 0; i < meta->nr_events; i++) {
		pfx_str_add(to, i ? ",{" : "{");
		pfx_json_add_text(to, "name", meta->events[i]->name);
		nr = pfx_record_counts_event(counts, i, &nr_lost);
		pfx_json_add_number(to, "samples", nr);
		pfx_json_add_number(to, "lost_samples", nr_lost);
		pfx_str_addc(to, '}');
	}
	pfx_str_add(to, "]}");
}
