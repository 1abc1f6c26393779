/* SPDX-License-Identifier: MIT */
/*
 * Sensors as words of -e: "hwmon_coretemp/temp2/", or "temp2" and "temp_core_0" of any chip. In the
 * list they are dummy events with the source of the number. Only valid for counting.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pmu/parse/parse_internal.h"
#include "pmu/sensor/sensor.h"

#define HWMON "hwmon_"
#define DRM   "drm_"

static bool begins(const char *word, const char *start)
{
	return !strncasecmp(word, start, strlen(start));
}

/* Read at first use; graphics drivers only for words about them. */
static const struct pfx_sensors *sensors_for(struct pfx_parser *p, const char *word)
{
	const char *proc = p->roots->proc ? p->roots->proc : "/proc";
	bool is_drm = begins(word, "drm");

	if (is_drm && !p->drm_read)
		pfx_sensors_drm(&p->sensors, proc);
	if (!is_drm && !p->hwmon_read)
		pfx_sensors_hwmon(&p->sensors, p->sysfs);
	p->drm_read |= is_drm;
	p->hwmon_read |= !is_drm;
	return &p->sensors;
}

static bool matches(const struct pfx_sensor *sensor, const char *word)
{
	return !fnmatch(word, sensor->name, FNM_CASEFOLD) ||
	       (sensor->label && !fnmatch(word, sensor->label, FNM_CASEFOLD));
}

static void add(struct pfx_parser *p, const struct pfx_sensor *sensor)
{
	struct pfx_event_spec *spec = pfx_event_add(p, PFX_TYPE_SOFTWARE, PFX_SW_DUMMY);

	spec->reading = pfx_reading_copy(&sensor->where);
	spec->unit = *sensor->unit ? pfx_strdup(sensor->unit) : NULL;
	spec->scale = sensor->scale;
}

/* If a word matched several sensors, each gets its full name. */
static void name_all(struct pfx_parser *p, size_t first, const struct pfx_sensors *sensors,
		     const char *pmu, const char *word)
{
	size_t i, at = first;

	if (p->list->specs.nr == first + 1)
		return;
	for (i = 0; i < sensors->list.nr && at < p->list->specs.nr; i++) {
		const struct pfx_sensor *sensor = &sensors->list.at[i];

		if ((!pmu || !fnmatch(pmu, sensor->pmu, FNM_CASEFOLD)) && matches(sensor, word))
			p->list->specs.at[at++].name =
				pfx_strfmt("%s/%s/", sensor->pmu, sensor->name);
	}
}

/* Add the sensors of these chips (NULL: all) that match the word; returns their number. */
static size_t add_matching(struct pfx_parser *p, const struct pfx_sensors *sensors, const char *pmu,
			   const char *word)
{
	size_t i, first = p->list->specs.nr;

	for (i = 0; i < sensors->list.nr; i++) {
		const struct pfx_sensor *sensor = &sensors->list.at[i];

		if ((!pmu || !fnmatch(pmu, sensor->pmu, FNM_CASEFOLD)) && matches(sensor, word))
			add(p, sensor);
	}
	name_all(p, first, sensors, pmu, word);
	return p->list->specs.nr - first;
}

static bool may_count(const struct pfx_parser *p)
{
	return p->roots && p->roots->counts_only;
}

/* "temp2", "fan*": a kind and a number, or a kind and a label. */
static bool may_be_sensor(const char *word)
{
	static const char *const kinds[] = {"curr", "energy", "fan", "freq", "humidity",
					    "in",   "power",  "pwm", "temp"};
	size_t i, len;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		len = strlen(kinds[i]);
		if (begins(word, kinds[i]) && word[len] && strchr("0123456789_*?[", word[len]))
			return true;
	}
	return begins(word, "drm-");
}

bool pfx_sensor_add(struct pfx_parser *p, const char *word)
{
	return may_count(p) && may_be_sensor(word) &&
	       add_matching(p, sensors_for(p, word), NULL, word) > 0;
}

bool pfx_sensor_is_pmu(const struct pfx_parser *p, const char *word)
{
	return may_count(p) && (begins(word, HWMON) || begins(word, DRM));
}

static int unknown(struct pfx_parser *p, const struct pfx_token *tok, const char *pmu,
		   const char *word)
{
	char shown[PFX_SHOWN_SIZE];
	struct pfx_name_list names = {0};
	size_t i;
	int ret;

	for (i = 0; i < p->sensors.list.nr; i++)
		if (!fnmatch(pmu, p->sensors.list.at[i].pmu, FNM_CASEFOLD)) {
			const struct pfx_sensor *sensor = &p->sensors.list.at[i];

			pfx_vec_push(&names.names, sensor->name);
			if (sensor->label)
				pfx_vec_push(&names.names, sensor->label);
		}
	if (!names.names.nr)
		ret = pfx_parse_fail(p, &p->word, "this machine has no sensors '%s'",
				     pfx_parse_show(shown, &p->word));
	else
		ret = pfx_parse_fail(p, tok, "there is no sensor '%s'", pfx_parse_show(shown, tok));
	if (!pfx_parse_near(p, word, &names))
		pfx_parse_list(p, "sensors are", &names);
	pfx_vec_free(&names.names);
	return ret;
}

int pfx_sensor_parse(struct pfx_parser *p, const char *pmu)
{
	struct pfx_terms terms = {0};
	const struct pfx_token *name;
	char *word = NULL;
	int ret = pfx_terms_parse(p, &terms);

	if (!ret && (terms.terms.nr != 1 || terms.terms.at[0].value.kind != PFX_TOKEN_END))
		ret = pfx_parse_fail(p, &p->word, "sensors take one name between the slashes");
	if (!ret) {
		name = &terms.terms.at[0].name;
		word = pfx_strndup(name->at, name->len);
		if (!add_matching(p, sensors_for(p, pmu), pmu, word))
			ret = unknown(p, name, pmu, word);
	}
	free(word);
	pfx_terms_fini(&terms);
	return ret;
}
