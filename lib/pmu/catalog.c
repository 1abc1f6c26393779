/* SPDX-License-Identifier: MIT */
/*
 * Collects the names of events from all sources, reading only files below the roots.
 */
#include "pmu/catalog.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "event/abi.h"
#include "event/names.h"
#include "pmu/parse/parse.h"
#include "pmu/sensor/sensor.h"
#include "pmu/sysfs/sysfs_internal.h"
#include "pmu/sysfs/tracefs.h"
#include "pmu/vendor/vendor.h"

#define PATH_SIZE        512
#define LETTERS_OF_A_RUN 2 /* at least, on average, of a similar name */

static struct pfx_catalog_event *add(struct pfx_catalog *catalog, enum pfx_catalog_kind kind,
				     const char *name)
{
	struct pfx_catalog_event *event = pfx_vec_add(&catalog->events);

	*event = (struct pfx_catalog_event){.kind = kind, .name = name};
	event->place = (unsigned)catalog->events.nr;
	return event;
}

static const char *keep(struct pfx_catalog *catalog, const char *text)
{
	return text && *text ? pfx_arena_strdup(&catalog->arena, text) : NULL;
}

/* A formatted name, owned by the catalog. */
static const char *keep_pmu_name(struct pfx_catalog *catalog, const char *pmu, const char *event)
{
	char *text = pfx_strfmt("%s/%s/", pmu, event);
	const char *kept = pfx_arena_strdup(&catalog->arena, text);

	free(text);
	return kept;
}

static void add_symbols(struct pfx_catalog *catalog, uint32_t type, enum pfx_catalog_kind kind)
{
	struct pfx_catalog_event *event;
	size_t nr;
	const struct pfx_event_name *names = pfx_event_names(&nr);

	for (size_t i = 0; i < nr; i++) {
		if (names[i].type != type)
			continue;
		event = add(catalog, kind, names[i].name);
		event->alias = names[i].alias;
		event->type = type;
		event->config = names[i].config;
	}
}

static void add_caches(struct pfx_catalog *catalog)
{
	struct pfx_catalog_event *event;
	char name[64];

	for (unsigned type = 0; type < PFX_CACHE_TYPES; type++)
		for (unsigned i = 0; i < PFX_CACHE_OPS * PFX_CACHE_RESULTS; i++) {
			unsigned op = i / PFX_CACHE_RESULTS, result = i % PFX_CACHE_RESULTS;
			uint64_t config = type | op << 8 | result << 16;

			if (!pfx_cache_op_is_valid(type, op) ||
			    !pfx_cache_name(config, name, sizeof(name)))
				continue;
			event = add(catalog, PFX_CATALOG_CACHE, keep(catalog, name));
			event->type = PFX_TYPE_HW_CACHE;
			event->config = config;
		}
}

static void add_tools(struct pfx_catalog *catalog)
{
	static const char *const texts[] = {
		"Time from the start to the end, in nanoseconds",
		"Time of the command in user mode, in nanoseconds",
		"Time of the command in the kernel, in nanoseconds",
		"CPUs that the kernel could have",
		"CPUs that are online",
		"Cores that are online",
		"Dies",
		"Packages, sockets",
		"1 where a core runs more than one thread, else 0",
		"Steps of the time stamp counter in a second",
		"1 where memory keeps what is in it without power, else 0",
		"Slots of the pipeline that a cycle has, where the kernel tells it (arm64)",
		"1 where counts are of whole cores, else 0",
	};
	size_t i;

	for (i = 0; pfx_tool_names[i]; i++)
		add(catalog, PFX_CATALOG_TOOL, pfx_tool_names[i])->text = texts[i];
}

static void add_sensors(struct pfx_catalog *catalog, const struct pfx_pmu_roots *roots)
{
	struct pfx_sensors sensors = {0};
	struct pfx_catalog_event *event;
	size_t i;

	pfx_sensors_hwmon(&sensors, roots && roots->sysfs ? roots->sysfs : "/sys");
	/* Reading the files of all processes is in vain without a graphics device. */
	if ((roots && roots->proc) || !access("/dev/dri", F_OK))
		pfx_sensors_drm(&sensors, roots && roots->proc ? roots->proc : "/proc");
	for (i = 0; i < sensors.list.nr; i++) {
		const struct pfx_sensor *from = &sensors.list.at[i];

		event = add(catalog, PFX_CATALOG_SENSOR,
			    keep_pmu_name(catalog, from->pmu, from->name));
		event->alias = keep(catalog, from->label);
		event->pmu = keep(catalog, from->pmu);
		event->text = keep(catalog, from->text);
		event->scale_unit = keep(catalog, from->unit);
	}
	pfx_sensors_fini(&sensors);
}

/* Syntaxes for events without names; the topic is the kind. */
static void add_forms(struct pfx_catalog *catalog)
{
	static const char *const forms[][2] = {
		{"rNNN", "Raw hardware event descriptor"},
		{"cpu/t1=v1[,t2=v2,t3 ...]/modifier", "Raw hardware event descriptor"},
		{"mem:<addr>[/len][:access]", "Hardware breakpoint"},
		{"uprobe:<file>:<function>[+offset]", "User-space probe"},
		{"uretprobe:<file>:<function>", "User-space return probe"},
		{"kprobe:<function>[+offset]", "Kernel probe"},
		{"kretprobe:<function>", "Kernel return probe"},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		add(catalog, PFX_CATALOG_FORM, forms[i][0])->text = forms[i][1];
}

static void add_kernel_pmus(struct pfx_catalog *catalog, struct pfx_pmu_set *set)
{
	struct pfx_catalog_event *event;

	for (size_t i = 0; i < set->pmus.nr; i++) {
		struct pfx_pmu *pmu = &set->pmus.at[i];
		struct pfx_name_list names = {0};

		pfx_pmu_own_event_names(&names, set, pmu);
		for (size_t j = 0; j < names.names.nr; j++) {
			const char *name = names.names.at[j];
			const char *full = keep_pmu_name(catalog, pmu->name, name);

			event = add(catalog, PFX_CATALOG_PMU, full);
			if (pmu->is_core) {
				event->name = keep(catalog, name);
				event->alias = full;
			}
			event->pmu = keep(catalog, pmu->name);
			event->terms = keep(catalog, pfx_pmu_alias_text(set, pmu, name));
			event->scale_unit = keep(catalog, pfx_pmu_unit(set, pmu, name));
		}
		pfx_vec_free(&names.names);
	}
}

/* Whether this machine has the PMU of an event, which may be restricted to a kind of device. */
static bool has_event(const struct pfx_pmu_set *set, const struct pfx_vendor_event *event)
{
	for (size_t i = 0; i < set->pmus.nr; i++)
		if (pfx_pmu_has_vendor_event(&set->pmus.at[i], event))
			return true;
	return false;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static void add_vendor(struct pfx_catalog *catalog, const struct pfx_pmu_set *set, bool any_cpu)
{
	struct pfx_vendor_event row;
	struct pfx_catalog_event *event;

	for (size_t i = 0; i < pfx_vendor_nr_events(set->vendor); i++) {
		pfx_vendor_event_at(set->vendor, i, &catalog->arena, &row);
		if (!any_cpu && !has_event(set, &row))
			continue;
		event = add(catalog, PFX_CATALOG_VENDOR, row.name);
		event->pmu = *row.pmu ? row.pmu : "cpu";
		event->terms = row.terms;
		event->text = or_null(row.text);
		event->details = or_null(row.details);
		event->topic = or_null(row.topic);
		event->scale_unit = or_null(row.scale_unit);
		event->counters = or_null(row.counters);
		event->latency = or_null(row.latency);
		event->is_deprecated = row.is_deprecated;
		event->is_per_package = row.is_per_package;
		event->is_experimental = row.is_experimental;
	}
}

static void add_metrics(struct pfx_catalog *catalog, const struct pfx_pmu_set *set, bool any_cpu)
{
	struct pfx_vendor_metric row;
	struct pfx_catalog_event *event;

	for (size_t i = 0; i < pfx_vendor_nr_metrics(set->vendor); i++) {
		pfx_vendor_metric_at(set->vendor, i, &catalog->arena, &row);
		if (!any_cpu && !has_event(set, &(struct pfx_vendor_event){.pmu = row.pmu,
									   .compat = row.compat}))
			continue;
		event = add(catalog, PFX_CATALOG_METRIC, row.name);
		event->pmu = or_null(row.pmu);
		event->expr = row.expr;
		event->threshold = or_null(row.threshold);
		event->groups = or_null(row.groups);
		event->text = or_null(row.text);
		event->details = or_null(row.details);
		event->scale_unit = or_null(row.scale_unit);
	}
}

/* Most events of the system ftrace are formats of its own records, which perf cannot open. */
static bool has_id(const char *dir, const char *event)
{
	char path[PATH_SIZE];

	return snprintf(path, sizeof(path), "%s/%s/id", dir, event) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

static void add_tracepoints(struct pfx_catalog *catalog, const struct pfx_pmu_roots *roots)
{
	const char *root = pfx_tracefs(roots, NULL);
	struct pfx_name_list systems = {0};
	char dir[PATH_SIZE];

	if (!root)
		return;
	snprintf(dir, sizeof(dir), "%s/events", root);
	pfx_subdirs_of_dir(&systems, &catalog->arena, dir);
	for (size_t i = 0; i < systems.names.nr; i++) {
		bool is_ftrace = !strcmp(systems.names.at[i], "ftrace");
		struct pfx_name_list events = {0};

		snprintf(dir, sizeof(dir), "%s/events/%s", root, systems.names.at[i]);
		pfx_subdirs_of_dir(&events, &catalog->arena, dir);
		for (size_t j = 0; j < events.names.nr; j++) {
			char *name;

			if (is_ftrace && !has_id(dir, events.names.at[j]))
				continue;
			name = pfx_strfmt("%s:%s", systems.names.at[i], events.names.at[j]);
			add(catalog, PFX_CATALOG_TRACEPOINT, keep(catalog, name));
			free(name);
		}
		pfx_vec_free(&events.names);
	}
	pfx_vec_free(&systems.names);
}

const char *pfx_catalog_first_name(const struct pfx_catalog_event *event)
{
	const char *alias = event->kind == PFX_CATALOG_PMU ? NULL : event->alias;

	return alias && strlen(alias) > strlen(event->name) ? alias : event->name;
}

static int compare_names(const struct pfx_catalog_event *x, const struct pfx_catalog_event *y)
{
	const char *a = pfx_catalog_first_name(x), *b = pfx_catalog_first_name(y);

	/* Events of the cores have a name without their PMU, too. */
	if (x->kind == PFX_CATALOG_PMU && !x->alias != !y->alias)
		return x->alias ? -1 : 1;
	return x->kind == PFX_CATALOG_CACHE ? strcmp(a, b) : strcasecmp(a, b);
}

static int compare(const void *a, const void *b)
{
	const struct pfx_catalog_event *x = a, *y = b;
	bool as_added = x->kind == y->kind && x->kind & (PFX_CATALOG_TOOL | PFX_CATALOG_FORM);
	int by_kind = (x->kind > y->kind) - (x->kind < y->kind);
	int by_topic = strcmp(x->topic ? x->topic : "", y->topic ? y->topic : "");
	int by_name = by_kind ? 0 : compare_names(x, y);

	if (as_added)
		return x->place < y->place ? -1 : 1;
	if (by_kind || by_topic || by_name)
		return by_kind ? by_kind : by_topic ? by_topic : by_name;
	return strcmp(x->pmu ? x->pmu : "", y->pmu ? y->pmu : "");
}

void pfx_catalog_read(struct pfx_catalog *catalog, const struct pfx_pmu_roots *roots,
		      unsigned kinds, bool any_cpu)
{
	const char *sysfs = roots && roots->sysfs ? roots->sysfs : "/sys";
	struct pfx_pmu_set set = {0};

	if (kinds & PFX_CATALOG_HARDWARE)
		add_symbols(catalog, PFX_TYPE_HARDWARE, PFX_CATALOG_HARDWARE);
	if (kinds & PFX_CATALOG_SOFTWARE)
		add_symbols(catalog, PFX_TYPE_SOFTWARE, PFX_CATALOG_SOFTWARE);
	if (kinds & PFX_CATALOG_CACHE)
		add_caches(catalog);
	if (kinds & PFX_CATALOG_TOOL)
		add_tools(catalog);
	if (kinds & PFX_CATALOG_SENSOR)
		add_sensors(catalog, roots);
	pfx_pmu_set_get(&set, sysfs);
	/* The machine's own PMUs are not those of another CPU. */
	if (kinds & PFX_CATALOG_PMU && !(any_cpu && (!roots || !roots->sysfs)))
		add_kernel_pmus(catalog, &set);
	set.vendor = pfx_pmu_vendor(roots);
	if (set.vendor && kinds & PFX_CATALOG_VENDOR)
		add_vendor(catalog, &set, any_cpu);
	if (set.vendor && kinds & PFX_CATALOG_METRIC)
		add_metrics(catalog, &set, any_cpu);
	pfx_pmu_set_fini(&set);
	if (kinds & PFX_CATALOG_FORM)
		add_forms(catalog);
	if (kinds & PFX_CATALOG_TRACEPOINT)
		add_tracepoints(catalog, roots);
	if (catalog->events.nr)
		qsort(catalog->events.at, catalog->events.nr, sizeof(*catalog->events.at), compare);
}

void pfx_catalog_fini(struct pfx_catalog *catalog)
{
	pfx_vec_free(&catalog->events);
	pfx_arena_clear(&catalog->arena);
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The likeness if the word's first letter is the one at @name; @before it. */
static unsigned likeness_from(const char *name, char before, const char *word)
{
	unsigned score = 1, letters = 0, runs = 0;
	bool in_a_row = false;

	for (;; before = *name++) {
		/* Separators between words may be typed differently or omitted. */
		while (*word && !isalnum((unsigned char)*word))
			word++;
		if (!*word)
			return letters >= LETTERS_OF_A_RUN * runs ? score : 0;
		if (!*name)
			return 0;
		if (!same_letter(*name, *word)) {
			in_a_row = false;
			continue;
		}
		letters++;
		runs += !in_a_row;
		score += in_a_row ? 3 : isalnum((unsigned char)before) ? 1 : 4;
		in_a_row = true;
		word++;
	}
}

unsigned pfx_catalog_likeness(const char *name, const char *word)
{
	unsigned best = 0;
	size_t i;

	while (*word && !isalnum((unsigned char)*word))
		word++;
	for (i = 0; name[i]; i++) {
		unsigned score = same_letter(name[i], *word)
					 ? likeness_from(name + i, i ? name[i - 1] : '.', word)
					 : 0;

		best = score > best ? score : best;
	}
	return best;
}
