/* SPDX-License-Identifier: MIT */
/*
 * Events as text and as JSON. Text: kernel events one per line with their kind in brackets; vendor
 * events below their topic with a description below each name, folded at the screen width; metrics
 * below a heading, or below their groups.
 */
#include "out/catalog_text.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/vendor/vendor.h"

#define NAME_WIDTH 50
#define KIND_WIDTH 26 /* " [Hardware cache event]" and the indentation */
#define INDENT     7
#define WIDTH_MIN  40
#define NO_GROUP   "No_group"

/* "Software event": the text in brackets. */
static const char *kind_name(const struct pfx_catalog_event *event)
{
	switch (event->kind) {
	case PFX_CATALOG_HARDWARE:
		return "Hardware event";
	case PFX_CATALOG_SOFTWARE:
		return "Software event";
	case PFX_CATALOG_CACHE:
		return "Hardware cache event";
	case PFX_CATALOG_TOOL:
		return "Tool event";
	case PFX_CATALOG_SENSOR:
		return "Sensor";
	case PFX_CATALOG_TRACEPOINT:
		return "Tracepoint event";
	case PFX_CATALOG_PROBE:
		return "SDT event";
	case PFX_CATALOG_METRIC:
		return "Metric";
	case PFX_CATALOG_FORM:
		return event->text;
	case PFX_CATALOG_PMU:
	case PFX_CATALOG_VENDOR:
		break;
	}
	return "Kernel PMU event";
}

/* Width of the column of names: on a narrow screen less than perf's, so that the kind fits on the
 * line. */
static size_t name_width(unsigned screen)
{
	if (screen >= NAME_WIDTH + KIND_WIDTH)
		return NAME_WIDTH;
	return screen > WIDTH_MIN ? screen - KIND_WIDTH : WIDTH_MIN - KIND_WIDTH;
}

/* "  name OR alias      [Kind]"; the longer of two names of a symbolic event comes first. */
static void add_line(struct pfx_str *to, const struct pfx_catalog_style *options,
		     const struct pfx_catalog_event *event)
{
	const char *first = pfx_catalog_first_name(event), *second = event->alias;
	size_t start = to->len;

	if (first == second)
		second = event->name;
	pfx_str_add(to, "  ");
	pfx_str_add_foreign(to, first);
	if (second) {
		pfx_str_add(to, " OR ");
		pfx_str_add_foreign(to, second);
	}
	while (to->len - start < name_width(options->width) + 2)
		pfx_str_addc(to, ' ');
	pfx_str_addf(to, " [%s]\n", kind_name(event));
}

static void add_indent(struct pfx_str *to)
{
	pfx_str_pad(to, ' ', INDENT);
}

/* Words in brackets, folded at the screen width. */
static void add_wrapped(struct pfx_str *to, unsigned width, const char *text, const char *unit)
{
	struct pfx_str words = {0};
	size_t column = INDENT + 1, len;
	const char *at;

	pfx_str_add(&words, text);
	if (unit)
		pfx_str_addf(&words, ". Unit: %s", unit);
	pfx_str_addc(&words, ']');
	if (width < WIDTH_MIN)
		width = WIDTH_MIN;
	add_indent(to);
	pfx_str_addc(to, '[');
	for (at = pfx_str_get(&words); *at; at += len) {
		at += strspn(at, " \n");
		len = strcspn(at, " \n");
		if (column > INDENT + 1 && column + 1 + len > width) {
			pfx_str_addc(to, '\n');
			add_indent(to);
			pfx_str_addc(to, ' ');
			column = INDENT + 1;
		} else if (column > INDENT + 1) {
			pfx_str_addc(to, ' ');
			column++;
		}
		pfx_str_add_escaped(to, at, len);
		column += len;
	}
	pfx_str_addc(to, '\n');
	pfx_str_fini(&words);
}

/* Each location of a probe on a line, with its arguments there. */
static void add_places(struct pfx_str *to, const struct pfx_catalog_event *event)
{
	const char *at = event->encoding;
	size_t len;

	for (;; at += len + 1) {
		len = strcspn(at, ",");
		add_indent(to);
		pfx_str_add_escaped(to, at, len);
		pfx_str_addc(to, '\n');
		if (!at[len])
			break;
	}
	if (!event->arguments)
		return;
	add_indent(to);
	pfx_str_add(to, "arguments: ");
	pfx_str_add_foreign(to, event->arguments);
	pfx_str_addc(to, '\n');
}

/* "counters 0,1; experimental": what limits the use of an event. */
static void add_properties(struct pfx_str *to, const struct pfx_catalog_event *event)
{
	struct pfx_str text = {0};

	if (event->counters)
		pfx_str_addf(&text, "; counters %s", event->counters);
	if (event->is_per_package)
		pfx_str_add(&text, "; one count for a socket");
	if (event->is_experimental)
		pfx_str_add(&text, "; experimental");
	if (event->latency)
		pfx_str_addf(&text, "; retires after %s cycles on average", event->latency);
	if (text.len) {
		add_indent(to);
		pfx_str_add_foreign(to, text.at + 2);
		pfx_str_addc(to, '\n');
	}
	pfx_str_fini(&text);
}

/* A formula as people write it: without the backslashes before signs that belong to names. */
static void add_formula(struct pfx_str *to, unsigned width, const char *expr)
{
	struct pfx_str text = {0};

	for (; *expr; expr++)
		if (*expr != '\\')
			pfx_str_addc(&text, *expr);
	add_wrapped(to, width, pfx_str_get(&text), NULL);
	pfx_str_fini(&text);
}

static void add_description(struct pfx_str *to, const struct pfx_catalog_style *options,
			    const struct pfx_catalog_event *event)
{
	const char *unit = event->pmu && strcmp(event->pmu, "cpu") ? event->pmu : NULL;
	const char *text = options->long_desc && event->details ? event->details : event->text;

	if (text && options->desc)
		add_wrapped(to, options->width, text, unit);
	if (!options->details)
		return;
	if (event->terms) {
		add_indent(to);
		pfx_str_addf(to, "%s/%s/\n", event->pmu ? event->pmu : "cpu", event->terms);
	}
	add_properties(to, event);
	if (event->expr)
		add_formula(to, options->width, event->expr);
	if (event->encoding)
		add_places(to, event);
}

static void add_block(struct pfx_str *to, const struct pfx_catalog_style *options,
		      const struct pfx_catalog_event *event)
{
	pfx_str_add(to, "  ");
	pfx_str_add_foreign(to, event->name);
	pfx_str_addc(to, '\n');
	add_description(to, options, event);
}

static void add_topic(struct pfx_str *to, const struct pfx_catalog_event *event,
		      const struct pfx_catalog_event *before)
{
	const char *topic = event->topic ? event->topic : "other";

	if (before && before->kind == event->kind &&
	    !strcmp(before->topic ? before->topic : "other", topic))
		return;
	pfx_str_addc(to, '\n');
	pfx_str_add_foreign(to, topic);
	pfx_str_add(to, ":\n");
}

/* Whether the ';'-separated @groups contain @group. */
static bool is_in_group(const char *groups, const char *group, size_t len)
{
	const char *at = groups ? groups : NO_GROUP;

	for (;; at++) {
		size_t size = strcspn(at, ";");

		if (size == len && !memcmp(at, group, len))
			return true;
		at += size;
		if (!*at)
			return false;
	}
}

struct group {
	const char *at;
	size_t len;
};

struct groups {
	PFX_VEC(struct group) list;
};

/* Every metric group once, in order of first use. */
static void collect_groups(const struct pfx_catalog_event *const *events, size_t nr,
			   struct groups *groups)
{
	for (size_t i = 0; i < nr; i++) {
		const char *at = events[i]->groups ? events[i]->groups : NO_GROUP;

		for (;; at++) {
			size_t len = strcspn(at, ";"), g = 0;

			while (g < groups->list.nr && (groups->list.at[g].len != len ||
						       memcmp(groups->list.at[g].at, at, len) != 0))
				g++;
			if (g == groups->list.nr && len)
				pfx_vec_push(&groups->list, ((struct group){at, len}));
			at += len;
			if (!*at)
				break;
		}
	}
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int order = memcmp(x->at, y->at, len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* "Mem: [Memory]", or the name alone. */
static void add_group_name(struct pfx_str *to, const struct pfx_catalog_style *options,
			   const struct group *group)
{
	const char *text = options->desc ? pfx_vendor_group_text(group->at, group->len) : "";

	pfx_str_add_escaped(to, group->at, group->len);
	pfx_str_add(to, *text || !options->groups_only ? ":" : "");
	if (*text)
		pfx_str_addf(to, " [%s]", text);
	pfx_str_addc(to, '\n');
}

static void add_groups(struct pfx_str *to, const struct pfx_catalog_style *options,
		       const struct pfx_catalog_event *const *events, size_t nr)
{
	struct groups groups = {0};

	collect_groups(events, nr, &groups);
	if (groups.list.nr)
		qsort(groups.list.at, groups.list.nr, sizeof(*groups.list.at), compare_groups);
	pfx_str_add(to, options->groups_only ? "\nMetric Groups:\n\n" : "\nMetric Groups:\n");
	for (size_t g = 0; g < groups.list.nr; g++) {
		const struct group *group = &groups.list.at[g];

		pfx_str_add(to, options->groups_only ? "" : "\n");
		add_group_name(to, options, group);
		for (size_t i = 0; !options->groups_only && i < nr; i++)
			if (is_in_group(events[i]->groups, group->at, group->len))
				add_block(to, options, events[i]);
	}
	pfx_vec_free(&groups.list);
}

void pfx_catalog_text(struct pfx_str *to, const struct pfx_catalog_style *options,
		      const struct pfx_catalog_event *const *events, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct pfx_catalog_event *event = events[i],
					       *before = i ? events[i - 1] : NULL;
		bool is_first = !before || before->kind != event->kind;

		if (event->kind == PFX_CATALOG_METRIC && options->by_group) {
			add_groups(to, options, events + i, nr - i);
			return;
		}
		if (event->kind == PFX_CATALOG_METRIC) {
			pfx_str_add(to, is_first ? "\nMetrics:\n\n" : "");
			add_block(to, options, event);
		} else if (event->kind == PFX_CATALOG_VENDOR) {
			add_topic(to, event, before);
			add_block(to, options, event);
		} else {
			pfx_str_add(to, is_first && before && before->kind == PFX_CATALOG_VENDOR
						? "\n"
						: "");
			add_line(to, options, event);
			if ((event->terms || event->encoding) && options->details)
				add_description(to, options, event);
		}
	}
}

static void add_member(struct pfx_str *to, bool *is_first, const char *key, const char *text)
{
	if (!text)
		return;
	pfx_str_addf(to, "%s\n\t\t\"%s\": \"", *is_first ? "" : ",", key);
	pfx_str_add_json(to, text, strlen(text));
	pfx_str_addc(to, '"');
	*is_first = false;
}

static void add_object(struct pfx_str *to, const struct pfx_catalog_event *event)
{
	bool is_metric = event->kind == PFX_CATALOG_METRIC, is_first = true;
	char *encoding =
		event->terms ? pfx_strfmt("%s/%s/", event->pmu ? event->pmu : "cpu", event->terms)
			     : NULL;

	pfx_str_add(to, "\t{");
	add_member(to, &is_first, "Unit", event->pmu);
	add_member(to, &is_first, "Topic", event->topic);
	add_member(to, &is_first, is_metric ? "MetricName" : "EventName", event->name);
	add_member(to, &is_first, "EventAlias", event->alias);
	add_member(to, &is_first, "MetricGroup", event->groups);
	add_member(to, &is_first, "MetricExpr", event->expr);
	add_member(to, &is_first, "MetricThreshold", event->threshold);
	add_member(to, &is_first, "ScaleUnit", event->scale_unit);
	add_member(to, &is_first, "Experimental", event->is_experimental ? "1" : NULL);
	add_member(to, &is_first, "Deprecated", event->is_deprecated ? "1" : NULL);
	add_member(to, &is_first, "EventType", is_metric ? NULL : kind_name(event));
	add_member(to, &is_first, "BriefDescription", event->text);
	add_member(to, &is_first, "PublicDescription", event->details);
	add_member(to, &is_first, "Encoding", event->encoding ? event->encoding : encoding);
	add_member(to, &is_first, "Arguments", event->arguments);
	pfx_str_add(to, "\n\t}");
	free(encoding);
}

void pfx_catalog_json(struct pfx_str *to, const struct pfx_catalog_event *const *events, size_t nr)
{
	pfx_str_add(to, "[");
	for (size_t i = 0; i < nr; i++) {
		pfx_str_add(to, i ? ",\n" : "\n");
		add_object(to, events[i]);
	}
	pfx_str_add(to, "\n]\n");
}
