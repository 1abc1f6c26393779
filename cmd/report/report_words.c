/* SPDX-License-Identifier: MIT */
/*
 * `pfx report`: parsers of option values (lists, percentages, time spans, patterns) and of the
 * configuration.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern/pattern.h"
#include "cmd/app/commands.h"
#include "cmd/app/graph_config.h"
#include "cmd/app/perf/itrace_words.h"
#include "cmd/app/recording_notes.h"
#include "cmd/app/unwind_style.h"
#include "cmd/report/report_internal.h"

int pfx_report_on_graph(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	o->graph_given = !unset;
	o->no_graph = unset;
	if (unset || !arg)
		return 0;
	return pfx_callgraph_parse(&o->graph, arg, err);
}

static int set_percent_limit(struct pfx_report_options *o, const char *arg, struct pfx_error *err)
{
	char shown[64];

	if (!pfx_parse_percent(arg, &o->percent_limit))
		return pfx_error_set(err, EINVAL, "'%s' is not a percentage",
				     pfx_escape(shown, sizeof(shown), arg));
	o->percent_limit_given = true;
	o->graph.min_percent = o->percent_limit;
	o->graph.min_given = true;
	return 0;
}

int pfx_report_on_percent_limit(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	return set_percent_limit(options, unset ? "0" : arg, err);
}

static void hint_near(const char *word, const char *const *words, size_t nr, struct pfx_error *err)
{
	const char *near = pfx_nearest(word, words, nr);

	if (near)
		pfx_error_hint(err, "did you mean '%s'?", near);
}

/* One of two words; the first is the default. *@ret is true for the second. */
static int one_of(const char *const words[2], const char *arg, bool unset, bool *ret,
		  struct pfx_error *err)
{
	char shown[64];

	*ret = !unset && !strcmp(arg, words[1]);
	if (unset || *ret || !strcmp(arg, words[0]))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is neither %s nor %s",
		      pfx_escape(shown, sizeof(shown), arg), words[0], words[1]);
	hint_near(arg, words, 2, err);
	return -EINVAL;
}

int pfx_report_on_percentage(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	return one_of((const char *const[]){"absolute", "relative"}, arg, unset, &o->relative, err);
}

int pfx_report_on_pretty(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	return one_of((const char *const[]){"normal", "raw"}, arg, unset, &o->raw_threads, err);
}

int pfx_report_on_itrace(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	o->itrace = !unset;
	return pfx_itrace_check(arg, err);
}

/* Applies the configuration; the command line overrides it. */
int pfx_report_take_config(struct pfx_report_options *o, struct pfx_error *err)
{
	const char *value;
	bool skip_empty;
	int rc = 0;

	pfx_config_get_bool("report.children", &o->children);
	pfx_config_get_bool("report.group", &o->group);
	if (pfx_config_get_bool("report.skip-empty", &skip_empty))
		o->no_skip_empty = !skip_empty;
	o->sort = pfx_config_get("report.sort_order");
	if ((value = pfx_config_get_valid("report.percent-limit")))
		rc = set_percent_limit(o, value, err);
	if (!rc && (value = pfx_config_get("hist.percentage")))
		rc = pfx_config_check("hist.percentage",
				      pfx_report_on_percentage(o, value, false, err), err);
	if (!rc && (value = pfx_config_get("unwind.style")))
		rc = pfx_config_check("unwind.style",
				      pfx_unwind_style_parse(&o->unwind, value, err), err);
	return rc ? rc : pfx_config_take_graph(&o->graph, err);
}

int pfx_report_take_words(struct pfx_report_options *o, int nr, char **words, struct pfx_error *err)
{
	char first[128], second[128];
	int i;

	o->word = nr ? words[0] : NULL;
	for (i = 0; i < nr; i++)
		if (pfx_recording_refuse_as_word(words[i], err) < 0)
			return -EINVAL;
	if (nr < 2)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is one word too many: '%s' already chooses the symbols",
		      pfx_escape(second, sizeof(second), words[1]),
		      pfx_escape(first, sizeof(first), words[0]));
	pfx_error_hint(err, "-S %s,%s shows the symbols of these names", first, second);
	return -EINVAL;
}

int pfx_report_parse_cpus(struct pfx_report_options *o, struct pfx_error *err)
{
	uint64_t socket;
	char shown[64];
	int rc;

	o->filter.symbol_part = o->symbol_filter ? o->symbol_filter : o->word;
	if (o->socket && (!pfx_parse_u64(o->socket, &socket) || socket > INT32_MAX))
		return pfx_error_set(err, EINVAL, "'%s' is not the number of a socket",
				     pfx_escape(shown, sizeof(shown), o->socket));
	o->filter.socket_given = o->socket != NULL;
	o->filter.socket = o->socket ? (uint32_t)socket : 0;

	o->filter.parallelism_given = o->parallelism != NULL;
	o->filter.cpus_given = o->cpus != NULL;
	rc = pfx_list_read(o->parallelism, &o->filter.parallelism, "a list of numbers of threads",
			   "for example: --parallelism 1,4-8", err);
	return rc ? rc
		  : pfx_list_read(o->cpus, &o->filter.cpus, "a list of CPUs",
				  "for example: -C 0,4-7", err);
}

/* "100ms", "1s", "500us", "10": a time in ns; without a unit ms. */
int pfx_report_parse_quantum(struct pfx_report_options *o, struct pfx_error *err)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"", 1000000}};
	unsigned long long number;
	char shown[64], *end;
	size_t i;

	if (!o->quantum)
		return 0;
	number = strtoull(o->quantum, &end, 10);
	for (i = 0; end != o->quantum && i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].unit) && number && number < UINT64_MAX / units[i].ns) {
			o->time_quantum = number * units[i].ns;
			return 0;
		}
	pfx_error_set(err, EINVAL, "'%s' is not a length of time",
		      pfx_escape(shown, sizeof(shown), o->quantum));
	pfx_error_point(err, o->quantum, (size_t)(end - o->quantum),
			"give a number above 0 and one of s, ms, us, ns: 100ms");
	return -EINVAL;
}

/* A regular expression that the user gave for @option. */
static int parse_pattern(const char *option, const char *pattern, struct pfx_pattern *ret,
			 struct pfx_error *err)
{
	char why[128], shown[128];

	if (!pattern)
		return 0;
	ret->given = pfx_pattern_compile(&ret->regex, pattern, 0, why, sizeof(why));
	if (ret->given)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a valid pattern for %s: %s",
		      pfx_escape(shown, sizeof(shown), pattern), option, why);
	pfx_error_point(err, pattern, pfx_pattern_good_part(pattern),
			"patterns are extended regular expressions, see regex(7)");
	return -EINVAL;
}

int pfx_report_parse_patterns(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;
	const char *parent = o->parent;
	int rc;

	if (!parent && (o->sort || o->fields || o->exclude_other))
		parent = "^sys_|^do_page_fault";
	rc = parse_pattern("-p", parent, &report->parent, err);
	if (!rc)
		rc = parse_pattern("--ignore-callees", o->ignore_callees, &report->callees, err);
	return rc;
}

void pfx_report_free_patterns(struct pfx_report *report)
{
	if (report->parent.given)
		regfree(&report->parent.regex);
	if (report->callees.given)
		regfree(&report->callees.regex);
}
