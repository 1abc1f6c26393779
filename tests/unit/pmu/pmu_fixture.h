/* SPDX-License-Identifier: MIT */
/*
 * The sysfs and tracefs of other machines (tests/events/machines.txt), made in a temporary
 * directory; and the text of an event list.
 */
#ifndef PFX_TESTS_PMU_FIXTURE_H
#define PFX_TESTS_PMU_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "pmu/parse/parse.h"
#include "unit/base/tree.h"

#define FIXTURE_DIR PFX_SOURCE_DIR "/tests/events"

static const char *const fixture_tracepoints[] = {
	"sched/sched_switch 314",
	"sched/sched_wakeup 316",
	"sched/sched_wakeup_new 315",
	"sched/sched_waking 317",
	"sched/sched_process_fork 310",
	"syscalls/sys_enter_openat 700",
	"syscalls/sys_exit_openat 699",
	"irq/irq_handler_entry 150",
	"probe_libc/malloc 1800",
	"sdt_app/start 1801",
	"u/k 1900",
};

/* Create all machines in a new directory. */
static inline void fixture_init(struct tree *t)
{
	char path[256], text[130], machine[16], file[128], line[512];
	FILE *machines = fopen(FIXTURE_DIR "/machines.txt", "r");
	size_t i;

	if (!machines)
		abort();
	tree_init(t);
	while (fgets(line, sizeof(line), machines)) {
		if (*line == '#' || sscanf(line, "%15s %127s %127[^\n]", machine, file, text) != 3)
			continue;
		snprintf(path, sizeof(path), "/%s/bus/event_source/devices/%s", machine, file);
		strcat(text, "\n");
		tree_file(t, path, text);
	}
	fclose(machines);
	for (i = 0; i < sizeof(fixture_tracepoints) / sizeof(fixture_tracepoints[0]); i++) {
		sscanf(fixture_tracepoints[i], "%127s %127s", file, text);
		snprintf(path, sizeof(path), "/tracing/events/%s/id", file);
		tree_file(t, path, text);
	}
	tree_file(t, "/tracing/events/enable", "0\n");
}

/* For all tests of a program: group fixtures of cmocka. */
static struct tree machines;

static inline int make_machines(void **state)
{
	fixture_init(&machines);
	return 0;
}

static inline int remove_machines(void **state)
{
	tree_fini(&machines);
	return 0;
}

/* The roots of @machine in the tree. */
struct fixture_roots {
	char sysfs[512], tracefs[512];
	struct pfx_pmu_roots roots;
};

static inline void fixture_roots(const struct tree *t, const char *machine,
				 struct fixture_roots *ret)
{
	snprintf(ret->sysfs, sizeof(ret->sysfs), "%s/%s", t->root, machine);
	snprintf(ret->tracefs, sizeof(ret->tracefs), "%s/tracing", t->root);
	ret->roots = (struct pfx_pmu_roots){.sysfs = ret->sysfs, .tracefs = ret->tracefs};
}

static inline int fixture_parse(const struct tree *t, const char *machine, const char *words,
				struct pfx_event_list *list, struct pfx_error *err)
{
	struct fixture_roots at;

	fixture_roots(t, machine, &at);
	return pfx_events_parse(list, words, &at.roots, err);
}

/* Call @check with each row of a table and the indented lines after it; returns the number of
 * rows. */
static inline size_t fixture_rows(const char *name, void (*check)(char *row, const char *below))
{
	struct pfx_str row = {0}, below = {0};
	char path[512], line[4096];
	size_t nr = 0;
	FILE *file;

	snprintf(path, sizeof(path), FIXTURE_DIR "/%s", name);
	file = fopen(path, "r");
	if (!file)
		abort();
	for (bool more = true; more;) {
		more = fgets(line, sizeof(line), file) != NULL;
		if (more && *line == '#')
			continue;
		if (more)
			line[strcspn(line, "\n")] = '\0';
		if (more && *line == '\t') {
			pfx_str_addf(&below, "%s%s", below.len ? "\n" : "", line + 1);
			continue;
		}
		if (row.len) {
			check(row.at, pfx_str_get(&below));
			nr++;
		}
		pfx_str_clear(&row);
		pfx_str_clear(&below);
		if (more)
			pfx_str_add(&row, line);
	}
	fclose(file);
	pfx_str_fini(&row);
	pfx_str_fini(&below);
	return nr;
}

static inline void fixture_add_letters(struct pfx_str *to, uint64_t flags)
{
	static const struct {
		uint64_t bit;
		const char *text;
	} letters[] = {
		{PFX_ATTR_EXCLUDE_USER, "u"}, {PFX_ATTR_EXCLUDE_KERNEL, "k"},
		{PFX_ATTR_EXCLUDE_HV, "h"},   {PFX_ATTR_EXCLUDE_IDLE, "I"},
		{PFX_ATTR_EXCLUDE_HOST, "H"}, {PFX_ATTR_EXCLUDE_GUEST, "G"},
		{PFX_ATTR_PINNED, " pinned"}, {PFX_ATTR_EXCLUSIVE, " exclusive"},
	};
	size_t i;

	for (i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (flags & letters[i].bit)
			pfx_str_add(to, letters[i].text);
}

static inline void fixture_add_switch(struct pfx_str *to, const char *name, int on)
{
	if (on)
		pfx_str_addf(to, " %s%s", on > 0 ? "" : "no-", name);
}

/* The event's terms for sampling: " cg=mode stack=N frames=N br=bits time inherit". */
static inline void fixture_add_sampling(struct pfx_str *to, const struct pfx_event_sampling *s)
{
	if (s->has_callgraph)
		pfx_str_addf(to, " cg=%u", (unsigned)s->callgraph);
	if (s->stack_bytes)
		pfx_str_addf(to, " stack=%u", s->stack_bytes);
	if (s->max_frames)
		pfx_str_addf(to, " frames=%u", s->max_frames);
	if (s->branch_type)
		pfx_str_addf(to, " br=%llx", (unsigned long long)s->branch_type);
	fixture_add_switch(to, "time", s->time);
	fixture_add_switch(to, "inherit", s->inherit);
	fixture_add_switch(to, "overwrite", s->overwrite);
	fixture_add_switch(to, "aux-output", s->aux_output);
	fixture_add_switch(to, "percore", s->percore);
	if (s->has_aux_sample_size)
		pfx_str_addf(to, " aux-size=%u", s->aux_sample_size);
	if (s->aux_action)
		pfx_str_addf(to, " aux-action=%u", s->aux_action);
}

/* "name type:config 1=config1 2=config2 3=config3 bp=type -EXCLUDED pN g1{name} S W P period=N
 * @pmu#cpus", without fields that are zero. */
static inline void fixture_add_spec(struct pfx_str *to, const struct pfx_event_spec *s)
{
	pfx_str_addf(to, "%s %u:%llx", s->name, s->attr.type, (unsigned long long)s->attr.config);
	if (s->attr.config1)
		pfx_str_addf(to, " 1=%llx", (unsigned long long)s->attr.config1);
	if (s->attr.config2)
		pfx_str_addf(to, " 2=%llx", (unsigned long long)s->attr.config2);
	if (s->attr.config3)
		pfx_str_addf(to, " 3=%llx", (unsigned long long)s->attr.config3);
	if (s->attr.bp_type)
		pfx_str_addf(to, " bp=%u", s->attr.bp_type);
	pfx_str_add(to, " -");
	fixture_add_letters(to, s->attr.flags);
	if (pfx_attr_precise(&s->attr))
		pfx_str_addf(to, " p%u", pfx_attr_precise(&s->attr));
	if (s->group)
		pfx_str_addf(to, " g%u%s%s%s", s->group, s->group_name ? "{" : "",
			     s->group_name ? s->group_name : "", s->group_name ? "}" : "");
	pfx_str_add(to, s->is_leader_sampling ? " S" : "");
	pfx_str_add(to, s->is_weak ? " W" : "");
	pfx_str_add(to, s->precise_max ? " P" : "");
	if (s->has_period || s->has_freq)
		pfx_str_addf(to, " %s=%llu", s->has_period ? "period" : "freq",
			     (unsigned long long)s->attr.sample_period);
	fixture_add_sampling(to, &s->sampling);
	if (s->ratio_to_prev > 0)
		pfx_str_addf(to, " ratio=%g", s->ratio_to_prev);
	if (s->metric_id)
		pfx_str_addf(to, " id=%s", s->metric_id);
	if (s->scale != 1)
		pfx_str_addf(to, " *%g", s->scale);
	if (s->unit)
		pfx_str_addf(to, " [%s]", s->unit);
	pfx_str_add(to, s->is_per_package ? " per-package" : "");
	if (s->pmu)
		pfx_str_addf(to, " @%s", s->pmu);
	if (s->cpus)
		pfx_str_addf(to, "#%s", s->cpus);
}

static inline void fixture_list_text(struct pfx_str *to, const struct pfx_event_list *list)
{
	size_t i;

	for (i = 0; i < list->specs.nr; i++) {
		pfx_str_add(to, i ? "\n" : "");
		fixture_add_spec(to, &list->specs.at[i]);
	}
}

#endif
