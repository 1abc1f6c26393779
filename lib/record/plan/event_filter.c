/* SPDX-License-Identifier: MIT */
/*
 * Filters of events: checks which events accept one, joins several filters, and lists the fields of
 * a tracepoint if the kernel refused its filter. Only the kernel parses filter expressions.
 */
#include "record/plan/event_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/str.h"
#include "base/words.h"
#include "pmu/sysfs/tracefs.h"
#include "record/plan/address_filter.h"

#define FORMAT_MAX (1u << 20)

void pfx_event_filter_and(char **filter, const char *text)
{
	char *old = *filter;

	*filter = old ? pfx_strfmt("(%s) && (%s)", old, text) : pfx_strdup(text);
	free(old);
}

void pfx_event_filter_exclude(char **filter, uint64_t tid)
{
	char text[64];

	snprintf(text, sizeof(text), "common_pid != %" PRIu64, tid);
	pfx_event_filter_and(filter, text);
}

/* Whether the event's PMU writes traces and supports address filters. */
static bool takes_addresses(const struct pfx_event_spec *spec)
{
	char path[512], line[32];
	uint64_t nr;

	if (!spec->pmu)
		return false;
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/nr_addr_filters", spec->pmu);
	return pfx_read_line(path, line, sizeof(line)) >= 0 && pfx_parse_u64(line, &nr) && nr > 0;
}

/* Two filters "a" and "b" for one event: all address filters apply, each to its own region. */
static int add_addresses(char **filter, const char *words, struct pfx_error *err)
{
	char *text, *old = *filter;
	int rc = pfx_address_filter(words, &text, err);

	if (rc < 0)
		return rc;
	*filter = old ? pfx_strfmt("%s,%s", old, text) : pfx_strdup(text);
	free(old);
	free(text);
	return 0;
}

/* All events of the last -e must be tracepoints: other events have no fields to filter by. PMUs
 * that write traces accept address filters, only with --filter. */
int pfx_event_filter_check(const struct pfx_event_list *events, size_t first, const char *option,
			   struct pfx_error *err)
{
	char shown[128];
	size_t i;

	if (events->specs.nr == first) {
		pfx_error_set(err, EINVAL,
			      "%s applies to the event before it, and there is "
			      "none",
			      option);
		pfx_error_hint(err, "like -e sched:sched_switch %s", option);
		return -EINVAL;
	}
	for (i = first; i < events->specs.nr; i++) {
		const struct pfx_event_spec *spec = &events->specs.at[i];

		if (spec->attr.type == PFX_TYPE_TRACEPOINT ||
		    (!strcmp(option, "--filter") && takes_addresses(spec)))
			continue;
		pfx_error_set(err, EINVAL, "event '%s' takes no %s",
			      pfx_escape(shown, sizeof(shown), spec->name), option);
		pfx_error_hint(err, "only tracepoints have fields that can be compared, and only "
				    "PMUs that trace programs take addresses");
		return -EINVAL;
	}
	return 0;
}

int pfx_event_filter_add(char **filter, const struct pfx_event_spec *spec, const char *words,
			 struct pfx_error *err)
{
	if (spec->attr.type != PFX_TYPE_TRACEPOINT)
		return add_addresses(filter, words, err);
	pfx_event_filter_and(filter, words);
	return 0;
}

/* Lists the fields, "common_type, common_flags, ...", from the format file of a tracepoint. */
static void add_fields(const char *text, struct pfx_str *to)
{
	const char *at, *end;

	while ((text = strstr(text, "\tfield:"))) {
		end = text + strcspn(text, ";[");
		for (at = end; at > text && at[-1] != ' ' && at[-1] != '*';)
			at--;
		pfx_str_add(to, to->len ? ", " : "");
		pfx_str_add_escaped(to, at, (size_t)(end - at));
		text = end;
	}
}

void pfx_event_filter_explain(const struct pfx_counters *counters, struct pfx_error *err)
{
	const struct pfx_counter *counter = counters->bad_filter;
	const char *tracefs = counter && counter->name ? pfx_tracefs(NULL, NULL) : NULL;
	char *path, *colon, *text = NULL;
	struct pfx_str fields = {0};

	if (!tracefs)
		return;
	path = pfx_strfmt("%s/events/%s/format", tracefs, counter->name);
	colon = strrchr(path, ':');
	if (colon)
		*colon = '/';
	if (pfx_read_file(path, FORMAT_MAX, &text, NULL, NULL) >= 0)
		add_fields(text, &fields);
	if (fields.len)
		pfx_error_hint(err, "its fields are %s", fields.at);
	pfx_str_fini(&fields);
	free(text);
	free(path);
}
