/* SPDX-License-Identifier: MIT */
/*
 * The statistics of graphics drivers about their clients, in /proc/PID/fdinfo/FD:
 *
 *	drm-driver:	i915
 *	drm-client-id:	7
 *	drm-engine-render:	25662044495 ns
 *	drm-total-system0:	125056 KiB
 *
 * A client may have several descriptors and processes; it counts once. Source of the keys:
 * Documentation/gpu/drm-usage-stats.rst of the kernel.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dir_names.h"
#include "base/hash.h"
#include "base/io.h"
#include "pmu/sensor/sensor.h"

#define PATH_SIZE   512
#define FDINFO_MAX  (64u << 10)
#define KIND_PREFIX "drm-"

/* Keys with numbers; longer prefixes first. */
static const struct kind {
	const char *start, *text, *unit;
	bool grows;
} kinds[] = {
	{"drm-engine-capacity-", "How many engines there are", "", false},
	{"drm-engine-", "Time that the engine worked", "ns", true},
	{"drm-total-cycles-", "Cycles of the engine", "", true},
	{"drm-cycles-", "Busy cycles of the engine", "", true},
	{"drm-maxfreq-", "Highest frequency", "Hz", false},
	{"drm-memory-", "Memory in use", "bytes", false},
	{"drm-total-", "Memory of all kinds of use", "bytes", false},
	{"drm-shared-", "Memory shared with others", "bytes", false},
	{"drm-resident-", "Memory that is there", "bytes", false},
	{"drm-purgeable-", "Memory that may be taken away", "bytes", false},
	{"drm-active-", "Memory that engines work with", "bytes", false},
};

static const struct kind *kind_of(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(key, kinds[i].start, strlen(kinds[i].start)))
			return &kinds[i];
	return NULL;
}

/* "4096 KiB", "12 ns", "1350 MHz". */
static double number_of(const char *text)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {{"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824},
		     {"KHz", 1e3},  {"MHz", 1e6},     {"GHz", 1e9}};
	char *end;
	double number = (double)strtoull(text, &end, 10);
	size_t i;

	end += strspn(end, " \t");
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strncmp(end, units[i].unit, strlen(units[i].unit)))
			return number * units[i].factor;
	return number;
}

/* The next "key: value" of a text, which is modified; false at its end. */
static bool next_pair(char **at, const char **ret_key, const char **ret_value)
{
	char *line, *colon;

	while (**at) {
		line = *at;
		*at += strcspn(line, "\n");
		if (**at)
			*(*at)++ = '\0';
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon++ = '\0';
		*ret_key = line;
		*ret_value = colon + strspn(colon, " \t");
		return true;
	}
	return false;
}

/* --- all descriptors of processes --- */

typedef void (*descriptor_fn)(void *context, char *text);

static void each_descriptor(const char *dir, descriptor_fn work, void *context)
{
	struct pfx_arena arena = {0};
	struct pfx_name_list names = {0};
	char path[PATH_SIZE], *text;
	size_t i;

	pfx_names_of_dir(&names, &arena, dir);
	for (i = 0; i < names.names.nr; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", dir, names.names.at[i]) >=
			    (int)sizeof(path) ||
		    pfx_read_file(path, FDINFO_MAX, &text, NULL, NULL))
			continue;
		if (strstr(text, KIND_PREFIX))
			work(context, text);
		free(text);
	}
	pfx_vec_free(&names.names);
	pfx_arena_clear(&arena);
}

static void each_process(const char *proc, descriptor_fn work, void *context)
{
	struct pfx_arena arena = {0};
	struct pfx_name_list names = {0};
	char path[PATH_SIZE];
	size_t i;

	pfx_names_of_dir(&names, &arena, proc);
	for (i = 0; i < names.names.nr; i++)
		if (isdigit((unsigned char)names.names.at[i][0]) &&
		    snprintf(path, sizeof(path), "%s/%s/fdinfo", proc, names.names.at[i]) <
			    (int)sizeof(path))
			each_descriptor(path, work, context);
	pfx_vec_free(&names.names);
	pfx_arena_clear(&arena);
}

/* --- the list of sensors --- */

static bool has_sensor(const struct pfx_sensors *sensors, const char *pmu, const char *name)
{
	size_t i;

	for (i = 0; i < sensors->list.nr; i++)
		if (!strcmp(sensors->list.at[i].pmu, pmu) &&
		    !strcmp(sensors->list.at[i].name, name))
			return true;
	return false;
}

static void add_sensor(struct pfx_sensors *sensors, const char *driver, const char *key)
{
	const struct kind *kind = kind_of(key);
	char pmu[64], text[256];
	struct pfx_sensor *sensor;

	snprintf(pmu, sizeof(pmu), "drm_%s", driver);
	if (!kind || has_sensor(sensors, pmu, key))
		return;
	snprintf(text, sizeof(text), "%s '%s' of %s", kind->text, key + strlen(kind->start),
		 driver);
	sensor = pfx_vec_add(&sensors->list);
	*sensor = (struct pfx_sensor){.unit = kind->unit, .scale = 1};
	sensor->pmu = pfx_arena_strdup(&sensors->arena, pmu);
	sensor->name = pfx_arena_strdup(&sensors->arena, key);
	sensor->text = pfx_arena_strdup(&sensors->arena, text);
	sensor->where = (struct pfx_reading){
		.driver = pfx_arena_strdup(&sensors->arena, driver),
		.key = pfx_arena_strdup(&sensors->arena, key),
		.grows = kind->grows,
	};
}

/* The driver's name is the first key. */
static void add_sensors(void *context, char *text)
{
	const char *key, *value, *driver = NULL;

	while (next_pair(&text, &key, &value)) {
		if (!strcmp(key, "drm-driver"))
			driver = value;
		else if (driver)
			add_sensor(context, driver, key);
	}
}

void pfx_sensors_drm(struct pfx_sensors *sensors, const char *proc)
{
	each_process(proc, add_sensors, sensors);
}

/* --- current values --- */

struct sum {
	const struct pfx_reading *reading;
	struct pfx_intern clients;
	double total;
	bool any;
};

static void add_client(void *context, char *text)
{
	const char *key, *value, *driver = "", *id = "", *device = "", *number = NULL;
	struct sum *sum = context;
	uint32_t before = sum->clients.nr;
	char *client;

	while (next_pair(&text, &key, &value)) {
		if (!strcmp(key, "drm-driver"))
			driver = value;
		else if (!strcmp(key, "drm-client-id"))
			id = value;
		else if (!strcmp(key, "drm-pdev"))
			device = value;
		else if (!strcmp(key, sum->reading->key))
			number = value;
	}
	if (!number || strcmp(driver, sum->reading->driver) != 0)
		return;
	client = pfx_strfmt("%s %s", device, id);
	if (pfx_intern_add(&sum->clients, client, strlen(client)) >= before) {
		sum->total += number_of(number);
		sum->any = true;
	}
	free(client);
}

bool pfx_reading_is_one(const struct pfx_reading *reading)
{
	return reading->path || reading->key;
}

static bool take_drm(const struct pfx_reading *reading, const char *proc, const int *tids,
		     size_t nr, double *ret)
{
	struct sum sum = {.reading = reading};
	char path[PATH_SIZE];
	size_t i;

	for (i = 0; i < nr; i++)
		if (snprintf(path, sizeof(path), "%s/%d/fdinfo", proc, tids[i]) < (int)sizeof(path))
			each_descriptor(path, add_client, &sum);
	if (!nr)
		each_process(proc, add_client, &sum);
	pfx_intern_fini(&sum.clients);
	*ret = sum.total;
	return sum.any;
}

bool pfx_reading_take(const struct pfx_reading *reading, const char *proc, const int *tids,
		      size_t nr, double *ret)
{
	char line[64], *end;

	if (!reading->path)
		return take_drm(reading, proc ? proc : "/proc", tids, nr, ret);
	if (pfx_read_line(reading->path, line, sizeof(line)) < 0)
		return false;
	*ret = (double)strtoll(line, &end, 10);
	return end != line;
}

struct pfx_reading pfx_reading_copy(const struct pfx_reading *reading)
{
	struct pfx_reading copy = {.grows = reading->grows};

	copy.path = reading->path ? pfx_strdup(reading->path) : NULL;
	copy.driver = reading->driver ? pfx_strdup(reading->driver) : NULL;
	copy.key = reading->key ? pfx_strdup(reading->key) : NULL;
	return copy;
}

void pfx_reading_fini(struct pfx_reading *reading)
{
	free(reading->path);
	free(reading->driver);
	free(reading->key);
}

void pfx_sensors_fini(struct pfx_sensors *sensors)
{
	pfx_vec_free(&sensors->list);
	pfx_arena_clear(&sensors->arena);
}
