/* SPDX-License-Identifier: MIT */
/*
 * Sensors: numbers in files of the kernel that can be used as events: temperatures, voltages and
 * fans (/sys/class/hwmon), and the statistics of graphics drivers per process (/proc/PID/fdinfo).
 * Lists of sensors and readings own their texts.
 */
#ifndef PFX_PMU_SENSOR_H
#define PFX_PMU_SENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/arena.h"

/* The source of a sensor's number. Zero-initialized: none. */
struct pfx_reading {
	char *path;   /* a file with just the number */
	char *driver; /* or: for all clients of this graphics driver, */
	char *key;    /* the sum of the values of this key */
	bool grows;   /* a running total: report the increase */
};

struct pfx_sensor {
	const char *pmu;   /* "hwmon_coretemp", "drm_i915" */
	const char *name;  /* "temp2", "drm-engine-render" */
	const char *label; /* "temp_core_0", a second name; NULL: none */
	const char *text;  /* one-line description */
	const char *unit;  /* of the number times `scale`; "" if none */
	double scale;
	struct pfx_reading where; /* its texts belong to the list */
};

struct pfx_sensors {
	PFX_VEC(struct pfx_sensor) list;
	struct pfx_arena arena;
};

/* Append the sensors of @sysfs, chip by chip. */
void pfx_sensors_hwmon(struct pfx_sensors *sensors, const char *sysfs);
/* Append the current keys of graphics drivers in the processes below @proc. */
void pfx_sensors_drm(struct pfx_sensors *sensors, const char *proc);
void pfx_sensors_fini(struct pfx_sensors *sensors);

/* Whether it is set. */
bool pfx_reading_is_one(const struct pfx_reading *reading);
struct pfx_reading pfx_reading_copy(const struct pfx_reading *reading);
void pfx_reading_fini(struct pfx_reading *reading);
/* Read the number, without scale; false: not readable. For a graphics driver: of @nr processes or
 * threads, with 0 of all below @proc. */
bool pfx_reading_take(const struct pfx_reading *reading, const char *proc, const int *tids,
		      size_t nr, double *ret);

#endif
