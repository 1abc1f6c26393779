/* SPDX-License-Identifier: MIT */
/*
 * `pfx list`: what can be written behind -e on this machine, or (PFX_CPUID) on another one. Words
 * choose kinds of events, or are globs of names; a word that fits nothing is searched for.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/app/commands.h"
#include "cmd/app/output_open.h"
#include "out/catalog_text.h"
#include "out/term.h"
#include "pmu/parse/parse.h"
#include "pmu/pfm.h"
#include "pmu/sysfs/tracefs.h"
#include "record/plan/probe_catalog.h"
#include "sys/counter/event_probe.h"

#define NEAR_MAX 20 /* names that a search shows at most */

struct list_options {
	struct pfx_catalog_style style;
	bool deprecated, json;
	bool raw; /* names only, one a line, for programs */
	const char *unit, *cputype, *output;
};

#define AT(field) offsetof(struct list_options, field)
static const struct pfx_option list_table[] = {
	{PFX_OPT_BOOL, 'd', "desc", AT(style.desc), NULL,
	 "describe events (default); --no-desc: names only"},
	{PFX_OPT_BOOL, 'v', "long-desc", AT(style.long_desc), NULL, "describe events at length"},
	{PFX_OPT_BOOL, 0, "details", AT(style.details), NULL,
	 "show the definition of names: terms of events, formulas of metrics"},
	{PFX_OPT_BOOL, 0, "deprecated", AT(deprecated), NULL,
	 "also show events that the vendor replaced"},
	{PFX_OPT_STRING, 0, "unit", AT(unit), "pmu", "only events of this PMU"},
	{PFX_OPT_STRING, 0, "cputype", AT(cputype), "type",
	 "only events of this kind of core (core, atom)"},
	{PFX_OPT_BOOL, 'j', "json", AT(json), NULL, "print a JSON array"},
	{PFX_OPT_BOOL, 0, "raw-dump", AT(raw), NULL, "print names only, one a line"},
	{PFX_OPT_STRING, 'o', "output", AT(output), "file", "write to this file"},
	{.kind = PFX_OPT_END},
};

static const struct {
	const char *word;
	unsigned kinds;
	bool by_group;
} kind_words[] = {
	{"hw", PFX_CATALOG_HARDWARE, false},
	{"hardware", PFX_CATALOG_HARDWARE, false},
	{"sw", PFX_CATALOG_SOFTWARE | PFX_CATALOG_TOOL, false},
	{"software", PFX_CATALOG_SOFTWARE | PFX_CATALOG_TOOL, false},
	{"cache", PFX_CATALOG_CACHE, false},
	{"hwcache", PFX_CATALOG_CACHE, false},
	{"tracepoint", PFX_CATALOG_TRACEPOINT, false},
	{"pmu", PFX_CATALOG_PMU | PFX_CATALOG_VENDOR, false},
	{"metric", PFX_CATALOG_METRIC, false},
	{"metrics", PFX_CATALOG_METRIC, false},
	{"metricgroup", PFX_CATALOG_METRIC, true},
	{"metricgroups", PFX_CATALOG_METRIC, true},
	{"sdt", PFX_CATALOG_PROBE, false},
	{"sensor", PFX_CATALOG_SENSOR, false},
	{"hwmon", PFX_CATALOG_SENSOR, false},
	{"drm", PFX_CATALOG_SENSOR, false},
};

struct listing {
	struct list_options options;
	struct pfx_catalog catalog;
	PFX_VEC(const struct pfx_catalog_event *) shown;
	struct pfx_str out;
	bool has_metrics; /* a word named them */
};

static bool is_unit(const struct listing *list, const struct pfx_catalog_event *event)
{
	const struct list_options *o = &list->options;
	const char *pmu = event->pmu ? event->pmu : "";

	if (o->unit && strcmp(pmu, o->unit) != 0 &&
	    (strncmp(pmu, "uncore_", 7) != 0 || strcmp(pmu + 7, o->unit) != 0))
		return false;
	return !o->cputype || (!strncmp(pmu, "cpu_", 4) && !strcmp(pmu + 4, o->cputype));
}

/* Symbolic events of the hardware are there when the kernel counts them. */
static bool is_available(const struct pfx_catalog_event *event)
{
	unsigned asked = PFX_CATALOG_HARDWARE | PFX_CATALOG_CACHE;

	return !(event->kind & asked) || pfx_event_probe(event->type, event->config);
}

static bool is_shown(const struct listing *list, const struct pfx_catalog_event *event)
{
	return (list->options.deprecated || !event->is_deprecated) && is_unit(list, event) &&
	       is_available(event);
}

/* Words are looked for anywhere in names, as globs, but a whole "system:event" with a wildcard is
 * the whole name; groups of metrics by their name. */
static bool fits(const struct pfx_catalog_event *event, const char *word)
{
	bool is_glob = strpbrk(word, "*?[") != NULL;
	bool is_whole = is_glob && strchr(word, ':');
	char *pattern = is_whole ? pfx_strdup(word) : pfx_strfmt("*%s*", word);
	bool fit = !fnmatch(pattern, event->name, FNM_CASEFOLD) ||
		   (event->alias && !fnmatch(pattern, event->alias, FNM_CASEFOLD)) ||
		   (event->groups && !fnmatch(pattern, event->groups, FNM_CASEFOLD));

	free(pattern);
	/* A way to write events is no event that a glob could mean. */
	return fit && !(is_glob && event->kind == PFX_CATALOG_FORM);
}

static void show_kinds(struct listing *list, unsigned kinds)
{
	for (size_t i = 0; i < list->catalog.events.nr; i++)
		if (list->catalog.events.at[i].kind & kinds &&
		    is_shown(list, &list->catalog.events.at[i]))
			pfx_vec_push(&list->shown, &list->catalog.events.at[i]);
}

struct near {
	const struct pfx_catalog_event *event;
	unsigned likeness;
};

static int compare_near(const void *a, const void *b)
{
	const struct near *x = a, *y = b;

	if (x->likeness != y->likeness)
		return x->likeness > y->likeness ? -1 : 1;
	return strcmp(x->event->name, y->event->name);
}

/* The catalog's order. */
static int compare_places(const void *a, const void *b)
{
	const struct pfx_catalog_event *const *x = a, *const *y = b;

	return (*x > *y) - (*x < *y);
}

/* The names that answer best to a word that fits none. */
static size_t show_near(struct listing *list, const char *word)
{
	PFX_VEC(struct near) found = {0};
	size_t i, nr;

	for (i = 0; i < list->catalog.events.nr; i++) {
		const struct pfx_catalog_event *event = &list->catalog.events.at[i];
		struct near near = {event, pfx_catalog_likeness(event->name, word)};

		if (near.likeness && is_shown(list, event))
			pfx_vec_push(&found, near);
	}
	if (found.nr)
		qsort(found.at, found.nr, sizeof(*found.at), compare_near);
	nr = found.nr < NEAR_MAX ? found.nr : NEAR_MAX;
	for (i = 0; i < nr; i++)
		pfx_vec_push(&list->shown, found.at[i].event);
	pfx_vec_free(&found);
	if (list->shown.nr)
		qsort(list->shown.at, list->shown.nr, sizeof(*list->shown.at), compare_places);
	return nr;
}

/* Whether tracepoints are missing only because we may not read them; @err says so. */
static bool lacks_tracepoints(const struct listing *list, struct pfx_error *err)
{
	size_t i;

	for (i = 0; i < list->catalog.events.nr; i++)
		if (list->catalog.events.at[i].kind == PFX_CATALOG_TRACEPOINT)
			return false;
	return !pfx_tracefs(pfx_cmd_pmu_roots(), err) &&
	       (err->code == EACCES || err->code == EPERM);
}

/* Says that tracepoints are not in the list, where they cannot be read, and the remedy. */
static void print_left_out(const struct listing *list)
{
	struct pfx_error err = {0};

	if (!lacks_tracepoints(list, &err))
		return;
	pfx_print_note("list", "tracepoints are left out: %s", err.text);
	pfx_print_line("%s", err.hint);
}

static int show_word(struct listing *list, const char *word, struct pfx_error *err)
{
	size_t before = list->shown.nr;
	struct pfx_error lack = {0};
	char shown[128];

	for (size_t i = 0; i < list->catalog.events.nr; i++)
		if (fits(&list->catalog.events.at[i], word) &&
		    is_shown(list, &list->catalog.events.at[i]))
			pfx_vec_push(&list->shown, &list->catalog.events.at[i]);
	if (list->shown.nr > before)
		return 0;
	if (strchr(word, ':') && lacks_tracepoints(list, err))
		return -err->code;
	pfx_escape(shown, sizeof(shown), word);
	if (!strpbrk(word, "*?[") && show_near(list, word)) {
		pfx_print_note("list", "no event is called '%s'; these are similar", shown);
		print_left_out(list);
		return 0;
	}
	if (lacks_tracepoints(list, &lack)) {
		pfx_error_set(err, ENOENT, "no event is called '%s', and %s", shown, lack.text);
		pfx_error_hint(err, "%s", lack.hint);
		return -ENOENT;
	}
	pfx_error_set(err, ENOENT, "no event of this machine is called '%s'", shown);
	pfx_error_hint(err, "`pfx list` shows all; kinds are hw, sw, cache, tracepoint, pmu, sdt, "
			    "metric, metricgroup");
	return -ENOENT;
}

/* Groups alone are only names; asked for with the metrics they have these below them. */
static void show_metrics(struct listing *list, bool by_group)
{
	list->options.style.groups_only = list->has_metrics ? false : by_group;
	list->options.style.by_group |= by_group;
	if (!list->has_metrics)
		show_kinds(list, PFX_CATALOG_METRIC);
	list->has_metrics = true;
}

static bool show_kind_word(struct listing *list, const char *word)
{
	for (size_t i = 0; i < sizeof(kind_words) / sizeof(kind_words[0]); i++) {
		if (strcmp(word, kind_words[i].word) != 0)
			continue;
		if (kind_words[i].kinds == PFX_CATALOG_METRIC)
			show_metrics(list, kind_words[i].by_group);
		else
			show_kinds(list, kind_words[i].kinds);
		return true;
	}
	return false;
}

/* Names that -e takes: no forms, no metrics, no probes that nobody defined. */
static void add_raw(struct listing *list)
{
	const unsigned unnamed = PFX_CATALOG_FORM | PFX_CATALOG_METRIC | PFX_CATALOG_PROBE;
	size_t i;

	for (i = 0; i < list->shown.nr; i++)
		if (!(list->shown.at[i]->kind & unnamed))
			pfx_str_addf(&list->out, "%s\n", list->shown.at[i]->name);
}

static void add_shown(struct listing *list)
{
	if (list->options.raw)
		add_raw(list);
	else if (list->options.json)
		pfx_catalog_json(&list->out, list->shown.at, list->shown.nr);
	else
		pfx_catalog_text(&list->out, &list->options.style, list->shown.at, list->shown.nr);
}

/* "sdt": the probes of the files behind it, or of the cache; of those the ones that words behind it
 * fit. */
static int show_probes(struct listing *list, char **words, struct pfx_error *err)
{
	char **word;
	bool any_file = false, any_word = false;
	int rc = 0;

	for (word = words; !rc && *word; word++) {
		if (!strchr(*word, '/') && access(*word, F_OK)) {
			any_word = true;
			continue;
		}
		any_file = true;
		rc = pfx_catalog_add_probes(&list->catalog, *word, err);
	}
	if (!rc && !any_file)
		rc = pfx_catalog_add_cached_probes(&list->catalog, pfx_globals.buildid_dir, err);
	if (!rc && !any_word)
		show_kinds(list, PFX_CATALOG_PROBE);
	for (word = words; !rc && *word; word++)
		if (!strchr(*word, '/') && access(*word, F_OK))
			rc = show_word(list, *word, err);
	if (!rc)
		add_shown(list);
	return rc;
}

/* "pfm", and the words that the names of libpfm4 have to answer to. */
static int show_pfm(struct listing *list, char **words, struct pfx_error *err)
{
	int rc = pfx_pfm_catalog(&list->catalog, err);

	if (!rc && !*words)
		show_kinds(list, PFX_CATALOG_ALL);
	for (; !rc && *words; words++)
		rc = show_word(list, *words, err);
	if (!rc)
		add_shown(list);
	return rc;
}

/* The kinds that words ask for: all where one may be a name. */
static unsigned wanted_kinds(char **words)
{
	const size_t nr = sizeof(kind_words) / sizeof(kind_words[0]);
	unsigned kinds = 0;
	size_t i;

	for (; *words; words++) {
		for (i = 0; i < nr && strcmp(*words, kind_words[i].word) != 0;)
			i++;
		kinds |= i < nr ? (unsigned)kind_words[i].kinds : PFX_CATALOG_ALL;
	}
	return kinds ? kinds : PFX_CATALOG_ALL;
}

/* An empty list says why. */
static int check_empty(struct listing *list, unsigned kinds, struct pfx_error *err)
{
	const char *unit = list->options.unit, *type = list->options.cputype;
	char shown[128];

	if (list->shown.nr)
		return 0;
	if (!unit && !type && (kinds & PFX_CATALOG_TRACEPOINT) && lacks_tracepoints(list, err))
		return -err->code;
	if (!unit && !type) {
		pfx_print_note("list", "this machine has none of these events");
		return 0;
	}
	pfx_escape(shown, sizeof(shown), unit ? unit : type);
	pfx_error_set(err, ENOENT, "no event here is of %s '%s'",
		      unit ? "the PMU" : "cores of the type", shown);
	pfx_error_hint(err, "%s",
		       unit ? "/sys/bus/event_source/devices has the PMUs of this machine"
			    : "on a hybrid machine there are core and atom; others have one type, "
			      "which needs no name");
	return -ENOENT;
}

/* A list that would have them says so; a word that is found without them needs none. */
static void note_tracepoints(const struct listing *list, char **words, unsigned kinds)
{
	bool is_list = !*words || kinds != PFX_CATALOG_ALL;

	for (; *words && !is_list; words++)
		is_list = strpbrk(*words, "*?[") != NULL;
	if (is_list && (kinds & PFX_CATALOG_TRACEPOINT) && !list->options.unit &&
	    !list->options.cputype)
		print_left_out(list);
}

static int show(struct listing *list, char **words, struct pfx_error *err)
{
	bool any_cpu = getenv("PFX_CPUID") != NULL;
	unsigned kinds = wanted_kinds(words);
	char **all = words;
	int rc = 0;

	if (*words && !strcmp(*words, "sdt"))
		return show_probes(list, words + 1, err);
	if (*words && !strcmp(*words, "pfm"))
		return show_pfm(list, words + 1, err);
	pfx_catalog_read(&list->catalog, pfx_cmd_pmu_roots(), kinds, any_cpu);
	/* Probes take a look into every binary of the cache. Nobody asked for it by name. */
	if (kinds & PFX_CATALOG_PROBE)
		pfx_catalog_add_cached_probes(&list->catalog, pfx_globals.buildid_dir, NULL);
	if (!*words) {
		list->options.style.by_group = true;
		show_kinds(list, PFX_CATALOG_ALL & ~PFX_CATALOG_METRIC);
		show_kinds(list, PFX_CATALOG_METRIC);
	}
	for (; !rc && *words; words++)
		if (!show_kind_word(list, *words))
			rc = show_word(list, *words, err);
	if (!rc)
		rc = check_empty(list, kinds, err);
	if (!rc) {
		note_tracepoints(list, all, kinds);
		add_shown(list);
	}
	return rc;
}

static int write_out(struct listing *list, struct pfx_error *err)
{
	const char *path = list->options.output;
	char shown[256];
	int fd, rc;

	if (!path || !strcmp(path, "-"))
		return pfx_out_write(&list->out, 0, err);
	fd = pfx_output_open_file(path, PFX_OUTPUT_REPLACE, "list", err);
	if (fd < 0)
		return fd;
	rc = pfx_write_full(fd, pfx_str_get(&list->out), list->out.len);
	if (close(fd) && !rc)
		rc = -errno;
	return rc ? pfx_error_sys(err, -rc, "cannot write '%s'",
				  pfx_escape(shown, sizeof(shown), path))
		  : 0;
}

static int run_list(int argc, char **argv)
{
	struct listing list = {.options.style.desc = true};
	struct pfx_error err = {0};
	int code = 0, at, rc;

	at = pfx_options_or_exit(&pfx_cmd_list, argc, argv, &list.options, &code);
	if (at < 0)
		return code;
	list.options.style.width = pfx_term_width();
	if (!list.options.output)
		pfx_pager_for("list");
	rc = show(&list, argv + at, &err);
	if (!rc)
		rc = write_out(&list, &err);
	if (rc == -EPIPE)
		rc = 0;
	code = rc < 0 ? pfx_print_error("list", &err) : 0;
	pfx_vec_free(&list.shown);
	pfx_str_fini(&list.out);
	pfx_catalog_fini(&list.catalog);
	return code;
}

const struct pfx_command pfx_cmd_list = {
	.name = "list",
	.args = "[hw|sw|cache|tracepoint|pmu|sensor|sdt [FILE]...|pfm|metric|metricgroup|GLOB]...",
	.summary = "list the events of this machine",
	.options = list_table,
	.run = run_list,
	.permute = true,
};
