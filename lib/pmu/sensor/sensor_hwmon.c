/* SPDX-License-Identifier: MIT */
/*
 * The sensors of /sys/class/hwmon. A chip is a directory with its name in a file; a sensor is a
 * kind and a number, with files for its properties, named after an underscore:
 *
 *	temp2_input	the number
 *	temp2_label	what it measures, "Core 0"
 *
 * Source of the names and units: Documentation/hwmon/sysfs-interface.rst of the kernel.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dir_names.h"
#include "base/io.h"
#include "base/str.h"
#include "pmu/sensor/sensor.h"

/* The unit of a kind's numbers, and the files that may contain them. */
static const struct kind {
	const char *name, *text, *unit;
	double scale;
	const char *files[2];
} kinds[] = {
	{"curr", "Current", "A", 1e-3, {"_input"}},
	{"energy", "Energy", "J", 1e-6, {"_input"}},
	{"fan", "Fan", "rpm", 1, {"_input"}},
	{"freq", "Frequency", "Hz", 1, {"_input"}},
	{"humidity", "Humidity", "%", 1e-3, {"_input"}},
	{"in", "Voltage", "V", 1e-3, {"_input"}},
	{"power", "Power", "W", 1e-6, {"_input", "_average"}},
	{"pwm", "Control of a fan, 0 to 255,", "", 1, {""}},
	{"temp", "Temperature", "'C", 1e-3, {"_input"}},
};

/* A chip while its files are read. */
struct chip {
	struct pfx_sensors *sensors;
	const char *dir, *name, *pmu;
};

/* The kind of "temp2_input", and the end of its number; NULL: not supported. */
static const struct kind *kind_of(const char *file, size_t *ret_len)
{
	size_t letters = strspn(file, "abcdefghijklmnopqrstuvwxyz"), i, j;
	size_t digits = strspn(file + letters, "0123456789");

	for (i = 0; digits && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i].name) != letters || strncmp(file, kinds[i].name, letters))
			continue;
		*ret_len = letters + digits;
		for (j = 0; j < 2 && kinds[i].files[j]; j++)
			if (!strcmp(file + *ret_len, kinds[i].files[j]))
				return &kinds[i];
	}
	return NULL;
}

/* Converts a label to a part of a name: "Core 0" becomes "core_0". */
static void add_as_name(struct pfx_str *to, const char *text)
{
	for (; *text; text++)
		pfx_str_addc(to, isalnum((unsigned char)*text) ? (char)tolower((unsigned char)*text)
							       : '_');
}

static const char *keep(struct pfx_sensors *sensors, struct pfx_str *text)
{
	const char *kept = pfx_arena_strdup(&sensors->arena, pfx_str_get(text));

	pfx_str_fini(text);
	return kept;
}

static bool has_sensor(const struct chip *chip, const char *name)
{
	size_t i;

	for (i = 0; i < chip->sensors->list.nr; i++)
		if (chip->sensors->list.at[i].pmu == chip->pmu &&
		    !strcmp(chip->sensors->list.at[i].name, name))
			return true;
	return false;
}

static void add_sensor(const struct chip *chip, const struct kind *kind, const char *file,
		       size_t len)
{
	struct pfx_arena *arena = &chip->sensors->arena;
	struct pfx_str label = {0}, text = {0}, path = {0};
	char line[128] = "", *label_path;
	const char *name = pfx_arena_strndup(arena, file, len);
	struct pfx_sensor *sensor;

	if (has_sensor(chip, name))
		return;
	label_path = pfx_strfmt("%s/%s_label", chip->dir, name);
	if (pfx_read_line(label_path, line, sizeof(line)) < 0)
		*line = '\0';
	free(label_path);
	pfx_str_addf(&text, "%s %s%s%s of %s", kind->text, *line ? "'" : "", *line ? line : name,
		     *line ? "'" : "", chip->name);
	pfx_str_addf(&path, "%s/%s", chip->dir, file);
	if (*line) {
		pfx_str_addf(&label, "%s_", kind->name);
		add_as_name(&label, line);
	}
	sensor = pfx_vec_add(&chip->sensors->list);
	*sensor = (struct pfx_sensor){
		.pmu = chip->pmu, .name = name, .unit = kind->unit, .scale = kind->scale};
	sensor->label = label.len ? keep(chip->sensors, &label) : NULL;
	sensor->text = keep(chip->sensors, &text);
	sensor->where.path = (char *)keep(chip->sensors, &path);
}

static void read_chip(struct pfx_sensors *sensors, const char *dir)
{
	struct chip chip = {sensors, dir, NULL, NULL};
	char *path = pfx_strfmt("%s/name", dir), name[64];
	struct pfx_str pmu = {0};
	struct pfx_name_list files = {0};
	const struct kind *kind;
	int rc = pfx_read_line(path, name, sizeof(name));
	size_t i, len;

	free(path);
	if (rc < 0)
		return;
	chip.name = name;
	pfx_str_add(&pmu, "hwmon_");
	add_as_name(&pmu, name);
	chip.pmu = keep(sensors, &pmu);
	pfx_names_of_dir(&files, &sensors->arena, dir);
	for (i = 0; i < files.names.nr; i++) {
		kind = kind_of(files.names.at[i], &len);
		if (kind)
			add_sensor(&chip, kind, files.names.at[i], len);
	}
	pfx_vec_free(&files.names);
}

void pfx_sensors_hwmon(struct pfx_sensors *sensors, const char *sysfs)
{
	struct pfx_name_list chips = {0};
	char *dir = pfx_strfmt("%s/class/hwmon", sysfs), *chip;
	size_t i;

	pfx_names_of_dir(&chips, &sensors->arena, dir);
	for (i = 0; i < chips.names.nr; i++) {
		chip = pfx_strfmt("%s/%s", dir, chips.names.at[i]);
		read_chip(sensors, chip);
		free(chip);
	}
	pfx_vec_free(&chips.names);
	free(dir);
}
