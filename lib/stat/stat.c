/* SPDX-License-Identifier: MIT */
/*
 * The table of counts: the groups, the sums of a run, and the means over runs.
 */
#include "stat/stat.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

/* Bytes: ten thousand rows of a hundred events need a tenth of it. */
#define CELLS_MAX (2ull << 30)

void pfx_moments_add(struct pfx_moments *m, double x)
{
	double delta = x - m->mean;

	m->n++;
	m->mean += delta / m->n;
	m->m2 += delta * (x - m->mean);
}

double pfx_moments_error(const struct pfx_moments *m)
{
	return m->n < 2 ? 0 : sqrt(m->m2 / (m->n - 1) / m->n);
}

struct pfx_stat_event *pfx_stat_add_event(struct pfx_counts *stat, const char *name,
					  const struct pfx_attr *attr)
{
	struct pfx_stat_event *event = pfx_vec_add(&stat->events);

	memset(event, 0, sizeof(*event));
	event->name = pfx_strdup(name);
	event->unit = pfx_strdup(pfx_attr_is_clock(attr) ? "msec" : "");
	event->scale = pfx_attr_is_clock(attr) ? 1e-6 : 1;
	event->attr = *attr;
	event->is_supported = true;
	event->merged_into = -1;
	return event;
}

/* Linux 6.5 inserted caches in the numbering, 6.9 clusters; recordings do not contain which one
 * applies. */
enum pfx_stat_by pfx_stat_by_of_number(const char *version, uint32_t number)
{
	static const enum pfx_stat_by numbers[3][10] = {
		{PFX_STAT_BY_CPU, PFX_STAT_BY_ALL, PFX_STAT_BY_SOCKET, PFX_STAT_BY_DIE,
		 PFX_STAT_BY_CORE, PFX_STAT_BY_THREAD, PFX_STAT_BY_ALL, PFX_STAT_BY_NODE,
		 PFX_STAT_BY_ALL, PFX_STAT_BY_ALL},
		{PFX_STAT_BY_CPU, PFX_STAT_BY_ALL, PFX_STAT_BY_SOCKET, PFX_STAT_BY_DIE,
		 PFX_STAT_BY_CACHE, PFX_STAT_BY_CORE, PFX_STAT_BY_THREAD, PFX_STAT_BY_ALL,
		 PFX_STAT_BY_NODE, PFX_STAT_BY_ALL},
		{PFX_STAT_BY_CPU, PFX_STAT_BY_ALL, PFX_STAT_BY_SOCKET, PFX_STAT_BY_DIE,
		 PFX_STAT_BY_DIE, PFX_STAT_BY_CACHE, PFX_STAT_BY_CORE, PFX_STAT_BY_THREAD,
		 PFX_STAT_BY_ALL, PFX_STAT_BY_NODE},
	};
	unsigned major = 0, minor = 0, at = 0;

	if (version && sscanf(version, "%3u.%3u", &major, &minor) == 2)
		at = major > 6 || (major == 6 && minor >= 9) ? 2 : major == 6 && minor >= 5;
	return number < 10 ? numbers[at][number] : PFX_STAT_BY_ALL;
}

/* --- groups --- */

static bool list_has(const char *words, int cpu)
{
	struct pfx_list list = {0};
	bool has = words && pfx_list_parse(words, &list) && pfx_list_has(&list, cpu);

	pfx_list_fini(&list);
	return has;
}

static int node_of(const struct pfx_env *env, int cpu)
{
	uint32_t i;

	for (i = 0; env && i < env->nr_nodes; i++)
		if (list_has(env->nodes[i].cpus, cpu))
			return (int)env->nodes[i].node;
	return -1;
}

/* The cache of a level (0: the last), identified by the first CPU that shares it. */
static int cache_of(const struct pfx_env *env, int cpu, unsigned level)
{
	struct pfx_list list = {0};
	uint32_t i, best = 0;
	int first = -1;

	for (i = 0; env && i < env->nr_caches; i++) {
		if (env->caches[i].level < best || (level && env->caches[i].level != level) ||
		    !list_has(env->caches[i].map, cpu))
			continue;
		best = env->caches[i].level;
		if (pfx_list_parse(env->caches[i].map, &list))
			first = list.at[0];
		pfx_list_fini(&list);
	}
	return first < 0 ? -1 : (int)best << 16 | first;
}

static struct pfx_stat_group group_of(const struct pfx_counts *stat, const struct pfx_env *env,
				      int cpu, int tid)
{
	struct pfx_stat_group group = {-1, -1, -1, -1, -1, -1, -1, -1, ""};
	const struct pfx_env_cpu *where = NULL;
	enum pfx_stat_by by = stat->by;

	if (env && cpu >= 0 && (uint32_t)cpu < env->topology.nr_cpus)
		where = &env->topology.cpus[cpu];
	if (by == PFX_STAT_BY_THREAD)
		group.tid = tid;
	if (by == PFX_STAT_BY_CPU)
		group.cpu = cpu;
	if (by == PFX_STAT_BY_NODE)
		group.node = node_of(env, cpu);
	if (by == PFX_STAT_BY_CACHE)
		group.cache = cache_of(env, cpu, stat->cache_level);
	if (!where || by == PFX_STAT_BY_ALL || by == PFX_STAT_BY_THREAD || by == PFX_STAT_BY_NODE)
		return group;
	group.socket = (int)where->socket_id;
	if (by != PFX_STAT_BY_SOCKET)
		group.die = (int)where->die_id;
	if (by == PFX_STAT_BY_CORE || by == PFX_STAT_BY_CPU)
		group.core = (int)where->core_id;
	if (by == PFX_STAT_BY_CLUSTER)
		group.cluster = (int)where->cluster_id;
	return group;
}

static int compare_groups(const void *a, const void *b)
{
	const struct pfx_stat_group *x = a, *y = b;
	const int xs[] = {x->cpu, x->socket, x->die, x->cache, x->cluster, x->core, x->node};
	const int ys[] = {y->cpu, y->socket, y->die, y->cache, y->cluster, y->core, y->node};
	size_t i;

	for (i = 0; i < sizeof(xs) / sizeof(xs[0]); i++)
		if (xs[i] != ys[i])
			return xs[i] < ys[i] ? -1 : 1;
	return 0;
}

/* The index of the group by its name. */
static size_t intern(struct pfx_counts *stat, const struct pfx_stat_group *g)
{
	const int parts[] = {g->socket, g->die,   g->core,    g->node,
			     g->cpu,    g->cache, g->cluster, g->tid};

	return pfx_intern_add(&stat->group_ids, parts, sizeof(parts));
}

size_t pfx_stat_group_add(struct pfx_counts *stat, const struct pfx_env *env, int cpu, int tid)
{
	struct pfx_stat_group group = group_of(stat, env, cpu, tid);
	size_t id = intern(stat, &group);

	if (id == stat->groups.nr)
		pfx_vec_push(&stat->groups, group);
	return id;
}

void pfx_stat_sort_groups(struct pfx_counts *stat)
{
	size_t i;

	if (stat->by == PFX_STAT_BY_THREAD || !stat->groups.nr)
		return;
	qsort(stat->groups.at, stat->groups.nr, sizeof(*stat->groups.at), compare_groups);
	pfx_intern_fini(&stat->group_ids);
	for (i = 0; i < stat->groups.nr; i++)
		intern(stat, &stat->groups.at[i]);
}

void pfx_stat_clear_groups(struct pfx_counts *stat)
{
	stat->groups.nr = 0;
	pfx_intern_fini(&stat->group_ids);
	free(stat->cells);
	stat->cells = NULL;
}

/* --- counts --- */

int pfx_stat_ready(struct pfx_counts *stat, struct pfx_error *err)
{
	size_t nr = stat->events.nr * stat->groups.nr;

	free(stat->cells);
	stat->cells = NULL;
	if (!stat->events.nr || nr / stat->events.nr == stat->groups.nr)
		stat->cells = pfx_alloc_checked(nr + 1, sizeof(*stat->cells), CELLS_MAX);
	if (stat->cells)
		return 0;
	return pfx_error_set(err, EFBIG, "%zu events in %zu rows each are too many",
			     stat->events.nr, stat->groups.nr);
}

struct pfx_stat_cell *pfx_stat_cell(const struct pfx_counts *stat, size_t event, size_t group)
{
	return &stat->cells[event * stat->groups.nr + group];
}

bool pfx_stat_was_counted(const struct pfx_stat_cell *cell)
{
	return cell->running.n && cell->running.mean > 0 && cell->enabled.mean > 0;
}

/* The estimated count if the counter had been running all the time. */
static double scaled(const struct pfx_counts *stat, const struct pfx_count *count)
{
	double value = count->may_fall ? (double)(int64_t)count->value : (double)count->value;

	if (stat->no_scale || count->running == 0 || count->running >= count->enabled)
		return value;
	return value * (double)count->enabled / (double)count->running;
}

static bool same_core(const struct pfx_stat_group *a, const struct pfx_stat_group *b)
{
	return a->core >= 0 && a->socket == b->socket && a->die == b->die && a->core == b->core;
}

size_t pfx_stat_first_of_core(const struct pfx_counts *stat, size_t group)
{
	size_t i;

	for (i = 0; i < group; i++)
		if (same_core(&stat->groups.at[i], &stat->groups.at[group]))
			break;
	return i;
}

/* @is_more: of another PMU in the same row, where the number of counters is that of the first. */
static void add_to_cell(const struct pfx_counts *stat, struct pfx_stat_cell *cell,
			struct pfx_count count, bool is_more)
{
	cell->sum.value += count.value;
	cell->sum.enabled += count.enabled;
	cell->sum.running += count.running;
	cell->sum.may_fall |= count.may_fall;
	cell->scaled += count.running ? scaled(stat, &count) : 0;
	cell->nr += !is_more && count.running && count.enabled;
	cell->placed++;
}

void pfx_stat_count(struct pfx_counts *stat, size_t event, size_t group, struct pfx_count count)
{
	long other = stat->events.at[event].merged_into;
	size_t to = other < 0 ? event : (size_t)other, i;

	if (!stat->events.at[to].is_per_core || stat->by != PFX_STAT_BY_CPU) {
		add_to_cell(stat, pfx_stat_cell(stat, to, group), count, other >= 0);
		return;
	}
	for (i = pfx_stat_first_of_core(stat, group); i < stat->groups.nr; i++) {
		if (i == group || same_core(&stat->groups.at[i], &stat->groups.at[group]))
			add_to_cell(stat, pfx_stat_cell(stat, to, i), count, other >= 0);
		if (!stat->shows_threads)
			return;
	}
}

static void end_cell(const struct pfx_counts *stat, struct pfx_stat_cell *cell)
{
	double value = cell->scaled;

	if (stat->by == PFX_STAT_BY_ALL)
		value = scaled(stat, &cell->sum);
	pfx_moments_add(&cell->value, floor(value + 0.5));
	pfx_moments_add(&cell->enabled, (double)cell->sum.enabled);
	pfx_moments_add(&cell->running, (double)cell->sum.running);
	cell->shown_nr = cell->nr ? cell->nr : 1;
	cell->sum = (struct pfx_count){0};
	cell->is_empty = cell->placed == 0;
	cell->scaled = 0;
	cell->nr = cell->placed = 0;
}

void pfx_stat_end_run(struct pfx_counts *stat, uint64_t wall_ns)
{
	size_t i;

	for (i = 0; i < stat->events.nr * stat->groups.nr; i++)
		end_cell(stat, &stat->cells[i]);
	pfx_moments_add(&stat->wall_ns, (double)wall_ns);
}

void pfx_stat_reset(struct pfx_counts *stat)
{
	memset(stat->cells, 0, stat->events.nr * stat->groups.nr * sizeof(*stat->cells));
	stat->wall_ns = (struct pfx_moments){0};
}

void pfx_stat_drop_metrics(struct pfx_counts *stat)
{
	size_t i;

	for (i = 0; i < stat->metrics.nr; i++) {
		free(stat->metrics.at[i].name);
		free(stat->metrics.at[i].suffix);
		free(stat->metrics.at[i].ids);
		pfx_metric_free(stat->metrics.at[i].expr);
		free(stat->metrics.at[i].threshold_ids);
		pfx_metric_free(stat->metrics.at[i].threshold);
	}
	pfx_vec_free(&stat->metrics);
}

static size_t *shifted(const struct pfx_metric *expr, const size_t *ids, size_t offset)
{
	size_t nr = pfx_metric_nr_ids(expr), i;
	size_t *copy = pfx_calloc(nr + 1, sizeof(*copy));

	for (i = 0; i < nr; i++)
		copy[i] = ids[i] == PFX_STAT_NO_EVENT ? ids[i] : ids[i] + offset;
	return copy;
}

struct pfx_stat_metric pfx_stat_copy_metric(const struct pfx_stat_metric *metric, size_t offset)
{
	struct pfx_stat_metric copy = *metric;

	copy.name = pfx_strdup(metric->name);
	copy.suffix = pfx_strdup(metric->suffix);
	copy.row += offset;
	copy.expr = pfx_metric_copy(metric->expr);
	copy.ids = shifted(metric->expr, metric->ids, offset);
	if (!metric->threshold)
		return copy;
	copy.threshold = pfx_metric_copy(metric->threshold);
	copy.threshold_ids = shifted(metric->threshold, metric->threshold_ids, offset);
	return copy;
}

void pfx_stat_fini(struct pfx_counts *stat)
{
	size_t i;

	for (i = 0; i < stat->events.nr; i++) {
		free(stat->events.at[i].name);
		free(stat->events.at[i].unit);
		free(stat->events.at[i].cgroup);
	}
	pfx_stat_drop_metrics(stat);
	pfx_vec_free(&stat->events);
	pfx_vec_free(&stat->groups);
	pfx_intern_fini(&stat->group_ids);
	free(stat->cells);
	stat->cells = NULL;
}
