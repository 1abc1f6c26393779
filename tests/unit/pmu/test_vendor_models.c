/* SPDX-License-Identifier: MIT */
/*
 * Every event of every CPU, on a machine that has all PMUs which the CPU's events name: each is
 * accepted, and its terms fit the formats of its PMU (tests/events/formats.txt). Every metric is
 * parsed with all metrics that it uses.
 */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <strings.h>

#include <cmocka.h>

#include "pmu/vendor/vendor_formula.h"
#include "pmu/vendor/vendor_table.h"
#include "unit/pmu/pmu_fixture.h"

#define PMUS_MAX 64

/* A machine of its own for each CPU. */
struct machine {
	struct tree tree;
	char arch[16], dir[64];
	const char *pmus[PMUS_MAX];
	size_t nr_pmus;
};

/* The name in sysfs of the PMU for "" and for names without a number. */
static const char *sysfs_name(const struct machine *m, const char *pmu)
{
	const char *comma = strchr(pmu, ',');
	static char name[64];

	if (comma) { /* "hisi_sccl,ddrc" is hisi_sccl1_ddrc0 */
		snprintf(name, sizeof(name), "%.*s1_%s0", (int)(comma - pmu), pmu, comma + 1);
		return name;
	}
	if (*pmu)
		return pmu;
	return strcmp(m->arch, "arm64") ? "cpu" : "armv8_pmuv3";
}

/* Write the files of a format row: "term=bits term=bits". */
static void add_formats(const struct machine *m, const char *name, char *terms)
{
	char path[256], text[64], *word, *rest;

	for (word = strtok_r(terms, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		char *bits = strchr(word, '=');

		*bits++ = '\0';
		snprintf(path, sizeof(path), "/bus/event_source/devices/%s/format/%s", name, word);
		snprintf(text, sizeof(text), "%s\n", bits);
		tree_file(&m->tree, path, text);
	}
}

static void find_formats(const struct machine *m, const char *name)
{
	char line[1024], cpu[64], pmu[64], place[96];
	FILE *file = fopen(FIXTURE_DIR "/formats.txt", "r");
	int at;

	assert_non_null(file);
	snprintf(place, sizeof(place), "%s/%s", m->arch, m->dir);
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#' || sscanf(line, "%63s %63s %n", cpu, pmu, &at) != 2)
			continue;
		if (fnmatch(cpu, place, 0) || fnmatch(pmu, name, 0))
			continue;
		add_formats(m, name, line + at);
		fclose(file);
		return;
	}
	fail_msg("formats.txt has no terms of %s on %s", name, place);
}

static void add_pmu(struct machine *m, const char *pmu, const char *compat)
{
	char path[256], type[16];
	const char *name;
	size_t i;

	for (i = 0; i < m->nr_pmus; i++)
		if (!strcmp(m->pmus[i], pmu))
			return;
	assert_true(m->nr_pmus < PMUS_MAX);
	m->pmus[m->nr_pmus++] = pmu;
	name = sysfs_name(m, pmu);
	snprintf(type, sizeof(type), "%zu\n", 10 + m->nr_pmus);
	snprintf(path, sizeof(path), "/bus/event_source/devices/%s/type", name);
	tree_file(&m->tree, path, type);
	snprintf(path, sizeof(path), "/bus/event_source/devices/%s/%s", name,
		 !*pmu || !strncmp(pmu, "cpu", 3) ? "cpus" : "cpumask");
	tree_file(&m->tree, path, "0\n");
	/* any identifier that matches */
	snprintf(path, sizeof(path), "/bus/event_source/devices/%s/identifier", name);
	tree_file(&m->tree, path, *compat == '(' ? "434a" : compat);
	find_formats(m, name);
}

static size_t check_events(struct machine *m, const struct pfx_vendor_cpu_row *cpu)
{
	struct pfx_pmu_roots roots = {.sysfs = m->tree.root, .vendor = cpu};
	struct pfx_event_list list = {0};
	struct pfx_str words = {0};
	struct pfx_error err = {0};
	struct pfx_arena arena = {0};
	struct pfx_vendor_event event;
	size_t nr = pfx_vendor_nr_events(cpu), asked = 0, i;

	for (i = 0; i < nr; i++) {
		pfx_vendor_event_at(cpu, i, &arena, &event);
		/* Several boards have a device of the name imx9_ddr: a machine is one of them. */
		add_pmu(m, event.pmu, event.compat);
		if (!strncmp(event.compat, "i", 1))
			continue;
		pfx_str_addf(&words, "%s%s/%s/", asked++ ? "," : "", sysfs_name(m, event.pmu),
			     event.name);
	}
	if (pfx_events_parse(&list, pfx_str_get(&words), &roots, &err))
		fail_msg("%s: %.*s", m->dir, (int)strcspn(err.text, "\n"), err.text);
	/* more where one name is of several PMUs: uncore_cbox and uncore_cbox_0 */
	assert_true(list.specs.nr >= asked);
	for (i = 0; i < list.specs.nr; i++)
		assert_true(list.specs.at[i].attr.type > 10);
	pfx_event_list_fini(&list);
	pfx_str_fini(&words);
	pfx_arena_clear(&arena);
	return nr;
}

static void check_metrics(const struct machine *m, const struct pfx_vendor_cpu_row *cpu)
{
	struct pfx_arena arena = {0};
	struct pfx_vendor_metric row;
	struct pfx_metric *metric;
	struct pfx_error err = {0};
	size_t i;

	for (i = 0; i < pfx_vendor_nr_metrics(cpu); i++) {
		struct pfx_vendor_formula how = {.cpu = cpu, .arena = &arena};

		pfx_vendor_metric_at(cpu, i, &arena, &row);
		how.pmu = row.pmu;
		if (pfx_vendor_formula(&how, row.expr, &metric, &err) < 0)
			fail_msg("%s: %s: %s", m->dir, row.name, err.text);
		assert_true(pfx_metric_nr_nodes(metric) > 0);
		pfx_metric_free(metric);
	}
	pfx_arena_clear(&arena);
}

/* No name occurs twice for one PMU and device. */
static void check_names(const struct machine *m, const struct pfx_vendor_cpu_row *cpu)
{
	struct pfx_vendor_event before = {0}, event;
	struct pfx_arena arena = {0};
	size_t i;

	for (i = 0; i < pfx_vendor_nr_events(cpu); i++, before = event) {
		pfx_vendor_event_at(cpu, i, &arena, &event);
		if (i && !strcasecmp(before.name, event.name) && !strcmp(before.pmu, event.pmu) &&
		    !strcmp(before.compat, event.compat))
			fail_msg("%s: '%s' occurs twice", m->dir, event.name);
	}
	pfx_arena_clear(&arena);
}

static void test_models(void **state)
{
	size_t nr = 0, models = 0;

	(void)state;
	for (uint32_t c = 0; c < pfx_vendor_nr_cpus; c++) {
		const struct pfx_vendor_cpu_row *cpu = &pfx_vendor_cpu_rows[c];
		struct machine m = {0};

		if (c && cpu[-1].first_event == cpu->first_event)
			continue;
		tree_init(&m.tree);
		snprintf(m.arch, sizeof(m.arch), "%s", pfx_vendor_strings + cpu->arch);
		snprintf(m.dir, sizeof(m.dir), "%s", pfx_vendor_cpu_dir(cpu));
		nr += check_events(&m, cpu);
		check_names(&m, cpu);
		check_metrics(&m, cpu);
		tree_fini(&m.tree);
		models++;
	}
	assert_true(models >= 97);
	assert_true(nr > 56000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
