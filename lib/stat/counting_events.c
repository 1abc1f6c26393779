/* SPDX-License-Identifier: MIT */
/*
 * The events of `pfx stat`: those of -e and of metrics, or the defaults, as counters and as rows of
 * the table, once for each cgroup.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "stat/counting_internal.h"
#include "sys/host/cgroup.h"

static const char usual[] = "context-switches,cpu-migrations,page-faults,cycles";
/* Added between them if the core PMU has these events. */
static const char *const stalls[] = {"stalled-cycles-frontend", "stalled-cycles-backend"};
static const char usual_end[] = "instructions,branches,branch-misses";
/* The additional events for each further -d. */
static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
	 "iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};
static const char transaction[] =
	"task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/,cpu/el-start/,cpu/cycles-ct/}";

/* The kernel's topdown events of newer CPUs: slots, with one event for each part. Level 0: all. */
static bool add_slots(struct pfx_stat_runner *run, uint64_t level)
{
	static const char *const sets[] = {
		"{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound,"
		"topdown-heavy-ops,topdown-br-mispredict,topdown-fetch-lat,topdown-mem-bound}",
		"{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}",
	};

	return ((level == 0 || level == 2) &&
		pfx_stat_parse_events(run->events, sets[0], run->options->roots, NULL) >= 0) ||
	       (level < 2 &&
		pfx_stat_parse_events(run->events, sets[1], run->options->roots, NULL) >= 0);
}

static bool pmu_names(const char *pmu, const char *event)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/events/%s", pmu, event);
	return !access(path, F_OK);
}

/* Metrics of a group, NULL: those that are shown unasked; without them, nothing is changed. */
static bool try_metrics(struct pfx_stat_runner *run, const char *group)
{
	size_t before = run->events->specs.nr;

	if (pfx_stat_metrics(run, group, run->events, NULL) >= 0)
		return true;
	pfx_stat_drop_metrics(&run->stat);
	while (run->events->specs.nr > before)
		pfx_event_spec_fini(&run->events->specs.at[--run->events->specs.nr]);
	return false;
}

static int add_usual(struct pfx_stat_runner *run, struct pfx_error *err)
{
	struct pfx_str words = {0};
	size_t i;
	int rc;

	pfx_str_addf(&words, "%s,%s", run->is_system_wide ? "cpu-clock" : "task-clock", usual);
	for (i = 0; i < sizeof(stalls) / sizeof(stalls[0]); i++) {
		if (pmu_names("cpu", stalls[i]))
			pfx_str_addf(&words, ",%s", stalls[i]);
	}
	pfx_str_addf(&words, ",%s", usual_end);
	rc = pfx_stat_parse_events(run->events, pfx_str_get(&words), run->options->roots, err);
	pfx_str_fini(&words);
	/* The vendor's metrics for every run, else the kernel's events that count slots in addition
	 * to other events. */
	if (rc >= 0 && pfx_pmu_vendor(run->options->roots) && try_metrics(run, NULL))
		return rc;
	if (rc >= 0 && (pmu_names("cpu", "slots") || pmu_names("cpu_core", "slots")))
		add_slots(run, 0);
	return rc;
}

static int add_details(struct pfx_stat_runner *run, struct pfx_error *err)
{
	int detail, rc = 0;

	for (detail = 0; detail < run->options->detailed && detail < 3 && rc >= 0; detail++)
		rc = pfx_stat_parse_events(run->events, details[detail], run->options->roots, err);
	return rc;
}

static int count_cores(struct pfx_stat_runner *run, struct pfx_error *err)
{
	if (!run->is_system_wide) {
		pfx_error_set(err, EINVAL,
			      "the top-down events of this CPU count what a whole core does");
		pfx_error_hint(err, "add -a, or -C with the CPUs that matter");
		return -EINVAL;
	}
	if (run->by != PFX_STAT_BY_ALL && run->by != PFX_STAT_BY_CORE) {
		pfx_error_set(err, EINVAL,
			      "the top-down events of this CPU count what a whole core does: rows "
			      "can only be by core");
		return -EINVAL;
	}
	run->by = PFX_STAT_BY_CORE;
	return 0;
}

/* The kernel's topdown events, for newer or older CPUs. */
static int add_kernel_topdown(struct pfx_stat_runner *run, uint64_t level, struct pfx_error *err)
{
	static const char older[] =
		"{topdown-total-slots,topdown-slots-retired,topdown-recovery-bubbles,"
		"topdown-fetch-bubbles,topdown-slots-issued}";

	if (add_slots(run, level))
		return 0;
	if (level < 2 && pfx_stat_parse_events(run->events, older, run->options->roots, NULL) >= 0)
		return count_cores(run, err);
	if (level > 1)
		return pfx_error_set(err, ENOENT,
				     "there are no top-down metrics of level %llu here",
				     (unsigned long long)level);
	return pfx_error_set(err, ENOENT,
			     "this machine has no top-down events, and this CPU's vendor no "
			     "top-down metrics that can be counted here");
}

/* The vendor's formulas; otherwise the kernel's events. */
static int add_topdown(struct pfx_stat_runner *run, struct pfx_error *err)
{
	uint64_t level = run->options->topdown_level;
	char group[32];

	snprintf(group, sizeof(group), "TopdownL%llu", (unsigned long long)(level ? level : 1));
	/* with -M, errors are fatal */
	if (run->options->metrics)
		return pfx_stat_metrics(run, group, run->events, err);
	if (try_metrics(run, group))
		return 0;
	return add_kernel_topdown(run, level, err);
}

int pfx_stat_choose_events(struct pfx_stat_runner *run, struct pfx_error *err)
{
	const struct pfx_stat_plan *o = run->options;
	int rc = 0;

	if (o->null_run)
		return 0;
	if (o->transaction)
		rc = pfx_stat_parse_events(run->events, transaction, run->options->roots, err);
	if (rc >= 0 && o->metrics)
		rc = pfx_stat_metrics(run, o->metrics, run->events, err);
	if (rc >= 0 && o->topdown)
		rc = add_topdown(run, err);
	if (rc >= 0 && o->smi_cost)
		rc = pfx_stat_smi_events(run, err);
	if (rc >= 0 && !run->events->specs.nr)
		rc = add_usual(run, err);
	if (rc >= 0)
		rc = add_details(run, err);
	return rc;
}

/* --- rows --- */

static void set_unit(struct pfx_stat_event *row, const char *unit, double scale)
{
	free(row->unit);
	row->unit = pfx_strdup(unit ? unit : "");
	row->scale = scale;
}

/* PMUs that matched the same word ("uncore_imc_0", "uncore_imc_1") share one row. */
static bool is_of_all_cores(const struct pfx_stat_runner *run, const struct pfx_event_spec *spec)
{
	return run->options->hybrid_merge && spec->bare_name;
}

/* Words that match several PMUs make a block for each: an event, or all events of a group. */
struct block {
	size_t first, nr;
};

static struct block block_of(const struct pfx_event_list *events, size_t at)
{
	const struct pfx_event_spec *specs = events->specs.at;
	struct block ret = {at, 1};

	if (!specs[at].group)
		return ret;
	while (ret.first && specs[ret.first - 1].group == specs[at].group)
		ret.first--;
	ret.nr = at - ret.first + 1;
	while (ret.first + ret.nr < events->specs.nr &&
	       specs[ret.first + ret.nr].group == specs[at].group)
		ret.nr++;
	return ret;
}

/* Whether the block before @block is from the same words. */
static bool has_twin_before(const struct pfx_event_list *events, const struct block *block)
{
	const struct pfx_event_spec *specs = events->specs.at;
	struct block before;
	size_t i;

	if (!block->first)
		return false;
	before = block_of(events, block->first - 1);
	if (before.nr != block->nr || !specs[before.first].group != !specs[block->first].group)
		return false;
	for (i = 0; i < block->nr; i++)
		if (!specs[before.first + i].pmu ||
		    strcmp(specs[before.first + i].name, specs[block->first + i].name) != 0)
			return false;
	return true;
}

/* For the event @at of a word that matched several PMUs, the event of the first PMU; -1: it is the
 * first. The same word may be repeated: each repetition begins with its first PMU. */
static long first_of_word(const struct pfx_event_list *events, size_t at)
{
	const struct pfx_event_spec *specs = events->specs.at;
	struct block own = block_of(events, at), first = own;
	size_t place = at - own.first, i;

	while (has_twin_before(events, &first))
		first.first -= first.nr;
	for (i = at; i > first.first + place; i -= own.nr)
		if (!strcmp(specs[i].pmu, specs[first.first + place].pmu))
			break;
	return i == at ? -1 : (long)i;
}

static long merge_target(const struct pfx_stat_runner *run, size_t at)
{
	const struct pfx_event_spec *specs = run->events->specs.at, *spec = &specs[at];
	size_t i;

	for (i = 0; i < at && is_of_all_cores(run, spec); i++)
		if (specs[i].bare_name && strcmp(specs[i].pmu, spec->pmu) != 0 &&
		    !strcmp(specs[i].bare_name, spec->bare_name))
			return (long)i;
	if (spec->bare_name || !spec->pmu || run->options->no_merge || run->by == PFX_STAT_BY_CPU)
		return -1;
	return first_of_word(run->events, at);
}

/* "uncore_imc_0/cas_count_read/" if "uncore_imc/..." matched several PMUs with a row for each, and
 * "unc_cha_clockticks [uncore_cha_0]". */
static char *row_name(const struct pfx_stat_runner *run, const struct pfx_event_spec *spec)
{
	bool split = run->options->no_merge || run->by == PFX_STAT_BY_CPU;
	const char *slash = strchr(spec->name, '/');
	size_t len = slash ? (size_t)(slash - spec->name) : 0;

	if (is_of_all_cores(run, spec))
		return pfx_strdup(spec->bare_name);
	if (spec->bare_name && !strcmp(spec->bare_name, spec->name))
		return pfx_strfmt("%s/%s/", spec->pmu, spec->name);
	if (!slash && spec->pmu &&
	    (run->options->no_merge || (split && pfx_stat_is_outside_of_cores(spec))))
		return pfx_strfmt("%s [%s]", spec->name, spec->pmu);
	if (!split || !slash || !spec->pmu || !len || !strstr(spec->pmu, "_") ||
	    (strlen(spec->pmu) == len && !strncmp(spec->pmu, spec->name, len)))
		return pfx_strdup(spec->name);
	return pfx_strfmt("%s%s", spec->pmu, slash);
}

static void add_row(struct pfx_stat_runner *run, const struct pfx_event_spec *spec,
		    const char *cgroup)
{
	char *name = row_name(run, spec);
	struct pfx_stat_event *row = pfx_stat_add_event(&run->stat, name, &spec->attr);

	free(name);
	row->tool = pfx_reading_is_one(&spec->reading) ? PFX_STAT_READING
						       : pfx_stat_tool_of(spec->name, &spec->attr);
	row->is_per_package = spec->is_per_package;
	row->is_partial = spec->cpus != NULL;
	row->is_per_core = spec->sampling.percore;
	row->cgroup = cgroup ? pfx_strdup(cgroup) : NULL;
	if (spec->is_latency)
		row->tool = PFX_STAT_LATENCY;
	if (row->tool == PFX_STAT_LATENCY)
		set_unit(row, "", 1);
	else if (row->tool != PFX_STAT_COUNTER && row->tool < PFX_STAT_READING)
		set_unit(row, row->tool < PFX_STAT_NUM_CPUS ? "ns" : "", 1);
	else if (spec->unit || spec->scale != 1)
		set_unit(row, spec->unit, spec->scale);
}

/* --- counters --- */

static int add_counter(struct pfx_stat_runner *run, const struct pfx_event_spec *spec,
		       const char *cgroup, uint32_t first_group, struct pfx_error *err)
{
	const struct pfx_attr nothing = {.type = PFX_TYPE_SOFTWARE, .config = PFX_SW_DUMMY};
	struct pfx_counter *counter = pfx_counters_add(
		&run->counters, spec->is_latency ? &nothing : &spec->attr, spec->name);

	counter->guest_unsaid = spec->exclude_guest_default;
	counter->group = spec->group ? spec->group + first_group : 0;
	if (run->options->one_group)
		counter->group = first_group + 1;
	counter->is_weak = spec->is_weak;
	counter->inherit = spec->sampling.inherit;
	if (spec->cpus)
		pfx_list_parse(spec->cpus, &counter->cpus);
	counter->only_on_cpus = spec->has_cpu_term;
	counter->is_everywhere = pfx_stat_is_outside_of_cores(spec);
	run->observer->probe_counter(spec, counter);
	add_row(run, spec, cgroup);
	if (spec->is_latency)
		pfx_latency_add(&run->latency, &spec->attr, spec->name,
				(struct pfx_latency_sum){.row = run->stat.events.nr - 1,
							 .known = spec->latency});
	return cgroup ? pfx_cgroup_open(cgroup, NULL, &counter->cgroup_fd, err) : 0;
}

static int add_all(struct pfx_stat_runner *run, const char *cgroup, struct pfx_error *err)
{
	const struct pfx_event_list *events = run->events;
	uint32_t first_group = (uint32_t)(run->counters.list.nr + 1);
	size_t base = run->stat.events.nr, i;
	const char *own;
	long other;
	int rc = 0;

	for (i = 0; i < events->specs.nr && rc >= 0; i++) {
		own = i < run->options->cgroups.nr ? run->options->cgroups.at[i] : cgroup;
		rc = add_counter(run, &events->specs.at[i], own, first_group, err);
		if (i < run->options->filters.nr && run->options->filters.at[i])
			run->counters.list.at[base + i].filter =
				pfx_strdup(run->options->filters.at[i]);
		other = merge_target(run, i);
		run->stat.events.at[base + i].merged_into = other < 0 ? -1 : other + (long)base;
	}
	return rc;
}

/* Copies the first @nr metrics for the events from @base on. */
static void copy_metrics(struct pfx_stat_runner *run, size_t nr, size_t base)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		struct pfx_stat_metric copy = pfx_stat_copy_metric(&run->stat.metrics.at[i], base);

		pfx_vec_push(&run->stat.metrics, copy);
	}
}

/* Copies the events for each cgroup, with metrics. */
static int add_for_cgroups(struct pfx_stat_runner *run, struct pfx_error *err)
{
	size_t nr_metrics = run->stat.metrics.nr, i;
	struct pfx_cgroup_names cgroups = {0};
	int rc = pfx_cgroup_find(run->options->each_cgroup, NULL, &cgroups, err);

	for (i = 0; i < cgroups.names.nr && rc >= 0; i++) {
		if (run->stat.events.nr)
			copy_metrics(run, nr_metrics, run->stat.events.nr);
		rc = add_all(run, cgroups.names.at[i], err);
	}
	pfx_cgroup_names_fini(&cgroups);
	return rc;
}

int pfx_stat_events(struct pfx_stat_runner *run, struct pfx_error *err)
{
	const struct pfx_stat_plan *o = run->options;
	struct pfx_counting counting = {
		.no_inherit = o->no_inherit,
		.all_user = o->all_user,
		.all_kernel = o->all_kernel,
		.enable_on_exec = run->command && !run->is_system_wide &&
				  !run->target.is_attached && o->delay_ms == 0,
	};
	int rc = o->null_run ? 0 : pfx_stat_smi_begin(run, err);

	if (rc >= 0)
		rc = run->observer->place_probes(run->observer->context, run->events, err);
	if (rc >= 0)
		rc = o->each_cgroup ? add_for_cgroups(run, err) : add_all(run, NULL, err);
	if (rc >= 0)
		pfx_counters_setup_counting(&run->counters, &counting);
	return rc;
}
