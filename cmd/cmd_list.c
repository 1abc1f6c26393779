/* SPDX-License-Identifier: MIT */
/*
 * `pfx list`: the events for -e on this machine, or (PFX_CPUID) on another one. Words select kinds
 * of events or are glob patterns for names; a word without a match is searched for in names and
 * descriptions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/words.h"
#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/output_open.h"
#include "out/catalog_text.h"
#include "out/term/term.h"
#include "pmu/catalog_choice.h"
#include "pmu/pfm.h"
#include "pmu/vendor/vendor.h"
#include "record/plan/probe_catalog.h"
#include "sys/counter/event_probe.h"

#define NO_EVENT_CODE 255 /* as pfx_print_error() returns */

struct list_options {
	struct pfx_catalog_style style;
	bool json;
	bool raw; /* names only, one per line, for programs */
	const char *output;
};

struct listing {
	struct list_options options;
	struct pfx_catalog catalog;
	struct pfx_catalog_choice choice;
	struct pfx_str out;
	bool has_metrics; /* metrics were selected by a word */
	bool is_missed;   /* a word has no match: what is listed is only similar */
};

#define AT(field) offsetof(struct listing, field)
static const struct pfx_option list_table[] = {
	{PFX_OPT_BOOL, 'd', "desc", AT(options.style.desc), NULL,
	 "describe events (default); --no-desc: names only"},
	{PFX_OPT_BOOL, 'v', "long-desc", AT(options.style.long_desc), NULL,
	 "describe events at length"},
	{PFX_OPT_BOOL, 0, "details", AT(options.style.details), NULL,
	 "show the definition of names: terms of events, formulas of metrics"},
	{PFX_OPT_BOOL, 0, "deprecated", AT(choice.deprecated), NULL,
	 "also show events that the vendor replaced"},
	{PFX_OPT_STRING, 0, "unit", AT(choice.unit), "pmu", "only events of this PMU"},
	{PFX_OPT_STRING, 0, "cputype", AT(choice.cputype), "type",
	 "only events of this kind of core (core, atom)"},
	{PFX_OPT_BOOL, 'j', "json", AT(options.json), NULL, "print a JSON array"},
	{PFX_OPT_BOOL, 0, "raw-dump", AT(options.raw), NULL, "print names only, one a line"},
	{PFX_OPT_STRING, 'o', "output", AT(options.output), "file", "write to this file"},
	{PFX_OPT_ABSENT, 0, "debug", .help = "a list has nothing to debug", .hidden = true,
	 .is_moot = true},
	{.kind = PFX_OPT_END},
};

/* Whether tracepoints are missing only for lack of permission; @err says so. */
static bool lacks_tracepoints(const struct listing *list, struct pfx_error *err)
{
	return pfx_catalog_lacks_tracepoints(&list->catalog, pfx_cmd_pmu_roots(), err);
}

/* Reports that tracepoints are missing because they cannot be read, and the remedy. */
static void print_left_out(const struct listing *list)
{
	struct pfx_error err = {0};

	if (!lacks_tracepoints(list, &err))
		return;
	pfx_print_note("list", "tracepoints are left out: %s", err.text);
	pfx_print_line("%s", err.hint);
}

/* An event that exists, but that no counter of this machine counts. */
static bool is_uncounted(struct listing *list, const char *word, struct pfx_error *err)
{
	struct pfx_catalog_choice all = {.catalog = &list->catalog, .deprecated = true};
	bool found = pfx_catalog_choose_word(&all, word) > 0;
	char shown[128];

	pfx_catalog_choice_fini(&all);
	if (!found || !list->choice.is_available || list->choice.unit || list->choice.cputype)
		return false;
	pfx_error_set(err, ENODEV, "this machine cannot count '%s'",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "the kernel has no counter for it, as in many virtual machines; "
			    "`pfx list sw` shows events that need none");
	return true;
}

/* The name that was meant, if one is similar, and how to find it otherwise. */
static void hint_at(const struct listing *list, const char *word, struct pfx_error *err)
{
	size_t nr = list->catalog.events.nr, i;
	const char **names = pfx_calloc(nr + 1, sizeof(*names)), *near;
	char shown[128], line[160] = "";

	for (i = 0; i < nr; i++)
		names[i] = list->catalog.events.at[i].name;
	near = pfx_nearest(word, names, nr);
	if (near)
		snprintf(line, sizeof(line), "did you mean '%s'?\n",
			 pfx_escape(shown, sizeof(shown), near));
	pfx_error_hint(
		err,
		"%s`pfx list` shows all; kinds are hw, sw, cache, tracepoint, pmu, sensor, sdt, "
		"pfm, metric, metricgroup",
		line);
	free(names);
}

static int show_word(struct listing *list, const char *word, struct pfx_error *err)
{
	struct pfx_error lack = {0};
	char shown[128];

	if (pfx_catalog_choose_word(&list->choice, word))
		return 0;
	if (strchr(word, ':') && lacks_tracepoints(list, err))
		return -err->code;
	if (is_uncounted(list, word, err))
		return -err->code;
	pfx_escape(shown, sizeof(shown), word);
	if (!strpbrk(word, "*?[") && pfx_catalog_choose_text(&list->choice, word))
		return 0;
	if (!strpbrk(word, "*?[") && pfx_catalog_choose_near(&list->choice, word)) {
		pfx_print_note("list", "no event is called '%s'; these are similar", shown);
		print_left_out(list);
		list->is_missed = true;
		return 0;
	}
	if (lacks_tracepoints(list, &lack)) {
		pfx_error_set(err, ENOENT, "no event is called '%s', and %s", shown, lack.text);
		pfx_error_hint(err, "%s", lack.hint);
		return -ENOENT;
	}
	pfx_error_set(err, ENOENT, "no event of this machine is called '%s'", shown);
	hint_at(list, word, err);
	return -ENOENT;
}

/* Metric groups alone are listed as names; together with metrics, the metrics are listed below
 * their group. */
static void show_metrics(struct listing *list, bool by_group)
{
	list->options.style.groups_only = list->has_metrics ? false : by_group;
	list->options.style.by_group |= by_group;
	if (!list->has_metrics)
		pfx_catalog_choose_kinds(&list->choice, PFX_CATALOG_METRIC);
	list->has_metrics = true;
}

static bool show_kind_word(struct listing *list, const char *word)
{
	const struct pfx_catalog_kind_word *kind = pfx_catalog_kind_word(word);

	if (kind && kind->kinds == PFX_CATALOG_METRIC)
		show_metrics(list, kind->by_group);
	else if (kind)
		pfx_catalog_choose_kinds(&list->choice, kind->kinds);
	return kind != NULL;
}

/* Names that -e accepts: without event forms, metrics, and probes that are not defined. */
static void add_raw(struct listing *list)
{
	const unsigned unnamed = PFX_CATALOG_FORM | PFX_CATALOG_METRIC | PFX_CATALOG_PROBE;
	size_t i;

	for (i = 0; i < list->choice.events.nr; i++)
		if (!(list->choice.events.at[i]->kind & unnamed))
			pfx_str_addf(&list->out, "%s%c", list->choice.events.at[i]->name,
				     pfx_has_habit(PFX_HABIT_ONE_LINE) ? ' ' : '\n');
	if (pfx_has_habit(PFX_HABIT_ONE_LINE))
		pfx_str_addc(&list->out, '\n');
}

static void add_shown(struct listing *list)
{
	if (list->options.raw)
		add_raw(list);
	else if (list->options.json)
		pfx_catalog_json(&list->out, list->choice.events.at, list->choice.events.nr);
	else
		pfx_catalog_text(&list->out, &list->options.style, list->choice.events.at,
				 list->choice.events.nr);
}

/* Explains why there are few events, and the remedy. */
static void note_general(unsigned kinds)
{
	const struct pfx_pmu_roots *roots = pfx_cmd_pmu_roots();
	const struct pfx_vendor_cpu_row *cpu = pfx_pmu_vendor(roots);
	char shown[128];

	if (!(kinds & PFX_CATALOG_VENDOR) || !roots->cpuid || (cpu && !pfx_vendor_is_general(cpu)))
		return;
	pfx_print_note("list", "the CPU '%s' is not known: %s",
		       pfx_escape(shown, sizeof(shown), roots->cpuid),
		       cpu ? "these are the events of its architecture" : "it has no events here");
	pfx_print_line(
		"to add it, set $PFX_PMU_EVENTS to a directory with the files that its vendor "
		"publishes");
}

/* "sdt": the probes of the files after it, or of the cache; filtered by the remaining words. */
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
		pfx_catalog_choose_kinds(&list->choice, PFX_CATALOG_PROBE);
	for (word = words; !rc && *word; word++)
		if (!strchr(*word, '/') && access(*word, F_OK))
			rc = show_word(list, *word, err);
	if (!rc)
		add_shown(list);
	return rc;
}

/* "pfm", and words that the names of libpfm4 must match. */
static int show_pfm(struct listing *list, char **words, struct pfx_error *err)
{
	int rc = pfx_pfm_catalog(&list->catalog, err);

	if (!rc && !*words)
		pfx_catalog_choose_kinds(&list->choice, PFX_CATALOG_ALL);
	for (; !rc && *words; words++)
		rc = show_word(list, *words, err);
	if (!rc)
		add_shown(list);
	return rc;
}

/* Explain an empty list. */
static int check_empty(struct listing *list, unsigned kinds, struct pfx_error *err)
{
	const char *unit = list->choice.unit, *type = list->choice.cputype;
	char shown[128];

	if (list->choice.events.nr)
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

/* Only for a list that would contain tracepoints; not for a search that found something else. */
static void note_tracepoints(const struct listing *list, char **words, unsigned kinds)
{
	bool is_list = !*words || kinds != PFX_CATALOG_ALL;

	for (; *words && !is_list; words++)
		is_list = strpbrk(*words, "*?[") != NULL;
	if (is_list && (kinds & PFX_CATALOG_TRACEPOINT) && !list->choice.unit &&
	    !list->choice.cputype)
		print_left_out(list);
}

static int show(struct listing *list, char **words, struct pfx_error *err)
{
	bool any_cpu = getenv("PFX_CPUID") != NULL;
	unsigned kinds = pfx_catalog_kinds_of(words);
	char **all = words;
	int rc = 0;

	if (*words && !strcmp(*words, "sdt"))
		return show_probes(list, words + 1, err);
	if (*words && !strcmp(*words, "pfm"))
		return show_pfm(list, words + 1, err);
	pfx_catalog_read(&list->catalog, pfx_cmd_pmu_roots(), kinds, any_cpu);
	/* Reading probes opens every binary of the cache. The error is ignored: the cache was not
	 * requested by name. */
	if (kinds & PFX_CATALOG_PROBE)
		pfx_catalog_add_cached_probes(&list->catalog, pfx_globals.buildid_dir, NULL);
	if (!*words) {
		list->options.style.by_group = true;
		pfx_catalog_choose_kinds(&list->choice, PFX_CATALOG_ALL & ~PFX_CATALOG_METRIC);
		pfx_catalog_choose_kinds(&list->choice, PFX_CATALOG_METRIC);
	}
	for (; !rc && *words; words++)
		if (!show_kind_word(list, *words))
			rc = show_word(list, *words, err);
	if (!rc)
		rc = check_empty(list, kinds, err);
	if (!rc) {
		note_tracepoints(list, all, kinds);
		if (any_cpu)
			note_general(kinds);
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
	struct listing list = {
		.options.style.desc = true,
		.choice = {.catalog = &list.catalog, .is_available = pfx_event_probe},
	};
	struct pfx_error err = {0};
	int code = 0, at, rc;

	/* What another machine's kernel counts is not known here. */
	if (getenv("PFX_CPUID"))
		list.choice.is_available = NULL;
	at = pfx_options_or_exit(&pfx_cmd_list, argc, argv, &list, &code);
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
	code = rc < 0 ? pfx_print_error("list", &err) : list.is_missed ? NO_EVENT_CODE : 0;
	pfx_catalog_choice_fini(&list.choice);
	pfx_str_fini(&list.out);
	pfx_catalog_fini(&list.catalog);
	return code;
}

const struct pfx_command pfx_cmd_list = {
	.name = "list",
	.args = "[hw | sw | cache | tracepoint | pmu | sensor | pfm | metric | metricgroup | "
		"sdt [FILE]... | GLOB]...",
	.summary = "list the events of this machine",
	.options = list_table,
	.run = run_list,
	.permute = true,
};
