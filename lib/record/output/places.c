/* SPDX-License-Identifier: MIT */
/* CPUs for the threads of a recorder, from --threads and --affinity. */
#include "record/output/places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "base/words.h"
#include "sys/target/target.h"

/* The words of --threads, and the files in sysfs that list the CPUs of each group. */
static const struct {
	const char *word, *file;
} kinds[] = {
	{"cpu", NULL},
	{"core", "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list"},
	{"package", "/sys/devices/system/cpu/cpu%d/topology/package_cpus_list"},
	{"numa", NULL},
};

static void add_list(const char *text, cpu_set_t *set)
{
	struct pfx_list list = {0};
	size_t i;

	if (!pfx_list_parse(text, &list))
		return;
	for (i = 0; i < list.nr; i++)
		if (list.at[i] < CPU_SETSIZE)
			CPU_SET(list.at[i], set);
	pfx_list_fini(&list);
}

static void add_node(int cpu, cpu_set_t *set)
{
	char path[128], line[4096];
	int node;

	for (node = 0; node < CPU_SETSIZE; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpu%d", node, cpu);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
		if (pfx_read_line(path, line, sizeof(line)) >= 0)
			add_list(line, set);
		return;
	}
}

/* "0-1/0:2-3/2": ring buffers of the CPUs before a slash are written by threads on the CPUs after
 * it. */
static void add_masks(const char *spec, int cpu, cpu_set_t *set)
{
	char *copy = pfx_strdup(spec), *save = NULL, *pair, *slash;
	struct pfx_list from = {0};

	for (pair = strtok_r(copy, ":", &save); pair; pair = strtok_r(NULL, ":", &save)) {
		slash = strchr(pair, '/');
		if (!slash)
			continue;
		*slash = '\0';
		if (pfx_list_parse(pair, &from) && pfx_list_has(&from, cpu))
			add_list(slash + 1, set);
		pfx_list_fini(&from);
	}
	free(copy);
}

/* Checks that the CPUs exist, and that each CPU with a ring buffer is in one pair only. */
static int check_pair(const char *rings, const char *threads, cpu_set_t *seen,
		      struct pfx_error *err)
{
	struct pfx_target target = {0};
	int rc = pfx_target_cpus(&target, threads, NULL, err);
	size_t i;

	if (rc >= 0)
		rc = pfx_target_cpus(&target, rings, NULL, err);
	for (i = 0; i < target.cpus.nr && rc >= 0; i++) {
		if (CPU_ISSET(target.cpus.at[i], seen)) {
			rc = pfx_error_set(err, EINVAL, "CPU %d is listed twice",
					   target.cpus.at[i]);
			pfx_error_hint(err, "give each CPU before one '/' only");
		}
		CPU_SET(target.cpus.at[i], seen);
	}
	pfx_target_fini(&target);
	return rc;
}

static int no_choice(const char *spec, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL, "'%s' is not a valid choice of threads",
		      pfx_escape(shown, sizeof(shown), spec));
	pfx_error_hint(err, "say cpu, core, package, numa, or CPUs of rings and threads like "
			    "0-1/0:2-3/2");
	return -EINVAL;
}

/* Checks the syntax for add_masks(). */
static int check_masks(const char *spec, struct pfx_error *err)
{
	char *copy = pfx_strdup(spec), *save = NULL, *pair, *slash;
	int rc = spec[strspn(spec, ":")] ? 0 : no_choice(spec, err);
	cpu_set_t seen;

	CPU_ZERO(&seen);
	for (pair = strtok_r(copy, ":", &save); pair && rc >= 0;
	     pair = strtok_r(NULL, ":", &save)) {
		slash = strchr(pair, '/');
		if (slash)
			*slash = '\0';
		rc = slash ? check_pair(pair, slash + 1, &seen, err) : no_choice(spec, err);
	}
	free(copy);
	return rc;
}

int pfx_places_check(const char *words, struct pfx_error *err)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(words, kinds[i].word) == 0)
			return 0;
	return check_masks(words, err);
}

bool pfx_places_of_affinity(const char *affinity, const char **ret_words)
{
	static const char *const words[][2] = {{"cpu", "cpu"}, {"node", "numa"}, {"sys", NULL}};
	size_t i;

	*ret_words = NULL;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(affinity, words[i][0]))
			continue;
		*ret_words = words[i][1];
		return true;
	}
	return false;
}

void pfx_places_of(const char *spec, int cpu, cpu_set_t *set)
{
	char path[128], line[4096];
	size_t i;

	CPU_ZERO(set);
	if (cpu < 0)
		return;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(spec, kinds[i].word) || !kinds[i].file)
			continue;
		snprintf(path, sizeof(path), kinds[i].file, cpu);
		if (pfx_read_line(path, line, sizeof(line)) >= 0)
			add_list(line, set);
	}
	if (strcmp(spec, "cpu") == 0 && cpu < CPU_SETSIZE)
		CPU_SET(cpu, set);
	else if (strcmp(spec, "numa") == 0)
		add_node(cpu, set);
	else if (strchr(spec, '/'))
		add_masks(spec, cpu, set);
}
