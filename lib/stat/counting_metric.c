/* SPDX-License-Identifier: MIT */
/*
 * Metrics of `pfx stat`: converts the names of -M and --topdown to formulas of the vendor's table,
 * with other metrics expanded, and to the events that they need.
 */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/cpuid.h"
#include "base/str.h"
#include "base/words.h"
#include "pmu/vendor/vendor.h"
#include "pmu/vendor/vendor_formula.h"
#include "stat/counting_internal.h"
#include "sys/host/host.h"

/* A million nodes take 32 MB, and a few hundredths of a second each time all are shown. */
#define ALL_NODES_MAX 1000000
#define HV_DIR        "/sys/bus/event_source/devices/hv_24x7/interface/"

/* State for collecting the metrics of a command line. */
struct gathering {
	struct pfx_stat_runner *run;
	const struct pfx_vendor_cpu_row *cpu;
	struct pfx_arena *arena; /* texts of the table */
	struct pfx_event_list *events;
	struct pfx_error *err;
	const char *word;       /* what the user asked for */
	const char *pmu;        /* the core type of the metric; "" if there is only one */
	unsigned part;          /* the chip or core of the metric, for a '?' in its formula */
	bool is_usual;          /* only metrics that are shown without being asked for */
	bool is_split;          /* its events cannot be counted as a group */
	size_t nr_nodes;        /* of all formulas */
	PFX_VEC(size_t) firsts; /* the first event of each metric that added some */
};

/* Whether one of the words between ';' is @name. */
static bool list_has(const char *list, const char *name)
{
	size_t len = strlen(name), part;

	for (;;) {
		list += strspn(list, "; ");
		if (!*list)
			return false;
		part = strcspn(list, ";");
		if (part == len && !strncasecmp(list, name, len))
			return true;
		list += part;
	}
}

/* The event for a name in a formula: if several core types have it, that of the metric's own. The
 * caller frees it. */
static char *event_word(const struct gathering *g, const char *name)
{
	long at = *g->pmu ? pfx_vendor_find_event(g->cpu, name) : -1;

	for (; at >= 0; at = pfx_vendor_next_event(g->cpu, at))
		if (!strcmp(pfx_vendor_event_pmu(g->cpu, (size_t)at), g->pmu))
			return pfx_strfmt("%s/%s/", g->pmu, name);
	return pfx_strdup(name);
}

/* A formula of the table, expanded. */
static int formula(const struct gathering *g, const char *text, struct pfx_metric **ret,
		   struct pfx_error *err)
{
	const struct pfx_vendor_formula how = {
		.cpu = g->cpu, .pmu = g->pmu, .part = g->part, .arena = g->arena};

	return pfx_vendor_formula(&how, text, ret, err);
}

/* Whether this event results from the bare name, on the metric's own cores. */
static bool is_of_name(const struct gathering *g, const struct pfx_event_spec *spec,
		       const char *name)
{
	return spec->bare_name && !strcasecmp(spec->bare_name, name) &&
	       (!*g->pmu || !strcmp(spec->pmu, g->pmu));
}

static size_t find_event(const struct gathering *g, size_t from, size_t to, const char *name)
{
	char *word = event_word(g, name);
	size_t i;

	for (i = from; i < to; i++) {
		const struct pfx_event_spec *spec = &g->events->specs.at[i];

		if (spec->metric_id ? !strcasecmp(spec->metric_id, name)
				    : !strcasecmp(spec->name, word) || is_of_name(g, spec, name))
			break;
	}
	free(word);
	return i < to ? i : PFX_STAT_NO_EVENT;
}

/* The end of the events that are counted together with that at @from: those of a metric, which may
 * be groups of several PMUs, or a group of -e; all that follow if it is in no group. */
static size_t end_of_groups(const struct gathering *g, size_t from)
{
	const struct pfx_event_spec *specs = g->events->specs.at;
	size_t nr = g->events->specs.nr, to = from + 1, i;

	if (!specs[from].group)
		return nr;
	for (i = 0; i < g->firsts.nr; i++)
		if (g->firsts.at[i] > from)
			return g->firsts.at[i];
	if (i && g->firsts.at[0] <= from)
		return nr;
	while (to < nr && specs[to].group == specs[from].group)
		to++;
	return to;
}

/* Use the events of an earlier metric if it has all that this one needs; false: none has. */
static bool share_group(struct gathering *g, struct pfx_stat_metric *m)
{
	size_t nr = pfx_metric_nr_ids(m->expr), from = 0, to, i;

	for (; from < g->events->specs.nr; from = to) {
		to = end_of_groups(g, from);
		for (i = 0; i < nr; i++) {
			m->ids[i] = find_event(g, from, to, pfx_metric_id(m->expr, i));
			if (m->ids[i] == PFX_STAT_NO_EVENT)
				break;
		}
		if (i == nr)
			return true;
	}
	return false;
}

/* The number in a file of the kernel; 0 if there is none. */
static double number_in(const char *path)
{
	char text[32] = "";
	FILE *file = fopen(path, "re");

	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return (double)strtoull(text, NULL, 0);
}

static bool has_watchdog(void)
{
	return number_in("/proc/sys/kernel/nmi_watchdog") != 0;
}

/* Whether, according to the vendor, this machine has too few counters for a metric's events as a
 * group: the watchdog may use one, and the other thread of the core some. */
static bool is_apart(const char *constraint)
{
	if (!strcmp(constraint, "NO_GROUP_EVENTS"))
		return true;
	if (!strcmp(constraint, "NO_GROUP_EVENTS_NMI") || !strcmp(constraint, "NO_NMI_WATCHDOG"))
		return has_watchdog();
	return !strcmp(constraint, "NO_GROUP_EVENTS_SMT") &&
	       number_in("/sys/devices/system/cpu/smt/active") != 0;
}

/* Whether an event has a counter of its own on Intel's CPUs: instructions, cycles, slots. */
static bool is_fixed(const struct pfx_event_spec *spec)
{
	uint64_t code = spec->attr.config & 0xffff;

	return code == 0xc0 || code == 0x3c || code == 0x300 || code == 0x400 ||
	       (code & 0x80ff) == 0x8000;
}

bool pfx_stat_is_outside_of_cores(const struct pfx_event_spec *spec)
{
	return spec->cpus && spec->pmu && strncmp(spec->pmu, "cpu", 3) != 0 &&
	       strncmp(spec->pmu, "armv", 4) != 0;
}

static bool is_of_cores(const struct pfx_event_spec *spec)
{
	return !pfx_stat_is_outside_of_cores(spec) && !pfx_stat_tool_of(spec->name, &spec->attr);
}

/* Whether a group can have both: events of cores of one kind, or of the same PMU outside of them.
 */
static bool fit_together(const struct pfx_event_spec *a, const struct pfx_event_spec *b)
{
	if (pfx_stat_tool_of(a->name, &a->attr) || pfx_stat_tool_of(b->name, &b->attr) ||
	    is_of_cores(a) != is_of_cores(b))
		return false;
	if (!is_of_cores(a))
		return a->attr.type == b->attr.type && !strcmp(a->pmu, b->pmu);
	return a->cpus && b->cpus ? !strcmp(a->cpus, b->cpus) : !a->cpus && !b->cpus;
}

/* How many counters of a core the events from @first on need, and how many the vendor's table says
 * there are (0: it does not say). */
static size_t needed_counters(const struct gathering *g, size_t first, unsigned *ret_generic,
			      unsigned *ret_fixed)
{
	size_t needed = 0, i;

	*ret_generic = *ret_fixed = 0;
	if (!pfx_vendor_counters(g->cpu, g->pmu, ret_generic, ret_fixed))
		return 0;
	*ret_generic -= has_watchdog() && *ret_generic > 1;
	for (i = first; i < g->events->specs.nr; i++) {
		const struct pfx_event_spec *spec = &g->events->specs.at[i];

		needed += is_of_cores(spec) && spec->attr.type != PFX_TYPE_SOFTWARE &&
			  !(*ret_fixed && is_fixed(spec));
	}
	return needed;
}

/* Notes that a metric needs more counters of its core than the vendor's table says there are. */
static void note_counters(const struct gathering *g, const char *name, size_t first)
{
	unsigned generic, fixed;
	size_t needed = needed_counters(g, first, &generic, &fixed);

	if (generic && needed > generic)
		pfx_counting_note(
			g->run,
			"metric '%s' needs %zu generic counters and a core has %u%s and %u "
			"fixed ones: its events are counted in turns",
			name, needed, generic, has_watchdog() ? " besides the NMI watchdog's" : "",
			fixed);
}

static void drop_events(struct gathering *g, size_t first)
{
	while (g->events->specs.nr > first)
		pfx_event_spec_fini(&g->events->specs.at[--g->events->specs.nr]);
}

/* Append the events of the threshold that nobody counts yet, if the core has counters for them
 * beside those of the metric, which begin at @first. */
static void add_threshold_events(struct gathering *g, const struct pfx_metric *threshold,
				 size_t first)
{
	size_t nr = threshold ? pfx_metric_nr_ids(threshold) : 0, metrics_own, i;
	unsigned generic, fixed;
	int rc = 0;

	metrics_own = g->events->specs.nr;
	for (i = 0; i < nr && rc >= 0; i++) {
		const char *id = pfx_metric_id(threshold, i);
		char *word;

		if (find_event(g, 0, g->events->specs.nr, id) != PFX_STAT_NO_EVENT)
			continue;
		word = event_word(g, id);
		rc = pfx_stat_parse_events(g->events, word, g->run->options->roots, NULL);
		free(word);
	}
	if (g->events->specs.nr > metrics_own &&
	    (rc < 0 || needed_counters(g, first, &generic, &fixed) > generic))
		drop_events(g, metrics_own);
}

/* Make groups of the events from @first on, for their ratios require the same times: one of cores,
 * and one of each PMU outside of them. */
static void make_groups(struct gathering *g, size_t first)
{
	struct pfx_event_spec *specs = g->events->specs.at;
	size_t nr = g->events->specs.nr, i, j;

	if (g->is_split || g->run->options->metric_no_group)
		return;
	for (i = first; i < nr; i++) {
		for (j = i + 1; j < nr && !specs[i].group; j++)
			if (fit_together(&specs[i], &specs[j]))
				specs[i].group = ++g->events->nr_groups;
		for (j = i + 1; j < nr && specs[i].group; j++)
			if (!specs[j].group && fit_together(&specs[i], &specs[j]))
				specs[j].group = specs[i].group;
		specs[i].is_weak = specs[i].group != 0;
	}
}

static int add_events(struct gathering *g, struct pfx_stat_metric *m)
{
	size_t nr = pfx_metric_nr_ids(m->expr), first = g->events->specs.nr, i;
	int rc;

	m->ids = pfx_calloc(nr + 1, sizeof(*m->ids));
	/* A constant on this machine is shown in the first row, so there must be one. */
	if (!nr && !g->events->specs.nr)
		return pfx_stat_parse_events(g->events, "duration_time", g->run->options->roots,
					     g->err);
	if (!g->run->options->metric_no_merge && share_group(g, m))
		return 0;
	for (i = 0; i < nr; i++) {
		char *word = event_word(g, pfx_metric_id(m->expr, i));

		m->ids[i] = g->events->specs.nr;
		rc = pfx_stat_parse_events(g->events, word, g->run->options->roots, g->err);
		free(word);
		if (rc < 0)
			return rc;
	}
	note_counters(g, m->name, first);
	add_threshold_events(g, m->threshold, first);
	make_groups(g, first);
	if (g->events->specs.nr > first)
		*pfx_vec_add(&g->firsts) = first;
	return 0;
}

/* The first event with a counter: the metric is shown in its row. */
static size_t row_of(const struct gathering *g, const struct pfx_stat_metric *m)
{
	size_t nr = pfx_metric_nr_ids(m->expr), i;

	for (i = 0; i < nr; i++) {
		const struct pfx_event_spec *spec = &g->events->specs.at[m->ids[i]];

		if (!pfx_stat_tool_of(spec->name, &spec->attr))
			return m->ids[i];
	}
	return nr ? m->ids[0] : 0;
}

/* Bound the total size of all metrics. */
static int bound(struct gathering *g, const struct pfx_metric *metric)
{
	g->nr_nodes += pfx_metric_nr_nodes(metric);
	if (g->nr_nodes > ALL_NODES_MAX)
		return pfx_error_set(g->err, EFBIG, "the metrics are too long together");
	return 0;
}

static void drop_threshold(struct pfx_stat_metric *m)
{
	pfx_metric_free(m->threshold);
	free(m->threshold_ids);
	m->threshold = NULL;
	m->threshold_ids = NULL;
}

static void parse_threshold(struct gathering *g, const struct pfx_vendor_metric *row,
			    struct pfx_stat_metric *m)
{
	struct pfx_error unwanted, *err = g->err;
	int rc;

	/* The events of the threshold and the watchdog do not fit together. */
	if (!*row->threshold || g->run->options->metric_no_threshold ||
	    (!strcmp(row->constraint, "NO_THRESHOLD_AND_NMI") && has_watchdog()) ||
	    formula(g, row->threshold, &m->threshold, NULL) < 0)
		return;
	g->err = &unwanted;
	rc = bound(g, m->threshold);
	g->err = err;
	pfx_metric_fold(m->threshold, &g->run->stat.machine);
	if (rc < 0)
		drop_threshold(m);
}

/* A threshold is used only if all of its events are counted. */
static void find_threshold_events(struct gathering *g, struct pfx_stat_metric *m)
{
	size_t nr = m->threshold ? pfx_metric_nr_ids(m->threshold) : 0, i;

	m->threshold_ids = pfx_calloc(nr + 1, sizeof(*m->threshold_ids));
	for (i = 0; i < nr; i++) {
		m->threshold_ids[i] =
			find_event(g, 0, g->events->specs.nr, pfx_metric_id(m->threshold, i));
		if (m->threshold_ids[i] == PFX_STAT_NO_EVENT) {
			drop_threshold(m);
			return;
		}
	}
}

static int add_metric(struct gathering *g, const struct pfx_vendor_metric *row)
{
	struct pfx_stat_metric *m = pfx_vec_add(&g->run->stat.metrics);
	struct pfx_error why = {0};
	char *rest = NULL;
	int rc;

	memset(m, 0, sizeof(*m));
	m->scale = *row->scale_unit ? strtod(row->scale_unit, &rest) : 1;
	m->name = strchr(row->expr, '?') ? pfx_strfmt("%s_%u", row->name, g->part)
					 : pfx_strdup(row->name);
	m->suffix = pfx_strdup(rest ? rest : "");
	g->pmu = row->pmu;
	g->is_split = is_apart(row->constraint) ||
		      (g->word && list_has(row->no_group, g->word) && strcmp(g->word, row->name));
	rc = formula(g, row->expr, &m->expr, &why);
	if (rc == -EINVAL)
		pfx_error_set(g->err, EINVAL, "metric '%s': %s", m->name, why.text);
	else if (rc < 0)
		pfx_error_set(g->err, -rc, "%s", why.text);
	if (rc >= 0)
		rc = bound(g, m->expr);
	if (rc >= 0)
		pfx_metric_fold(m->expr, &g->run->stat.machine);
	if (rc >= 0) {
		parse_threshold(g, row, m);
		rc = add_events(g, m);
	}
	if (rc >= 0) {
		m->row = row_of(g, m);
		find_threshold_events(g, m);
	}
	return rc;
}

/* The number of chips, or cores per chip, for a metric of hypervisor counters (powerpc). */
static unsigned nr_parts(const char *expr)
{
	const char *mark = strchr(expr, '?');
	double nr = 1;

	/* "chip\\=?" */
	while (mark && mark > expr && strchr("\\=?", *mark))
		mark--;
	if (mark)
		nr = number_in(*mark == 'e' ? HV_DIR "coresperchip" : HV_DIR "sockets");
	return nr >= 1 ? (unsigned)nr : 1;
}

static int add_parts(struct gathering *g, const struct pfx_vendor_metric *row)
{
	unsigned nr = nr_parts(row->expr);
	int rc = 0;

	for (g->part = 0; g->part < nr && rc >= 0; g->part++)
		rc = add_metric(g, row);
	g->part = 0;
	return rc;
}

static int unknown(struct gathering *g, const char *word)
{
	size_t nr = pfx_vendor_nr_metrics(g->cpu), i;
	const char **names = pfx_calloc(nr + 1, sizeof(*names)), *near;
	struct pfx_vendor_metric row;
	char shown[128];

	for (i = 0; i < nr; i++) {
		pfx_vendor_metric_at(g->cpu, i, g->arena, &row);
		names[i] = row.name;
	}
	pfx_error_set(g->err, ENOENT, "there is no metric or group of metrics '%s'",
		      pfx_escape(shown, sizeof(shown), word));
	near = pfx_nearest(word, names, nr);
	if (near)
		pfx_error_hint(g->err, "did you mean '%s'?", near);
	else
		pfx_error_hint(g->err, "pfx list metric shows those of this CPU");
	free(names);
	return -ENOENT;
}

/* Whether this machine has the cores of a metric, and they are selected. */
static bool has_cores(const struct pfx_pmu_roots *roots, const struct pfx_vendor_metric *row)
{
	const char *wanted = roots->core_pmu;
	char path[256];

	if (strncmp(row->pmu, "cpu_", 4) != 0)
		return true;
	if (wanted)
		return !strcmp(wanted, row->pmu);
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", row->pmu);
	return !access(path, F_OK);
}

/* Whether this machine supports all events of a metric. */
static bool can_count(const struct gathering *g, const struct pfx_vendor_metric *row)
{
	struct pfx_event_list events = {0};
	struct gathering probe = {.run = g->run,
				  .cpu = g->cpu,
				  .arena = g->arena,
				  .events = &events,
				  .pmu = row->pmu};
	struct pfx_metric *expr;
	bool good = true;
	size_t i;

	if (!has_cores(g->run->options->roots, row) || formula(&probe, row->expr, &expr, NULL) < 0)
		return false;
	pfx_metric_fold(expr, &g->run->stat.machine);
	for (i = 0; good && i < pfx_metric_nr_ids(expr); i++) {
		char *word = event_word(&probe, pfx_metric_id(expr, i));

		good = pfx_stat_parse_events(&events, word, g->run->options->roots, NULL) >= 0;
		free(word);
	}
	pfx_event_list_fini(&events);
	pfx_metric_free(expr);
	return good;
}

/* Add all metrics that match a word: by name, by group, or all. Of a group, metrics that this
 * machine does not support are skipped. */
static int add_word(struct gathering *g, const char *word)
{
	size_t nr = pfx_vendor_nr_metrics(g->cpu), i, found = 0, left_out = 0;
	struct pfx_vendor_metric row;
	char shown[128];
	int rc = 0;

	g->word = word;
	for (i = 0; i < nr && rc >= 0; i++) {
		bool is_name;

		pfx_vendor_metric_at(g->cpu, i, g->arena, &row);
		is_name = !strcasecmp(word, row.name);
		if (!is_name && strcasecmp(word, "all") != 0 && !list_has(row.groups, word))
			continue;
		if (g->is_usual && !*row.default_group)
			continue;
		if (is_name ? !has_cores(g->run->options->roots, &row) : !can_count(g, &row)) {
			left_out++;
			continue;
		}
		found++;
		rc = add_parts(g, &row);
	}
	if (rc >= 0 && !found && left_out)
		return pfx_error_set(g->err, ENOENT, "this machine cannot count the metrics '%s'",
				     pfx_escape(shown, sizeof(shown), word));
	return rc >= 0 && !found ? unknown(g, word) : rc;
}

int pfx_stat_metrics(struct pfx_stat_runner *run, const char *words, struct pfx_event_list *events,
		     struct pfx_error *err)
{
	struct pfx_arena arena = {0};
	struct gathering g = {.run = run,
			      .arena = &arena,
			      .events = events,
			      .err = err,
			      .pmu = "",
			      .is_usual = !words};
	char *copy = pfx_strdup(words ? words : "Default"), *word, *rest;
	const char *cpuid = run->options->roots->cpuid;
	int rc = 0;

	g.cpu = pfx_pmu_vendor(run->options->roots);
	if (!g.cpu) {
		rc = pfx_error_set(err, ENOENT, "no metrics are known for this CPU ('%s')",
				   cpuid ? cpuid : "?");
		pfx_error_hint(err, "-e 'instructions,cycles' shows some without them");
	}
	if (rc >= 0)
		pfx_stat_machine(run);
	for (word = strtok_r(copy, ", ", &rest); word && rc >= 0;
	     word = strtok_r(NULL, ", ", &rest))
		rc = add_word(&g, word);
	free(copy);
	free(g.firsts.at);
	pfx_arena_clear(&arena);
	return rc;
}

/* --- the machine --- */

static double count_different(const struct pfx_env_topology *t, bool cores, bool dies)
{
	uint32_t i, j, nr = 0;

	for (i = 0; i < t->nr_cpus; i++) {
		for (j = 0; j < i; j++)
			if (t->cpus[i].socket_id == t->cpus[j].socket_id &&
			    (!dies || t->cpus[i].die_id == t->cpus[j].die_id) &&
			    (!cores || t->cpus[i].core_id == t->cpus[j].core_id))
				break;
		nr += j == i;
	}
	return nr;
}

/* "2.70GHz" in the CPU's model name: on older CPUs the rate of the TSC. */
static double named_hz(const char *name)
{
	const char *at = name ? strstr(name, "@ ") : NULL;
	char *unit;
	double rate;

	if (!at)
		return 0;
	rate = strtod(at + 2, &unit);
	return !strncmp(unit, "GHz", 3) ? rate * 1e9 : !strncmp(unit, "MHz", 3) ? rate * 1e6 : 0;
}

/* The core PMU's name depends on the CPU. */
static double slots_of_cores(void)
{
	double slots = 0;
	glob_t found;
	size_t i;

	if (glob("/sys/bus/event_source/devices/arm*/caps/slots", 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc && slots == 0; i++)
		slots = number_in(found.gl_pathv[i]);
	globfree(&found);
	return slots;
}

void pfx_stat_machine(struct pfx_stat_runner *run)
{
	struct pfx_metric_machine *m = &run->stat.machine;
	struct pfx_host_options all = {0};
	const struct pfx_env *env;
	uint32_t i;

	if (!run->host) {
		run->host = pfx_meta_new();
		pfx_host_describe(run->host, &all, NULL);
	}
	env = &run->host->env;
	m->num_cpus = env->nr_cpus_avail;
	m->num_cpus_online = env->nr_cpus_online;
	m->num_cores = count_different(&env->topology, true, true);
	m->num_dies = count_different(&env->topology, false, true);
	m->num_packages = count_different(&env->topology, false, false);
	for (i = 0; i < env->topology.threads.nr; i++)
		m->smt_on |= strpbrk(env->topology.threads.at[i], ",-") != NULL;
	m->core_wide = run->is_system_wide && (!m->smt_on || !run->options->cpus);
	m->of_cpus = run->is_system_wide;
	m->tsc_hz = pfx_cpuid_tsc_hz();
	if (m->tsc_hz <= 0)
		m->tsc_hz = named_hz(env->cpudesc);
	m->slots = slots_of_cores();
	m->has_pmem = !access("/sys/firmware/acpi/tables/NFIT", F_OK);
	m->cpuid = run->options->roots->cpuid;
}
